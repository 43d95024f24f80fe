"""Where a market stands in its own past, beside another, and in a band."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.analytics.prices.pegs import PEGS, peg_known, pegs_of
from desk.analytics.technical.series import PriceSeries
from desk.analytics.technical.standing import co_movement, peg_band, standing
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketKind
from desk.trust.claims.analysis_claims import analysis_claims

AS_OF = datetime(2026, 10, 30, 20, tzinfo=UTC)
LAST = AS_OF.date()
SOURCE = Provenance(name="made up", tier=SourceTier.PRIMARY)


def prices(*closes: float, symbol: str = "USD/JPY", last: date = LAST) -> PriceSeries:
    """A price a day up to the last one."""
    days = tuple(last - timedelta(days=back) for back in reversed(range(len(closes))))
    told = tuple(Decimal(str(round(close, 4))) for close in closes)
    return PriceSeries(symbol, MarketKind.PAIR, symbol[4:], SOURCE, days=days, closes=told)


def figures(answer: Analysis) -> dict[Metric, Decimal]:
    return {figure.metric: figure.value for figure in answer.figures}


def rising(count: int) -> list[float]:
    return [100 + 0.01 * day + (0.2 if day % 2 else 0) for day in range(count)]


def test_the_highest_price_of_ten_years_is_dearer_than_all_others() -> None:
    told = figures(standing(prices(*rising(4_000), 200.0), AS_OF))
    assert told[Metric.PAST_RANK] == 100
    assert told[Metric.DRAWDOWN] == 0
    assert told[Metric.PRIOR_HIGH] < told[Metric.LAST] == 200
    assert told[Metric.VOLATILITY_RANK] == 100


def test_a_past_of_less_than_three_years_has_no_place_in_it() -> None:
    answer = standing(prices(*rising(900)), AS_OF)
    assert Metric.PAST_RANK not in figures(answer)
    assert any(
        line.startswith("past_rank: the prices of USD/JPY begin on") for line in answer.missing
    )


def over(answer: Analysis) -> dict[Metric, Decimal]:
    return {figure.metric: figure.value for figure in answer.figures if figure.since}


def test_a_span_that_is_asked_for_is_measured_by_itself_and_named_by_its_days() -> None:
    closes = [*[300.0] * 3_700, *rising(100), 100.5]
    since = LAST - timedelta(days=100)
    answer = standing(prices(*closes), AS_OF, since)
    assert figures(standing(prices(*closes), AS_OF))[Metric.PAST_RANK] < 2
    told, end = over(answer), Decimal("100.50")
    assert {figure.since for figure in answer.figures} == {None, since}
    assert told[Metric.PAST_RANK] == 40
    assert told[Metric.SPAN_MOVE] == ((end / 100 - 1) * 100).quantize(Decimal("0.01"))
    assert told[Metric.PRIOR_HIGH] == Decimal("101.19")
    named = [claim.claim_id for claim in analysis_claims(answer, "tool-1")]
    assert len({*named}) == len(named)
    assert f"USD/JPY:past_rank.{since}.{LAST}" in named and "USD/JPY:past_rank" in named


def test_a_place_in_a_few_days_is_none_and_a_span_before_the_first_price_is_missing() -> None:
    short = over(standing(prices(*rising(300)), AS_OF, LAST - timedelta(days=10)))
    assert Metric.PAST_RANK not in short and Metric.SPAN_MOVE in short
    early = standing(prices(*rising(300)), AS_OF, LAST - timedelta(days=400))
    assert not over(early) and any("begin on" in line for line in early.missing)


def test_older_prices_than_ten_years_do_not_count() -> None:
    told = figures(standing(prices(*[500.0] * 3_000, *rising(3_700), 150.0), AS_OF))
    assert told[Metric.PAST_RANK] == 100


def test_a_market_moves_with_itself_and_against_its_mirror() -> None:
    own = prices(*rising(300))
    mirror = prices(*(1 / close * 10_000 for close in rising(300)), symbol="JPY/USD")
    assert figures(co_movement(own, own, AS_OF))[Metric.CORRELATION] == 1
    assert figures(co_movement(own, mirror, AS_OF))[Metric.CORRELATION_YEAR] == -1


def test_a_correlation_takes_a_quarter_of_common_days() -> None:
    answer = co_movement(prices(*rising(300)), prices(*rising(60)), AS_OF)
    assert not answer.figures
    assert "60 days with prices in common" in answer.missing[0]


def test_the_krone_s_band_is_its_central_rate_and_two_and_a_quarter_percent() -> None:
    (krone,) = (peg for peg in PEGS if peg.pair == "EUR/DKK")
    assert krone.low is not None and krone.high is not None
    central = (krone.low + krone.high) / 2
    assert central == Decimal("7.46038")
    assert abs(krone.high / central - Decimal("1.0225")) < Decimal("0.000001")


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (datetime(2011, 9, 6, 7, tzinfo=UTC), set()),
        (datetime(2011, 9, 6, 9, tzinfo=UTC), {Metric.BAND_LOW, Metric.EDGE_DISTANCE}),
        (datetime(2015, 1, 15, 9, tzinfo=UTC), {Metric.BAND_LOW, Metric.EDGE_DISTANCE}),
        (datetime(2015, 1, 15, 10, tzinfo=UTC), {Metric.BAND_LOW, Metric.PEG_ENDED}),
    ],
)
def test_the_floor_of_the_franc_is_told_from_its_announcement_to_its_end(
    as_of: datetime, expected: set[Metric]
) -> None:
    told = figures(peg_band(prices(1.19, 1.2024, symbol="EUR/CHF", last=as_of.date()), as_of))
    besides = {Metric.LAST, Metric.PEG_SINCE} if expected else set()
    assert set(told) == expected | besides
    if Metric.EDGE_DISTANCE in expected:
        assert told[Metric.EDGE_DISTANCE] == Decimal("0.20")


def test_a_price_outside_of_its_band_is_below_nothing_from_its_edge() -> None:
    told = figures(peg_band(prices(7.80, 7.86, symbol="USD/HKD"), AS_OF))
    assert told[Metric.EDGE_DISTANCE] < 0
    assert told[Metric.BAND_POSITION] > 100


def test_pegs_are_found_by_the_currency_that_is_held() -> None:
    assert pegs_of({"USD", "CHF"}) == ("EUR/CHF",)
    assert pegs_of({"EUR", "USD"}) == ()
    assert peg_known("USD/JPY", AS_OF) is None
