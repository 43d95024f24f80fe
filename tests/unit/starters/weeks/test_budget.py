"""What a run may spend, as given in dollars."""

from decimal import Decimal
from math import inf, nan

import pytest

from starters.runs.models import with_budget
from starters.terminal.exit_status import UsageError
from tests.support.documents.reports import sample_config

CONFIG = sample_config()


@pytest.mark.parametrize("dollars", [-1, nan, inf])
def test_dollars_that_are_no_limit_are_refused(dollars: float) -> None:
    with pytest.raises(UsageError, match="a budget is dollars from 0 on, such as 5"):
        with_budget(CONFIG, dollars)


def test_dollars_and_tokens_that_are_given_are_the_limits() -> None:
    budget = with_budget(CONFIG, 0, 7).policy.budget
    assert (budget.usd, budget.tokens) == (Decimal(0), 7)
