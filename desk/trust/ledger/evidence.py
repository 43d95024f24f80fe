"""Checks whether a tool result is evidence: unchanged, known at the as-of instant, and readable."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Final, TypeAlias

from pydantic import JsonValue, ValidationError

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.analytics.links import web_link
from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import SHIPPED
from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult, ToolStatus
from desk.contracts.episode.analysis import Analysis, PriceHistory
from desk.contracts.findings.source_results import (
    AssetSeries,
    DecisionCalendar,
    Histories,
    History,
    MonthAverages,
    MonthEndRates,
    PolicyRates,
    Provenance,
    Quote,
    RateDecisions,
    RateRecords,
    Yields,
)
from desk.contracts.weeks import TimeWindow
from desk.trust.contents import read_as
from desk.trust.seals import content_hash

Answer: TypeAlias = (
    History
    | Histories
    | Quote
    | MonthAverages
    | RateDecisions
    | DecisionCalendar
    | MonthEndRates
    | PolicyRates
    | RateRecords
    | Yields
    | Analysis
    | PriceHistory
    | AssetSeries
)

COMMON: Final = frozenset({"as_of", "source"})
SHAPES: Final[tuple[tuple[type[Answer], frozenset[str]], ...]] = (
    (History, COMMON | {"symbol", "days", "values"}),
    (Histories, COMMON | {"symbol", "histories"}),
    (Quote, COMMON | {"symbol", "value", "fixed_on"}),
    (MonthAverages, COMMON | {"symbol", "averages"}),
    (RateDecisions, COMMON | {"decisions"}),
    (DecisionCalendar, COMMON | {"scheduled"}),
    (MonthEndRates, COMMON | {"rates", "missing"}),
    (PolicyRates, COMMON | {"rates"}),
    (RateRecords, COMMON | {"recorded"}),
    (Yields, COMMON | {"yields"}),
    (Analysis, COMMON | {"symbol", "method", "figures"}),
    (PriceHistory, COMMON | {"symbol", "kind", "days", "closes"}),
    (AssetSeries, COMMON | {"name", "unit", "days", "values"}),
)
"""The desk's own answers, and the keys that identify each, whichever server it comes from."""


def asset_symbol(name: str) -> str:
    """Returns the subject of claims about an asset beside a market: `dollar_index` is
    DOLLAR-INDEX."""
    return name.upper().replace("_", "-")


class EvidenceUnusable(ValueError):
    """No claim can rest on this tool result. The message says why."""


def attributed(result: ToolResult, by: Provenance) -> DataSource:
    """Returns the source that a tool result is listed as: the call, and the publisher.

    The desk's configuration of its server has precedence over `by`. An address that is not one of a
    web page is left out.
    """
    return DataSource(
        server=result.call.server,
        tool=result.call.tool,
        arguments=result.call.arguments,
        name=by.name,
        tier=granted_tier(result, by.tier),
        origin=result.attribution.origin if result.attribution else by.origin,
        url=web_link(by.url),
        retrieved_at=result.retrieved_at,
        evidence_id=result.evidence_id,
    )


def granted_tier(result: ToolResult, claimed: SourceTier) -> SourceTier:
    """Returns the tier that the desk's configuration gives to a source.

    A result from before tiers were configured has the tier that the source claims, but at most
    secondary for a server that does not come with the desk, since anyone can claim one.
    """
    if result.attribution is not None:
        return result.attribution.tier
    if result.call.server in SHIPPED or claimed is SourceTier.DERIVED:
        return claimed
    return SourceTier.SECONDARY


def answers_for(result: ToolResult, instant: datetime | None) -> bool:
    """Returns whether a tool result itself states that it answers for an instant."""
    content = result.content
    written = content.get("as_of") if isinstance(content, dict) else None
    return instant is not None and written is not None and _instant(written) == instant


def window_of(result: ToolResult, window: TimeWindow, due: datetime | None) -> TimeWindow:
    """Returns the window that a tool result is checked against. It ends at the horizon if the
    result answers for that."""
    return window.model_copy(update={"end": due}) if answers_for(result, due) else window


def check_result(result: ToolResult, window: TimeWindow) -> None:
    """Accepts a tool result that was answered, is unchanged, and answers for the as-of instant.

    A third-party server need not state the instant; then it is not checked.

    Raises:
        EvidenceUnusable: it fails one of the three.
    """
    if result.status is not ToolStatus.OK:
        raise EvidenceUnusable(f"the call was {result.status}")
    if result.content_hash != content_hash(result.content):
        raise EvidenceUnusable("the content is not the one that its hash was taken of")
    if not isinstance(result.content, dict) or "as_of" not in result.content:
        return
    instant = _instant(result.content["as_of"])
    if instant != window.end:
        raise EvidenceUnusable(
            f"it answers for {result.content['as_of']}, and the week's as-of instant is"
            f" {window.end.isoformat()}"
        )


def read_answer(content: JsonValue) -> Answer | None:
    """Parses the content as one of the desk's own answers; None if it has another shape.

    Raises:
        EvidenceUnusable: it has the keys of one and cannot be parsed as it.
    """
    if not isinstance(content, dict):
        return None
    shapes = [model for model, keys in SHAPES if keys <= content.keys()]
    for model in shapes:
        try:
            return read_as(model, content)
        except ValidationError:
            continue
    if shapes:
        raise EvidenceUnusable(f"it cannot be read as {shapes[0].__name__}")
    return None


