"""How far each claim can be relied on, and which check decided."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import Attribution, SourceTier, ToolCall, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.findings.source_results import (
    DatePrecision,
    History,
    RateRecord,
    SourceResult,
)
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.markets import MarketSpec
from desk.programs.turns import builtin_turn
from tests.support.builders import (
    answered,
    calendar,
    decision,
    decisions,
    pair_market,
    policy_rates,
    rate_market,
    real_history,
    real_quote,
    request,
)
from tests.support.second_sources import (
    BANK_OF_CANADA,
    H10,
    daily_rates,
    month_averages,
    month_end_rates,
    real_averages,
    recorded_rates,
)

WEEK = "2024-W31"
SINCE = date(2024, 3, 21)
YEN, JAPAN = pair_market("USD/JPY"), rate_market("JP")
RATES = policy_rates(WEEK, since=SINCE, JP="0.10", US="5.375")


def standard(market: MarketSpec) -> dict[str, SourceResult]:
    """What the tools answer when everything is in order."""
    pair = market.market if "/" in market.market else "USD/JPY"
    return {
        "get_historical": real_history(pair, WEEK),
        "get_quote": real_quote(pair, WEEK),
        "get_month_averages": real_averages(pair, WEEK),
        "get_recorded_rates": recorded_rates(WEEK),
        "get_daily_rates": daily_rates(pair, WEEK),
        "get_policy_rate": RATES,
        "get_rate_decisions": decisions(WEEK, decision("JP", "2024-07-31", "0.10", "0")),
        "get_decision_calendar": calendar(WEEK),
        "get_month_end_rates": month_end_rates(WEEK, "2024-06", JP="0.10", US="5.375"),
    }


def verdicts(
    market: MarketSpec, *extra: ToolResult, task: TaskType = TaskType.RESEARCH_FX,
    found: ResearchResult | None = None, **instead: SourceResult,
) -> dict[str, ClaimVerdict]:  # fmt: skip
    result = validated(market, *extra, task=task, found=found, **instead)
    return {verdict.claim_id: verdict for verdict in result.verdicts}


def validated(
    market: MarketSpec, *extra: ToolResult, task: TaskType, found: ResearchResult | None = None,
    **instead: SourceResult,
) -> ValidationResult:  # fmt: skip
    """The validator's result on one agent's findings, with some answers of the tools replaced."""
    answers = standard(market) | instead
    asked = builtin_turn(request(task, market, WEEK)).calls
    evidence = [answered(call, answers[call.tool]) for call in asked]
    delivered = builtin_turn(request(task, market, WEEK, results=evidence)).result
    assert isinstance(delivered, ResearchResult)
    findings = [found or delivered]
    gathered = [*evidence, *extra]
    first = request(TaskType.VALIDATE, market, WEEK, findings=findings, evidence=gathered)
    replies = [answered(call, answers[call.tool]) for call in builtin_turn(first).calls]
    last = request(
        TaskType.VALIDATE, market, WEEK, findings=findings, evidence=gathered, results=replies
    )
    result = builtin_turn(last).result
    assert isinstance(result, ValidationResult)
    return result


def from_elsewhere(history: History) -> ToolResult:
    """The answer of another server's tool, among the findings' evidence."""
    symbol = history.symbol
    call = ToolCall(
        call_id="elsewhere", server="fed", tool="get_rates", arguments={"symbol": symbol}
    )
    return answered(call, history)


def noon_rates(pair: str, times: str = "1.002") -> ToolResult:
    """The last fixings of a pair as another origin has them, a little apart."""
    history = real_history(pair, WEEK)
    values = tuple((value * Decimal(times)).quantize(value) for value in history.values)
    return from_elsewhere(history.model_copy(update={"source": H10, "values": values}))


def test_a_series_that_agrees_with_another_origin_s_averages_is_single_source() -> None:
    found = verdicts(YEN)["USD/JPY:last"]
    assert (found.status, found.decided_by) == (ClaimStatus.SINGLE_SOURCE, ClaimCheck.SERIES)
    assert found.words == (
        "Its series agrees with the monthly averages of Federal Reserve Board of Apr to Jun 2024"
        " within 0.1 %"
    )
    assert found.origins == ("European Central Bank",)
    assert found.evidence == ("USD/JPY/validate/get_month_averages",)


@pytest.mark.parametrize(
    ("times", "status"),
    [
        ("1.004", ClaimStatus.SINGLE_SOURCE),
        ("1.02", ClaimStatus.CONTESTED),
        ("100", ClaimStatus.REJECTED),
        ("0.01", ClaimStatus.REJECTED),
    ],
)
def test_a_series_that_lies_far_from_the_averages_takes_all_its_claims_with_it(
    times: str, status: ClaimStatus
) -> None:
    found = verdicts(YEN, get_month_averages=real_averages("USD/JPY", WEEK, times=times))
    assert {verdict.status for verdict in found.values()} == {status}
    assert {verdict.decided_by for verdict in found.values()} == {ClaimCheck.SERIES}


def test_a_history_of_another_currency_is_rejected_by_the_averages() -> None:
    krone = real_averages("USD/NOK", WEEK).model_copy(update={"symbol": "USD/SEK"})
    market = pair_market("USD/SEK")
    assert {v.status for v in verdicts(market).values()} == {ClaimStatus.SINGLE_SOURCE}
    wrong = verdicts(market, get_month_averages=krone)
    assert ClaimStatus.SINGLE_SOURCE not in {v.status for v in wrong.values()}


def test_a_single_month_of_crisis_decides_nothing() -> None:
    one_off = real_averages("USD/JPY", WEEK)
    wild = one_off.averages[0].model_copy(update={"value": one_off.averages[0].value * 2})
    averages = one_off.model_copy(update={"averages": (wild, *one_off.averages[1:])})
    found = verdicts(YEN, get_month_averages=averages)
    assert {verdict.status for verdict in found.values()} == {ClaimStatus.SINGLE_SOURCE}


def test_averages_of_the_same_origin_are_no_second_source() -> None:
    own = real_averages("USD/JPY", WEEK).model_copy(
        update={"source": real_history("USD/JPY", WEEK).source}
    )
    found = verdicts(YEN, get_month_averages=own)
    assert {verdict.decided_by for verdict in found.values()} == {
        ClaimCheck.VALUE,
        ClaimCheck.FORMULA,
    }


def test_a_pair_that_nobody_else_has_is_single_source_and_says_so() -> None:
    found = verdicts(YEN, get_month_averages=month_averages("USD/JPY", WEEK, {}))
    assert found["USD/JPY:last"].status is ClaimStatus.SINGLE_SOURCE
    assert found["USD/JPY:last"].words == (
        "It follows from its evidence; no other origin states it"
    )


def test_a_level_that_another_origin_states_is_verified_with_what_is_derived_from_it() -> None:
    found = verdicts(YEN, noon_rates("USD/JPY"))
    last, move = found["USD/JPY:last"], found["USD/JPY:move"]
    assert (last.status, last.decided_by) == (ClaimStatus.VERIFIED, ClaimCheck.SECOND_SOURCE)
    assert last.origins == ("European Central Bank", "Federal Reserve Board")
    assert last.words == "Federal Reserve Board states the same, after its fixing hour"
    assert last.evidence == ("elsewhere",)
    assert (move.status, move.decided_by) == (ClaimStatus.VERIFIED, ClaimCheck.FORMULA)
    score = found["USD/JPY:z_score"]
    assert (score.status, score.decided_by) == (ClaimStatus.VERIFIED, ClaimCheck.SECOND_SOURCE)
    assert score.words == (
        "It was recomputed from fixings; Federal Reserve Board states the same on the 54 days"
    )
    assert {verdict.status for verdict in found.values()} == {ClaimStatus.VERIFIED}


def test_rates_of_several_publishers_verify_all_figures_of_a_pair() -> None:
    answer = daily_rates("USD/JPY", WEEK, H10, BANK_OF_CANADA)
    found = verdicts(YEN, get_daily_rates=answer)
    assert {verdict.status for verdict in found.values()} == {ClaimStatus.VERIFIED}
    assert found["USD/JPY:last"].origins == (
        "European Central Bank",
        "Federal Reserve Board",
        "Bank of Canada",
    )


def recorded(rate: str, day: str, since: str, previous: str) -> dict[str, ClaimVerdict]:
    """The verdicts where the Fund has a record of Japan's rate, and nobody else has."""
    row = RateRecord(
        area="JP",
        instrument="policy rate",
        rate=Decimal(rate),
        day=date.fromisoformat(day),
        since=date.fromisoformat(since),
        previous=Decimal(previous),
        origin="International Monetary Fund",
    )
    return verdicts(
        JAPAN,
        task=TaskType.RESEARCH_RATES,
        get_recorded_rates=recorded_rates(WEEK, row),
        get_month_end_rates=month_end_rates(WEEK, "2024-06"),
    )


