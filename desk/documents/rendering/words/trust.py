"""The words for verdicts, conflicts, and what was left out."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from desk.contracts.findings.document import MarketStatement
from desk.contracts.findings.results import ConflictRecord, DecidedBy, Position
from desk.contracts.findings.verdicts import (
    ClaimCheck,
    ClaimStatus,
    ClaimVerdict,
    FactCheckRecord,
)
from desk.contracts.question.answers import AnswerReport
from desk.documents.rendering.words.wording import human, share_words
from desk.trust.conflicts import dissent

STATUS_WORDS: Final[Mapping[ClaimStatus, str]] = {
    ClaimStatus.VERIFIED: "verified",
    ClaimStatus.SINGLE_SOURCE: "single source",
    ClaimStatus.CONTESTED: "contested",
    ClaimStatus.REJECTED: "rejected",
}
CHECK_WORDS: Final[Mapping[ClaimCheck, str]] = {
    ClaimCheck.EVIDENCE: "evidence check",
    ClaimCheck.UNIT: "unit check",
    ClaimCheck.DATE: "day check",
    ClaimCheck.VALUE: "value check",
    ClaimCheck.FORMULA: "formula check",
    ClaimCheck.SECOND_SOURCE: "second source",
    ClaimCheck.SERIES: "series check",
    ClaimCheck.CROSS_MARKET: "cross-market check",
}
UNCHECKED: Final = "not checked"
WITHHELD: Final = "no position holds, and the figure is withheld"


def fact_check_words(record: FactCheckRecord | None) -> tuple[str, ...]:
    """Returns a line that says that a model read the words a second time; none if it did not."""
    if record is None or record.unchecked is not None:
        return ()
    count = f"{record.sentences} {'sentence' if record.sentences == 1 else 'sentences'}"
    return (f"Read a second time by a model, against what is cited: {count}",)


def fact_check_gaps(record: FactCheckRecord | None) -> tuple[str, ...]:
    """Returns a line on the sentences that a second reading left out, or on why there was none."""
    if record is None:
        return ()
    if record.unchecked is not None:
        return (f"nobody read the words a second time against what they cite: {record.unchecked}",)
    if not record.omitted:
        return ()
    one = record.omitted == 1
    left = "1 sentence was" if one else f"{record.omitted} sentences were"
    what = "it cites does not say it" if one else "they cite does not say it"
    return (f"{left} left out: a second reading found that what {what}",)


def verdicts_of(statement: MarketStatement | AnswerReport) -> dict[str, ClaimVerdict]:
    """Returns the verdicts of a section, or of an answer, by claim id."""
    return {verdict.claim_id: verdict for verdict in statement.verdicts}


def status_words(verdict: ClaimVerdict | None) -> str:
    """Returns `verified`, `single source` or `contested`; `not checked` if there is no verdict."""
    return UNCHECKED if verdict is None else STATUS_WORDS[verdict.status]


def check_words(verdict: ClaimVerdict | None) -> str:
    """Returns the check that decided: `second source`. Empty without a verdict."""
    return "" if verdict is None else CHECK_WORDS[verdict.decided_by]


def verdict_words(verdict: ClaimVerdict | None) -> str:
    """Returns the verdict, the check that decided and its reason, in a sentence or two."""
    if verdict is None:
        return "Not checked: the validator gave no verdict on it."
    words = f"{status_words(verdict).capitalize()} ({check_words(verdict)})"
    reason = verdict.words.strip().rstrip(".")
    return f"{words}: {reason}." if reason else f"{words}."


def stated_words(stated: str) -> str:
    """Returns the statement of a position, with thousands separators as in every table:
    `18,055`."""
    number, gap, behind = stated.partition(" ")
    try:
        value = Decimal(number)
    except ArithmeticError:
        return stated
    return f"{value:{'+' if number.startswith('+') else ''},f}{gap}{behind}"


def position_words(position: Position) -> str:
    """Describes a position: its agent, its statement, its source, and its weight."""
    if position.abstains:
        return f"{human(position.agent)}, weight 0"
    origin = f", first published by {position.origin}" if position.origin else ""
    return (
        f"{human(position.agent)} states {stated_words(position.stated)} from {position.source} "
        f"({position.tier}{origin}), confidence {share_words(position.confidence)}, "
        f"weight {position.weight:.2f}"
    )


def state_words(conflict: ConflictRecord) -> str:
    """Returns whether a conflict is settled, and by whom or what."""
    if not conflict.resolved:
        return "waiting for a person"
    if conflict.decided_by is DecidedBy.PERSON:
        return f"decided by {conflict.decided_by_whom or 'a person'}"
    if conflict.decided_by is DecidedBy.VOTE:
        return "decided by vote"
    if conflict.decided_by is DecidedBy.DEFAULT:
        return "decided by default, nobody answered in time"
    if conflict.decided_by is DecidedBy.PUBLISHER:
        return "decided by the figure's own publisher"
    return "resolved"


def outcome_words(conflict: ConflictRecord) -> str:
    """Returns the chosen position, or that the figure is withheld."""
    if conflict.chosen is None:
        return WITHHELD if conflict.resolved else "undecided so far"
    return f"{stated_words(conflict.chosen)} holds"


def standing_words(conflict: ConflictRecord, position: Position) -> str:
    """Returns the outcome of a position: it `holds`, `abstains` or is the `dissent`. Empty while
    the conflict is open, and if no position was chosen."""
    if position.abstains:
        return "abstains"
    if not conflict.resolved or conflict.chosen is None:
        return ""
    return "dissent" if position in dissent(conflict) else "holds"
