"""The table of decisions beside an independent source: month-end policy rates of the BIS."""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.contracts.findings.source_results import MonthEndRate, PolicyRate
from desk.sources.central_banks.facts.policy import PolicyFacts, read_facts
from desk.sources.central_banks.policy_answers import policy_rate
from desk.sources.statistics.server import OfficialStatisticsTools
from desk.sources.statistics.tables import AREAS
from tests.support.processes.homes import PROJECT

ROUNDING = Decimal("0.005")
LATER = datetime(2026, 11, 1, tzinfo=UTC)

TAKES_EFFECT_NEXT_MONTH = {
    ("US", "2019-07"): date(2019, 7, 31),
    ("JP", "2024-07"): date(2024, 7, 31),
    ("CN", "2015-02"): date(2015, 2, 28),
    ("SE", "2018-12"): date(2018, 12, 20),
    ("SE", "2019-12"): date(2019, 12, 19),
    ("SE", "2022-04"): date(2022, 4, 28),
    ("SE", "2022-06"): date(2022, 6, 30),
    ("SE", "2023-04"): date(2023, 4, 26),
    ("SE", "2023-06"): date(2023, 6, 29),
    ("SE", "2024-09"): date(2024, 9, 25),
    ("SE", "2024-12"): date(2024, 12, 19),
    ("SE", "2025-01"): date(2025, 1, 29),
    ("SE", "2025-09"): date(2025, 9, 23),
    ("XM", "2025-01"): date(2025, 1, 30),
}
"""Month-ends that differ, with the day of the announcement that lies between: the table dates a
rate by its announcement, the BIS by the day on which it takes effect, here in the next month."""

MonthEnds = dict[tuple[str, str], MonthEndRate]


@pytest.fixture(scope="module")
def facts() -> PolicyFacts:
    return read_facts()


@pytest.fixture(scope="module")
def month_ends() -> MonthEnds:
    found = OfficialStatisticsTools().get_month_end_rates([*AREAS], "2015-01", "2026-12", LATER)
    return {(row.area, row.month): row for row in found.rates}


def at_month_end(facts: PolicyFacts, area: str, month: str) -> PolicyRate:
    first = date.fromisoformat(f"{month}-01")
    next_month = (first + timedelta(days=32)).replace(day=1)
    midnight = datetime.combine(next_month, datetime.min.time(), facts.areas[area].time_zone)
    return policy_rate(facts, area, midnight - timedelta(seconds=1))


def apart_from_the_bis(facts: PolicyFacts, month_ends: MonthEnds) -> dict[str, dict[str, bool]]:
    """By area, the months of the same instrument, and whether the rates differ."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for (area, month), theirs in month_ends.items():
        ours = at_month_end(facts, area, month)
        assert ours.rate is not None
        if ours.instrument == theirs.instrument:
            found[area][month] = abs(ours.rate - theirs.rate) > ROUNDING
    return found


def test_every_month_end_agrees_but_for_announcements_that_took_effect_later(
    facts: PolicyFacts, month_ends: MonthEnds
) -> None:
    apart = {
        (area, month)
        for area, months in apart_from_the_bis(facts, month_ends).items()
        for month, differs in months.items()
        if differs
    }
    assert apart | {("JP", "2024-07")} == TAKES_EFFECT_NEXT_MONTH.keys()


def test_the_document_says_which_months_agree(facts: PolicyFacts, month_ends: MonthEnds) -> None:
    document = (PROJECT / "desk/sources/central_banks/facts/README.md").read_text(encoding="utf-8")
    for area, months in apart_from_the_bis(facts, month_ends).items():
        apart = [month for month, differs in months.items() if differs]
        agreeing = len(months) - len(apart)
        row = f"| {area} | {agreeing} | {len(apart)} | {', '.join(apart)} |\n"
        assert (row if apart else f"{area} ({agreeing})") in document


def test_only_the_euro_area_was_long_measured_by_another_instrument(
    facts: PolicyFacts, month_ends: MonthEnds
) -> None:
    other = {
        key: row.instrument
        for key, row in month_ends.items()
        if at_month_end(facts, *key).instrument != row.instrument
    }
    # Japan's guideline of 31 July 2024 replaced the range before it on the next day.
    del other["JP", "2024-07"]
    assert {area for area, _ in other} == {"XM"}
    assert (min(other)[1], max(other)[1], len(other)) == ("2015-01", "2024-08", 116)
    assert set(other.values()) == {"main refinancing operations rate"}


def test_the_comparison_covers_eighteen_areas(facts: PolicyFacts, month_ends: MonthEnds) -> None:
    assert {area for area, _ in month_ends} == facts.decisions.keys()
    assert len(month_ends) > 2_400


def test_each_difference_is_an_announcement_that_the_bis_shows_a_month_later(
    facts: PolicyFacts, month_ends: MonthEnds
) -> None:
    for (area, month), announced_on in TAKES_EFFECT_NEXT_MONTH.items():
        decision = next(row for row in facts.decisions[area] if row.day == announced_on)
        following = (announced_on.replace(day=1) + timedelta(days=32)).isoformat()[:7]
        assert announced_on.isoformat()[:7] == month
        assert decision.change != 0
        assert month_ends[area, following].rate == decision.rate
