"""What the work on a report cost, all agents together."""

from collections.abc import Iterable

from contracts.report import Contribution, MarketOutcome
from contracts.turns import Usage


def usage_of(lines: Iterable[Contribution | None]) -> Usage:
    """What all contributions cost together, with the names of all models that took a turn."""
    parts = [line.usage for line in lines if line is not None]
    models = sorted({part.model for part in parts}) or [Usage().model]
    total = Usage()
    for part in parts:
        total = total.plus(part)
    return total.model_copy(update={"model": ", ".join(models)[:200]})


def usage_of_week(planning: Contribution | None, outcomes: Iterable[MarketOutcome]) -> Usage:
    """What a week's planning and its markets cost together."""
    return usage_of([planning, *(line for outcome in outcomes for line in outcome.agents)])