def usable_answers(results: Iterable[ToolResult]) -> Iterator[tuple[ToolResult, Answer]]:
    """Yields the results that can be parsed as one of the desk's own answers, each with that
    answer."""
    for result in results:
        try:
            answer = read_answer(result.content)
        except EvidenceUnusable:
            continue
        if answer is not None:
            yield result, answer


def check_answer(answer: Answer, arguments: Mapping[str, JsonValue], window: TimeWindow) -> None:
    """Accepts an answer to the question that was asked, with nothing from the future.

    Raises:
        EvidenceUnusable: it is about another pair or area than the call, or contains something that
            was not known at the as-of instant.
    """
    _, last_day = window_days(window)
    unasked = _subjects(answer) - _asked(answer, arguments)
    if unasked:
        raise EvidenceUnusable(f"it was not asked about {', '.join(sorted(unasked))}")
    late = [day for day in _days(answer) if day > last_day]
    if late or any(instant > window.end for instant in _known_from(answer)):
        raise EvidenceUnusable("it holds what was not known yet at the as-of instant")


def verified_answer(
    result: ToolResult, window: TimeWindow, due: datetime | None = None
) -> Answer | None:
    """Returns a tool result as one of the desk's own answers; None if it has another shape.

    In a stock's episode `due` is the end of the horizon. An answer for that instant is accepted if
    it contains only the recommendation's outcome.

    Raises:
        EvidenceUnusable: it fails `check_result`, cannot be parsed, or fails `check_answer`; or it
            answers for the horizon, and contains anything else.
    """
    held_to = window_of(result, window, due)
    check_result(result, held_to)
    answer = read_answer(result.content)
    if answer is not None:
        check_answer(answer, result.call.arguments, held_to)
        if held_to is not window and not _is_evaluation(answer):
            raise EvidenceUnusable(
                "it answers for the end of the horizon, and gives more than what came of the"
                " recommendation"
            )
    return answer


def is_about(answer: Answer, subject: str) -> bool:
    """Returns whether an answer is about a pair or an area, with or without a figure for it."""
    return subject in _subjects(answer)


def _is_evaluation(answer: Answer) -> bool:
    return isinstance(answer, Analysis) and all(
        figure.metric in EVALUATION_METRICS for figure in answer.figures
    )


def _instant(written: JsonValue) -> datetime | None:
    try:
        instant = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return instant if instant.tzinfo else None


def _subjects(answer: Answer) -> set[str]:
    match answer:
        case History() | Quote() | MonthAverages() | Analysis() | PriceHistory():
            return {answer.symbol}
        case Histories():
            return {answer.symbol, *(history.symbol for history in answer.histories)}
        case PolicyRates() | MonthEndRates():
            return {rate.area for rate in answer.rates}
        case Yields():
            return {series.area for series in answer.yields}
        case AssetSeries():
            return {asset_symbol(answer.name)}
        case RateRecords():
            return {rate.area for rate in answer.recorded}
        case RateDecisions():
            return {decision.area for decision in answer.decisions}
        case DecisionCalendar():
            return {day.area for day in answer.scheduled}


def _asked(answer: Answer, arguments: Mapping[str, JsonValue]) -> set[str]:
    """Returns the subjects that the call named, or all subjects in the answer if the call did not
    name any in a known form."""
    if isinstance(answer, History | Histories | Quote | MonthAverages | Analysis | PriceHistory):
        symbol = arguments.get("symbol")
        named = isinstance(symbol, str) and _letters(symbol) != _letters(answer.symbol)
        return set() if named else {answer.symbol}
    if isinstance(answer, AssetSeries):
        name = arguments.get("name")
        return {asset_symbol(name)} if isinstance(name, str) else _subjects(answer)
    areas = arguments.get("areas")
    return (
        {str(area).upper() for area in areas}
        if isinstance(areas, list) and areas
        else _subjects(answer)
    )


def _letters(symbol: str) -> str:
    return "".join(filter(str.isalpha, symbol)).upper()


def _days(answer: Answer) -> tuple[date, ...]:
    if isinstance(answer, History | PriceHistory | AssetSeries):
        return answer.days
    if isinstance(answer, Yields):
        return tuple(day for series in answer.yields for day in series.days)
    if isinstance(answer, RateRecords):
        return tuple(rate.day for rate in answer.recorded)
    if isinstance(answer, Histories):
        return tuple(day for history in answer.histories for day in history.days)
    if isinstance(answer, Analysis):
        return tuple(figure.as_of for figure in answer.figures)
    return (answer.fixed_on,) if isinstance(answer, Quote) and answer.fixed_on else ()


def _known_from(answer: Answer) -> list[datetime]:
    match answer:
        case RateDecisions():
            return [decision.known_from for decision in (*answer.before, *answer.decisions)]
        case MonthAverages():
            return [average.known_from for average in answer.averages]
        case MonthEndRates():
            return [rate.known_from for rate in answer.rates]
        case _:
            return []
