"""Which markets and which week a command is about."""

import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import FixingCoverage, Provenance
from desk.platform.settings import load_settings
from starters.runs.market_choice import chosen_markets, known_market, subset_name
from starters.runs.week_choice import chosen_week, written_week
from starters.terminal.exit_status import UsageError
from tests.support.processes.homes import PROJECT

CONFIG = load_settings(PROJECT, {}).config
LONDON = ScheduleConfig()
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""A Saturday: the latest complete week is 2026-W46."""


def held(first: date = date(1999, 1, 4), last: date = date(2026, 10, 30)) -> FixingCoverage:
    ecb = Provenance(name="ECB", tier=SourceTier.AUTHORITATIVE)
    return FixingCoverage(as_of=NOW, source=ecb, first_day=first, last_day=last)


def test_without_a_choice_all_markets_are_researched() -> None:
    assert chosen_markets(CONFIG, None) == (CONFIG, None)


def test_naming_every_market_is_no_subset() -> None:
    assert chosen_markets(CONFIG, ",".join(reversed(CONFIG.market_names)))[1] is None


@given(st.permutations(["usdjpy", "EUR-USD", " USD/JPY", "jp"]))
def test_the_same_markets_are_the_same_run_however_they_are_typed(written: list[str]) -> None:
    config, subset = chosen_markets(CONFIG, ",".join(written))
    assert config.market_names == ("EUR/USD", "USD/JPY", "JP")
    assert subset == "eurusd-usdjpy-jp"


def test_more_than_three_markets_are_counted_and_hashed() -> None:
    four = ["EUR/USD", "USD/JPY", "GBP/USD", "USD/CHF"]
    name = subset_name(four)
    assert re.fullmatch(r"eurusd-usdjpy-and-2-more-[0-9a-f]{8}", name)
    assert name == subset_name(list(four))
    assert name != subset_name([*four[:3], "AUD/USD"])


@pytest.mark.parametrize(
    ("written", "near"), [("USD/JPX", "USD/JPY"), ("JPY/USD", "USD"), ("usd/twn", "USD/TWD")]
)
def test_an_unknown_market_is_answered_with_the_nearest_names(written: str, near: str) -> None:
    with pytest.raises(UsageError, match=rf"no market '{written}'; nearest: .*{near}"):
        known_market(CONFIG, written)


def test_the_week_is_the_latest_that_the_data_cover_and_a_gap_is_said() -> None:
    choice = chosen_week(None, NOW, LONDON, held())
    assert choice.week == "2026-W44"
    assert choice.remark is not None
    assert "2026-W46 is the latest complete week" in choice.remark
    assert "2026-10-30" in choice.remark
    assert "`desk refresh` gets newer ones" in choice.remark


def test_nothing_is_remarked_when_the_data_are_fresh() -> None:
    choice = chosen_week(None, NOW, LONDON, held(last=date(2026, 11, 20)))
    assert (choice.week, choice.remark) == ("2026-W46", None)


def test_a_week_whose_friday_is_a_holiday_is_covered_by_its_thursday() -> None:
    monday = datetime(2026, 12, 28, 9, tzinfo=UTC)
    choice = chosen_week(None, monday, LONDON, held(last=date(2026, 12, 24)))
    assert (choice.week, choice.remark) == ("2026-W52", None)


def test_a_written_week_beyond_the_data_is_run_and_the_gap_is_said() -> None:
    choice = chosen_week("2026-W46", NOW, LONDON, held())
    assert choice.week == "2026-W46"
    assert choice.remark is not None
    assert "the fixings end on 2026-10-30, before the end of 2026-W46" in choice.remark


def test_when_nobody_knows_how_far_the_data_go_the_latest_complete_week_is_taken() -> None:
    choice = chosen_week(None, NOW, LONDON, None)
    assert choice.week == "2026-W46"
    assert choice.remark is not None
    assert "desk doctor" in choice.remark


@pytest.mark.parametrize(("week", "usable"), [("1998-W53", False), ("1999-W01", True)])
def test_a_week_before_the_data_start_is_wrong_usage(week: str, usable: bool) -> None:
    if usable:
        assert chosen_week(week, NOW, LONDON, held()).week == week
        return
    with pytest.raises(UsageError, match=f"{week} lies before the data start, which is on 1999"):
        chosen_week(week, NOW, LONDON, held())


def test_a_week_can_be_written_from_its_as_of_instant_on() -> None:
    monday = datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert written_week("2026-w44", monday, LONDON) == "2026-W44"
    with pytest.raises(UsageError, match=r"2026-W44 is not over.*2026-11-02 07:00 UTC.*2026-W43"):
        written_week("2026-W44", datetime(2026, 11, 2, 6, 59, tzinfo=UTC), LONDON)
