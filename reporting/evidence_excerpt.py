"""The piece of a tool's content that a figure was read from.

The content is read as one of the desk's own source results. Content of another shape gives no
excerpt: what somebody else's server means by its fields is not guessed.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from contracts.claims import Claim, Metric
from contracts.source_results import (
    History,
    MonthAverages,
    MonthEndRates,
    PolicyRates,
    Provenance,
    Quote,
    RateDecisions,
)
from contracts.tools import ToolResult
from domain.figures import print_full_day
from reporting.trace import Excerpt
from reporting.wording import instant

Model = TypeVar("Model", bound=BaseModel)
OF_SERIES: Final = frozenset({Metric.Z_SCORE, Metric.STREAK})
OF_DECISIONS: Final = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


def excerpt_of(claim: Claim, result: ToolResult) -> Excerpt | None:
    """What a tool result says about a claim; None where it says nothing that can be shown."""
    reader = _READERS.get(result.call.tool)
    if reader is None or result.content is None:
        return None
    try:
        return reader(claim, result.content)
    except ValidationError:
        return None


def provenance_of(result: ToolResult) -> Provenance | None:
    """The source that a result names itself, in the form of the desk's own servers."""
    content = result.content
    if not isinstance(content, dict):
        return None
    try:
        return Provenance.model_validate(content.get("source"))
    except ValidationError:
        return None


def row_origin(excerpt: Excerpt | None) -> str | None:
    """Who first published a row, where the row says so."""
    origin = excerpt.row.get("origin") if excerpt else None
    return origin if isinstance(origin, str) else None


def _of_history(claim: Claim, content: JsonValue) -> Excerpt | None:
    history = History.model_validate(content)
    if not history.days or len(history.days) != len(history.values):
        return None
    if claim.metric in OF_SERIES:
        first, last = history.days[0], history.days[-1]
        words = (
            f"{len(history.days)} fixings of {history.symbol}, {print_full_day(first)} to "
            f"{print_full_day(last)}"
        )
        row: dict[str, JsonValue] = {"first_day": _written(first), "last_day": _written(last)}
        return Excerpt(words=words, row=row | {"fixings": len(history.days)})
    if claim.as_of not in history.days:
        return None
    value = history.values[history.days.index(claim.as_of)]
    words = f"fixing of {print_full_day(claim.as_of)}: {value:,f}"
    return Excerpt(words=words, row={"day": _written(claim.as_of), "value": str(value)})


def _of_quote(_: Claim, content: JsonValue) -> Excerpt | None:
    quote = Quote.model_validate(content)
    if quote.value is None or quote.fixed_on is None:
        return None
    return Excerpt(
        words=f"last fixing, of {print_full_day(quote.fixed_on)}: {quote.value:,f}",
        row={"fixed_on": _written(quote.fixed_on), "value": str(quote.value)},
    )


def _of_policy_rates(claim: Claim, content: JsonValue) -> Excerpt | None:
    rates = PolicyRates.model_validate(content).rates
    row = next((line for line in rates if line.area == claim.subject), None)
    if row is None or row.rate is None:
        return None
    since = f" since {print_full_day(row.since)}" if row.since else ""
    words = f"{row.bank}, {row.instrument}: {row.rate:f} %{since}"
    if row.low is not None and row.high is not None and row.low != row.high:
        words += f", the midpoint of {row.low:f} to {row.high:f} %"
    if row.covered_until:
        words += f"; changes are known until {print_full_day(row.covered_until)}"
    return Excerpt(words=words, row=row.model_dump(mode="json", exclude_none=True))


def _of_decisions(claim: Claim, content: JsonValue) -> Excerpt | None:
    if claim.metric not in OF_DECISIONS:
        return None
    decisions = RateDecisions.model_validate(content).decisions
    found = (d for d in decisions if d.area == claim.subject and d.decided_on == claim.as_of)
    row = next(found, None)
    if row is None:
        return None
    words = (
        f"{row.bank} on {print_full_day(row.decided_on)}: {row.rate:f} % after a change of "
        f"{row.change:f} bp, known from {instant(row.known_from)}; {row.source}"
    )
    return Excerpt(words=words, row=row.model_dump(mode="json", exclude_none=True))


def _of_month_averages(claim: Claim, content: JsonValue) -> Excerpt | None:
    averages = MonthAverages.model_validate(content).averages
    if not averages:
        return None
    month = f"{claim.as_of:%Y-%m}"
    row = next((line for line in averages if line.month == month), averages[-1])
    newest = ", the newest that was known" if row is averages[-1] else ""
    words = f"average of {row.month}: {row.value:,f}{newest}"
    return Excerpt(words=words, row=row.model_dump(mode="json"))


def _of_month_ends(claim: Claim, content: JsonValue) -> Excerpt | None:
    rates = MonthEndRates.model_validate(content).rates
    rows = [line for line in rates if line.area == claim.subject]
    known = [line for line in rows if line.month <= f"{claim.as_of:%Y-%m}"] or rows
    if not known:
        return None
    row = known[-1]
    return Excerpt(
        words=f"{row.instrument} at the end of {row.month}: {row.rate:f} %",
        row=row.model_dump(mode="json"),
    )


def _written(day: date) -> str:
    return day.isoformat()


_READERS: Final[Mapping[str, Callable[[Claim, JsonValue], Excerpt | None]]] = {
    "get_historical": _of_history,
    "get_quote": _of_quote,
    "get_policy_rate": _of_policy_rates,
    "get_rate_decisions": _of_decisions,
    "get_month_averages": _of_month_averages,
    "get_month_end_rates": _of_month_ends,
}
