"""Reading the ECB's file: what it holds, and what is no such file."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread, current_thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.figures import level_step
from desk.contracts.markets import MarketKind
from desk.platform.settings.desk_toml import read_desk_file
from desk.sources.ecb.rates import (
    CACHED_PAIRS,
    DamagedRatesFile,
    EuroRates,
    parse_rates,
    read_rates,
)
from desk.sources.ecb.store import packaged_file
from tests.support.files.rates_files import rates_csv, zipped
from tests.support.processes.homes import PROJECT

FILE = Path("eurofxref-hist.zip")
MONDAY, TUESDAY, FRIDAY = date(2026, 10, 26), date(2026, 10, 27), date(2026, 10, 30)
ROWS = {
    MONDAY: {"USD": "1.16", "JPY": "176.90", "RUB": "90.1"},
    TUESDAY: {"USD": "1.17", "JPY": "177.01"},
    FRIDAY: {"USD": "1.1172", "JPY": "175.68", "ISK": "142"},
}
GOOD = rates_csv(ROWS)


@pytest.fixture(scope="module")
def packaged() -> EuroRates:
    return read_rates(packaged_file())


class Interrupted(dict[tuple[str, str], dict[int, Decimal]]):
    """Pairs that are kept. While the oldest is looked for, another thread asks about a further one,
    and gets as far as it can before that is put in."""

    def __init__(self, ask: Callable[[], object]) -> None:
        super().__init__()
        self.beside = Thread(target=ask)
        self.go_on = Event()
        self._took_one_out = Event()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        pairs = super().__iter__()
        if self.beside.ident is None:
            self.beside.start()
            self._took_one_out.wait(0.3)
        return pairs

    def setdefault(
        self, pair: tuple[str, str], worked_out: dict[int, Decimal] | None = None
    ) -> dict[int, Decimal]:
        """As of any dict."""
        if current_thread() is self.beside:
            self._took_one_out.set()
            self.go_on.wait(60)
        return super().setdefault(pair, worked_out or {})


def parsed(text: str) -> EuroRates:
    return parse_rates(zipped(text), FILE)


def test_a_rate_against_the_euro_is_the_published_one() -> None:
    assert parsed(GOOD).last_fixing("EUR", "USD", FRIDAY) == (FRIDAY, Decimal("1.1172"))


def test_a_cross_exists_only_on_days_on_which_both_currencies_were_fixed() -> None:
    series = parsed(GOOD).between("RUB", "JPY", MONDAY, FRIDAY)
    assert series.days == (MONDAY,)


def test_a_thread_that_asks_about_a_pair_does_not_disturb_another(
    packaged: EuroRates, monkeypatch: pytest.MonkeyPatch
) -> None:
    *others, last, beside = [code for code in packaged.currencies if code != "USD"]
    kept = Interrupted(lambda: packaged.between("USD", beside, MONDAY, FRIDAY))
    monkeypatch.setattr(packaged, "_worked_out", kept)
    for code in others[:CACHED_PAIRS]:
        packaged.between("USD", code, MONDAY, FRIDAY)
    assert kept.beside.ident is None
    try:
        packaged.between("USD", last, MONDAY, FRIDAY)
    finally:
        kept.go_on.set()
        kept.beside.join()
    assert len(kept) == CACHED_PAIRS


def test_days_come_oldest_first_and_both_ends_are_included() -> None:
    series = parsed(GOOD).between("USD", "JPY", MONDAY, TUESDAY)
    assert series.days == (MONDAY, TUESDAY)
    assert series.values == (Decimal("152.5000000"), Decimal("151.2905982"))


def test_a_pair_has_the_same_fixings_however_often_it_is_asked_for(packaged: EuroRates) -> None:
    """A part of the days first, then all, and again when other pairs have been asked about."""
    others = [code for code in packaged.currencies if code not in ("USD", "JPY")]
    assert len(others) > CACHED_PAIRS
    part = packaged.between("USD", "JPY", MONDAY, FRIDAY)
    every = packaged.between("USD", "JPY", date.min, FRIDAY)
    assert (part.days, part.values) == (every.days[-5:], every.values[-5:])
    for code in others:
        asked = packaged.between("USD", code, MONDAY, FRIDAY)
        newest = packaged.last_fixing("USD", code, FRIDAY)
        assert not asked.days or newest == (asked.days[-1], asked.values[-1])
    assert packaged.between("USD", "JPY", date.min, FRIDAY) == every
    assert every.values[-1] != packaged.between("JPY", "USD", FRIDAY, FRIDAY).values[0]


def test_the_order_of_the_rows_does_not_matter() -> None:
    header, *rows = GOOD.splitlines()
    assert parsed("\n".join((header, *reversed(rows)))).last_day == FRIDAY


def test_before_the_first_fixing_there_is_none() -> None:
    assert parsed(GOOD).last_fixing("EUR", "ISK", TUESDAY) is None
    assert parsed(GOOD).last_day_until(MONDAY - timedelta(days=1)) is None


def test_a_currency_that_was_never_fixed_is_not_in_the_file() -> None:
    assert not parsed(GOOD).has("TWD")
    assert parsed(GOOD).has("EUR")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "first line"),
        ("<html><body>Not found</body></html>", "first line"),
        (GOOD.splitlines()[0], "no rows"),
        (GOOD.replace("USD", "JPY", 1), "names a currency twice"),
        (GOOD.replace("1.17", "1,17"), "line 3"),
        (GOOD.replace("1.17", "-1.17"), "line 3"),
        (GOOD.replace("1.17", "0.00"), "line 3"),
        (GOOD.replace("1.17", "nan"), "line 3"),
        (GOOD.replace("1.17", "1e9"), "line 3"),
        (GOOD.replace("2026-10-27", "2026-02-30"), "line 3"),
        (GOOD.replace("2026-10-27", "2026-10-26"), "twice"),
        (GOOD[:-30], "line 4"),
    ],
)
def test_a_file_that_is_not_the_history_is_named_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(DamagedRatesFile, match=f"eurofxref-hist.zip is not usable.*{reason}"):
        parsed(text)


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", zipped(GOOD)[:-20], zipped(GOOD)[:60], zipped(GOOD, "another.csv")],
    ids=["empty", "html", "without its end", "cut short", "another member"],
)
def test_bytes_that_are_no_whole_zip_are_refused(content: bytes) -> None:
    with pytest.raises(DamagedRatesFile):
        parse_rates(content, FILE)


def test_a_member_that_unpacks_to_more_than_the_history_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("desk.sources.ecb.rates.LARGEST_CSV", len(GOOD) - 1)
    with pytest.raises(DamagedRatesFile, match="is above"):
        parsed(GOOD)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedRatesFile, match=r"nowhere\.zip.*No such file"):
        read_rates(tmp_path / "nowhere.zip")


@given(st.data())
def test_a_flipped_byte_is_noticed_or_harmless(data: st.DataObject) -> None:
    content = bytearray(zipped(GOOD))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    try:
        rates = parse_rates(bytes(content), FILE)
    except DamagedRatesFile:
        return
    assert rates.last_fixing("EUR", "USD", FRIDAY) == (FRIDAY, Decimal("1.1172"))


def test_the_packaged_history_reaches_from_1999_to_2026(packaged: EuroRates) -> None:
    assert packaged.first_day == date(1999, 1, 4)
    assert packaged.last_day >= date(2026, 10, 30)
    assert packaged.day_count >= 7_126
    assert len(packaged.currencies) == 41
    assert not packaged.has("TWD")


def test_no_live_series_has_a_gap_longer_than_a_holiday(packaged: EuroRates) -> None:
    for quote in ("USD", "JPY", "KRW", "CNY", "IDR", "PHP", "THB", "MYR", "INR"):
        days = packaged.between("EUR", quote, date(1999, 1, 1), packaged.last_day).days
        assert max(later - earlier for earlier, later in pairwise(days)) <= timedelta(days=5)
        assert all(day.weekday() < 5 for day in days)


def test_the_hong_kong_dollar_stays_in_its_band_but_for_two_known_fixings(
    packaged: EuroRates,
) -> None:
    series = packaged.between("USD", "HKD", date(2006, 1, 1), packaged.last_day)
    outside = {
        day: value
        for day, value in zip(series.days, series.values, strict=True)
        if not Decimal("7.745") <= value <= Decimal("7.851")
    }
    assert outside == {
        date(2009, 3, 26): Decimal("7.685676491"),
        date(2013, 4, 2): Decimal("7.741666666"),
    }


def test_the_doubtful_fixing_of_26_march_2009_is_kept_as_published(packaged: EuroRates) -> None:
    day = date(2009, 3, 26)
    assert packaged.last_fixing("EUR", "HKD", day) == (day, Decimal("10.4579"))
    assert packaged.last_fixing("EUR", "USD", day) == (day, Decimal("1.3607"))


def test_every_printed_level_is_the_exact_cross_rounded_once(packaged: EuroRates) -> None:
    start = packaged.last_day - timedelta(weeks=520)
    specs = read_desk_file(PROJECT / "desk.toml").run.markets
    off = looked_at = 0
    for spec in (spec for spec in specs if spec.kind is MarketKind.PAIR):
        base, quote = spec.market.split("/")
        if not (packaged.has(base) and packaged.has(quote)):
            continue
        ours, theirs = _against_the_euro(packaged, base), _against_the_euro(packaged, quote)
        fixings = packaged.between(base, quote, start, packaged.last_day)
        for day, value in zip(fixings.days, fixings.values, strict=True):
            step = level_step(value, spec.digits)
            exact = Fraction(theirs[day]) / Fraction(ours[day])
            off += value.quantize(step) != round(exact / Fraction(step)) * step
            looked_at += 1
    assert looked_at > 40_000
    assert off == 0, f"{off} of {looked_at}"


def _against_the_euro(rates: EuroRates, currency: str) -> dict[date, Decimal]:
    if currency == "EUR":
        return defaultdict(lambda: Decimal(1))
    series = rates.between("EUR", currency, rates.first_day, rates.last_day)
    return dict(zip(series.days, series.values, strict=True))
