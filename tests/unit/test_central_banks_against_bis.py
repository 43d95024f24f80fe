"""The table of decisions beside an independent source: month-end policy rates of the BIS."""

import csv
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from mcp_servers.policy_answers import policy_rate
from mcp_servers.policy_facts import PolicyFacts, read_facts

BIS = (
    Path(__file__).parents[3]
    / "shared"
    / "data"
    / "policy_rates"
    / "bis_cbpol_monthly_g10_asia.csv"
)
FIRST_MONTH = "2015-01"
ROUNDING = Decimal("0.005")

OUTSIDE_THE_TABLE = {"DK"}
"""The desk does not cover Denmark."""

OTHER_INSTRUMENT = {"XM"}
"""The BIS carries the main refinancing rate of the ECB until September 2024, the table the
deposit facility rate throughout."""

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
}
"""Month-ends that differ, with the day of the announcement that lies between: the table dates a
rate by its announcement, the BIS by the day on which it takes effect, here in the next month."""


@pytest.fixture(scope="module")
def month_ends() -> dict[tuple[str, str], Decimal]:
    if not BIS.exists():
        pytest.skip(f"the file to compare with is not there: {BIS}")
    with BIS.open(encoding="utf-8", newline="") as file:
        return {
            (row["ref_area"], row["month"]): Decimal(row["rate_pct"])
            for row in csv.DictReader(file)
            if row["month"] >= FIRST_MONTH
            and row["ref_area"] not in OUTSIDE_THE_TABLE | OTHER_INSTRUMENT
        }


def rate_at_month_end(facts: PolicyFacts, area: str, month: str) -> Decimal | None:
    first = date.fromisoformat(f"{month}-01")
    next_month = (first + timedelta(days=32)).replace(day=1)
    midnight = datetime.combine(next_month, datetime.min.time(), facts.areas[area].time_zone)
    return policy_rate(facts, area, midnight - timedelta(seconds=1)).rate


def test_every_month_end_agrees_but_for_announcements_that_took_effect_later(
    month_ends: dict[tuple[str, str], Decimal],
) -> None:
    facts = read_facts()
    apart = set()
    for (area, month), expected in month_ends.items():
        rate = rate_at_month_end(facts, area, month)
        if rate is None or abs(rate - expected) > ROUNDING:
            apart.add((area, month))
    assert apart == TAKES_EFFECT_NEXT_MONTH.keys()


def test_the_comparison_covers_seventeen_areas(
    month_ends: dict[tuple[str, str], Decimal],
) -> None:
    areas = {area for area, _ in month_ends}
    assert areas == read_facts().decisions.keys() - OTHER_INSTRUMENT
    assert len(month_ends) > 2_000


def test_each_difference_is_an_announcement_that_the_bis_shows_a_month_later(
    month_ends: dict[tuple[str, str], Decimal],
) -> None:
    facts = read_facts()
    for (area, month), announced_on in TAKES_EFFECT_NEXT_MONTH.items():
        decision = next(row for row in facts.decisions[area] if row.day == announced_on)
        following = (announced_on.replace(day=1) + timedelta(days=32)).isoformat()[:7]
        assert announced_on.isoformat()[:7] == month
        assert decision.change != 0
        assert month_ends[(area, following)] == decision.rate
