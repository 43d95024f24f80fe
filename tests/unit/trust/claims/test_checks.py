"""Single objections, where the analysts' own findings never lead."""

import csv
from datetime import date
from decimal import Decimal

import pytest

from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import EventType, Impact, MarketEvent
from desk.contracts.findings.source_results import PolicyRate
from desk.trust.claims.banks import BANKS
from desk.trust.claims.recompute import InputsUnusable, recompute
from desk.trust.judging.checks import (
    check_bank,
    check_formula,
    check_policy_rate,
    check_rate_in_force,
)
from tests.support.builders import HKD_BAND, claim
from tests.support.processes.homes import PROJECT


def in_force(rate: str, since: str) -> PolicyRate:
    return PolicyRate(
        area="JP",
        bank="Bank of JP",
        instrument="policy rate",
        rate=Decimal(rate),
        since=date.fromisoformat(since),
    )


@pytest.mark.parametrize(
    ("rate", "since", "objection"),
    [
        ("0.25", "2024-07-31", False),
        ("0.50", "2024-07-31", True),
        ("0.10", "2024-03-19", False),
        ("0.50", "2024-08-01", True),
    ],
    ids=["agrees", "contradicts", "is not in force yet", "was set later and differs"],
)
def test_a_decision_is_held_against_the_rate_in_force(
    rate: str, since: str, *, objection: bool
) -> None:
    newest = claim("JP", Metric.DECISION_RATE, "0.25", Unit.PERCENT_A_YEAR, day="2024-07-31")
    older = claim("JP", Metric.DECISION_RATE, "9", Unit.PERCENT_A_YEAR, day="2024-01-01")
    found = list(check_rate_in_force([newest, older], in_force(rate, since)))
    assert bool(found) is objection


def test_a_rate_that_the_source_does_not_have_is_objected_to() -> None:
    without = PolicyRate(area="SG", bank="MAS", instrument="none", missing="no rate")
    stated = claim("SG", Metric.POLICY_RATE, "1.0", Unit.PERCENT_A_YEAR)
    assert len(list(check_policy_rate(stated, without))) == 1


def test_every_metric_has_its_unit() -> None:
    assert set(UNITS) == set(Metric)


def test_a_band_position_is_recomputed_from_the_edges_of_the_band() -> None:
    last = claim("USD/HKD", Metric.LAST, "7.8457")
    position = claim(
        "USD/HKD",
        Metric.BAND_POSITION,
        "95.7",
        Unit.PERCENT,
        formula="band_position",
        inputs=["USD/HKD:last"],
    )
    claims = {last.claim_id: last}
    assert recompute(position, claims, HKD_BAND) == Decimal("95.7")
    assert recompute(position, claims) is None
    wrong = position.model_copy(update={"value": Decimal("4.3")})
    assert len(list(check_formula(wrong, claims, HKD_BAND))) == 1


def test_a_formula_over_a_series_is_not_decided_by_claims() -> None:
    score = claim("USD/JPY", Metric.Z_SCORE, "1.2", Unit.STANDARD_DEVIATIONS, formula="z_score")
    assert recompute(score, {}) is None


@pytest.mark.parametrize("inputs", [["USD/JPY:previous"], ["USD/JPY:zero", "USD/JPY:previous"]])
def test_inputs_that_a_formula_cannot_take_are_named(inputs: list[str]) -> None:
    claims = {
        "USD/JPY:previous": claim("USD/JPY", Metric.PREVIOUS, "150"),
        "USD/JPY:zero": claim("USD/JPY", Metric.PREVIOUS, "0"),
    }
    move = claim(
        "USD/JPY", Metric.MOVE, "1.00", Unit.PERCENT, formula="percent_change", inputs=inputs
    )
    with pytest.raises(InputsUnusable, match="USD/JPY:move"):
        recompute(move, claims)


def decided(
    words: str, change: str, *, area: str = "JP", bank: str | None = "Bank of Japan"
) -> list[str]:
    """The kinds of objection to an event of a bank's decision."""
    stated = claim(area, Metric.DECISION_CHANGE, change, Unit.BASIS_POINTS, dated=True)
    event = MarketEvent(
        event_id="e",
        event_type=EventType.RATE_DECISION,
        market=area,
        area=area,
        central_bank=bank,
        event_date=date(2026, 10, 30),
        description=words,
        impact=Impact.HIGH,
        claims=(stated.claim_id,),
    )
    return [issue.issue_type for issue in check_bank(event, BANKS)]


def test_an_event_is_of_the_bank_of_its_area_and_names_another_only_with_a_claim_of_it() -> None:
    right = "Bank of Japan raised its rate."
    assert decided(right, "25") == []
    assert decided(right, "25", bank="Bank of England") == ["bank"]
    assert decided("Bank of England raised its rate.", "25") == ["bank"]
    other = "Bank of Japan decides after the Bank of England, at [[GB:policy_rate]]."
    assert decided(other, "25") == []
    assert decided("The rate was raised.", "25", bank=None) == []
    assert decided("Reserve Bank of New Zealand raised it.", "25", area="ZZ", bank="Any") == []


def test_the_banks_are_those_of_the_desk_s_tables() -> None:
    with (PROJECT / "desk" / "sources" / "central_banks" / "facts" / "areas.csv").open(
        encoding="utf-8"
    ) as file:
        assert {row["area"]: row["bank"] for row in csv.DictReader(file)} == BANKS
