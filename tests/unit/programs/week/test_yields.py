"""Government bond yields in a market's research: asked for where somebody has them, and claimed."""

from datetime import date
from decimal import Decimal

import pytest

from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.agents.tools import SourceTier, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import Provenance, SourceResult, Yields, YieldSeries
from desk.contracts.findings.verdicts import ClaimCheck
from desk.contracts.markets import MarketSpec
from desk.programs.turns import builtin_turn
from desk.trust.ledger import Corroboration, Ledger, disagreeing
from tests.support.builders import (
    answered,
    calendar,
    decisions,
    pair_market,
    policy_rates,
    rate_market,
    request,
    window,
)

WEEK = "2024-W31"
YEN, AMERICA = pair_market("USD/JPY"), rate_market("US")
THURSDAY, BEFORE = date(2024, 8, 1), date(2024, 7, 26)
LISTED = ToolName(server="cross_asset", tool="get_yields")


def series(area: str, years: int, before: str, last: str) -> YieldSeries:
    return YieldSeries(
        area=area,
        years=years,
        days=(BEFORE, THURSDAY),
        values=(Decimal(before), Decimal(last)),
        name=f"Yields of {area}",
        origin=f"Treasury of {area}",
    )


ANSWER = Yields(
    as_of=window(WEEK).end,
    source=Provenance(name="Yields", tier=SourceTier.AUTHORITATIVE),
    yields=(
        series("US", 2, "4.36", "4.16"),
        series("US", 10, "4.20", "3.99"),
        series("JP", 2, "0.39", "0.45"),
    ),
)


def researched(
    market: MarketSpec, yields: Yields = ANSWER
) -> tuple[ResearchResult, list[ToolResult]]:
    """What the built-in analyst finds where a source of yields is on its task's list."""
    asked = {"US", *market.areas}
    told = tuple(each for each in yields.yields if each.area in asked)
    rates = policy_rates(WEEK, US="5.375", JP="0.25")
    known = tuple(each for each in rates.rates if each.area in asked)
    answers: dict[str, SourceResult] = {
        "get_policy_rate": rates.model_copy(update={"rates": known}),
        "get_rate_decisions": decisions(WEEK),
        "get_decision_calendar": calendar(WEEK),
        "get_yields": yields.model_copy(update={"yields": told}),
    }
    first = request(TaskType.RESEARCH_RATES, market, WEEK)
    task = first.assignment.model_copy(update={"tools": (*first.assignment.tools, LISTED)})
    calls = builtin_turn(first.model_copy(update={"assignment": task})).calls
    assert "get_yields" in {call.tool for call in calls}
    results = [answered(call, answers[call.tool]) for call in calls]
    found = builtin_turn(request(TaskType.RESEARCH_RATES, market, WEEK, results=results)).result
    assert isinstance(found, ResearchResult)
    return found, results


def figures(found: ResearchResult) -> dict[str, str]:
    return {c.claim_id: str(c.value) for c in found.claims if "yield" in c.metric}


def test_a_pair_has_its_differential_of_two_year_yields_and_its_change() -> None:
    found, _ = researched(YEN)
    assert figures(found) == {
        "USD/JPY:yield_differential": "371.0",
        "USD/JPY:yield_differential_change": "-26.0",
    }
    assert found.sources[-1].tool == "get_yields"


def test_an_area_has_its_own_yields() -> None:
    found, _ = researched(AMERICA)
    assert figures(found) == {
        "US:yield_2y": "4.16",
        "US:yield_2y_change": "-20.0",
        "US:yield_10y": "3.99",
    }


def test_without_yields_they_are_just_absent() -> None:
    nothing = ANSWER.model_copy(
        update={"yields": (), "missing": {"US": "Not fetched: it needs a network."}}
    )
    found, _ = researched(YEN, nothing)
    assert figures(found) == {}
    assert not any("yield" in line for line in (*found.missing, *found.warnings))


def test_a_source_that_is_not_on_the_list_is_not_asked() -> None:
    calls = builtin_turn(request(TaskType.RESEARCH_RATES, YEN, WEEK)).calls
    assert "get_yields" not in {call.tool for call in calls}


@pytest.mark.parametrize("market", [YEN, AMERICA], ids=lambda spec: spec.market)
def test_every_figure_of_yields_follows_from_its_evidence(market: MarketSpec) -> None:
    found, results = researched(market)
    ledger = Ledger((market,), window(WEEK), "US", results)
    claims = {claim.claim_id: claim for claim in found.claims}
    assert not any(ledger.failed_check(claim, claims) for claim in found.claims)


def test_a_wrong_figure_of_yields_is_caught() -> None:
    found, results = researched(YEN)
    ledger = Ledger((YEN,), window(WEEK), "US", results)
    claims = {claim.claim_id: claim for claim in found.claims}
    wrong: Claim = claims["USD/JPY:yield_differential"].model_copy(
        update={"value": Decimal("-371.0")}
    )
    failed = ledger.failed_check(wrong, claims)
    assert failed is not None and failed.check is ClaimCheck.VALUE


@pytest.mark.parametrize(
    ("before", "last", "verified"),
    [
        ("4.40", "4.22", {"yield_2y", "yield_2y_change"}),
        ("4.30", "4.22", {"yield_2y"}),
        ("4.66", "4.46", {"yield_2y_change"}),
        ("4.90", "4.40", set()),
    ],
)
def test_a_yield_of_another_publisher_bears_one_out_that_it_is_near_to_and_denies_none(
    before: str, last: str, verified: set[str]
) -> None:
    other = series("US", 2, before, last).model_copy(update={"origin": "Another bank"})
    both = ANSWER.model_copy(update={"yields": (*ANSWER.yields, other)})
    found, results = researched(AMERICA, both)
    assert figures(found)["US:yield_2y"] == "4.16"
    corroboration = Corroboration(results, window(WEEK))
    told = {
        claim.metric.value
        for claim in found.claims
        if "yield" in claim.metric and list(corroboration.others(claim))
    }
    assert told == verified
    assert not any(disagreeing(claim, corroboration) for claim in found.claims)
