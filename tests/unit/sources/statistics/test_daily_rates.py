"""The daily rates of central banks other than the ECB: their files, and what was known when."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.findings.source_results import Histories
from desk.sources.serving.daily_series import Publisher
from desk.sources.serving.kept_file import DamagedFile
from desk.sources.statistics.daily_rates import PUBLISHERS, DailyRates, formats
from tests.support.files.daily_rates import file_of

FRIDAY, MONDAY = date(2026, 10, 30), date(2026, 10, 26)
WEEK_END = "2026-11-02T07:00:00+00:00"
YEN = {
    date(2026, 10, 22): "151.10",
    date(2026, 10, 23): "151.42",
    date(2026, 10, 26): "152.00",
    date(2026, 10, 29): "152.71",
    date(2026, 10, 30): "153.28",
}


def publisher(key: str) -> Publisher:
    return next(each for each in PUBLISHERS if each.key == key)


def keep(
    folder: Path, *keys: str, per_dollar: dict[str, dict[date, str]] | None = None
) -> DailyRates:
    rates = DailyRates(folder)
    for each, kept in zip(PUBLISHERS, rates.files, strict=True):
        if each.key in keys:
            kept.path(folder).write_bytes(file_of(each.key, per_dollar or {"JPY": YEN}))
    return rates


def asked(rates: DailyRates, as_of: str, symbol: str = "USD/JPY") -> Histories:
    base, quote = symbol.split("/")
    return rates.answer(symbol, base, quote, YEN, datetime.fromisoformat(as_of))


def last_days(answer: Histories) -> dict[str, date]:
    return {history.source.origin or "": history.days[-1] for history in answer.histories}


@pytest.mark.parametrize("each", PUBLISHERS, ids=lambda each: each.key)
def test_every_publishers_file_gives_a_pair_in_the_markets_direction(
    each: Publisher, tmp_path: Path
) -> None:
    rates = keep(tmp_path, each.key, per_dollar={"JPY": YEN, "EUR": {FRIDAY: "0.8951"}})
    (yen,) = asked(rates, "2026-12-01T00:00:00+00:00").histories
    assert yen.source.origin == each.source.origin
    assert [round(value, 1) for value in yen.values] == [round(Decimal(v), 1) for v in YEN.values()]
    (euro,) = asked(rates, "2026-12-01T00:00:00+00:00", "EUR/USD").histories
    assert [(day, round(value, 3)) for day, value in zip(euro.days, euro.values, strict=True)] == [
        (FRIDAY, Decimal("1.117"))
    ]


def test_a_rate_is_known_when_its_publisher_has_released_it(tmp_path: Path) -> None:
    rates = keep(tmp_path, *(each.key for each in PUBLISHERS))
    assert last_days(asked(rates, WEEK_END)) == {
        "Bank of Canada": FRIDAY,
        "Reserve Bank of Australia": FRIDAY,
        "Bank of England": date(2026, 10, 29),
        "Federal Reserve Board": date(2026, 10, 23),
        "Bank for International Settlements": date(2026, 10, 23),
    }


@pytest.mark.parametrize(
    ("key", "day", "known"),
    [
        ("bank_of_canada", FRIDAY, "2026-10-30T20:30:00+00:00"),
        ("reserve_bank_of_australia", FRIDAY, "2026-10-30T06:00:00+00:00"),
        ("bank_of_england", FRIDAY, "2026-11-02T12:00:00+00:00"),
        ("federal_reserve", FRIDAY, "2026-11-02T21:15:00+00:00"),
        ("bis", FRIDAY, "2026-11-04T23:00:00+00:00"),
    ],
)
def test_a_rate_is_known_from_the_hour_at_which_its_publisher_releases_it(
    key: str, day: date, known: str
) -> None:
    assert publisher(key).published(day, ()) == datetime.fromisoformat(known)


def test_a_release_due_on_a_holiday_comes_a_day_later() -> None:
    h10, worked = publisher("federal_reserve"), (date(2026, 9, 4), date(2026, 9, 8))
    labor_day_week = h10.published(date(2026, 9, 4), worked)
    assert labor_day_week == datetime.fromisoformat("2026-09-08T20:15:00+00:00")
    england = publisher("bank_of_england").published(date(2026, 8, 28), (date(2026, 9, 1),))
    assert england == datetime.fromisoformat("2026-09-01T11:00:00+00:00")


def test_without_files_every_publisher_says_that_it_needs_a_network() -> None:
    answer = asked(DailyRates(None), WEEK_END)
    assert answer.histories == ()
    assert set(answer.missing.values()) == {"Not fetched: it needs a network."}
    assert len(answer.missing) == len(PUBLISHERS)


def test_a_currency_that_nobody_gives_is_missing_with_a_reason(tmp_path: Path) -> None:
    answer = asked(keep(tmp_path, "federal_reserve"), WEEK_END, "USD/PHP")
    assert answer.missing[publisher("federal_reserve").source.name] == "It does not give PHP."


def test_a_rate_with_two_digits_is_too_coarse(tmp_path: Path) -> None:
    rupiah = {FRIDAY: "16210"}
    canadian = keep(tmp_path, "bank_of_canada", per_dollar={"IDR": rupiah, "JPY": YEN})
    days, at = [FRIDAY], datetime.fromisoformat(WEEK_END)
    assert canadian.answer("USD/IDR", "USD", "IDR", days, at).histories == ()


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    rates = keep(tmp_path, "bank_of_canada")
    before = asked(rates, WEEK_END).histories[0].values[-1]
    keep(tmp_path, "bank_of_canada", per_dollar={"JPY": {**YEN, FRIDAY: "149.90"}})
    assert asked(rates, WEEK_END).histories[0].values[-1] < before


@pytest.mark.parametrize("each", PUBLISHERS, ids=lambda each: each.key)
def test_what_is_not_the_file_is_refused(each: Publisher) -> None:
    whole = file_of(each.key, {"JPY": YEN})
    with pytest.raises(DamagedFile, match="HTML"):
        each.read(b"<!DOCTYPE html><html><body>Sorry</body></html>")
    with pytest.raises(DamagedFile):
        each.read(b"")
    for column in ("RXI_N.B.JA", "XUDLJYD", "FXJPYCAD", "FXRJY", "OBS_VALUE"):
        if column.encode() in whole:
            with pytest.raises(DamagedFile, match="no column"):
                each.read(whole.replace(column.encode(), b"RENAMED"))
    with pytest.raises(DamagedFile):
        each.read(whole[: whole.rindex(b",")])


def test_a_value_that_is_no_number_is_refused() -> None:
    text = file_of("bank_of_england", {"JPY": YEN}).replace(b"153.28", b"15x.28")
    with pytest.raises(DamagedFile, match=r"15x\.28"):
        formats.read_bank_of_england(text)