def test_a_rate_that_another_records_too_is_verified() -> None:
    found = recorded("0.10", "2024-08-01", "2024-03-21", "-0.10")
    assert found["JP:policy_rate"].status is ClaimStatus.VERIFIED
    assert "International Monetary Fund" in found["JP:policy_rate"].origins
    assert found["US:policy_rate"].status is ClaimStatus.SINGLE_SOURCE


def test_a_record_of_a_level_from_before_the_decision_says_nothing() -> None:
    found = recorded("0.00", "2024-03-20", "2023-01-02", "-0.10")
    assert found["JP:policy_rate"].status is ClaimStatus.SINGLE_SOURCE


def test_another_level_on_record_long_after_the_decision_is_a_conflict() -> None:
    found = recorded("0.25", "2024-08-01", "2024-05-02", "0.10")
    assert found["JP:policy_rate"].status is ClaimStatus.CONTESTED


def dealt(rate: str) -> ClaimVerdict:
    """The verdict on Japan's rate of 0.10 % where somebody else has what was dealt."""
    row = RateRecord(
        area="JP",
        instrument="overnight call rate, as dealt",
        rate=Decimal(rate),
        day=date(2024, 8, 1),
        origin="Another bank",
        bears_out_within=Decimal("0.05"),
    )
    found = verdicts(
        JAPAN,
        task=TaskType.RESEARCH_RATES,
        get_recorded_rates=recorded_rates(WEEK, row),
        get_month_end_rates=month_end_rates(WEEK, "2024-06"),
    )
    return found["JP:policy_rate"]


