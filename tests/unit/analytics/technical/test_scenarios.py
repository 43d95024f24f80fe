"""What came of moments like the present one, counted."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.analytics.prices.pegs import Peg
from desk.analytics.technical.scenarios import SPAN, band_figures, decision_figures, edge_distance
from desk.analytics.technical.series import PriceSeries
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketKind

FIRST = date(2020, 1, 1)
PEG = Peg(
    "USD/HKD",
    Decimal("7.75"),
    Decimal("7.85"),
    "an authority",
    datetime(2020, 1, 1, tzinfo=UTC),
    "https://example.org/",
)


def prices(*ends: str) -> PriceSeries:
    """A series whose spans, back from the last price, end at these prices."""
    closes = [Decimal(end) for end in ends for _ in range(SPAN)][SPAN - 1 :]
    return PriceSeries(
        symbol="USD/HKD",
        kind=MarketKind.PAIR,
        currency="HKD",
        source=Provenance(name="by hand", tier=SourceTier.PRIMARY),
        days=tuple(FIRST + timedelta(days=n) for n in range(len(closes))),
        closes=tuple(closes),
    )


def test_spans_are_counted_from_the_third_in_which_the_price_is_now() -> None:
    told = band_figures(prices("7.84", "7.80", "7.84", "7.83", "7.84"), PEG)
    assert told[Metric.BAND_SPANS] == 4
    assert told[Metric.BAND_STARTS] == 3, "one of the four began in the middle"
    assert told[Metric.BAND_ENDED_MIDDLE] == Decimal("33.33")
    assert told[Metric.BAND_ENDED_HIGH] == Decimal("66.67")
    assert told[Metric.BAND_ENDED_LOW] == 0


def test_what_never_happened_is_told_with_the_most_that_so_many_cases_allow() -> None:
    told = band_figures(prices(*["7.80"] * 60), PEG)
    assert told[Metric.BAND_OUTSIDE] == 0
    assert told[Metric.BAND_BREAK_MOST] == Decimal("4.95"), "1 - 0.05^(1/59)"


def test_a_span_that_ended_outside_is_counted_and_leaves_no_bound() -> None:
    told = band_figures(prices("7.80", "7.90", "7.80"), PEG)
    assert told[Metric.BAND_OUTSIDE] == 50
    assert Metric.BAND_BREAK_MOST not in told


def test_a_price_off_by_the_rounding_of_two_fixings_is_not_outside() -> None:
    assert edge_distance(Decimal("7.8502"), PEG) < 0
    assert band_figures(prices("7.80", "7.8502", "7.80"), PEG)[Metric.BAND_OUTSIDE] == 0


def test_a_floor_has_no_figures_of_thirds_of_a_band() -> None:
    floor = Peg("EUR/CHF", Decimal("1.20"), None, "an authority", PEG.announced, PEG.url)
    told = band_figures(prices("1.21", "1.22", "1.21"), floor)
    assert {*told} == {Metric.BAND_SPANS, Metric.BAND_OUTSIDE, Metric.BAND_BREAK_MOST}


def test_a_band_of_less_than_four_weeks_tells_nothing() -> None:
    assert band_figures(prices("7.80"), PEG) == {}


@pytest.mark.parametrize(
    ("changes", "starts", "held"),
    [((25, 0, 0, 0, 0), 3, "100.00"), ((0, 25, 0, 25), 1, "100.00"), ((0, -25, -25), 1, "0.00")],
)
def test_meetings_are_counted_that_followed_one_like_the_last(
    changes: tuple[int, ...], starts: int, held: str
) -> None:
    told = decision_figures(map(Decimal, changes))
    assert told[Metric.DECISION_STARTS] == starts
    assert told[Metric.HELD_SHARE] == Decimal(held)
    shares = (Metric.HELD_SHARE, Metric.RAISED_SHARE, Metric.CUT_SHARE)
    assert sum(told[metric] for metric in shares) == 100


def test_a_bank_without_a_meeting_like_its_last_tells_nothing() -> None:
    assert decision_figures([]) == decision_figures([Decimal(25)]) == {}
