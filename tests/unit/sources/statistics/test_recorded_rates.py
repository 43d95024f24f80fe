"""Policy rates as banks, the BIS and the IMF record them: their files, and what was known when."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.findings.source_results import RateRecord
from desk.sources.central_banks.recorded import HIBOR, RATE_SOURCES
from desk.sources.serving.daily_series import Publisher, files_of, whole
from desk.sources.serving.kept_file import DamagedFile, refresh
from desk.sources.statistics.bank_rates import RATE_PUBLISHERS, BankRates
from desk.sources.statistics.bank_rates.answers import consequences
from desk.sources.statistics.server import OfficialStatisticsTools
from tests.standins.provider import Failure
from tests.standins.providers.policy_rates import addresses
from tests.standins.serving import serving

HKMA = "Hong Kong Monetary Authority"
WEEK_END = datetime.fromisoformat("2026-11-02T07:00:00+00:00")
NOVEMBER = date(2026, 11, 24)


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> BankRates:
    """The files of all records, those that the server `central_banks` keeps among them."""
    folder = tmp_path_factory.mktemp("rates")
    kept = BankRates(folder)
    with serving() as standins:
        standins.until = NOVEMBER
        for publisher in RATE_PUBLISHERS:
            refresh(publisher.kept_file(standins.address(publisher.key)), folder)
        for file in files_of(RATE_SOURCES, addresses(standins.address("policy_rates"))):
            refresh(file, folder)
    return kept


def records(rates: BankRates, area: str, as_of: datetime = WEEK_END) -> dict[str, RateRecord]:
    return {row.origin or "": row for row in rates.answer([area], as_of).recorded}


def test_an_area_has_a_row_for_every_record_of_it(rates: BankRates) -> None:
    bis, imf = "Bank for International Settlements", "International Monetary Fund"
    assert records(rates, "AU").keys() == {"Reserve Bank of Australia", bis}
    assert records(rates, "CH").keys() == {"Swiss National Bank", bis}
    assert records(rates, "HK").keys() == {HKMA, "Federal Reserve", bis}
    assert records(rates, "TH").keys() == {imf, bis}
    assert records(rates, "JP").keys() == {"Bank of Japan", bis}
    assert records(rates, "KR").keys() == {"OECD", imf, bis}
    assert records(rates, "CN").keys() == {"National Interbank Funding Center", bis}
    assert rates.answer(["TW"], WEEK_END).missing == {"TW": "No record of it was known."}


def test_a_cut_of_the_week_shows_from_the_day_on_which_it_took_effect(rates: BankRates) -> None:
    fed = records(rates, "US")["Federal Reserve"]
    assert (fed.rate, fed.low, fed.high) == (Decimal("3.625"), Decimal("3.5"), Decimal("3.75"))
    assert (fed.since, fed.previous) == (date(2026, 10, 29), Decimal("3.875"))
    assert fed.day == date(2026, 10, 29)
    before = records(rates, "US", datetime.fromisoformat("2026-10-29T07:00:00+00:00"))
    assert before["Federal Reserve"].rate == Decimal("3.875")


def test_the_base_rate_of_hong_kong_tells_the_lower_end_of_the_federal_reserves_range(
    rates: BankRates,
) -> None:
    floor = records(rates, "US")[HKMA]
    assert (floor.low, floor.previous) == (Decimal("3.50"), Decimal("3.75"))
    assert (floor.since, floor.day) == (date(2026, 10, 29), date(2026, 10, 30))
    base = records(rates, "HK")["Federal Reserve"]
    assert base.rate == records(rates, "HK")[HKMA].rate
    assert base.bears_out_within == 0


def test_a_base_rate_at_the_mean_of_interbank_rates_tells_nothing_of_the_range() -> None:
    days = [date(2026, 10, day) for day in range(1, 8)]
    told = {name: dict.fromkeys(days, Decimal("4.2")) for name in ("HK", *HIBOR)}
    assert list(consequences("hkma_base_rate", whole(told), days[-1], HKMA)) == []
    told[HIBOR[0]] = dict.fromkeys(days, Decimal("4.1"))
    (floor,) = consequences("hkma_base_rate", whole(told), days[-1], HKMA)
    assert (floor.low, floor.since) == (Decimal("3.7"), None)


def test_what_is_dealt_overnight_in_japan_bears_out_the_rate_that_it_is_guided_to(
    rates: BankRates,
) -> None:
    dealt = records(rates, "JP")["Bank of Japan"]
    assert abs(dealt.rate - Decimal("1.25")) <= (dealt.bears_out_within or 0)
    assert dealt.day == date(2026, 10, 30)


def test_a_whole_month_of_overnight_rates_bears_out_the_rate_of_korea_and_new_zealand(
    rates: BankRates,
) -> None:
    october = datetime.fromisoformat("2026-10-19T07:00:00+00:00")
    for area, rate in (("KR", Decimal("2.75")), ("NZ", Decimal("2.50"))):
        month = records(rates, area, october)["OECD"]
        assert (month.day, month.bears_out_within) == (date(2026, 8, 1), Decimal("0.05"))
        assert abs(month.rate - rate) <= Decimal("0.05")


def test_the_bis_has_a_week_on_the_thursday_after_it(rates: BankRates) -> None:
    bis = records(rates, "US")["Bank for International Settlements"]
    assert (bis.rate, bis.day) == (Decimal("3.875"), date(2026, 10, 23))


def test_a_month_of_the_imf_counts_as_known_two_months_after_its_end(rates: BankRates) -> None:
    thailand = records(rates, "TH")["International Monetary Fund"]
    assert thailand.day == date(2026, 8, 1)


def test_the_mean_of_a_month_says_nothing_of_the_day_of_a_change(rates: BankRates) -> None:
    thailand = records(rates, "TH")["International Monetary Fund"]
    assert (thailand.since, thailand.previous) == (None, None)


def test_without_files_all_areas_need_a_network() -> None:
    answer = BankRates(None).answer(["US", "JP"], WEEK_END)
    assert answer.missing == dict.fromkeys(("US", "JP"), "Not fetched: it needs a network.")


@pytest.mark.parametrize("publisher", RATE_PUBLISHERS, ids=lambda each: each.key)
def test_what_is_not_the_file_is_refused(publisher: Publisher) -> None:
    for content in (b"", b"<html>Sorry</html>", b"{}", b"a,b,c\n1,2,3\n"):
        with pytest.raises(DamagedFile):
            publisher.read(content)


@pytest.mark.parametrize("publisher", RATE_PUBLISHERS, ids=lambda each: each.key)
def test_a_file_is_fetched_and_kept_through_the_failures_of_its_provider(
    publisher: Publisher, tmp_path: Path
) -> None:
    with serving() as standins:
        standins.until = NOVEMBER
        kept = publisher.kept_file(standins.address(publisher.key))
        standins.fail(publisher.key, Failure.REDIRECT)
        assert refresh(kept, tmp_path).succeeded
        whole = kept.path(tmp_path).read_bytes()
        for failure in (
            *(Failure.TOO_MANY, Failure.ERROR, Failure.HTML, Failure.TRUNCATED, Failure.RENAMED),
            *(Failure.LATE, Failure.CLOSED, Failure.REDIRECT_LOOP),
        ):
            standins.fail(publisher.key, failure)
            outcome = refresh(kept, tmp_path)
            assert not outcome.succeeded, failure
            assert kept.path(tmp_path).read_bytes() == whole
        standins.mend(publisher.key)
        assert refresh(kept, tmp_path).succeeded


def test_months_after_the_table_come_from_the_biss_daily_series_once_it_had_them(
    rates: BankRates,
) -> None:
    tools = OfficialStatisticsTools(banks=rates)

    def october(tools: OfficialStatisticsTools, as_of: str) -> list[Decimal]:
        at = datetime.fromisoformat(as_of)
        found = tools.get_month_end_rates(["US", "JP"], "2026-10", "2026-10", at)
        return [row.rate for row in found.rates]

    assert october(tools, "2026-11-20T23:59:00+00:00") == []
    assert october(tools, "2026-11-21T00:00:00+00:00") == [Decimal("1.25"), Decimal("3.625")]
    assert october(OfficialStatisticsTools(), "2026-11-21T00:00:00+00:00") == []
