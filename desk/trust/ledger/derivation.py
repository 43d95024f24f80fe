"""Derives the claims that a tool result gives, whichever agent made them. The same evidence always
gives the same claims.

Numbers in tool answers of unknown form are claims as well. They have no metric or unit that the
desk knows. The name of such a claim gives the place of the number: the server, the tool with a hash
of its arguments, and the path in the answer.
"""

import json
import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Final

from pydantic import JsonValue, TypeAdapter, ValidationError

from desk.analytics.figures import level_step
from desk.analytics.names.markets import STOCK_DIGITS, pair_by_name
from desk.analytics.prices.price_view import view_newest
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.episode.analysis import Analysis, PriceHistory
from desk.contracts.findings.claims import (
    Claim,
    ClaimId,
    Metric,
    Unit,
    claim_id,
    days_named,
    level_named,
)
from desk.contracts.findings.source_results import (
    AssetSeries,
    DecisionCalendar,
    History,
    MonthEndRates,
    PolicyRates,
    Quote,
    RateDecisions,
    Yields,
)
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.weeks import TimeWindow
from desk.trust.claims.analysis_claims import analysis_claims, mark_claims
from desk.trust.claims.price_claims import price_claims, step_claims
from desk.trust.claims.rate_claims import (
    decision_claims,
    in_a_row_claims,
    next_decision_claims,
    policy_rate_claims,
    target_range_claims,
    within_claims,
)
from desk.trust.claims.span_claims import (
    beyond_claims,
    counted_claims,
    extreme_claims,
    fixings_of,
    span_claims,
)
from desk.trust.claims.yield_claims import area_claims, pair_claims
from desk.trust.ledger.evidence import Answer, EvidenceUnusable, asset_symbol

MOST_STATED: Final = 60
"""The maximum number of numbers of one answer that can be claims; the first ones in its order."""

MOST_DIGITS: Final = 15
_SUBJECT: Final = re.compile(r"[^A-Z0-9]+")
_NAME: Final = re.compile(r"[^a-z0-9_]+")
_STEP: Final = re.compile(r"[^A-Za-z0-9_-]+")
_NUMBER: Final = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?")
_ID: Final[TypeAdapter[str]] = TypeAdapter(ClaimId)
_META: Final = frozenset({"as_of"})


def stated_claims(result: ToolResult, day: date) -> tuple[Claim, ...]:
    """Returns the numbers in a tool's structured answer, by their paths, as of a day.

    A string that is only a number counts. If two paths result in the same name, the first counts.
    Empty if the tool did not answer.
    """
    if result.status is not ToolStatus.OK or not isinstance(result.content, dict | list):
        return ()
    found: dict[str, Claim] = {}
    for path, value in _numbers(result.content, ()):
        name = f"{subject_of(result)}:{_asked(result)}{''.join(f'.{step}' for step in path)}"
        if not _fits(name) or name in found:
            continue
        found[name] = Claim(
            claim_id=name,
            subject=subject_of(result),
            metric=Metric.STATED,
            value=value,
            unit=Unit.NUMBER,
            as_of=day,
            evidence=(result.evidence_id,),
        )
        if len(found) == MOST_STATED:
            break
    return tuple(found.values())


def subject_of(result: ToolResult) -> str:
    """Returns the subject of a stated number: the server that states it."""
    name = _SUBJECT.sub("-", result.call.server.upper()).strip("-")[:15]
    return name if name[:1].isalpha() else f"S{name}"[:15]


def _asked(result: ToolResult) -> str:
    """Returns the tool's name with four characters that distinguish its arguments."""
    tool = _NAME.sub("_", result.call.tool.lower())[:60] or "tool"
    asked = {n: value for n, value in result.call.arguments.items() if n not in _META}
    if not asked:
        return tool
    canonical = json.dumps(asked, sort_keys=True)
    return f"{tool}_{sha256(canonical.encode()).hexdigest()[:4]}"


def _numbers(
    content: JsonValue, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Decimal]]:
    if len(path) > 8:
        return
    if isinstance(content, dict):
        for name, held in content.items():
            step = _STEP.sub("_", name)
            if step and not (not path and name in _META):
                yield from _numbers(held, (*path, step))
    elif isinstance(content, list):
        for place, held in enumerate(content):
            yield from _numbers(held, (*path, str(place)))
    elif path and (value := _number(content)) is not None:
        yield path, value


def _number(leaf: JsonValue) -> Decimal | None:
    if isinstance(leaf, bool) or leaf is None:
        return None
    written = str(leaf)
    if isinstance(leaf, str) and not _NUMBER.fullmatch(written):
        return None
    try:
        value = Decimal(written)
    except InvalidOperation:
        return None
    if not value.is_finite():
        return None
    plain = Decimal(f"{value:f}")
    return plain if len(plain.as_tuple().digits) <= MOST_DIGITS else None


