"""How `desk agents` judges agents and sources, and what it counts as their work."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import NamedTuple, cast

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import JsonValue
from temporalio.api.enums.v1 import EventType, WorkerStatus
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.worker.v1 import WorkerHeartbeat, WorkerHostInfo
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import Reachability, ToolCall, ToolRequest, ToolStatus
from desk.contracts.names import AgentId, Queue, WorkflowType
from desk.contracts.runs.messages import AgentStatus
from desk.platform.temporal.client import WORKER_HEARTBEAT
from desk.platform.temporal.history import HistoryGone, RunHistory
from starters.monitoring.agents import work as work_module
from starters.monitoring.agents.command import (
    LONG_WAIT,
    MOST_WORKERS,
    DeskAgents,
    desk_agents,
    table_of,
)
from starters.monitoring.agents.work import (
    MISSED_BEATS,
    DeskWork,
    Fleet,
    QueueState,
    WorkCounts,
    WorkerLine,
    count_work,
    worker_line,
)
from starters.sources.tools.uses import RunToolUse, add_use

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
QUEUES = ("desk", "research", "validation", "source.ecb", "source.official_statistics")
AGENT_QUEUES = {
    AgentId.PRODUCT_MANAGER: Queue.DESK,
    AgentId.RESEARCH_AGENT_1: Queue.RESEARCH,
    AgentId.VALIDATOR: Queue.VALIDATION,
}
NEEDED = {
    "ecb": (AgentId.RESEARCH_AGENT_1, AgentId.VALIDATOR),
    "official_statistics": (AgentId.VALIDATOR,),
}


def worker(
    queue: str, *, seen: timedelta = timedelta(0), stopped: bool = False, cpu: float = 0.25
) -> WorkerLine:
    status = WorkerStatus.WORKER_STATUS_SHUTDOWN if stopped else WorkerStatus.WORKER_STATUS_RUNNING
    beat = WorkerHeartbeat(
        worker_identity=f"worker@{queue}",
        task_queue=queue,
        status=status,
        host_info=WorkerHostInfo(
            host_name="h", process_id="1", current_host_cpu_usage=cpu, current_host_mem_usage=0.5
        ),
    )
    beat.heartbeat_time.FromDatetime(NOW - seen)
    beat.start_time.FromDatetime(NOW - timedelta(hours=1))
    return worker_line(beat, NOW)


def fleet(
    workers: Iterable[WorkerLine] | None,
    *,
    depth: int = 0,
    oldest: timedelta = timedelta(0),
    polled: timedelta = timedelta(0),
) -> Fleet:
    """A fleet all of whose queues were polled that long ago; the tasks wait for `research`."""
    queues = {
        queue: QueueState(
            queue,
            depth if queue == Queue.RESEARCH else 0,
            oldest if queue == Queue.RESEARCH else timedelta(0),
            NOW - polled,
        )
        for queue in QUEUES
    }
    return Fleet(None if workers is None else tuple(workers), queues)


def judged(found: Fleet, record: DeskWork | None = None) -> DeskAgents:
    return desk_agents(
        found,
        record or DeskWork(),
        AGENT_QUEUES,
        NEEDED,
        now=NOW,
    )


def statuses(found: DeskAgents) -> dict[str, AgentStatus]:
    agents = {str(line.agent): line.status for line in found.agents}
    return {**agents, **{line.server: line.status for line in found.sources}}


def test_all_is_well_where_every_queue_has_a_worker() -> None:
    found = judged(fleet(map(worker, QUEUES)))
    assert set(statuses(found).values()) == {AgentStatus.HEALTHY}
    assert found.unpolled == ()
    assert {line.cpu_percent for line in found.agents} == {25.0}
    assert {line.memory_percent for line in found.agents} == {50.0}


@pytest.mark.parametrize(
    "gone",
    [worker("source.ecb", stopped=True), worker("source.ecb", seen=WORKER_HEARTBEAT * 4)],
    ids=["stopped", "killed"],
)
def test_a_source_whose_worker_is_gone_is_offline_and_takes_its_agents_down(
    gone: WorkerLine,
) -> None:
    others = [worker(queue) for queue in QUEUES if queue != gone.queue]
    found = judged(fleet([*others, gone], polled=WORKER_HEARTBEAT * 4))
    assert found.unpolled == ("source.ecb",)
    assert statuses(found) == {
        "product_manager": AgentStatus.HEALTHY,
        "research_agent_1": AgentStatus.DEGRADED,
        "validator_agent": AgentStatus.DEGRADED,
        "ecb": AgentStatus.OFFLINE,
        "official_statistics": AgentStatus.HEALTHY,
    }
    text = "\n".join(table_of(found))
    assert "ecb offline: no worker polls source.ecb" in text
    assert "research_agent_1 degraded: its source ecb: offline" in text


def test_without_an_orchestrator_the_others_have_nobody_to_give_them_work() -> None:
    found = judged(fleet([worker(q) for q in QUEUES if q != "desk"], polled=timedelta(minutes=3)))
    (line,) = (line for line in found.agents if line.agent is AgentId.VALIDATOR)
    assert line.status is AgentStatus.DEGRADED
    assert line.reasons == ("no worker polls desk, so it gets no work",)
    everybody = judged(fleet([], polled=timedelta(minutes=3)))
    assert {line.reasons for line in everybody.agents if line.agent is AgentId.VALIDATOR} == {
        ("no worker polls validation",)
    }


def test_a_worker_that_polls_after_another_has_stopped_is_there_before_its_heartbeat() -> None:
    gone = worker("source.ecb", seen=WORKER_HEARTBEAT * 2, stopped=True)
    assert fleet([gone], polled=SECOND).polled("source.ecb", NOW)
    assert not fleet([gone], polled=WORKER_HEARTBEAT * 2).polled("source.ecb", NOW)


def test_a_worker_that_misses_a_beat_is_not_given_up() -> None:
    assert worker("desk", seen=WORKER_HEARTBEAT * MISSED_BEATS).alive
    assert not worker("desk", seen=WORKER_HEARTBEAT * MISSED_BEATS + SECOND).alive


def test_without_heartbeats_the_pollers_count_and_nothing_is_made_up() -> None:
    found = judged(fleet(None))
    assert set(statuses(found).values()) == {AgentStatus.HEALTHY}
    assert {line.cpu_percent for line in found.agents} == {None}
    assert judged(fleet(None, polled=timedelta(minutes=3))).unpolled == QUEUES


def test_of_a_queues_dead_workers_the_last_is_told_however_many_there_were() -> None:
    dead = [worker("source.ecb", seen=number * 60 * SECOND) for number in range(2, 3_000)]
    alive = [worker(queue) for queue in QUEUES]
    found = judged(fleet([*dead, *alive]))
    assert found.workers is not None
    assert [told for told in found.workers if not told.alive] == [dead[0]]
    assert len(found.workers) == len(alive) + 1
    assert set(statuses(found).values()) == {AgentStatus.HEALTHY}


def test_of_too_many_workers_the_dead_and_those_not_heard_lately_are_left_out() -> None:
    first = worker("desk", seen=2 * SECOND)
    many = [worker("desk", seen=SECOND) for _ in range(MOST_WORKERS - 1)]
    last = worker("source.ecb")
    gone = worker("research", stopped=True)
    found = judged(fleet([first, *many, gone, last]))
    assert found.workers is not None
    assert len(found.workers) == MOST_WORKERS
    assert last in found.workers
    assert not {first, gone} & set(found.workers)


def test_a_backlog_that_nobody_works_off_is_a_degraded_agent() -> None:
    workers = [worker(queue) for queue in QUEUES]
    short = judged(fleet(workers, depth=9, oldest=LONG_WAIT))
    assert statuses(short)["research_agent_1"] is AgentStatus.HEALTHY
    long = judged(fleet(workers, depth=9, oldest=LONG_WAIT + SECOND))
    assert statuses(long)["research_agent_1"] is AgentStatus.DEGRADED
    (line,) = (line for line in long.agents if line.queue == Queue.RESEARCH)
    assert (line.waiting, line.oldest_seconds) == (9, 31.0)
    assert line.reasons == ("9 waiting on research, the oldest for 31 s",)


def test_an_error_degrades_until_something_goes_well_again() -> None:
    workers = [worker(queue) for queue in QUEUES]
    record = DeskWork()
    record.queues["source.ecb"] = WorkCounts(finished=1, failed=1)
    record.queues["source.ecb"].erred(NOW - 10 * SECOND, "503\nbusy")
    assert statuses(judged(fleet(workers), record))["ecb"] is AgentStatus.DEGRADED
    record.queues["source.ecb"].succeeded(NOW - 5 * SECOND)
    found = judged(fleet(workers), record)
    assert statuses(found)["ecb"] is AgentStatus.HEALTHY
    assert found.sources[0].last_error == "503 busy"


@pytest.mark.parametrize(
    ("alive", "told"), [(1, "1 worker in 1 process"), (2, "2 workers in 1 process")]
)
def test_the_table_counts_workers_and_their_processes(alive: int, told: str) -> None:
    found = judged(fleet([worker(queue) for queue in QUEUES[:alive]]))
    assert told in table_of(found)


def test_a_source_most_of_whose_calls_failed_is_degraded_though_the_last_went_well() -> None:
    record = DeskWork()
    record.queues["source.ecb"] = WorkCounts(finished=1, failed=5)
    record.queues["source.ecb"].erred(NOW - 10 * SECOND, "503")
    record.queues["source.ecb"].succeeded(NOW - 5 * SECOND)
    ecb = judged(fleet(map(worker, QUEUES)), record).sources[0]
    assert (ecb.status, ecb.shown) == (AgentStatus.DEGRADED, AgentStatus.DEGRADED)
    assert ecb.reasons == ("5 of its 6 calls failed",)


def test_a_source_that_nothing_was_asked_of_is_not_called_healthy() -> None:
    record = DeskWork()
    record.queues["source.ecb"] = WorkCounts(finished=1)
    record.queues["source.ecb"].succeeded(NOW)
    told = {line.split()[0]: line for line in table_of(judged(fleet(map(worker, QUEUES)), record))}
    assert "healthy" in told["ecb"]
    assert "not asked" in told["official_statistics"]
    assert "healthy" not in told["official_statistics"]


async def test_a_source_that_could_not_be_reached_is_degraded_without_a_call_counted() -> None:
    week = Written(WorkflowType.WEEKLY_RESEARCH)
    asked = week.asked("reach.ecb", "source.ecb", "reach")
    week.begun(asked)
    await week.reached(asked, reason="DESK_OFFLINE is set")
    record = await counted(week)
    ecb = judged(fleet(map(worker, QUEUES)), record).sources[0]
    assert (ecb.status, ecb.finished, ecb.failed) == (AgentStatus.DEGRADED, 0, 0)
    assert ecb.reasons == ("its last try failed: DESK_OFFLINE is set",)
    again = week.asked("reach.ecb", "source.ecb", "reach")
    week.begun(again)
    await week.reached(again)
    ecb = judged(fleet(map(worker, QUEUES)), await counted(week)).sources[0]
    assert (ecb.status, ecb.finished) == (AgentStatus.HEALTHY, 0)
    assert (ecb.shown, ecb.last_success) == ("not asked", None), "to be reached is no call"


async def test_an_answer_that_says_its_source_was_not_reached_is_a_failed_call() -> None:
    market = Written(WorkflowType.MARKET_RESEARCH)
    asked = market.asked("research_agent_1.research_fx.t1.q", "source.ecb", "call_tool")
    market.begun(asked)
    silent: JsonValue = {
        "items": [],
        "missing": "no network",
        "unreachable_since": "2026-11-02T07:00:00Z",
    }
    await market.answered(asked, ToolStatus.OK, silent)
    ecb = judged(fleet(map(worker, QUEUES)), await counted(market)).sources[0]
    assert (ecb.finished, ecb.failed, ecb.status) == (0, 1, AgentStatus.DEGRADED)
    assert ecb.reasons == ("its last try failed: no network", "its one call failed")


UNREACHED: JsonValue = {"missing": "no network", "unreachable_since": "2026-11-02T07:00:00Z"}


@pytest.mark.parametrize(
    ("status", "content", "failed"),
    [
        (ToolStatus.OK, {"items": []}, 0),
        (ToolStatus.OK, UNREACHED, 1),
        (ToolStatus.REFUSED, None, 1),
        (ToolStatus.UNAVAILABLE, None, 1),
    ],
)
async def test_agents_and_tools_count_alike_which_calls_failed(
    status: ToolStatus, content: JsonValue, failed: int
) -> None:
    market = Written(WorkflowType.MARKET_RESEARCH)
    request = ToolRequest(call=ToolCall(call_id="q", server="ecb", tool="get_quote"), as_of=NOW)
    asked = market.asked("research_agent_1.research_fx.t1.q", "source.ecb", "call_tool")
    scheduled = market.events[-1].activity_task_scheduled_event_attributes
    scheduled.input.payloads.extend(await pydantic_data_converter.encode([request]))
    market.begun(asked)
    await market.answered(asked, status, content, request.call)
    uses: defaultdict[ToolName, RunToolUse] = defaultdict(RunToolUse)
    read = RunHistory("weekly-2026-W44", "run", market.events, pydantic_data_converter)
    await add_use(read, uses)
    source = (await counted(market)).queues["source.ecb"]
    use = uses[ToolName(server="ecb", tool="get_quote")]
    assert (source.failed, use.failed, use.calls) == (failed, failed, 1)


def test_where_nothing_runs_one_line_says_so_and_what_starts_it() -> None:
    record = DeskWork()
    record.agents["validator_agent"] = WorkCounts(finished=3)
    gone = judged(fleet((), depth=38, oldest=LONG_WAIT * 10, polled=timedelta(minutes=3)), record)
    lines = list(table_of(gone))
    assert lines[0] == "no worker runs, so nothing is at work; `desk up` starts the desk"
    assert not any("no worker polls" in line or "waiting on" in line for line in lines)
    assert any(line.startswith("validator_agent") for line in lines)
    assert not any(line.startswith(("product_manager", "ecb")) for line in lines)


class Executed(NamedTuple):
    """A workflow as the server lists it."""

    close_time: datetime | None
    id: str = "weekly-2026-W44"
    run_id: str = "run"


class Listing:
    """A server that knows workflows, those that are open or ended last before the others."""

    def __init__(self, known: Sequence[Executed]) -> None:
        self._known = known

    async def list_workflows(self, _: str, limit: int) -> AsyncIterator[Executed]:
        for run in self._known[:limit]:
            yield run

    async def count_workflows(self, _: str) -> SimpleNamespace:
        return SimpleNamespace(count=len(self._known))


@pytest.mark.parametrize(("hours", "since"), [((1, 2), 24), ((1, 2, 3, 4), 3)])
async def test_work_is_counted_from_when_the_first_of_the_read_workflows_ended(
    monkeypatch: pytest.MonkeyPatch, hours: tuple[int, ...], since: int
) -> None:
    async def gone(*_: object) -> None:
        raise HistoryGone("weekly-2026-W44")

    monkeypatch.setattr(work_module, "fetch_history", gone)
    monkeypatch.setattr(work_module, "MOST_READ", 4)
    listed = [Executed(None), *(Executed(NOW - timedelta(hours=each)) for each in hours)]
    record = await work_module.record_since(cast(Client, Listing(listed)), NOW - timedelta(days=1))
    assert (record.known, record.read) == (len(listed), min(len(listed), 4))
    assert record.since == NOW - timedelta(hours=since)


@pytest.mark.usefixtures("terminal")
def test_the_table_keeps_to_80_columns() -> None:
    record = DeskWork(since=NOW, read=160, known=3_952)
    for work in (record.agents["research_agent_1"], record.queues["source.official_statistics"]):
        work.finished, work.failed, work.retried, work.active = 12_345, 123, 456, 38
        work.erred(NOW, "word " * 200)
    found = judged(fleet((), depth=12_345, oldest=timedelta(hours=100)), record)
    lines = list(table_of(found))
    assert max(map(len, lines)) <= 80
    assert any("3792 workflows that ended before that are not" in line for line in lines)


class Written:
    """Events of a workflow, a second apart."""

    def __init__(self, kind: WorkflowType) -> None:
        self.events: list[HistoryEvent] = []
        started = self._add(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED)
        attributes = started.workflow_execution_started_event_attributes
        attributes.workflow_type.name = kind

    def asked(self, activity_id: str, queue: str, kind: str = "take_turn") -> int:
        event = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
        attributes = event.activity_task_scheduled_event_attributes
        attributes.activity_id = activity_id
        attributes.activity_type.name = kind
        attributes.task_queue.name = queue
        return event.event_id

    def begun(self, asked: int, attempt: int = 1) -> None:
        event = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED)
        attributes = event.activity_task_started_event_attributes
        attributes.scheduled_event_id, attributes.attempt = asked, attempt
        attributes.last_failure.message = "503" if attempt > 1 else ""

    async def answered(
        self,
        asked: int,
        status: ToolStatus | None = None,
        content: JsonValue = None,
        call: ToolCall | None = None,
    ) -> None:
        event = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)
        attributes = event.activity_task_completed_event_attributes
        attributes.scheduled_event_id = asked
        if status is not None:
            answer = {
                "call": call,
                "status": status,
                "error": None if status is ToolStatus.OK else "no data",
                "content": content,
            }
            attributes.result.payloads.extend(await pydantic_data_converter.encode([answer]))

    async def reached(self, asked: int, reason: str | None = None) -> None:
        """Whether a source could be reached; not so for a reason."""
        event = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)
        attributes = event.activity_task_completed_event_attributes
        attributes.scheduled_event_id = asked
        told = Reachability(reachable=reason is None, reason=reason)
        attributes.result.payloads.extend(await pydantic_data_converter.encode([told]))

    def failed(self, asked: int, reason: str) -> None:
        event = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED)
        attributes = event.activity_task_failed_event_attributes
        attributes.scheduled_event_id, attributes.failure.message = asked, reason

    def reassigned(self, task: str) -> None:
        event = self._add(EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED)
        child = event.start_child_workflow_execution_initiated_event_attributes
        child.workflow_type.name = WorkflowType.REASSIGNMENT
        child.workflow_id = f"weekly-2026-W44/market/USD/JPY/reassign/{task}"

    def closed(self, *, well: bool = True) -> None:
        done = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED
        self._add(done if well else EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED)

    def _add(self, kind: EventType.ValueType) -> HistoryEvent:
        at = Timestamp()
        at.FromDatetime(NOW + len(self.events) * SECOND)
        event = HistoryEvent(event_id=len(self.events) + 1, event_type=kind, event_time=at)
        self.events.append(event)
        return event


async def counted(*histories: Written) -> DeskWork:
    record = DeskWork()
    for written in histories:
        read = RunHistory("weekly-2026-W44", "run", written.events, pydantic_data_converter)
        await count_work(read, record)
    return record


async def test_a_task_is_done_after_its_turns_and_what_was_tried_again_is_counted() -> None:
    market = Written(WorkflowType.MARKET_RESEARCH)
    first = market.asked("research_agent_1.research_fx.t1", "research")
    market.begun(first, attempt=3)
    await market.answered(first)
    quote = market.asked("research_agent_1.research_fx.t1.q", "source.ecb", "call_tool")
    market.begun(quote)
    await market.answered(quote, ToolStatus.OK)
    rates = market.asked("research_agent_1.research_fx.t1.r", "source.ecb", "call_tool")
    market.begun(rates)
    await market.answered(rates, ToolStatus.UNAVAILABLE)
    second = market.asked("research_agent_1.research_fx.t2", "research")
    market.begun(second)
    await market.answered(second)
    record = await counted(market)
    work, source = record.agents["research_agent_1"], record.queues["source.ecb"]
    assert (work.active, work.finished, work.failed, work.retried) == (0, 1, 0, 2)
    assert (work.last_error, work.last_success) == (
        "503",
        market.events[-1].event_time.ToDatetime(UTC),
    )
    assert (source.active, source.finished, source.failed) == (0, 1, 1)
    assert source.last_error == "no data"


async def test_calls_that_failed_together_are_made_again_and_not_counted_as_failed() -> None:
    market = Written(WorkflowType.MARKET_RESEARCH)
    together = market.asked("research_agent_1.research_fx.t1.3x.q", "source.ecb", "call_tool")
    market.failed(together, "503")
    for call, status in (("q", ToolStatus.OK), ("r", ToolStatus.OK)):
        alone = market.asked(f"research_agent_1.research_fx.t1.{call}", "source.ecb", "call_tool")
        await market.answered(alone, status)
    last = market.asked("research_agent_1.research_fx.t1.s", "source.ecb", "call_tool")
    market.failed(last, "gone")
    source = (await counted(market)).queues["source.ecb"]
    assert (source.finished, source.failed, source.retried) == (2, 1, 3)
    assert source.last_error == "gone"


async def test_what_has_no_answer_yet_is_at_work_unless_its_workflow_is_closed() -> None:
    market = Written(WorkflowType.MARKET_RESEARCH)
    market.asked("research_agent_1.research_fx.t1.q", "source.ecb", "call_tool")
    market.asked("research_agent_1.research_fx.t1.r", "source.ecb", "call_tool")
    market.asked("validator_agent.validate.t1", "validation")
    record = await counted(market)
    assert record.agents["research_agent_1"].active == 1
    assert record.agents["validator_agent"].active == 1
    assert record.queues["source.ecb"].active == 2
    market.closed(well=False)
    record = await counted(market)
    assert {work.active for work in record.agents.values()} <= {0}
    assert {work.active for work in record.queues.values()} == {0}


async def test_a_task_that_went_to_somebody_else_failed_with_the_first() -> None:
    market = Written(WorkflowType.MARKET_RESEARCH)
    turn = market.asked("research_agent_1.research_fx.t1", "research")
    market.failed(turn, "refused")
    market.reassigned("research_fx")
    stand_in = Written(WorkflowType.REASSIGNMENT)
    await stand_in.answered(stand_in.asked("research_agent_2.research_fx.t1", "research"))
    stand_in.closed()
    record = await counted(market, stand_in)
    assert record.agents["research_agent_1"].failed == 1
    assert record.agents["research_agent_1"].last_error == "refused"
    assert record.agents["research_agent_2"].finished == 1


async def test_a_task_that_nobody_could_do_failed_with_the_last_as_well() -> None:
    stand_in = Written(WorkflowType.REASSIGNMENT)
    await stand_in.answered(stand_in.asked("research_agent_2.research_fx.t1", "research"))
    stand_in.closed(well=False)
    record = await counted(stand_in)
    assert (
        record.agents["research_agent_2"].failed,
        record.agents["research_agent_2"].finished,
    ) == (
        1,
        0,
    )
