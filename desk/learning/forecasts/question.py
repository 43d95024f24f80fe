"""What a run asks the learning system. Light: workflows use it."""

from datetime import datetime

from desk.agents.capabilities import routes_to
from desk.contracts.agents.capabilities import Capability
from desk.contracts.config import RunPolicy
from desk.contracts.learning.record import Question


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
