"""The product manager as a model: decides which market comes first, and what to look for in it."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import Field, JsonValue, StringConstraints

from desk.agents.program import ModelTask
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.base import Contract, ShortText, Text
from desk.contracts.findings.source_results import DecisionCalendar
from desk.contracts.runs.turns import AgentResult, TurnRequest, WeekContext
from desk.contracts.week.plan import MarketPlan, PlannedTask, WeekPlan
from desk.programs.claude.answers import schema_of
from desk.programs.claude.prompts import prompt
from desk.programs.week.builtin.product_manager import tasks_of
from desk.trust.ledger import usable_answers

MOST_NAMED: Final = 20
RECOMMENDED: Final = {
    *("advice_id", "kind", "server", "tool", "capability", "seconds"),
    *("occurrences", "of", "reason"),
}
"""The fields of a recommendation that the model is shown."""


BRINGS: Final[Mapping[Capability, str]] = MappingProxyType(
    {
        Capability.QUOTE: "the last price of another pair",
        Capability.HISTORY: "prices of any pair of major currencies over any days",
        Capability.SYMBOL_SEARCH: "the pairs that have prices",
        Capability.POLICY_RATE: "the policy rate of another area",
        Capability.RATE_DECISIONS: "what a central bank decided before this week",
        Capability.DECISION_CALENDAR: "when a central bank decides next",
        Capability.YIELDS: "government bond yields of an area over the week",
        Capability.ASSETS: "a dollar index, oil and shares over the week",
        Capability.NEWS_SEARCH: "news that contain given words",
        Capability.HEADLINES: "the headlines of a topic",
        Capability.DATE_FILTER: "news of given days",
        Capability.BANK_NEWS: "what a central bank published and said",
    }
)
"""What looking into a topic yields, in the words for the planner."""

Question = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]


class ProposedMarket(Contract):
    """A market's priority, and the questions to the price analyst and to the rates analyst."""

    market: ShortText
    priority: Annotated[int, Field(ge=1, le=5)]
    prices: Question | None = None
    rates: Question | None = None
    look_into: Annotated[tuple[Capability, ...], Field(max_length=20)] = ()


class ProposedPlan(Contract):
    """The form of the model's answer."""

    markets: Annotated[tuple[ProposedMarket, ...], Field(max_length=200)]
    note: Text | None = None
    follows: Annotated[tuple[ShortText, ...], Field(max_length=50)] | None = None


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats the week, its markets and the advice of the learning system, as JSON."""
    assignment = request.assignment
    return json.dumps(
        {
            "week": assignment.week,
            "as_of": assignment.window.end.isoformat(),
            "can_be_looked_into": {each: BRINGS.get(each, "") for each in request.capabilities},
            "calendar": list(_calendar(request)),
            "markets": [
                {
                    "market": spec.market,
                    "kind": spec.kind,
                    "group": spec.group,
                    "areas": spec.areas,
                    "configured_priority": spec.priority,
                }
                for spec in request.markets
            ],
            **({"recommendations": _recommended(request)} if request.advice else {}),
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> WeekPlan:
    """Builds the plan: the model's order and instructions, with the tasks that the desk's rules
    give.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it does not name every configured market exactly once and no other, or it
            follows something that was not recommended.
    """
    proposed = ProposedPlan.model_validate_json(text)
    wrong = _misnamed(request, proposed)
    if wrong:
        raise ValueError(wrong)
    by_name = {market.market: market for market in proposed.markets}
    ordered = sorted(request.markets, key=lambda spec: by_name[spec.market].priority)
    return WeekPlan(
        task_id=request.assignment.task_id,
        week=request.assignment.week,
        markets=tuple(
            MarketPlan(
                market=spec.market,
                priority=by_name[spec.market].priority,
                tasks=tuple(_asked(tasks_of(spec), by_name[spec.market])),
                look_into=by_name[spec.market].look_into,
            )
            for spec in ordered
        ),
        note=proposed.note,
        follows=_followed(base, proposed),
    )


def _asked(tasks: Iterable[PlannedTask], wanted: ProposedMarket) -> Iterator[PlannedTask]:
    """Yields the tasks, each with the instructions for its agent."""
    questions = {TaskType.RESEARCH_FX: wanted.prices, TaskType.RESEARCH_RATES: wanted.rates}
    for task in tasks:
        yield task.model_copy(update={"instructions": questions.get(task.task_type) or None})


def _calendar(request: TurnRequest) -> Iterator[dict[str, JsonValue]]:
    """Yields the announced decisions of the week and of the four weeks after it."""
    for _, answer in usable_answers(request.results):
        if isinstance(answer, DecisionCalendar):
            for day in answer.scheduled:
                yield {"area": day.area, "bank": day.bank, "day": day.day.isoformat()}


def _schema(context: WeekContext) -> dict[str, JsonValue]:
    """The schema of the answer, with the available capabilities, and with the recommendations that
    can be followed, if there are any."""
    schema = schema_of(ProposedPlan)
    schema["$defs"]["Capability"]["enum"] = [str(each) for each in context.capabilities]
    if not context.capabilities:
        schema["$defs"].pop("Capability")
        schema["$defs"]["ProposedMarket"]["properties"].pop("look_into")
    if not context.advice:
        schema["properties"].pop("follows")
    return schema


def _recommended(context: WeekContext) -> list[dict[str, JsonValue]]:
    """The recommendations of the learning system, each with its id."""
    return [
        each.model_dump(mode="json", include=RECOMMENDED, exclude_none=True)
        for each in context.advice
    ]


def _followed(base: AgentResult | None, proposed: ProposedPlan) -> tuple[str, ...]:
    """Returns the recommendations that the model follows, without duplicates. If it does not
    mention them, returns those that the desk's own plan follows."""
    if proposed.follows is not None:
        return tuple(dict.fromkeys(proposed.follows))
    return base.follows if isinstance(base, WeekPlan) else ()


def _misnamed(context: WeekContext, proposed: ProposedPlan) -> str:
    named = Counter(market.market for market in proposed.markets)
    configured = {spec.market for spec in context.markets}
    recommended = {each.advice_id for each in context.advice}
    # A model's own words could end up in a report, so only their location is reported.
    strange = (n for n, market in enumerate(proposed.markets) if market.market not in configured)
    faults = {
        "not planned": sorted(configured - named.keys()),
        "not among the desk's markets": [f"markets.{place}" for place in strange],
        "planned more than once": sorted(name for name in configured if named[name] > 1),
        f"not among what can be looked into ({', '.join(context.capabilities) or 'nothing'})": [
            f"markets.{place}.look_into"
            for place, market in enumerate(proposed.markets)
            if not set(market.look_into) <= set(context.capabilities)
        ],
        "not among the recommendations": [
            f"follows.{place}"
            for place, name in enumerate(proposed.follows or ())
            if name not in recommended
        ],
    }
    return "; ".join(
        f"{fault}: {', '.join(names[:MOST_NAMED])}" for fault, names in faults.items() if names
    )


TASK: Final = ModelTask(
    (prompt("product_manager"),), ProposedPlan, material, result, schema=_schema
)
