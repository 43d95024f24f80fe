"""What a run asks the learning system. Light: workflows use it."""

from datetime import datetime

from contracts.capabilities import Capability
from contracts.config import RunPolicy
from contracts.learning_record import Question
from domain.capabilities import routes_to


def question_of(
    policy: RunPolicy,
    as_of: datetime,
    *,
    asked_at: datetime | None = None,
    market: str | None = None,
) -> Question:
    """What was known by an instant, for a run of this policy: whom it would ask for what, and how
    long it would wait. `asked_at` is when it runs, which decides nothing but the weekday. Forecasts
    are those of `market` alone where it is named."""
    routes = {
        capability: tuple(dict.fromkeys(route.server for route in routes_to(capability, policy)))
        for capability in Capability
    }
    return Question(
        as_of=as_of,
        asked_at=asked_at,
        routes={capability: servers for capability, servers in routes.items() if servers},
        call_seconds=policy.deadlines.tool_call.total_seconds(),
        market=market,
    )
