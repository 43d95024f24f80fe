"""The counters that a worker serves before anything has happened."""

from collections.abc import Collection

import pytest
from temporalio.runtime import MetricBuffer, Runtime, TelemetryConfig

from activities.metrics import COUNTERS, begin_at_zero
from desk.agents.roster import ROSTER
from desk.contracts.agents.config import AgentConfig, RunPolicy
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId, Queue
from tests.support.outside.watched import documented

WORKING = tuple(Queue)


def begun(
    queues: Collection[Queue], *, calls_tools: bool, policy: RunPolicy | None = None
) -> dict[str, list[dict[str, str]]]:
    """The labels of every series by the name of its metric; all are at zero."""
    buffer = MetricBuffer(10_000)
    meter = Runtime(telemetry=TelemetryConfig(metrics=buffer)).metric_meter
    begin_at_zero(meter, policy or RunPolicy(), queues, calls_tools=calls_tools)
    series: dict[str, list[dict[str, str]]] = {}
    for update in buffer.retrieve_updates():
        assert update.value == 0
        labels = {name: str(value) for name, value in update.attributes.items()}
        labels.pop("service_name", None)
        series.setdefault(update.metric.name, []).append(labels)
    return series


def test_every_counter_of_the_document_begins_at_zero_with_its_labels() -> None:
    series = begun(WORKING, calls_tools=True)
    counters = {name: labels for name, labels in documented().items() if name.endswith("_total")}
    assert {f"{name}_total" for name in series} == set(counters)
    assert {f"{name}_total" for name in COUNTERS} == set(counters)
    for name, found in series.items():
        assert {frozenset(labels) for labels in found} == {counters[f"{name}_total"]}


@pytest.mark.parametrize(
    ("queues", "calls_tools", "there", "elsewhere"),
    [
        ((Queue.DESK,), False, "desk_tasks", "desk_tool_calls"),
        ((Queue.RESEARCH,), False, "desk_model_calls", "desk_tasks"),
        ((), True, "desk_tool_calls", "desk_model_calls"),
    ],
)
def test_a_worker_of_one_role_begins_with_what_it_counts(
    queues: tuple[Queue, ...], calls_tools: bool, there: str, elsewhere: str
) -> None:
    series = begun(queues, calls_tools=calls_tools)
    assert there in series
    assert elsewhere not in series


def test_a_models_counters_have_the_model_of_the_agent() -> None:
    agents = (AgentConfig(agent=AgentId.VALIDATOR, model="claude-haiku"),)
    series = begun((Queue.VALIDATION,), calls_tools=False, policy=RunPolicy(agents=agents))
    models = {each["agent"]: each["model"] for each in series["desk_model_cost_microusd"]}
    assert models[AgentId.VALIDATOR] == "claude-haiku"


def test_every_agent_and_every_kind_of_task_begins_at_zero() -> None:
    tasks = begun((Queue.DESK,), calls_tools=False)["desk_tasks"]
    stand_in = {AgentId.RESERVE_SPECIALIST}
    assert {each["agent"] for each in tasks} == set(ROSTER) - stand_in
    assert {each["task_type"] for each in tasks} == set(TaskType)
