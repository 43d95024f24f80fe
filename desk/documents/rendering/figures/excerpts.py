"""The piece of a tool's content that a figure was read from.

The content is read as one of the desk's own source results. Content of another shape gives no
excerpt: what somebody else's server means by its fields is not guessed.
"""

from datetime import date
from typing import Final

from pydantic import Field, JsonValue, ValidationError

from desk.analytics.figures import day_of, print_full_day
from desk.analytics.units import BAND_EDGES
from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Contract, Text
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.source_results import (
    History,
    MonthAverages,
    MonthEndRates,
    PolicyRates,
    Provenance,
    Quote,
    RateDecisions,
)
from desk.documents.rendering.wording import instant
from desk.trust.claims.rate_claims import IN_A_ROW
from desk.trust.ledger import Answer


class Excerpt(Contract):
    """The piece of a tool's content that a figure was read from.

    `row` is as the source has it, `words` says it in a sentence.
    """

    words: Text
    row: dict[str, JsonValue] = Field(default_factory=dict)


OF_SERIES: Final = frozenset({Metric.Z_SCORE, Metric.STREAK, Metric.LARGEST_DAY})
SINCE: Final = frozenset({Metric.HIGHEST_SINCE, Metric.LOWEST_SINCE})
OF_DECISIONS: Final = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


def excerpt_of(claim: Claim, answer: Answer | None) -> Excerpt | None:
    """What a tool's answer says about a claim; None where it says nothing that can be shown."""
    match answer:
        case History():
            return _of_history(claim, answer)
        case Quote():
            return _of_quote(answer)
        case PolicyRates():
            return _of_policy_rates(claim, answer)
        case RateDecisions():
            return _of_decisions(claim, answer)
        case MonthAverages():
            return _of_month_averages(claim, answer)
        case MonthEndRates():
            return _of_month_ends(claim, answer)
        case Analysis():
            return _of_analysis(claim, answer)
        case _:
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


def _of_history(claim: Claim, history: History) -> Excerpt | None:
    if not history.days or len(history.days) != len(history.values):
        return None
    if claim.metric in BAND_EDGES:
        return None
    if claim.metric in OF_SERIES:
        first, last = history.days[0], history.days[-1]
        words = (
            f"{len(history.days)} fixings of {history.symbol}, {print_full_day(first)} to "
            f"{print_full_day(last)}"
        )
        row: dict[str, JsonValue] = {"first_day": _written(first), "last_day": _written(last)}
        return Excerpt(words=words, row=row | {"fixings": len(history.days)})
    day = day_of(claim.value) if claim.metric in SINCE else claim.as_of
    if day is None or day not in history.days:
        return None
    value = history.values[history.days.index(day)]
    words = f"fixing of {print_full_day(day)}: {value:,f}"
    return Excerpt(words=words, row={"day": _written(day), "value": str(value)})


def _of_quote(quote: Quote) -> Excerpt | None:
    if quote.value is None or quote.fixed_on is None:
        return None
    return Excerpt(
        words=f"last fixing, of {print_full_day(quote.fixed_on)}: {quote.value:,f}",
        row={"fixed_on": _written(quote.fixed_on), "value": str(quote.value)},
    )


def _of_policy_rates(claim: Claim, answer: PolicyRates) -> Excerpt | None:
    row = next((line for line in answer.rates if line.area == claim.subject), None)
    if row is None or row.rate is None:
        return None
    since = f" since {print_full_day(row.since)}" if row.since else ""
    words = f"{row.bank}, {row.instrument}: {row.rate:f} %{since}"
    if row.low is not None and row.high is not None and row.low != row.high:
        words += f", the midpoint of {row.low:f} to {row.high:f} %"
    if row.covered_until:
        words += f"; changes are known until {print_full_day(row.covered_until)}"
    return Excerpt(words=words, row=row.model_dump(mode="json", exclude_none=True))


def _of_decisions(claim: Claim, answer: RateDecisions) -> Excerpt | None:
    if claim.metric in IN_A_ROW.values():
        return _of_meetings(claim, answer)
    if claim.metric not in OF_DECISIONS:
        return None
    found = (
        decision
        for decision in answer.decisions
        if decision.area == claim.subject and decision.decided_on == claim.as_of
    )
    row = next(found, None)
    if row is None:
        return None
    words = (
        f"{row.bank} on {print_full_day(row.decided_on)}: {row.rate:f} % after a change of "
        f"{row.change:f} bp, known from {instant(row.known_from)}; {row.source}"
    )
    return Excerpt(words=words, row=row.model_dump(mode="json", exclude_none=True))


def _of_meetings(claim: Claim, answer: RateDecisions) -> Excerpt | None:
    rows = [d for d in (*answer.before, *answer.decisions) if d.area == claim.subject]
    days = sorted(row.decided_on for row in rows if row.decided_on <= claim.as_of)
    if not days:
        return None
    span = f"{print_full_day(days[0])} to {print_full_day(days[-1])}"
    row: dict[str, JsonValue] = {"first_day": _written(days[0]), "last_day": _written(days[-1])}
    return Excerpt(
        words=f"{len(days)} decisions of {rows[-1].bank}, {span}",
        row=row | {"decisions": len(days)},
    )


def _of_month_averages(claim: Claim, answer: MonthAverages) -> Excerpt | None:
    averages = answer.averages
    if not averages:
        return None
    month = f"{claim.as_of:%Y-%m}"
    row = next((line for line in averages if line.month == month), averages[-1])
    newest = ", the newest that was known" if row is averages[-1] else ""
    words = f"average of {row.month}: {row.value:,f}{newest}"
    return Excerpt(words=words, row=row.model_dump(mode="json"))


def _of_month_ends(claim: Claim, answer: MonthEndRates) -> Excerpt | None:
    rows = [line for line in answer.rates if line.area == claim.subject]
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


def _of_analysis(claim: Claim, answer: Analysis) -> Excerpt | None:
    row = next((figure for figure in answer.figures if figure.metric is claim.metric), None)
    if row is None:
        return None
    name, day = row.metric.replace("_", " "), print_full_day(row.as_of)
    return Excerpt(
        words=f"{name} of {day}: {row.value:,f}; {answer.method}", row=row.model_dump(mode="json")
    )
