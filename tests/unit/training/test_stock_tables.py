"""A table of a stock's days says what the tools say: nothing more, nothing less, nothing later."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desk.analytics.evaluation import PositionName
from desk.analytics.prices.fixings import LONGEST_GAP
from desk.analytics.technical.candles import pattern_detector
from desk.analytics.technical.indicators import indicator_calculator
from desk.analytics.technical.market_data import market_data
from desk.analytics.technical.measures import NotInstalled
from desk.analytics.technical.series import Bar, NoPrices, PriceSeries, Split, close_known_from
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_METRICS
from desk.sources.analysis.performance import PerformanceTools
from desk.sources.analysis.prices import SPLITS, PackagedSeries, PriceStore
from desk.sources.ecb.store import RatesStore
from desk.training.tables import (
    COMPUTED,
    NoSuchDay,
    NoSuchSymbol,
    StockTable,
    eras_of,
    stock_table,
    symbols,
)
from tests.support.files.packaged_prices import PRICES
from tests.support.files.price_series import walk, weekdays

STORE = PriceStore(RatesStore())
COST = Decimal("0.10")
POSITIONS: tuple[tuple[int, PositionName], ...] = ((1, "long"), (0, "none"), (-1, "short"))
FIRST = date(2020, 1, 1)

SOME = ("NVDA", "TSLA", "^GSPC", "XAUUSD=X")
"""Two stocks with splits, an index and a metal: all that the ways of a table depend on."""


@dataclass(frozen=True)
class Given(PackagedSeries):
    """A series that holds its days itself, as a file of a package would have them."""

    bars: tuple[Bar, ...] = ()

    def _rows(self) -> Iterator[Bar]:
        yield from self.bars

    @property
    def installed(self) -> bool:
        return True


def bar(day: date, close: float, volume: int | None = 1_000, ranged: bool = True) -> Bar:
    told = Decimal(f"{close:.2f}")
    if not ranged:
        return Bar(day, told)
    return Bar(day, told, told - Decimal("0.2"), told + Decimal("0.3"), told - 1, volume)


def store_of(*series: Sequence[Bar], symbol: str = "ACME") -> PriceStore:
    """A store that has these series of one stock."""
    held = (
        Given(symbol, f"package {at}", "", PRICES, bars=tuple(bars))
        for at, bars in enumerate(series)
    )
    return PriceStore(RatesStore(), tuple(held))


def walked(count: int) -> list[Bar]:
    closes = 100 * walk(count, 11, deviation=0.02)
    return [bar(day, close) for day, close in zip(weekdays(count, FIRST), closes, strict=True)]


def assert_same_figures(store: PriceStore, table: StockTable, at: int) -> None:
    """The parts of a day are those of the tools as of its close."""
    as_of = close_known_from(table.days[at])
    series = store.series(table.symbol, as_of)
    answers = [
        tool(series, as_of) for tool in (market_data, indicator_calculator, pattern_detector)
    ]
    told = {figure.metric: figure for answer in answers for figure in answer.figures}
    assert {figure.as_of for figure in told.values()} == {table.days[at]}
    for action in DATA:
        printed = {m: float(told[m].value) for m in PART_METRICS[action] if m in told}
        assert table.values(action, at) == printed, (table.symbol, table.days[at], action)


def assert_same_performance(
    store: PriceStore, table: StockTable, at: int, weeks: int, made_at: datetime | None = None
) -> None:
    """What came of each position is what the tool says as of the horizon."""
    made = made_at or close_known_from(table.days[at])
    tool = PerformanceTools(store).performance
    for position, name in POSITIONS:
        answer: Analysis = tool(table.symbol, made, name, COST, made + timedelta(weeks=weeks))
        figures, days = table.evaluation(at, position, weeks, COST, made_at)
        assert figures == {figure.metric: figure.value for figure in answer.figures}
        assert days == {figure.metric: figure.as_of for figure in answer.figures}


@given(st.sampled_from(SOME), st.data())
def test_a_day_has_the_figures_that_the_tools_print_as_of_its_close(
    symbol: str, data: st.DataObject
) -> None:
    table = stock_table(symbol)
    at = data.draw(_places(table), label="place")
    assert_same_figures(STORE, table, at)


@given(st.sampled_from(SOME), st.sampled_from((1, 2, 4, 13, 52)), st.data())
def test_what_came_of_a_position_is_what_the_tool_says_as_of_the_horizon(
    symbol: str, weeks: int, data: st.DataObject
) -> None:
    table = stock_table(symbol)
    at = data.draw(_places(table), label="place")
    assert_same_performance(STORE, table, at, weeks)


@given(st.sampled_from(SOME), st.integers(0, 13 * 24), st.data())
def test_an_instant_between_two_closes_stands_for_the_day_before_it(
    symbol: str, hours: int, data: st.DataObject
) -> None:
    table = stock_table(symbol)
    at = data.draw(_places(table), label="place")
    following = table.days[at + 1 : at + 2]
    instant = close_known_from(table.days[at]) + timedelta(hours=hours)
    if following and instant >= close_known_from(following[0]):
        instant = close_known_from(following[0]) - timedelta(seconds=1)
    assert table.index(instant) == at
    assert_same_performance(STORE, table, at, 4, instant)


def _places(table: StockTable) -> st.SearchStrategy[int]:
    """Places in a table: any, the first ones, and those around splits and holes."""
    last = len(table.days) - 1
    special = {0, 1, last, *range(13, 36), *(62, 63, 64, 251, 252, 253, 261, 262, 263)}
    changes = (split.day for split in SPLITS.get(table.symbol, ()))
    around = (
        at + n
        for at, day in enumerate(table.days[1:], 1)
        if day in changes or day - table.days[at - 1] > timedelta(days=6)
        for n in (-21, -1, 0, 1)
    )
    near = sorted({at for at in (*special, *around) if 0 <= at <= last})
    return st.integers(0, last) | st.sampled_from(near)


def test_a_decision_between_two_closes_knows_what_was_announced_since() -> None:
    """The rate of July was known from the twenty-first of August on, a Sunday."""
    table, sunday = stock_table("NVDA"), datetime(2022, 8, 21, 12, tzinfo=UTC)
    at = table.index(sunday)
    assert_same_performance(STORE, table, at, 4, sunday)
    (then, _), (friday, _) = (table.evaluation(at, 1, 4, COST, made) for made in (sunday, None))
    assert then[Metric.CASH_MOVE] > friday[Metric.CASH_MOVE]


def test_a_decision_between_a_close_and_the_hour_it_is_known_is_not_entered_at_that_close() -> None:
    table, evening = stock_table("NVDA"), datetime(2024, 6, 4, 21, 30, tzinfo=UTC)
    at = table.index(evening)
    assert table.days[at] == date(2024, 6, 3)
    _, days = table.evaluation(at, 1, 4, COST, evening)
    assert days[Metric.ENTRY] == date(2024, 6, 5)
    assert_same_performance(STORE, table, at, 4, evening)


def test_the_days_before_a_split_are_told_in_the_shares_of_their_day() -> None:
    table = stock_table("NVDA")
    before, after = (table.days.index(date(2024, 6, day)) for day in (7, 10))
    one, other = (table.values(StockAction.RUN_TA_BASIC, at) for at in (before, after))
    assert (one[Metric.LAST], other[Metric.LAST]) == (1208.88, 121.79)
    assert one[Metric.SMA_200] == pytest.approx(10 * other[Metric.SMA_200], rel=0.01)
    figures, days = table.evaluation(before, 1, 4, COST)
    assert figures[Metric.ENTRY] == Decimal("121.79")
    assert days[Metric.EXIT] == date(2024, 7, 5)


def _strange() -> list[Bar]:
    """A price that stands still for a while, days without trade, and a hole that they leave."""
    days = walked(420)
    for at in range(120, 160):
        days[at] = bar(days[at].day, 101.5, 1_000 + at)
    for at in (3, 170, 171, *range(290, 303)):
        days[at] = days[at]._replace(volume=0, close=days[at].close + 3)
    return days


_ACME_SPLITS = (
    Split(weekdays(261, FIRST)[-1], Decimal(4)),
    Split(date(2021, 7, 4), Decimal("1.5")),
)


def test_a_strange_series_has_the_figures_of_the_tools_on_every_twelfth_day() -> None:
    with patch.dict(_splits(), {"ACME": _ACME_SPLITS}):
        store = store_of(_strange())
        table = stock_table("ACME", store)
        idle = {one.day for one in _strange() if not one.volume and one.day > FIRST}
        assert len(idle) == 16 and idle.isdisjoint(table.days)
        for at in sorted({*range(0, len(table.days), 12), *range(250, 262)}):
            assert_same_figures(store, table, at)
            assert_same_performance(store, table, at, 2)
        hole = table.days.index(_strange()[289].day)
        for late, told in ((10, False), (13, True)):
            within = close_known_from(table.days[hole]) + timedelta(days=late)
            assert_same_performance(store, table, hole, 4, within)
            assert bool(table.evaluation(hole, 1, 4, COST, within)[0]) is told


def test_a_price_that_stands_still_has_no_strength_and_what_stood_still_is_not_made_up() -> None:
    table = stock_table("ACME", store_of(_strange()))
    still = table.days.index(_strange()[159].day)
    basic, further = (table.values(action, still) for action in COMPUTED)
    assert Metric.RSI not in basic and basic[Metric.LAST] == 101.5
    assert Metric.BOLLINGER_POSITION not in further
    assert Metric.YEAR_HIGH not in basic


def _splits() -> dict[str, tuple[Split, ...]]:
    assert isinstance(SPLITS, dict)
    return SPLITS


_DAYS = st.lists(
    st.tuples(
        st.integers(1, 22).map(lambda n: 1 if n < 19 else n - 5),
        st.sampled_from((0, 1_000, 1_001, 1_002)),
        st.integers(0, 30).map(bool),
    ),
    max_size=30,
)


_IDLE = [(1, 0, False)] * 9


def _bars(first: int, days: Sequence[tuple[int, int, bool]]) -> list[Bar]:
    bars: list[Bar] = []
    day = FIRST + timedelta(days=first)
    for number, (step, volume, ranged) in enumerate(days):
        day += timedelta(days=step)
        bars.append(bar(day, 100 + 7 * np.sin(number), volume, ranged))
    return bars


@given(
    st.lists(st.tuples(st.integers(0, 60), _DAYS), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 80), st.sampled_from(("2", "0.5", "1.5"))), max_size=3),
)
@example(  # One series ends while the other has days without volume, which do not count by then.
    told=[
        (11, [*_IDLE[:2], (17, 1000, True), *_IDLE[:3], (1, 1000, True)]),
        (4, [*_IDLE[:9], (16, 0, False), (1, 0, False)]),
    ],
    splits=[],
)
def test_an_era_cut_at_a_day_is_the_series_that_was_known_then(
    told: list[tuple[int, list[tuple[int, int, bool]]]], splits: list[tuple[int, str]]
) -> None:
    """Through splits, holes, days without volume or range, and series that overlap."""
    stated = tuple(Split(FIRST + timedelta(days=n), Decimal(r)) for n, r in sorted(splits))
    written = [_bars(first, days) for first, days in told]
    there = [bars for bars in written if any(one.day.weekday() < 5 for one in bars)]
    asked = {one.day for bars in there for one in bars} | {split.day for split in stated}
    with patch.dict(_splits(), {"ACME": stated}):
        store = store_of(*there)
        eras = eras_of(store, "ACME")
        for day in sorted(asked):
            begun = [era.series for era in eras if era.since <= day]
            try:
                known = store.series("ACME", close_known_from(day))
            except NoPrices:
                assert not begun or day - _last_day(begun[-1], day) > LONGEST_GAP
                continue
            assert known == replace(
                begun[-1].between(date.min, day), notes=known.notes, volumes=known.volumes
            )


def _last_day(series: PriceSeries, until: date) -> date:
    return max((day for day in series.days if day <= until), default=date.min)


def test_news_and_accounts_are_lacking_and_never_made_up() -> None:
    table = stock_table("FB")
    for action in set(DATA) - set(COMPUTED):
        assert table.values(action, 100) == {}
    with pytest.raises(ValueError, match="GENERATE_INSIGHT brings no figures"):
        table.values(StockAction.GENERATE_INSIGHT, 100)


def test_one_price_a_day_has_no_highs_and_lows_to_compute_with() -> None:
    table = stock_table("XAUUSD=X")
    basic, further = (table.values(action, 5_000) for action in COMPUTED)
    assert set(basic) == set(PART_METRICS[StockAction.RUN_TA_BASIC])
    lacking = set(PART_METRICS[StockAction.RUN_TA_ADVANCED]) - set(further)
    assert lacking == {Metric.ADX, Metric.PATTERN_COUNT}


@pytest.mark.parametrize(
    ("symbol", "words"),
    [
        ("NVDIA", "there is no offline series of 'NVDIA'; nearest: NVDA"),
        ("microsoft", "nearest: MSFT"),
        ("nvda", "nearest: NVDA"),
        ("ZZZZZZ", "there are those of NVDA, AMZN, MSFT"),
        ("USD/JPY", "there is no offline series of 'USD/JPY'"),
        ("", "there is no offline series of ''"),
    ],
)
def test_an_unknown_symbol_is_refused_with_the_nearest_names(symbol: str, words: str) -> None:
    with pytest.raises(NoSuchSymbol, match=words):
        stock_table(symbol)


@pytest.mark.parametrize(
    ("symbol", "as_of", "words"),
    [
        ("NVDA", "1999-01-22T21:59:59", "NVDA go from 1999-01-22 to 2025-02-14, and none was"),
        ("FB", "2013-03-16T22:00:00", "FB go from 2012-05-18 to 2013-03-01, and the last one is"),
        ("ACME", "2020-04-01T00:00:00", "with none between 2020-01-14 and 2020-06-17"),
    ],
)
def test_an_instant_without_a_current_price_is_refused_with_the_days_there_are(
    symbol: str, as_of: str, words: str
) -> None:
    days = walked(125)
    store = store_of(days[:10], days[-5:]) if symbol == "ACME" else None
    with pytest.raises(NoSuchDay, match=words):
        stock_table(symbol, store).index(datetime.fromisoformat(as_of).replace(tzinfo=UTC))


def test_an_instant_is_the_last_close_known_then() -> None:
    table = stock_table("FB")
    for as_of, day in (
        ("2013-03-01T21:59:59", date(2013, 2, 28)),
        ("2013-03-01T22:00:00", date(2013, 3, 1)),
        ("2013-03-15T22:00:00", date(2013, 3, 1)),
    ):
        instant = datetime.fromisoformat(as_of).replace(tzinfo=UTC)
        assert table.days[table.index(instant)] == day
    with pytest.raises(ValueError, match="has no time zone"):
        table.index(datetime(2013, 2, 1))


def test_without_the_packages_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = PriceStore(RatesStore())
    monkeypatch.setitem(sys.modules, "talib", None)
    with pytest.raises(NotInstalled, match=r"needs TA-Lib.*run `make install-swarm`"):
        stock_table("FB", bare)
    monkeypatch.setattr("desk.sources.analysis.prices._folder", lambda package: None)
    for asked in (lambda: symbols(bare), lambda: stock_table("XYZ", bare)):
        with pytest.raises(NotInstalled, match="run `make install-swarm`"):
            asked()
    with pytest.raises(NotInstalled, match="make install-swarm"):
        stock_table("NVDA", PriceStore(RatesStore()))
