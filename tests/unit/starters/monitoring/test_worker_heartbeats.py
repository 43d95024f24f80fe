"""The workers' heartbeats, read once for `desk agents` and for `system_status`."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.api.enums.v1 import WorkerStatus
from temporalio.api.worker.v1 import (
    WorkerHeartbeat,
    WorkerHostInfo,
    WorkerInfo,
    WorkerListInfo,
    WorkerSlotsInfo,
)
from temporalio.api.workflowservice.v1 import (
    DescribeWorkerRequest,
    DescribeWorkerResponse,
    ListWorkersRequest,
    ListWorkersResponse,
)
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.runs.messages import AgentStatus, SystemStatusContent
from desk.runs.messages import chosen, messages_of
from starters.monitoring.messages.history import LONGEST_SILENCE, processes_in, workers_seen
from starters.monitoring.worker_heartbeats import last_heartbeats

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LONG_AGO = LONGEST_SILENCE + SECOND


def beat(
    queue: str,
    process: str,
    *,
    seen: timedelta = SECOND,
    active: int = 0,
    completed: int = 0,
    stopped: bool = False,
    key: str = "",
) -> WorkerHeartbeat:
    status = WorkerStatus.WORKER_STATUS_SHUTDOWN if stopped else WorkerStatus.WORKER_STATUS_RUNNING
    found = WorkerHeartbeat(
        worker_instance_key=f"{process}{key}/{queue}",
        worker_identity="research@host-1",
        task_queue=queue,
        status=status,
        host_info=WorkerHostInfo(
            host_name="host-1", process_id=process, worker_grouping_key=key or process
        ),
        activity_task_slots_info=WorkerSlotsInfo(
            current_used_slots=active, total_processed_tasks=completed
        ),
    )
    found.heartbeat_time.FromDatetime(NOW - seen)
    return found


def statuses(*beats: WorkerHeartbeat) -> list[SystemStatusContent]:
    messages = chosen(messages_of([], processes_in(beats, NOW)))
    assert len({message.message_id for message in messages}) == len(messages)
    return [m.content for m in messages if isinstance(m.content, SystemStatusContent)]


@pytest.mark.parametrize(
    "before",
    [
        beat("research", "11", seen=LONG_AGO, active=3, completed=40),
        beat("research", "11", stopped=True, active=3, completed=40),
        beat("research", "12", seen=LONG_AGO, active=3, completed=40, key="of another container"),
    ],
    ids=["killed", "stopped", "killed in a container"],
)
def test_the_counts_of_a_worker_are_its_own_and_not_of_those_before_it(
    before: WorkerHeartbeat,
) -> None:
    living = (
        beat("research", "12", active=1, completed=5),
        beat("validation", "12", active=1, completed=2),
    )
    (status,) = statuses(before, *living)
    assert status.agent_status is AgentStatus.HEALTHY
    assert (status.active_tasks, status.completed_tasks) == (2, 7)
    assert status.queues == ("research", "validation")


def test_two_processes_of_one_identity_tell_each_for_itself() -> None:
    first, second = statuses(
        beat("research", "11", completed=5, seen=2 * SECOND), beat("research", "12", completed=7)
    )
    assert (first.completed_tasks, second.completed_tasks) == (5, 7)


def test_where_none_lives_the_last_is_told_as_gone() -> None:
    (status,) = statuses(
        beat("research", "11", seen=LONG_AGO, completed=5),
        beat("research", "10", seen=2 * LONG_AGO, completed=40),
    )
    assert (status.agent_status, status.completed_tasks) == (AgentStatus.OFFLINE, 5)


class Server:
    """As much of a server as knows workers: a page for each of its workers."""

    def __init__(self, *beats: WorkerHeartbeat, refuses: RPCStatusCode | None = None) -> None:
        self._beats = {found.worker_instance_key: found for found in beats}
        self._refuses = refuses
        self.forgotten: set[str] = set()

    async def list_workers(self, request: ListWorkersRequest, **_: Any) -> ListWorkersResponse:
        """A page of one worker."""
        if self._refuses is not None:
            raise RPCError("no", self._refuses, b"")
        keys = sorted(self._beats)
        place = int(request.next_page_token or b"0")
        return ListWorkersResponse(
            workers=[WorkerListInfo(worker_instance_key=key) for key in keys[place : place + 1]],
            next_page_token=str(place + 1).encode() if place + 1 < len(keys) else b"",
        )

    async def describe_worker(
        self, request: DescribeWorkerRequest, **_: Any
    ) -> DescribeWorkerResponse:
        """A worker that is not forgotten."""
        key = request.worker_instance_key
        if key in self.forgotten:
            raise RPCError("unknown", RPCStatusCode.NOT_FOUND, b"")
        info = WorkerInfo(worker_heartbeat=self._beats[key])
        return DescribeWorkerResponse(worker_info=info)


def client_of(server: Server) -> Client:
    client: Any = SimpleNamespace(namespace="default", workflow_service=server)
    found: Client = client
    return found


async def test_every_page_of_workers_is_read_and_one_that_is_forgotten_since_is_left_out() -> None:
    beats = [beat("research", str(number)) for number in range(11, 14)]
    server = Server(*beats)
    server.forgotten.add(beats[1].worker_instance_key)
    assert await last_heartbeats(client_of(server)) == (beats[0], beats[2])


@pytest.mark.parametrize("status", [RPCStatusCode.UNIMPLEMENTED, RPCStatusCode.PERMISSION_DENIED])
async def test_a_server_that_tells_nothing_of_workers_is_no_error(status: RPCStatusCode) -> None:
    client = client_of(Server(refuses=status))
    assert await last_heartbeats(client) is None
    assert await workers_seen(client, NOW) == ()


async def test_a_server_that_does_not_answer_is_one() -> None:
    with pytest.raises(RPCError):
        await workers_seen(client_of(Server(refuses=RPCStatusCode.UNAVAILABLE)), NOW)