def test_a_market_rate_near_the_policy_rate_bears_it_out_and_one_far_off_denies_nothing() -> None:
    near, far = dealt("0.077"), dealt("0.227")
    assert (near.status, near.origins) == (ClaimStatus.VERIFIED, ("Bank of JP", "Another bank"))
    assert far.status is ClaimStatus.SINGLE_SOURCE


@pytest.mark.parametrize(
    ("low", "previous", "verified"),
    [
        ("5.25", "5.00", {"policy_rate", "decision_rate", "decision_change"}),
        ("5.00", "4.75", {"decision_change"}),
        ("5.25", "5.25", {"policy_rate", "decision_rate"}),
    ],
)
def test_a_rate_set_by_formula_bears_out_the_range_and_the_change_that_it_follows(
    low: str, previous: str, verified: set[str]
) -> None:
    decided = date(2024, 7, 31)
    rates = policy_rates(WEEK, since=decided, US="5.375")
    (dollar,) = rates.rates
    ends = {"low": Decimal("5.25"), "high": Decimal("5.50")}
    row = RateRecord(
        area="US",
        instrument="lower end of the target range, by a formula",
        rate=Decimal(low),
        low=Decimal(low),
        day=date(2024, 8, 1),
        since=date(2024, 8, 1),
        previous=Decimal(previous),
        origin="HKMA",
        bears_out_within=Decimal(0),
    )
    found = verdicts(
        rate_market("US"),
        task=TaskType.RESEARCH_RATES,
        get_policy_rate=rates.model_copy(update={"rates": (dollar.model_copy(update=ends),)}),
        get_rate_decisions=decisions(WEEK, decision("US", "2024-07-31", "5.375", "25")),
        get_recorded_rates=recorded_rates(WEEK, row),
        get_month_end_rates=month_end_rates(WEEK, "2024-06"),
    )
    told = {name.partition(":")[2].partition("@")[0]: each.status for name, each in found.items()}
    assert {name for name, status in told.items() if status is ClaimStatus.VERIFIED} == verified
    assert ClaimStatus.CONTESTED not in told.values()


