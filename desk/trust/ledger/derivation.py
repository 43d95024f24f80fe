"""The claims that a tool result gives, whoever made them. The same evidence, the same claims."""

from calendar import monthrange
from collections.abc import Mapping
from datetime import date
from typing import Final

from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.source_results import (
    History,
    MonthEndRates,
    PolicyRates,
    Quote,
    RateDecisions,
    Yields,
)
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.weeks import TimeWindow
from desk.trust.claims.analysis_claims import analysis_claims
from desk.trust.claims.price_claims import level_step, price_claims
from desk.trust.claims.rate_claims import decision_claims, in_a_row_claims, policy_rate_claims
from desk.trust.claims.yield_claims import area_claims, pair_claims
from desk.trust.ledger.evidence import Answer, EvidenceUnusable

FORMULAS: Final[Mapping[Metric, tuple[str, tuple[Metric, ...]]]] = {
    Metric.MOVE: ("percent_change", (Metric.PREVIOUS, Metric.LAST)),
    Metric.RANGE_POSITION: (
        "range_position",
        (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH),
    ),
    Metric.BAND_POSITION: ("band_position", (Metric.LAST,)),
}
"""The formula of each metric that follows from claims on the same subject, and its inputs."""


def derive(
    answer: Answer, specs: Mapping[str, MarketSpec], window: TimeWindow, evidence_id: str
) -> tuple[Claim, ...]:
    """Every claim that an answer gives by itself, the differential excepted.

    A pair's figures depend on its digits and its band, so a pair that is no market of the run
    gives none. The calendar of decisions and the averages of months give none either.

    Raises:
        EvidenceUnusable: the figures in the answer contradict each other or cannot be levels.
    """
    try:
        match answer:
            case History():
                return _of_history(answer, specs, window, evidence_id)
            case Quote():
                return _of_quote(answer, specs, evidence_id)
            case PolicyRates():
                _, last_day = window_days(window)
                return policy_rate_claims(answer.rates, last_day, evidence_id)
            case RateDecisions():
                decided = decision_claims(answer.decisions, evidence_id)
                return decided + in_a_row_claims(answer, evidence_id)
            case MonthEndRates():
                return _of_month_ends(answer, evidence_id)
            case Yields():
                return _of_yields(answer, specs, window, evidence_id)
            case Analysis():
                return analysis_claims(answer, evidence_id)
            case _:
                return ()
    except (ValueError, ArithmeticError) as error:
        raise EvidenceUnusable(f"no figure can be taken from it: {error}") from error


def _pair(specs: Mapping[str, MarketSpec], symbol: str) -> MarketSpec | None:
    spec = specs.get(symbol)
    return spec if spec and spec.kind is MarketKind.PAIR else None


def _of_history(
    history: History, specs: Mapping[str, MarketSpec], window: TimeWindow, evidence_id: str
) -> tuple[Claim, ...]:
    spec = _pair(specs, history.symbol)
    if spec is None or not history.days:
        return ()
    view = view_prices(Fixings.of(history), *window_days(window))
    return price_claims(view, spec, evidence_id) if view else ()


def _of_quote(quote: Quote, specs: Mapping[str, MarketSpec], evidence_id: str) -> tuple[Claim, ...]:
    spec = _pair(specs, quote.symbol)
    if spec is None or quote.value is None or quote.fixed_on is None:
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
    """The newest month's rate of each area, of that month's last day."""
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
