"""When a recommendation can be evaluated, and how long this is retried."""

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from pydantic import JsonValue

from desk.agents.answer_form import ParsedAnswer, UnreadableAnswer, parse_answer
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import ToolResult, ToolStatus, capability_of
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.markets import MarketKind
from desk.contracts.runs.graph import NodeOutcome
from desk.learning.hypotheses import expected_day
from desk.programs.episode.actions import PART_METRICS
from desk.trust.confidence import NOTHING_FOUND

SETTLING: Final = timedelta(hours=1)
"""A source publishes the close of a day some time after it is known."""

HOLIDAYS: Final = timedelta(days=3)
"""How long an older close may mean a late one; after that its exchange was closed."""

NEVER: Final = "there was no price to begin with, and none of later days will come"

_OF_PRICES: Final = frozenset(
    metric
    for action in (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)
    for metric in PART_METRICS[action]
)


class _ParsedFigures(ParsedAnswer):
    figures: Sequence[JsonValue] | None = None


class Later(NamedTuple):
    """Why an evaluation is retried, and until when."""

    words: str
    until: datetime


def due_of(as_of: datetime, weeks: int) -> datetime:
    """The instant at which the horizon is over, or the last possible instant."""
    last = datetime.max.replace(tzinfo=UTC)
    return last if last - as_of < timedelta(weeks=weeks) else as_of + timedelta(weeks=weeks)


def has_price(known: Set[Metric]) -> bool:
    """Returns whether a price figure is among the known ones."""
    return not _OF_PRICES.isdisjoint(known)


def had_no_price(known: Set[Metric], outcomes: Iterable[NodeOutcome]) -> bool:
    """Returns whether a source said that it had no price of the stock when the episode began:
    `known` has no price figure, and the action that provides the last price had an answer.

    An answer to the other technical action alone is not enough: few prices give no indicator. If no
    source was called, or none answered, a price may still come.
    """
    if has_price(known):
        return False
    return any(
        outcome.entry.node == StockAction.RUN_TA_BASIC
        and outcome.entry.result is not None
        and any(_market_answers(outcome))
        for outcome in outcomes
    )


def was_told_no_price(known: Set[Metric], outcomes: Iterable[NodeOutcome]) -> bool:
    """Returns the same for any action that asked for the market data: there was an answer, and no
    answer has any figure. Few prices give no indicator, but they have a last one."""
    if has_price(known):
        return False
    answers = [_figures(answer) for outcome in outcomes for answer in _market_answers(outcome)]
    return bool(answers) and all(figures is not None and not figures for figures in answers)


def never_evaluated(task: TaskAssignment, symbol: str) -> ResearchResult:
    """The result of an evaluation that is not carried out: no figure, and the reason."""
    return ResearchResult(
        result_id=f"{task.task_id}/result",
        task_id=task.task_id,
        agent=task.agent,
        market=symbol,
        missing=(f"{symbol}: {NEVER}.",),
        confidence=NOTHING_FOUND,
    )


def later(
    found: date | None, reason: str, *, due: datetime, now: datetime, given_up_after: timedelta
) -> Later | None:
    """Returns why to retry, or None if the found price is accepted, or the wait is over. `reason`
    says why there is no price, if none was `found`."""
    if found is None:
        until = due + given_up_after
        return Later(reason, until) if now < until else None
    expected, until = expected_day(MarketKind.STOCK, due), due + HOLIDAYS
    if found >= expected or now >= until:
        return None
    return Later(f"the last price is of {found}, and that of {expected} may still come", until)


def _market_answers(outcome: NodeOutcome) -> Iterator[ToolResult]:
    """The answers with the stock's market data, which include its last price."""
    for result in outcome.evidence:
        if result.status is ToolStatus.OK and capability_of(result.call) is Capability.MARKET_DATA:
            yield result


def _figures(answer: ToolResult) -> Sequence[JsonValue] | None:
    """The figures in an answer; None if it does not say."""
    try:
        return parse_answer(answer, _ParsedFigures).figures
    except UnreadableAnswer:
        return None
