"""The product manager: which agents research which market, and in which order."""

from datetime import timedelta

from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.results import Commentary
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.plan import MarketPlan, PlannedTask, WeekPlan
from desk.learning.advice import can_be_followed
from desk.programs.builtin.evidence import ask

PRICES = PlannedTask(task_type=TaskType.RESEARCH_FX, agent=AgentId.RESEARCH_AGENT_1)
RATES = PlannedTask(task_type=TaskType.RESEARCH_RATES, agent=AgentId.RESEARCH_AGENT_2)
AHEAD = timedelta(weeks=4)
NOTE = (
    "Markets start in the order of their priority; the first research agent takes prices and the"
    " second takes central banks."
)


def take_turn(request: TurnRequest) -> Turn:
    """Plans the week in one turn: by priority, then in the configured order. Follows every
    recommendation that can be followed.

    For a model the calendar of the week is asked for first, because the model needs it to order the
    markets.
    """
    if request.model != BUILTIN and _can_ask(request) and not request.exchanges:
        return Turn(calls=(_calendar_of(request),), note="Ask for the decisions of the week")
    ordered = sorted(request.markets, key=lambda spec: spec.priority)
    plan = WeekPlan(
        task_id=request.assignment.task_id,
        week=request.assignment.week,
        markets=tuple(_plan(spec) for spec in ordered),
        note=NOTE,
        follows=tuple(each.advice_id for each in request.advice if can_be_followed(each)),
    )
    return Turn(result=plan)


def _can_ask(request: TurnRequest) -> bool:
    """Returns whether the task's agent may ask a source for the calendar."""
    listed = {(tool.server, tool.tool) for tool in request.assignment.tools}
    routes = USUAL_ROUTES[Capability.DECISION_CALENDAR]
    return any((route.server, route.tool) in listed for route in routes)


def _calendar_of(request: TurnRequest) -> ToolCall:
    first_day, last_day = window_days(request.assignment.window)
    areas = dict.fromkeys(area for spec in request.markets for area in spec.areas)
    return ask(
        request.assignment,
        Capability.DECISION_CALENDAR,
        areas=[*areas],
        start=first_day.isoformat(),
        end=(last_day + AHEAD).isoformat(),
    )


def comment(request: TurnRequest) -> Turn:
    """Delivers an empty commentary: the summary is then written by rules."""
    return Turn(result=Commentary(task_id=request.assignment.task_id))


def _plan(spec: MarketSpec) -> MarketPlan:
    return MarketPlan(market=spec.market, priority=spec.priority, tasks=tasks_of(spec))


def tasks_of(spec: MarketSpec) -> tuple[PlannedTask, ...]:
    """Returns the tasks on a market: prices and central banks for a pair, the banks for an area."""
    if spec.kind is MarketKind.POLICY_RATE:
        return (RATES,)
    return (PRICES, RATES) if spec.areas else (PRICES,)
