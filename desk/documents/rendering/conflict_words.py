"""The words and the Markdown for conflicts between findings of an answer."""

from collections.abc import Iterable
from typing import Final

from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.documents.rendering.markdown import bullets, escaped
from desk.documents.rendering.words.trust import (
    outcome_words,
    position_words,
    standing_words,
    state_words,
)
from desk.documents.rendering.words.wording import human, one_line, share_words

NO_CONFLICT: Final = "No two findings contradict each other."


def disputed_words(conflict: ConflictRecord) -> str:
    """Returns the subject of a conflict: `USD/JPY target`."""
    topic = conflict.conflict_id.rpartition("/conflict/")[2].removeprefix(f"{conflict.kind}/")
    subject, _, what = topic.partition("@")[0].rpartition(":")
    return one_line(f"{subject} {human(what)}")


def decided_words(conflict: ConflictRecord) -> str:
    """Returns words such as `decided by vote: 161.4 holds`, with the conflict's kind if the topic
    lacks it."""
    kind = "" if disputed_words(conflict).endswith(conflict.kind) else f"{conflict.kind}, "
    return f"{kind}{state_words(conflict)}: {outcome_words(conflict)}"


def spread_words(conflict: ConflictRecord) -> str:
    """Returns the difference between the highest and the lowest confidence, in words."""
    return f"Spread of confidence {share_words(conflict.spread)}."


def resolution_words(conflict: ConflictRecord) -> str:
    """Returns how the conflict was resolved; empty if the positions show it already, as after a
    vote."""
    return "" if conflict.decided_by is DecidedBy.VOTE else conflict.resolution


def conflicts_markdown(conflicts: Iterable[ConflictRecord]) -> str:
    """Renders the conflicts between findings, each with its positions."""
    lines = [_conflict(conflict) for conflict in conflicts]
    return bullets(lines) if lines else NO_CONFLICT


def positions_markdown(conflict: ConflictRecord) -> str:
    """Renders the positions of a conflict as items below it: the outcome of each, its statement and
    its agent. If an agent's target contradicts its view, the item says which of the two it is."""
    standings = (standing_words(conflict, position) for position in conflict.positions)
    return "".join(
        f"\n  - {f'{standing}: ' if standing else ''}{escaped(position_words(position))}"
        for standing, position in zip(standings, conflict.positions, strict=True)
    )


def _conflict(conflict: ConflictRecord) -> str:
    head = f"**{escaped(disputed_words(conflict))}**: {escaped(decided_words(conflict))}."
    settled = f"{escaped(resolution_words(conflict))} {spread_words(conflict)}".strip()
    return f"{head} {settled}{positions_markdown(conflict)}"