@pytest.mark.parametrize(
    ("decided_on", "rate", "previous", "verified"),
    [
        ("2024-07-31", "5.375", "5.375", {"policy_rate", "decision_rate", "decision_change"}),
        ("2024-07-31", "5.375", "5.125", {"policy_rate", "decision_rate"}),
        ("2024-07-31", "5.125", "5.125", {"decision_change"}),
        ("2024-06-12", "5.375", "5.375", set()),
    ],
)
def test_a_calendars_outcome_bears_out_that_decision_and_denies_none(
    decided_on: str, rate: str, previous: str, verified: set[str]
) -> None:
    row = RateRecord(
        area="US",
        instrument="policy rate, as announced",
        rate=Decimal(rate),
        day=date.fromisoformat(decided_on),
        previous=Decimal(previous),
        origin="Nasdaq",
        bears_out_within=Decimal(0),
        decided_on=date.fromisoformat(decided_on),
    )
    found = verdicts(
        rate_market("US"),
        task=TaskType.RESEARCH_RATES,
        get_policy_rate=policy_rates(WEEK, since=date(2024, 7, 31), US="5.375"),
        get_rate_decisions=decisions(WEEK, decision("US", "2024-07-31", "5.375", "0")),
        get_recorded_rates=recorded_rates(WEEK, row),
        get_month_end_rates=month_end_rates(WEEK, "2024-06"),
    )
    told = {name.partition(":")[2].partition("@")[0]: each.status for name, each in found.items()}
    assert {name for name, status in told.items() if status is ClaimStatus.VERIFIED} == verified
    assert ClaimStatus.CONTESTED not in told.values()


def test_whoever_repeats_the_ecb_is_no_other_origin() -> None:
    copied = daily_rates("USD/JPY", WEEK, H10, times="1")
    found = verdicts(YEN, get_daily_rates=copied)
    assert {verdict.status for verdict in found.values()} == {ClaimStatus.SINGLE_SOURCE}


def test_a_level_that_one_of_several_states_the_same_is_in_no_conflict() -> None:
    near = daily_rates("USD/JPY", WEEK, H10)
    far = daily_rates("USD/JPY", WEEK, BANK_OF_CANADA, times="1.05")
    both = near.model_copy(update={"histories": near.histories + far.histories})
    result = validated(YEN, task=TaskType.RESEARCH_FX, get_daily_rates=both)
    last = next(each for each in result.verdicts if each.claim_id == "USD/JPY:last")
    assert last.status is ClaimStatus.VERIFIED
    assert "that of Bank of Canada, of another hour, lies further off" in last.words
    assert result.conflicts == ()


def test_rates_that_end_before_the_week_verify_what_is_of_before_it() -> None:
    whole = daily_rates("USD/JPY", WEEK, H10)
    (history,) = whole.histories
    known = [at for at, day in enumerate(history.days) if day < date(2024, 7, 29)]
    cut = history.model_copy(
        update={
            "days": tuple(history.days[at] for at in known),
            "values": tuple(history.values[at] for at in known),
        }
    )
    found = verdicts(YEN, get_daily_rates=whole.model_copy(update={"histories": (cut,)}))
    assert found["USD/JPY:previous"].status is ClaimStatus.VERIFIED
    assert found["USD/JPY:year_high"].status is ClaimStatus.VERIFIED
    assert found["USD/JPY:last"].status is ClaimStatus.SINGLE_SOURCE
    assert found["USD/JPY:move"].status is ClaimStatus.SINGLE_SOURCE
    assert found["USD/JPY:streak"].status is ClaimStatus.SINGLE_SOURCE


def test_whose_histories_a_foreign_server_gives_the_desk_says_and_not_the_server() -> None:
    call = ToolCall(
        call_id="theirs", server="terminal", tool="rates", arguments={"symbol": "USD/JPY"}
    )
    answer = daily_rates("USD/JPY", WEEK, H10)
    named = answer.source.model_copy(update={"origin": "terminal"})
    theirs = answered(call, answer.model_copy(update={"source": named})).model_copy(
        update={"attribution": Attribution(tier=SourceTier.DERIVED, origin="terminal")}
    )
    found = verdicts(YEN, theirs)["USD/JPY:last"]
    assert "terminal" in found.origins
    assert "Federal Reserve Board" not in found.origins


