"""The Markdown of what an answer tells of a swarm, and of the conflicts of an episode; each part is
empty where there was none."""

from collections.abc import Iterator

from desk.contracts.findings.results import ConflictRecord
from desk.contracts.question.answers import AnswerReport
from desk.contracts.swarm.swarm import SwarmRecord, SwarmRound
from desk.documents.rendering.answer.swarm_words import (
    HypothesisLine,
    conflicts_of,
    decided_words,
    disputed_words,
    ended_words,
    hypothesis_lines,
    position_lines,
    recalled_words,
    resolution_words,
    said,
    spread_words,
    subagent_lines,
    token_words,
)
from desk.documents.rendering.markdown_text import bullets, escaped

NO_CONFLICT = "No two findings contradict each other."
NO_HYPOTHESIS = "None that rests on claims that stand."


def conflicts_markdown(answer: AnswerReport) -> str:
    """The conflicts between findings, each with its positions."""
    conflicts = conflicts_of(answer)
    if conflicts is None:
        return ""
    lines = [_conflict(conflict) for conflict in conflicts]
    return bullets(lines) if lines else NO_CONFLICT


def hypotheses_markdown(answer: AnswerReport) -> str:
    """What the leader takes to be likely, and what would refute it."""
    if answer.swarm is None:
        return ""
    lines = [_hypothesis(line) for line in hypothesis_lines(answer)]
    return bullets(lines) if lines else NO_HYPOTHESIS


def rounds_markdown(answer: AnswerReport) -> str:
    """How each round was planned, who worked in it, and why it was the last."""
    if answer.swarm is None:
        return ""
    return "\n\n".join(
        part for each in answer.swarm.rounds for part in _round(each, answer.swarm, answer)
    )


def tokens_markdown(answer: AnswerReport) -> str:
    """What was read."""
    return token_words(answer.swarm.tokens) if answer.swarm else ""


def _conflict(conflict: ConflictRecord) -> str:
    head = f"**{escaped(disputed_words(conflict))}**: {escaped(decided_words(conflict))}."
    settled = f"{escaped(resolution_words(conflict))} {spread_words(conflict)}".strip()
    positions = (
        f"\n  - {f'{standing}: ' if standing else ''}{escaped(words)}"
        for standing, words in position_lines(conflict)
    )
    return f"{head} {settled}{''.join(positions)}"


def _hypothesis(line: HypothesisLine) -> str:
    views = f"\n  - Specialists' views: {escaped(line.views)}" if line.views else ""
    return (
        f"**{escaped(line.title)}**, {line.likely}. {escaped(line.statement)}"
        f"\n  - Refuted by: {escaped(line.refuted_by)}"
        f"{views}"
        f"\n  - Workflow `{escaped(line.workflow_id)}`"
    )


def _round(each: SwarmRound, swarm: SwarmRecord, answer: AnswerReport) -> Iterator[str]:
    known = {claim.claim_id: claim for claim in answer.claims}
    yield f"### Round {each.number}: {escaped(said(each.objective, known))}"
    yield escaped(f"A {each.plan.complexity} objective. {said(each.plan.strategy, known)}")
    yield bullets(
        [
            f"**{escaped(line.node)}** ({escaped(line.agent)}, {escaped(line.market)},"
            f" {line.calls}): {escaped(line.objective)} {escaped(line.boundaries)}"
            for line in subagent_lines(each, known)
        ]
    )
    names = ", ".join(f"`{escaped(name)}`" for name in each.recalled)
    yield escaped(recalled_words(each, swarm)) + (f": {names}." if names else ".")
    ended = ended_words(each, known)
    if ended:
        yield f"{escaped(ended.rstrip('.'))}."
