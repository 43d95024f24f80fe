"""The cost of the work on a report, over all agents."""

from collections.abc import Iterable
from functools import reduce

from desk.contracts.agents.usage import Usage
from desk.contracts.week.report import Contribution, MarketOutcome


def sum_of(parts: Iterable[Usage]) -> Usage:
    """Returns the sum, under the name of the model that took the last turn."""
    return reduce(Usage.plus, parts, Usage())


def usage_of(lines: Iterable[Contribution | None]) -> Usage:
    """Returns the cost of all contributions, with the names of all models that took a turn."""
    parts = [line.usage for line in lines if line is not None]
    models = sorted({part.model for part in parts}) or [Usage().model]
    return sum_of(parts).model_copy(update={"model": ", ".join(models)[:200]})


def usage_of_week(
    desk_work: Iterable[Contribution | None], outcomes: Iterable[MarketOutcome]
) -> Usage:
    """Returns the cost of a week's plan, commentary and markets, reruns included."""
    brought = tuple(outcomes)
    total = usage_of([*desk_work, *(line for outcome in brought for line in outcome.agents)])
    before = sum_of(outcome.spent_before for outcome in brought)
    return total.plus(before).model_copy(update={"model": total.model})
