"""The chart of an episode: what is drawn of which prices, and what is not."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy
import pytest

from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import PriceHistory
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketKind
from desk.documents.rendering.drawing.stock_chart import (
    WIDTH,
    average,
    relative_strength,
    stock_chart,
)

START = date(2023, 1, 2)
SOURCE = Provenance(name="a package", tier=SourceTier.SECONDARY)


def history(days: int, *, volumes: bool = True, step: int = 1) -> PriceHistory:
    """So many days, rising and falling."""
    told = tuple(START + timedelta(days=number * step) for number in range(days))
    return PriceHistory(
        as_of=datetime(2026, 1, 1, tzinfo=UTC),
        source=SOURCE,
        symbol="NVDA",
        kind=MarketKind.STOCK,
        currency="USD",
        days=told,
        closes=tuple(Decimal(100 + number % 17) for number in range(days)),
        volumes=tuple(1_000_000 + number for number in range(days)) if volumes else (),
    )


def drawn(days: int, *, volumes: bool = True, until: date | None = None) -> str:
    given = history(days, volumes=volumes)
    chart = stock_chart(given, until or given.days[-1])
    assert chart is not None
    return chart


def test_a_long_history_has_averages_bands_volume_and_rsi() -> None:
    chart = drawn(700)
    for name in ("close", "SMA 50", "SMA 200", "Bollinger bands", "Volume", "RSI 14"):
        assert f">{name}<" in chart


@pytest.mark.parametrize("days", [10, 60, 700])
def test_the_names_of_the_lines_stand_where_a_narrow_screen_begins(days: int) -> None:
    """It shows the newest prices: some 390 of the page's pixels, of a chart of 544."""
    named = re.findall(r'x="([\d.]+)"[^>]*>(?:close|SMA \d+|Bollinger bands)<', drawn(days))
    assert named and min(map(float, named)) > WIDTH * (1 - 390 / 544)


def test_with_little_history_what_can_be_drawn_is() -> None:
    chart = drawn(60)
    assert ">SMA 50<" in chart and ">SMA 200<" not in chart
    chart = drawn(10)
    assert ">close<" in chart
    assert not any(name in chart for name in (">SMA 50<", ">Bollinger bands<"))


def test_fewer_than_two_prices_are_no_chart() -> None:
    assert stock_chart(history(1), START) is None
    assert stock_chart(history(0), START) is None


def test_nothing_after_the_as_of_day_is_drawn() -> None:
    until = START + timedelta(days=100)
    assert drawn(300, until=until) == drawn(101, until=until)


def test_only_the_last_year_is_drawn() -> None:
    label = re.search(r'aria-label="([^"]*)"', drawn(700))
    assert label is not None
    assert "from 1 Dec 2023 to 1 Dec 2024" in label[1]


def test_a_source_without_volumes_has_no_panel_of_them() -> None:
    assert ">Volume<" not in drawn(100, volumes=False)
    nothing = history(100).model_copy(update={"volumes": (0,) * 100})
    assert ">Volume<" not in (stock_chart(nothing, nothing.days[-1]) or "")


def test_gaps_of_months_are_drawn_over() -> None:
    gapped = history(30, step=40)
    assert stock_chart(gapped, gapped.days[-1]) is not None


def test_it_is_painted_in_the_colours_of_the_page_alone() -> None:
    chart = drawn(300)
    painted = set(re.findall(r"#[0-9a-f]{6}\b", chart))
    assert painted <= {"#ffffff", "#000000"}
    assert "var(--accent)" in chart


def test_the_same_prices_give_the_same_chart() -> None:
    assert drawn(300) == drawn(300)


def test_averages_and_relative_strength_are_those_of_the_textbook() -> None:
    closes = numpy.array([44.34, 44.09, 44.15, 43.61, 44.33, 44.83, 45.10, 45.42, 45.84, 46.08,
                          45.89, 46.03, 45.61, 46.28, 46.28, 46.00])  # fmt: skip
    told = relative_strength(closes)
    assert numpy.isnan(told[:14]).all()
    assert told[14] == pytest.approx(70.46, abs=0.01)
    assert told[15] == pytest.approx(66.25, abs=0.01)
    assert average(closes, 4)[3] == pytest.approx(44.0475)
    assert numpy.isnan(average(closes, 17)).all()


def test_a_price_that_does_not_move_has_no_strength_either_way() -> None:
    assert relative_strength(numpy.full(30, 5.0))[-1] == 50.0