def _fits(name: str) -> bool:
    try:
        _ID.validate_python(name)
    except ValidationError:
        return False
    return True


_EXTREMES: Final = frozenset({Metric.SPAN_HIGH, Metric.SPAN_LOW})
_OF_TWO_FIXINGS: Final = frozenset({Metric.SPAN_START, Metric.SPAN_END, Metric.SPAN_MOVE})

FORMULAS: Final[Mapping[Metric, tuple[str, tuple[Metric, ...]]]] = {
    Metric.MOVE: ("percent_change", (Metric.PREVIOUS, Metric.LAST)),
    Metric.RANGE_POSITION: (
        "range_position",
        (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH),
    ),
    Metric.BAND_POSITION: ("band_position", (Metric.LAST,)),
    Metric.FROM_HIGH: ("percent_change", (Metric.WINDOW_HIGH, Metric.LAST)),
    Metric.FROM_LOW: ("percent_change", (Metric.WINDOW_LOW, Metric.LAST)),
}
"""For each metric that follows from claims on the same subject: its formula and its inputs."""


def given_by(
    result: ToolResult,
    answer: Answer | None,
    specs: Mapping[str, MarketSpec],
    window: TimeWindow,
) -> tuple[Claim, ...]:
    """Returns every claim that a tool result gives by itself: those that follow from its `answer`
    in one of the desk's own forms, or else the numbers that it states.

    Raises:
        EvidenceUnusable: as `derive`.
    """
    if answer is None:
        return stated_claims(result, window_days(window)[1])
    derived = derive(answer, specs, window, result.evidence_id)
    derived += _of_span(answer, specs, window, result.evidence_id)
    return derived or stated_claims(result, window_days(window)[1])


def of_its_days(
    name: str, answer: Answer | None, specs: Mapping[str, MarketSpec], evidence_id: str
) -> tuple[Claim, ...]:
    """What an answer gives of the days that a claim's name has, and of the level there: what is
    counted of a bank's decisions or of a pair's fixings, the ends of their range, and the move
    between two of these.

    Raises:
        EvidenceUnusable: the figures in the answer contradict each other or cannot be levels.
    """
    days, level = days_named(name), level_named(name)
    subject, _, metric = name.partition(".")[0].partition(":")
    if days is None or answer is None:
        return ()
    if isinstance(answer, RateDecisions):
        return within_claims(answer, subject, *days, evidence_id)
    if not isinstance(answer, History) or subject != answer.symbol:
        return ()
    try:
        spec, prices = _series(answer, specs)
        if level is not None:
            return beyond_claims(prices, spec, evidence_id, level, *days)
        if metric in _EXTREMES:
            return extreme_claims(prices, spec, evidence_id, *days)
        if metric in _OF_TWO_FIXINGS:
            ends = fixings_of(prices, days)
            return step_claims(*ends, spec, evidence_id) if ends else ()
        return counted_claims(prices, spec, evidence_id, *days)
    except (ValueError, ArithmeticError) as error:
        raise EvidenceUnusable(f"no figure can be taken from it: {error}") from error


def counted_within(
    answer: Answer | None, specs: Mapping[str, MarketSpec], evidence_id: str
) -> tuple[Claim, ...]:
    """What is counted of all fixings in an answer but the first, from which the first move is
    measured; none of another answer.

    Raises:
        EvidenceUnusable: as `of_its_days`.
    """
    if not isinstance(answer, History) or len(answer.days) < len(("before", "first")):
        return ()
    try:
        spec, prices = _series(answer, specs)
        return counted_claims(prices, spec, evidence_id, answer.days[1], answer.days[-1])
    except (ValueError, ArithmeticError) as error:
        raise EvidenceUnusable(f"no figure can be taken from it: {error}") from error


def derive(
    answer: Answer, specs: Mapping[str, MarketSpec], window: TimeWindow, evidence_id: str
) -> tuple[Claim, ...]:
    """Returns every claim that an answer gives by itself, except the differential.

    The figures of a pair depend on its digits and its band. A pair that is not a market of the run
    has the digits of its quote currency and no band. Monthly averages give no claims.

    Raises:
        EvidenceUnusable: the figures in the answer contradict each other or cannot be levels.
    """
    try:
        match answer:
            case History() | PriceHistory() | AssetSeries():
                return _of_prices(answer, specs, window, evidence_id)
            case Quote():
                return _of_quote(answer, specs, evidence_id)
            case PolicyRates():
                _, last_day = window_days(window)
                rates = policy_rate_claims(answer.rates, last_day, evidence_id)
                return rates + target_range_claims(answer.rates, last_day, evidence_id)
            case RateDecisions():
                decided = decision_claims((*answer.decisions, *answer.before), evidence_id)
                return decided + in_a_row_claims(answer, evidence_id)
            case MonthEndRates():
                return _of_month_ends(answer, evidence_id)
            case Yields():
                return _of_yields(answer, specs, window, evidence_id)
            case DecisionCalendar():
                return next_decision_claims(answer, window, evidence_id)
            case Analysis():
                found = analysis_claims(answer, evidence_id)
                return (*found, *mark_claims(found))
            case _:
                return ()
    except (ValueError, ArithmeticError) as error:
        raise EvidenceUnusable(f"no figure can be taken from it: {error}") from error


