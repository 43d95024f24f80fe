"""The server `cross_asset`: its files, what was known when, and the dollar index."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from desk.analytics.prices.dollar_index import WEIGHTS, dollar_index
from desk.contracts.agents.tools import Reachability
from desk.contracts.findings.source_results import Yields
from desk.sources.ecb.store import RatesStore
from desk.sources.serving.daily_series import Publisher
from desk.sources.serving.kept_file import DamagedFile, refresh
from desk.sources.statistics.cross_asset.answers import CrossAssets
from desk.sources.statistics.cross_asset.publishers import publishers
from desk.sources.statistics.cross_asset.server import CrossAssetTools
from tests.standins.provider import Failure
from tests.standins.providers.cross_asset import content_of, values
from tests.standins.serving import serving

WEEK_END = datetime.fromisoformat("2026-11-02T07:00:00+00:00")
NOVEMBER = date(2026, 11, 24)
FIRST, LAST, FRIDAY = date(2026, 10, 12), date(2026, 11, 2), date(2026, 10, 30)
ALL = publishers(2026)


@pytest.fixture
def assets(tmp_path: Path) -> CrossAssets:
    for publisher in ALL:
        publisher.kept_file().path(tmp_path).write_bytes(content_of(publisher, NOVEMBER))
    return CrossAssets(tmp_path, 2026)


def last_days(answer: Yields) -> dict[tuple[str, int], date]:
    """Of the first series of each area and maturity."""
    return {(each.area, each.years): each.days[-1] for each in reversed(answer.yields)}


def test_yields_are_known_when_their_publishers_have_released_them(assets: CrossAssets) -> None:
    areas = ["US", "XM", "JP", "CA", "AU", "GB", "KR"]
    answer = assets.yields(areas, FIRST, LAST, WEEK_END)
    thursday = date(2026, 10, 29)
    assert last_days(answer) == {
        ("US", 2): FRIDAY,
        ("US", 10): FRIDAY,
        ("XM", 2): thursday,
        ("XM", 10): thursday,
        ("JP", 2): FRIDAY,
        ("JP", 10): FRIDAY,
        ("CA", 2): thursday,
        ("CA", 10): thursday,
        ("AU", 2): FRIDAY,
        ("AU", 10): FRIDAY,
        ("GB", 10): thursday,
    }
    assert list(answer.missing) == ["KR"]
    beside = [(each.area, each.years, each.origin) for each in answer.yields]
    assert beside[4:8] == [
        ("XM", 10, "European Central Bank"),
        ("XM", 10, "Deutsche Bundesbank"),
        ("JP", 2, "Ministry of Finance Japan"),
        ("JP", 10, "Ministry of Finance Japan"),
    ]
    assert beside[-2:] == [("GB", 10, "Bank of England"), ("GB", 10, "Sveriges Riksbank")]
    revisable = {series.area for series in answer.yields if series.revisable}
    assert revisable == {"XM"}


def test_yields_are_said_to_be_silent_until_some_were_fetched(tmp_path: Path) -> None:
    def told() -> Reachability:
        return CrossAssetTools(CrossAssets(tmp_path, 2026), RatesStore(tmp_path)).check_reachable()

    oil, america = (next(each for each in ALL if each.key == key) for key in ("oil", "us_treasury"))
    oil.kept_file().path(tmp_path).write_bytes(content_of(oil, NOVEMBER))
    assert (told().reachable, told().silent) == (True, ("get_yields",))
    assert "needs a network" in str(told().reason)
    america.kept_file().path(tmp_path).write_bytes(content_of(america, NOVEMBER))
    assert told() == Reachability(reachable=True)


def test_anothers_curve_is_not_told_in_the_place_of_one_that_is_not_there(tmp_path: Path) -> None:
    for publisher in ALL:
        if publisher.key != "ecb_yield_curve":
            publisher.kept_file().path(tmp_path).write_bytes(content_of(publisher, NOVEMBER))
    answer = CrossAssets(tmp_path, 2026).yields(["XM", "GB"], FIRST, LAST, WEEK_END)
    assert {each.area for each in answer.yields} == {"GB"}
    assert list(answer.missing) == ["XM"]


def test_a_year_and_a_month_go_on_in_the_next_file(assets: CrossAssets) -> None:
    answer = assets.yields(["US", "JP"], date(2025, 12, 20), date(2026, 1, 9), WEEK_END)
    days = {series.area: series.days for series in answer.yields if series.years == 2}
    assert date(2025, 12, 31) in days["US"] and date(2026, 1, 2) in days["US"]
    month = assets.yields(["JP"], date(2026, 10, 26), date(2026, 11, 6), NOVEMBER_NIGHT).yields[0]
    assert FRIDAY in month.days and date(2026, 11, 6) in month.days


NOVEMBER_NIGHT = datetime.fromisoformat("2026-11-24T23:00:00+00:00")


def test_oil_comes_a_week_late_and_stocks_the_next_morning(assets: CrossAssets) -> None:
    oil = assets.series("brent", "US dollars a barrel", FIRST, LAST, WEEK_END)
    assert (oil.days[-1], oil.revisable) == (date(2026, 10, 23), True)
    assert str(oil.values[-1]) == values("brent", NOVEMBER)[date(2026, 10, 23)]
    assert assets.series("sp500", "index", FIRST, LAST, WEEK_END).days[-1] == date(2026, 10, 29)


def test_without_files_there_is_one_reason() -> None:
    answer = CrossAssets(None, 2026).yields(["US", "JP"], FIRST, LAST, WEEK_END)
    assert answer.yields == ()
    assert set(answer.missing.values()) == {"Not fetched: it needs a network."}
    oil = CrossAssets(None, 2026).series("wti", "US dollars a barrel", FIRST, LAST, WEEK_END)
    assert oil.missing == "Not fetched: it needs a network."


def test_the_dollar_index_is_ices_formula() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    rates = {"EUR": "0.8", "JPY": "150", "GBP": "0.75", "CAD": "1.4", "SEK": "10", "CHF": "0.9"}
    by_hand = (
        50.14348112
        * (1 / 0.8) ** -0.576
        * 150**0.136
        * (1 / 0.75) ** -0.119
        * 1.4**0.091
        * 10**0.042
        * 0.9**0.036
    )
    given = {code: Decimal(rate) for code, rate in rates.items()}
    assert dollar_index(given) == pytest.approx(by_hand)


def test_the_dollar_index_comes_of_the_fixings_known_by_the_instant() -> None:
    tools = CrossAssetTools(CrossAssets(None, 2026), RatesStore())
    answer = tools.get_asset("dollar_index", date(2026, 8, 3), date(2026, 8, 7), WEEK_END)
    assert len(answer.days) == 5
    assert all(Decimal(80) < value < Decimal(130) for value in answer.values)
    early = datetime.fromisoformat("2026-08-06T07:00:00+00:00")
    cut = tools.get_asset("dollar_index", date(2026, 8, 3), date(2026, 8, 7), early)
    assert cut.days[-1] == date(2026, 8, 5)


@pytest.mark.parametrize("publisher", ALL, ids=lambda each: each.file)
def test_what_is_not_the_file_is_refused(publisher: Publisher) -> None:
    for content in (b"", b"<html>Sorry</html>", b"{}", b"a,b,c\n1,2,3\n"):
        with pytest.raises(DamagedFile):
            publisher.read(content)


@pytest.mark.parametrize("publisher", ALL, ids=lambda each: each.file)
def test_a_file_is_kept_through_the_failures_of_its_provider(
    publisher: Publisher, tmp_path: Path
) -> None:
    name = f"{publisher.key}_markets"
    with serving() as standins:
        standins.until = NOVEMBER
        kept = publisher.kept_file(standins.address(name))
        standins.fail(name, Failure.REDIRECT)
        assert refresh(kept, tmp_path).succeeded
        whole = kept.path(tmp_path).read_bytes()
        for failure in (Failure.TOO_MANY, Failure.HTML, Failure.RENAMED, Failure.CLOSED):
            standins.fail(name, failure)
            assert not refresh(kept, tmp_path).succeeded, failure
        if publisher.grows:
            standins.fail(name, Failure.TRUNCATED)
            assert not refresh(kept, tmp_path).succeeded
        assert kept.path(tmp_path).read_bytes() == whole


def test_a_revised_yield_is_told_as_it_was_before_the_revision_was_seen(tmp_path: Path) -> None:
    curve = next(each for each in ALL if each.key == "ecb_yield_curve")
    with serving() as standins:
        standins.until = NOVEMBER
        kept = curve.kept_file(standins.address("ecb_yield_curve_markets"))
        assert refresh(kept, tmp_path).succeeded
        before = kept.read(kept.path(tmp_path).read_bytes()).values()
        standins.fail("ecb_yield_curve_markets", Failure.REVISED)
        assert refresh(kept, tmp_path).changed == "1 revised"
    told = curve.series_file(tmp_path).as_of(datetime.fromisoformat("2026-11-20T00:00:00+00:00"))
    assert told is not None
    assert told.by_datum() == before
