"""A budget that several share: what one spends and what another gives back do not mix."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.usage import Usage
from desk.runs.assignments.budget import Budget, Stage


def used(usd: Decimal | str) -> Usage:
    return Usage(cost_usd=usd)


def test_what_one_overspends_is_not_made_good_by_what_another_gives_back() -> None:
    budget = Budget(Allowance(usd=Decimal(10)))
    dear, other = budget.reserve(among=2), budget.reserve(among=2)
    budget.settle(dear, used("10"))
    budget.settle(other, used("0"))
    assert budget.left.usd == 0
    assert budget.stage is Stage.BUILT_IN


def test_what_others_have_reserved_is_no_reason_to_work_with_less() -> None:
    budget = Budget(Allowance(usd=Decimal(10)))
    budget.settle(budget.reserve(among=3), used("2"))
    others = [budget.reserve(among=2), budget.reserve(among=1)]
    assert budget.left.usd == 0
    assert budget.stage is Stage.AS_PLANNED
    for reserved in others:
        budget.settle(reserved, used("0"))
    assert budget.left.usd == 8


@given(st.lists(st.tuples(st.integers(1, 4), st.decimals(0, 20, places=2)), max_size=10))
def test_whatever_calls_cost_and_whenever_they_end_the_sum_is_right(
    calls: list[tuple[int, Decimal]],
) -> None:
    budget = Budget(Allowance(usd=Decimal(10)))
    reserved = [(budget.reserve(among), cost) for among, cost in calls]
    for part, cost in reversed(reserved):
        budget.settle(part, used(cost))
    assert budget.left.usd == max(10 - sum((cost for _, cost in calls), Decimal(0)), Decimal(0))
