"""A budget holds, whatever calls are under way and whatever they turn out to cost."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.budget import Allowance, ModelPrice
from desk.contracts.agents.tasks import AgentLimits, Effort
from desk.contracts.agents.usage import Usage
from desk.runs.assignments.budget import UNRESERVED_SHARE, Budget, Stage, affordable, as_usage
from desk.runs.assignments.tasks import effort_for, turns_for

MONEY = st.decimals(0, 1_000, places=4, allow_nan=False)
TOKENS = st.integers(0, 10_000_000)
ALLOWANCES = st.builds(Allowance, usd=st.none() | MONEY, tokens=st.none() | TOKENS)


def used(usd: str = "0", tokens: int = 0) -> Usage:
    return Usage(cost_usd=Decimal(usd), input_tokens=tokens)


@given(ALLOWANCES, st.lists(st.integers(1, 5), max_size=12), st.data())
def test_calls_that_keep_to_their_reservation_never_exceed_the_budget(
    allowed: Allowance, sharers: list[int], data: st.DataObject
) -> None:
    budget, spent, under_way = Budget(allowed), used(), []
    for among in sharers:
        under_way.append(budget.reserve(among))
        if data.draw(st.booleans()):
            reserved = under_way.pop(0)
            part = Decimal(data.draw(st.integers(0, 100))) / 100
            usage = used(str((reserved.usd or 0) * part), int((reserved.tokens or 0) * part))
            budget.settle(reserved, usage)
            spent = spent.plus(usage)
    held = [as_usage(reserved) for reserved in under_way]
    total = sum((usage.cost_usd for usage in held), spent.cost_usd)
    if allowed.usd is not None and budget.left.usd is not None:
        assert total + budget.left.usd <= allowed.usd
    if allowed.tokens is not None and budget.left.tokens is not None:
        tokens = sum((usage.tokens for usage in held), spent.tokens)
        assert tokens + budget.left.tokens <= allowed.tokens


@given(ALLOWANCES, st.dictionaries(st.text(max_size=5), st.sampled_from(Effort), min_size=1))
def test_the_markets_parts_leave_some_for_the_rest(
    allowed: Allowance, efforts: dict[str, Effort]
) -> None:
    budget = Budget(allowed)
    parts = budget.reserve_shares(efforts)
    assert parts.keys() == efforts.keys()
    if allowed.usd is not None and budget.left.usd is not None:
        assert sum(part.usd or 0 for part in parts.values()) + budget.left.usd == allowed.usd
        assert budget.left.usd >= allowed.usd * UNRESERVED_SHARE
    for market, effort in efforts.items():
        if effort is Effort.HIGH and Effort.LOW in efforts.values():
            low = next(m for m, e in efforts.items() if e is Effort.LOW)
            assert (parts[market].tokens or 0) >= (parts[low].tokens or 0)


def test_what_was_spent_beyond_a_reservation_is_taken_out_all_the_same() -> None:
    budget = Budget(Allowance(usd=Decimal(1)))
    reserved = budget.reserve(among=2)
    budget.settle(reserved, used("0.7"))
    assert budget.left.usd == Decimal("0.3")
    budget.settle(budget.reserve(), used("5"))
    assert budget.left.usd == 0
    assert budget.stage is Stage.BUILT_IN


@pytest.mark.parametrize(
    ("spent", "stage"),
    [
        ("0", Stage.AS_PLANNED),
        ("4.99", Stage.AS_PLANNED),
        ("5", Stage.FEWER_TURNS),
        ("7.5", Stage.CHEAPER_MODEL),
        ("10", Stage.BUILT_IN),
    ],
)
def test_work_degrades_in_order(spent: str, stage: Stage) -> None:
    budget = Budget(Allowance(usd=Decimal(10), tokens=1_000_000))
    budget.settle(Allowance(), used(spent))
    assert budget.stage is stage


def test_the_scarcer_of_money_and_tokens_decides() -> None:
    budget = Budget(Allowance(usd=Decimal(10), tokens=100))
    budget.settle(Allowance(), used("0.1", tokens=80))
    assert budget.stage is Stage.CHEAPER_MODEL


def test_without_a_budget_nothing_degrades() -> None:
    budget = Budget(Allowance())
    budget.settle(budget.reserve(), used("1000", tokens=10**9))
    assert budget.stage is Stage.AS_PLANNED
    assert budget.left.unlimited


def test_an_empty_budget_is_used_up_from_the_start() -> None:
    assert Budget(Allowance(usd=Decimal(0))).stage is Stage.BUILT_IN


PRICE = ModelPrice(read=Decimal("0.000003"), written=Decimal("0.000015"))


@given(ALLOWANCES, st.integers(0, 200_000), st.integers(1, 20_000))
def test_a_call_is_fitted_to_what_it_may_cost(
    allowed: Allowance, reading: int, wanted: int
) -> None:
    most = affordable(allowed, PRICE, reading, wanted)
    assert 0 <= most <= wanted
    if most and allowed.usd is not None:
        assert reading * PRICE.read + most * PRICE.written <= allowed.usd
    if most and allowed.tokens is not None:
        assert reading + most <= allowed.tokens


def test_a_model_of_unknown_price_cannot_be_paid_from_limited_money() -> None:
    assert affordable(Allowance(usd=Decimal(100)), None, 10, 1_000) == 0
    assert affordable(Allowance(tokens=5_000), None, 10, 1_000) == 1_000


def test_effort_and_turns_follow_the_priority_of_the_plan() -> None:
    assert [effort_for(priority) for priority in range(1, 6)] == [
        Effort.HIGH,
        Effort.MEDIUM,
        Effort.MEDIUM,
        Effort.LOW,
        Effort.LOW,
    ]
    turns = [turns_for(effort, AgentLimits(max_turns=8)) for effort in Effort]
    assert turns == [4, 6, 8]
    assert turns_for(Effort.LOW, AgentLimits(max_turns=2)) == 2