def test_the_ecb_asked_twice_counts_once() -> None:
    again = from_elsewhere(real_history("USD/JPY", WEEK))
    assert verdicts(YEN, again)["USD/JPY:last"].status is ClaimStatus.SINGLE_SOURCE


def test_a_level_that_another_origin_denies_is_contested_and_a_conflict() -> None:
    result = validated(YEN, noon_rates("USD/JPY", "1.05"), task=TaskType.RESEARCH_FX)
    found = {verdict.claim_id: verdict for verdict in result.verdicts}
    assert found["USD/JPY:last"].status is ClaimStatus.CONTESTED
    assert found["USD/JPY:move"].status is ClaimStatus.CONTESTED
    ids = {conflict.conflict_id for conflict in result.conflicts}
    assert "USD/JPY/conflict/USD/JPY:last@2024-08-02" in ids
    assert result.recommendation in (
        "Sources disagree, and the dissent is noted.",
        "A person has to decide the open conflict first.",
    )
    assert result.verified_events == ()


def test_a_claim_that_its_evidence_does_not_give_is_rejected_without_its_figure() -> None:
    findings = research(YEN)
    wrong = tuple(_changed(claim) for claim in findings.claims)
    found = verdicts(YEN, found=findings.model_copy(update={"claims": wrong}))
    last = found["USD/JPY:last"]
    assert (last.status, last.decided_by) == (ClaimStatus.REJECTED, ClaimCheck.VALUE)
    assert last.words == "Its value is not the one that its evidence gives"
    assert found["USD/JPY:previous"].status is ClaimStatus.SINGLE_SOURCE
    derived = found["USD/JPY:move"]
    assert derived.status is ClaimStatus.REJECTED


def test_a_level_of_before_prices_ended_is_not_rejected_for_want_of_a_quote() -> None:
    """As for a question about the year, where the file of fixings ends four weeks before now."""
    quote = real_quote("USD/JPY", WEEK)
    later = quote.as_of + timedelta(weeks=4)
    ended = quote.model_copy(
        update={"as_of": later, "value": None, "fixed_on": None, "missing": "The file ends."}
    )
    assert verdicts(YEN, get_quote=ended)["USD/JPY:last"].status is ClaimStatus.SINGLE_SOURCE
    current = ended.model_copy(update={"as_of": quote.as_of})
    assert verdicts(YEN, get_quote=current)["USD/JPY:last"].status is ClaimStatus.REJECTED


def test_what_rests_on_a_rejected_input_is_rejected_although_it_follows_from_it() -> None:
    """The range position is recomputed from the wrong year's high, and agrees with it."""
    findings = research(YEN)
    last, low = (_value(findings, f"USD/JPY:{name}") for name in ("last", "year_low"))
    high = Decimal("170.0000")
    position = ((last - low) / (high - low) * 100).quantize(Decimal("0.1"))
    changes = {"USD/JPY:year_high": high, "USD/JPY:range_position": position}
    claims = tuple(
        c.model_copy(update={"value": changes.get(c.claim_id, c.value)}) for c in findings.claims
    )
    found = verdicts(YEN, found=findings.model_copy(update={"claims": claims}))
    assert found["USD/JPY:year_high"].status is ClaimStatus.REJECTED
    assert found["USD/JPY:range_position"].status is ClaimStatus.REJECTED
    assert found["USD/JPY:last"].status is ClaimStatus.SINGLE_SOURCE


def rate_verdict(**instead: SourceResult) -> ClaimVerdict:
    found = verdicts(JAPAN, task=TaskType.RESEARCH_RATES, found=None, **instead)
    return found["JP:policy_rate"]


def test_a_rate_that_has_stood_since_before_a_month_of_the_bis_is_verified_by_it() -> None:
    found = rate_verdict()
    assert (found.status, found.decided_by) == (ClaimStatus.VERIFIED, ClaimCheck.SECOND_SOURCE)
    assert found.origins == ("Bank of JP", "Bank for International Settlements")
    assert found.words == "Bank for International Settlements states the same, after its as-of day"