def _pair(specs: Mapping[str, MarketSpec], symbol: str) -> MarketSpec:
    spec = specs.get(symbol)
    return spec if spec and spec.kind is MarketKind.PAIR else pair_by_name(symbol)


def _of_prices(
    answer: History | PriceHistory | AssetSeries,
    specs: Mapping[str, MarketSpec],
    window: TimeWindow,
    evidence_id: str,
) -> tuple[Claim, ...]:
    """Returns the claims on the window of the prices of a market, or of an asset beside it. If the
    prices end before the window, they are on as many days up to the newest."""
    spec, prices = _series(answer, specs)
    view = view_newest(prices, *window_days(window)) if prices.items else None
    return price_claims(view, spec, evidence_id) if view else ()


def _of_span(
    answer: Answer, specs: Mapping[str, MarketSpec], window: TimeWindow, evidence_id: str
) -> tuple[Claim, ...]:
    """Returns the claims on the answer's own days; none if the answer has no prices."""
    if not isinstance(answer, History | PriceHistory | AssetSeries):
        return ()
    try:
        spec, prices = _series(answer, specs)
        return span_claims(prices, spec, evidence_id, window_days(window))
    except (ValueError, ArithmeticError) as error:
        raise EvidenceUnusable(f"no figure can be taken from it: {error}") from error


def _series(
    answer: History | PriceHistory | AssetSeries, specs: Mapping[str, MarketSpec]
) -> tuple[MarketSpec, Fixings]:
    """Returns the prices in an answer, and their market or asset."""
    if isinstance(answer, History):
        return _pair(specs, answer.symbol), Fixings.of(answer)
    if isinstance(answer, AssetSeries):
        prices = Fixings.from_days(answer.days, answer.values)
        return _asset(specs, asset_symbol(answer.name)), prices
    pair = answer.kind is MarketKind.PAIR
    spec = _pair(specs, answer.symbol) if pair else _asset(specs, answer.symbol)
    return spec, Fixings.from_days(answer.days, answer.closes)


def _asset(specs: Mapping[str, MarketSpec], symbol: str) -> MarketSpec:
    known = specs.get(symbol)
    if known is not None:
        return known
    stock, group = MarketKind.STOCK, MarketGroup.STOCKS
    return MarketSpec(market=symbol, kind=stock, group=group, digits=STOCK_DIGITS)


def _of_quote(quote: Quote, specs: Mapping[str, MarketSpec], evidence_id: str) -> tuple[Claim, ...]:
    spec = _pair(specs, quote.symbol)
    if quote.value is None or quote.fixed_on is None:
        return ()
    return (
        Claim(
            claim_id=claim_id(spec.market, Metric.LAST),
            subject=spec.market,
            metric=Metric.LAST,
            value=quote.value.quantize(level_step(quote.value, spec.digits)),
            unit=Unit.LEVEL,
            as_of=quote.fixed_on,
            evidence=(evidence_id,),
        ),
    )


def _of_yields(
    answer: Yields, specs: Mapping[str, MarketSpec], window: TimeWindow, evidence_id: str
) -> tuple[Claim, ...]:
    days = window_days(window)
    pairs = (pair_claims(answer, spec, *days, evidence_id) for spec in specs.values())
    return area_claims(answer, *days, evidence_id) + tuple(c for claims in pairs for c in claims)


def _of_month_ends(answer: MonthEndRates, evidence_id: str) -> tuple[Claim, ...]:
    """Returns the rate of each area in the newest month, dated on that month's last day."""
    newest = {rate.area: rate for rate in sorted(answer.rates, key=lambda rate: rate.month)}
    return tuple(
        Claim(
            claim_id=claim_id(rate.area, Metric.POLICY_RATE),
            subject=rate.area,
            metric=Metric.POLICY_RATE,
            value=rate.rate,
            unit=Unit.PERCENT_A_YEAR,
            as_of=_last_day(rate.month),
            evidence=(evidence_id,),
        )
        for rate in newest.values()
    )


def _last_day(month: str) -> date:
    year, number = (int(part) for part in month.split("-"))
    return date(year, number, monthrange(year, number)[1])
