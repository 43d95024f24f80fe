"""Reports whether the worker of a role on this machine polls its queues: `python -m workers.health
ROLE`.

Temporal is asked, because a process that runs but has lost its server does no work. The worker is
healthy if every queue of its role was polled recently, by a worker of the role on this machine or
by a process that has all roles, such as `desk up`. The check does not notice a worker that polls
while its activities hang; missed heartbeats show that.
"""

import argparse
import asyncio
import os
import socket
import sys
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from desk.contracts.names import Queue, source_queue
from desk.platform.settings import Settings, SettingsError, load_settings
from desk.platform.settings.mcp_json import McpConfigError, present, read_mcp_config
from desk.platform.temporal.client import ServerUnreachable, connect
from workers.hosting import EVERY_ROLE, Role, worker_identity

LONGEST_SILENCE = timedelta(seconds=90)
"""The server answers an empty poll after a minute at most, and the next poll follows at once."""

_KINDS = (
    TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
)
_OF_ROLE = {
    Role.ORCHESTRATOR: (Queue.DESK,),
    Role.RESEARCH: (Queue.RESEARCH,),
    Role.VALIDATION: (Queue.VALIDATION,),
}


def queues_of(role: Role, servers: Iterable[str]) -> tuple[str, ...]:
    """Returns the task queues that a worker of the role polls, given the names of the MCP
    servers."""
    if role is Role.ALL:
        known = tuple(servers)
        return tuple(q for r in Role if r is not Role.ALL for q in queues_of(r, known))
    if role is Role.SOURCES:
        return tuple(source_queue(server) for server in servers)
    return _OF_ROLE[role]


async def unpolled(
    client: Client, identities: Collection[str] | None, queues: Iterable[str]
) -> tuple[str, ...]:
    """Returns the queues that no worker of these identities has polled recently. With None, workers
    of all identities count.

    Raises:
        RPCError: the server did not answer.
    """
    queues = tuple(queues)
    seen = await asyncio.gather(*(_last_poll(client, identities, queue) for queue in queues))
    oldest = datetime.now(UTC) - LONGEST_SILENCE
    return tuple(queue for queue, at in zip(queues, seen, strict=True) if at is None or at < oldest)


async def health_problem(settings: Settings, role: Role) -> str | None:
    """Returns what is wrong with the worker of a role on this machine, or None.

    A worker of all roles counts for each of them, and workers of each role for all.

    Raises:
        ServerUnreachable: no Temporal server answers.
        McpConfigError: `.mcp.json` cannot be used, so that the sources are unknown.
        RPCError: the server refused the question.
    """
    needs_sources = role in (Role.SOURCES, Role.ALL)
    servers = present(read_mcp_config(settings.mcp_config)) if needs_sources else {}
    client = await connect(settings, identity=f"health of {worker_identity(role)}")
    every, roles = worker_identity(Role.ALL), EVERY_ROLE if role is Role.ALL else {role}
    silent = await asyncio.gather(
        *(
            unpolled(client, (worker_identity(one), every), queues_of(one, servers))
            for one in sorted(roles)
        )
    )
    if not any(silent):
        return None
    named = ", ".join(queue for queues in silent for queue in queues)
    return (
        f"no worker of {role} on {socket.gethostname()} has polled {named} for "
        f"{LONGEST_SILENCE.seconds} s"
    )


def main() -> int:
    """Returns 0 when the worker is healthy; else 1, with the reason on standard error."""
    parser = argparse.ArgumentParser(
        prog="python -m workers.health",
        description="Whether the worker of a role on this machine polls its queues.",
        epilog="example: python -m workers.health research",
    )
    parser.add_argument("role", type=Role, choices=list(Role))
    role: Role = parser.parse_args().role
    try:
        problem = asyncio.run(health_problem(load_settings(), role))
    except (SettingsError, McpConfigError, ServerUnreachable, RPCError) as error:
        problem = str(error)
    if problem:
        sys.stderr.write(f"{problem}\n")
    return 1 if problem else 0


async def _last_poll(
    client: Client, identities: Collection[str] | None, queue: str
) -> datetime | None:
    """Returns when these identities last polled a queue, for workflow or for activity tasks."""
    answers = await asyncio.gather(
        *(
            client.workflow_service.describe_task_queue(
                DescribeTaskQueueRequest(
                    namespace=client.namespace,
                    task_queue=TaskQueue(name=queue),
                    task_queue_type=kind,
                )
            )
            for kind in _KINDS
        )
    )
    polls = [
        poller.last_access_time.ToDatetime(tzinfo=UTC)
        for answer in answers
        for poller in answer.pollers
        if identities is None or poller.identity in identities
    ]
    return max(polls, default=None)


if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    # Threads of Temporal's core outlive the client and can abort a normal exit, and lose the exit
    # status.
    os._exit(status)