def test_a_differential_of_verified_rates_is_verified() -> None:
    found = verdicts(JAPAN, task=TaskType.RESEARCH_RATES)
    assert found["JP:differential"].status is ClaimStatus.VERIFIED
    assert found["JP:decision_rate@2024-07-31"].status is ClaimStatus.SINGLE_SOURCE


def test_a_differential_is_as_good_as_its_weaker_rate() -> None:
    ends = month_end_rates(WEEK, "2024-06", JP="0.10")
    found = verdicts(JAPAN, task=TaskType.RESEARCH_RATES, get_month_end_rates=ends)
    assert found["JP:policy_rate"].status is ClaimStatus.VERIFIED
    assert found["JP:differential"].status is ClaimStatus.SINGLE_SOURCE


def test_a_rate_whose_row_came_from_the_bis_is_not_verified_by_the_bis() -> None:
    rows = tuple(
        rate.model_copy(update={"origin": "Bank for International Settlements"})
        for rate in RATES.rates
    )
    found = rate_verdict(get_policy_rate=RATES.model_copy(update={"rates": rows}))
    assert found.status is ClaimStatus.SINGLE_SOURCE


@pytest.mark.parametrize("days", [0, 7])
def test_a_rate_decided_at_the_end_of_the_month_may_not_have_been_in_force_yet(days: int) -> None:
    since = date(2024, 6, 30) - timedelta(days=days)
    rates = policy_rates(WEEK, since=since, JP="0.10", US="5.375")
    other = month_end_rates(WEEK, "2024-06", JP="0.00", US="5.375")
    found = rate_verdict(get_policy_rate=rates, get_month_end_rates=other)
    assert found.status is ClaimStatus.SINGLE_SOURCE
    assert found.words.endswith("is of another day")


def test_a_rate_of_another_instrument_neither_verifies_nor_contests() -> None:
    rows = tuple(
        rate.model_copy(update={"instrument": "deposit facility rate"}) for rate in RATES.rates
    )
    ends = month_end_rates(WEEK, "2024-06", instrument="main refinancing rate", JP="0.60")
    found = rate_verdict(
        get_policy_rate=RATES.model_copy(update={"rates": rows}), get_month_end_rates=ends
    )
    assert found.status is ClaimStatus.SINGLE_SOURCE
    assert found.words.endswith("is of another instrument")


def test_a_rate_that_the_bis_has_differently_is_contested() -> None:
    ends = month_end_rates(WEEK, "2024-06", JP="0.25", US="5.375")
    found = rate_verdict(get_month_end_rates=ends)
    assert (found.status, found.decided_by) == (ClaimStatus.CONTESTED, ClaimCheck.SECOND_SOURCE)


def test_every_claim_of_the_findings_has_one_verdict_and_few_words() -> None:
    findings = research(YEN)
    result = validated(YEN, task=TaskType.RESEARCH_FX)
    assert [v.claim_id for v in result.verdicts] == [c.claim_id for c in findings.claims]
    assert all(len(verdict.words) <= 150 for verdict in result.verdicts)


def test_a_decision_dated_by_its_effect_is_judged_like_any_other() -> None:
    effective = decision("JP", "2024-07-31", "0.10", "0", precision=DatePrecision.EFFECTIVE)
    found = verdicts(
        JAPAN, task=TaskType.RESEARCH_RATES, get_rate_decisions=decisions(WEEK, effective)
    )
    assert ClaimStatus.REJECTED not in {verdict.status for verdict in found.values()}


def research(market: MarketSpec) -> ResearchResult:
    answers = standard(market)
    asked = builtin_turn(request(TaskType.RESEARCH_FX, market, WEEK)).calls
    results = [answered(call, answers[call.tool]) for call in asked]
    delivered = builtin_turn(request(TaskType.RESEARCH_FX, market, WEEK, results=results)).result
    assert isinstance(delivered, ResearchResult)
    return delivered


def _value(findings: ResearchResult, name: str) -> Decimal:
    return next(claim.value for claim in findings.claims if claim.claim_id == name)


def _changed(claim: Claim) -> Claim:
    wrong = {"value": Decimal("150.0000")}
    return claim.model_copy(update=wrong) if claim.claim_id == "USD/JPY:last" else claim
