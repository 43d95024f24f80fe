"""A desk for tests: its configuration, its workers, and a run of a week."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.deliveries import DeliveryActivities
from activities.judging import JudgeActivities
from activities.learning import LearningActivities
from activities.memory import MemoryActivities
from activities.publishing.publishing import PublishingActivities
from activities.tool_calls import ToolActivities
from activities.turns import Analyst, TurnActivities
from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunConfig, RunPolicy
from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import Queue, source_queue, week_run_id
from desk.contracts.runs.week import WeekRequest, WeekResult
from desk.platform.delivery.deliveries import DeliverySecrets
from desk.platform.effects.journal import EffectJournal
from desk.platform.mcp.tool_calling import ToolCaller
from desk.platform.memory.embedded import EmbeddedMemory
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools
from workers.orchestrator import WORKFLOWS
from workers.tuning import TUNING, Tuning
from workflows.week.market import MarketResearchWorkflow
from workflows.week.week import WeeklyResearchWorkflow

WEEK = "2026-W44"

_TUNING: Tuning = {
    **TUNING,
    "max_concurrent_activity_task_polls": 5,
    "max_concurrent_workflow_task_polls": 5,
}
"""Polls for few markets: to open those of a whole desk and to give them up again takes as long as
a short run."""


def pair(market: str, *, priority: int = 3) -> MarketSpec:
    """A currency pair."""
    return MarketSpec(
        market=market,
        kind=MarketKind.PAIR,
        group=MarketGroup.G10,
        areas=("US", "JP"),
        digits=2,
        priority=priority,
    )


def policy_rate(area: str) -> MarketSpec:
    """A policy rate."""
    return MarketSpec(
        market=area, kind=MarketKind.POLICY_RATE, group=MarketGroup.G10, areas=(area,)
    )


def desk_config(
    *markets: MarketSpec,
    deadlines: DeadlineConfig | None = None,
    retries: RetryConfig | None = None,
    open_for_seconds: float = 2 * 86_400,
) -> RunConfig:
    """A configuration with the given markets, or one pair and one policy rate."""
    return RunConfig(
        markets=markets or (pair("USD/JPY"), policy_rate("JP")),
        policy=RunPolicy(
            deadlines=deadlines
            or DeadlineConfig(open_for_reruns=timedelta(seconds=open_for_seconds)),
            retries=retries or RetryConfig(),
        ),
    )


async def register_search_attributes(client: Client) -> None:
    """What the embedded server does at its start; test servers know none of them."""
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(
            namespace=client.namespace,
            search_attributes={
                name: IndexedValueType.INDEXED_VALUE_TYPE_INT
                if name in INTEGER_ATTRIBUTES
                else IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
                for name in SearchAttribute
            },
        )
    )


def _desk_activities(
    reports_dir: Path,
    secrets: Mapping[str, str],
    journal: EffectJournal,
    learning: LearningActivities,
) -> list[Callable[..., object]]:
    """What the desk's own queue does besides turns."""
    publishing = PublishingActivities(reports_dir)
    deliveries = DeliveryActivities(reports_dir, DeliverySecrets.of(secrets), journal)
    memory = MemoryActivities(EmbeddedMemory(reports_dir.parent / "memory.db"))
    return [
        publishing.publish_report,
        publishing.read_revisions,
        deliveries.deliver_report,
        publishing.publish_answer,
        learning.ask_learning,
        learning.tell_learning,
        learning.tell_hypothesis,
        memory.recall_memory,
        memory.remember,
    ]


@asynccontextmanager
async def desk_workers(
    client: Client,
    directory: Path,
    *,
    analyst: Analyst | None = None,
    tools: ToolCaller | None = None,
    servers: tuple[str, ...] = ("ecb", "central_banks", "official_statistics"),
    market_research: type = MarketResearchWorkflow,
    secrets: Mapping[str, str] | None = None,
    learning: LearningActivities | None = None,
) -> AsyncIterator[None]:
    """Every role's worker, with scripted analysts and tools in place of the real ones. `secrets`
    are the variables with those that deliveries take."""
    journal = EffectJournal(directory / "effects.db")
    turns = TurnActivities(analyst or ScriptedAnalyst(), journal)
    calls = ToolActivities(tools or ScriptedTools(), journal)
    on_desk: list[Callable[..., object]] = [
        turns.take_turn,
        *JudgeActivities().all,
        *_desk_activities(
            directory / "reports", secrets or {}, journal, learning or LearningActivities()
        ),
    ]
    workflows = [w for w in WORKFLOWS if w is not MarketResearchWorkflow] + [market_research]
    async with AsyncExitStack() as stack:
        stack.callback(journal.close)
        for worker in (
            Worker(
                client,
                task_queue=Queue.DESK,
                workflows=workflows,
                activities=on_desk,
                **_TUNING,
            ),
            Worker(client, task_queue=Queue.RESEARCH, activities=[turns.take_turn], **_TUNING),
            Worker(client, task_queue=Queue.VALIDATION, activities=[turns.take_turn], **_TUNING),
            *(
                Worker(
                    client,
                    task_queue=source_queue(server),
                    activities=[calls.call_tool, calls.list_tools, calls.reach],
                    **_TUNING,
                )
                for server in servers
            ),
        ):
            await stack.enter_async_context(worker)
        yield


async def start_week(
    client: Client, config: RunConfig, *, run_id: str | None = None, **request: object
) -> WorkflowHandle[WeeklyResearchWorkflow, WeekResult]:
    """A started run of the test week."""
    return await client.start_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest.model_validate({"config": config, "week": WEEK, **request}),
        id=run_id or week_run_id(WEEK),
        task_queue=Queue.DESK,
    )
