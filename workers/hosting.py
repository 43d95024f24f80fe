"""Runs the workers of some roles in this process."""

import asyncio
import gc
import importlib
import socket
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from temporalio.client import Client
from temporalio.worker import Worker

from desk.contracts.names import Queue, source_queue
from desk.platform.effects import EffectJournal
from desk.platform.settings import McpTransport, Settings, Versioning
from desk.platform.telemetry.tracing import traced_servers
from desk.platform.temporal.client import measured, metrics_sent
from workers.in_flight import InFlight
from workers.tuning import GC_THRESHOLDS, limit_heaps

if TYPE_CHECKING:
    from activities.tool_calls import ToolActivities
    from desk.platform.mcp.pool import McpPool
    from workers.other_roles import OtherRoles


class Role(StrEnum):
    """The role of a worker process."""

    ORCHESTRATOR = "orchestrator"
    RESEARCH = "research"
    VALIDATION = "validation"
    SOURCES = "sources"
    ALL = "all"


EVERY_ROLE: Final = frozenset(Role) - {Role.ALL}

QUEUES: Final = {
    Role.ORCHESTRATOR: Queue.DESK,
    Role.RESEARCH: Queue.RESEARCH,
    Role.VALIDATION: Queue.VALIDATION,
}
"""The queue that a role polls. Sources poll a queue for each server."""

THREADS: Final = 64
"""Threads for blocking calls, among them DNS lookups. Without a network each lookup blocks its
thread for seconds. With asyncio's default of six on two cores, reading a file waited three seconds
behind them."""


class RunningWorkers:
    """The workers that this process runs."""

    def __init__(self, workers: Sequence[Worker], in_flight: InFlight) -> None:
        self._workers = workers
        self._in_flight = in_flight

    async def finish(self, tell: Callable[[str], None]) -> None:
        """Stops them from taking new tasks, and waits for their model calls. See
        `InFlight.finish`."""
        await self._in_flight.finish(self._workers, tell)


@asynccontextmanager
async def hosted(
    client: Client, settings: Settings, roles: Iterable[Role]
) -> AsyncIterator[RunningWorkers]:
    """Runs the workers of the roles until the block ends; then they have 5 s to finish their
    current tasks, and stop.

    Raises:
        McpConfigError: a source is wanted and `.mcp.json` cannot be used.
    """
    # Imported before a workflow logs, which would import it within the sandbox.
    importlib.import_module("desk.platform.telemetry.log_lines")
    gc.set_threshold(*GC_THRESHOLDS)
    limit_heaps()
    executor = ThreadPoolExecutor(THREADS, thread_name_prefix="desk")
    asyncio.get_running_loop().set_default_executor(executor)
    # The SDK warns of an activity that ended while its cancellation was in flight.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"temporalio\.worker\._activity")
    wanted = set(roles)
    if Role.ALL in wanted:
        wanted = set(EVERY_ROLE)
    journal = EffectJournal(settings.journal_path)
    async with AsyncExitStack() as stack:
        stack.callback(journal.close)
        in_flight = InFlight()
        workers = await _workers(client, settings, wanted, journal, stack, in_flight)
        for worker in workers:
            await stack.enter_async_context(worker)
        if measured(settings):
            from workers.gauges import reporting_gauges

            queues = [queue for role, queue in QUEUES.items() if role in wanted]
            calls_tools = Role.SOURCES in wanted
            await stack.enter_async_context(
                reporting_gauges(client, settings, queues=queues, calls_tools=calls_tools)
            )
        yield RunningWorkers(workers, in_flight)
    await metrics_sent(settings)


@asynccontextmanager
async def answering_queries(client: Client, settings: Settings) -> AsyncIterator[None]:
    """Runs a worker until the block ends that answers queries about runs, and runs no
    activities."""
    from desk.platform.temporal.deployment import build_id, current_deployment, pinned_deployment
    from workers.orchestrator import query_worker

    # Imported before a workflow logs, which would import it within the sandbox.
    importlib.import_module("desk.platform.telemetry.log_lines")
    pins = settings.versioning is Versioning.PINNED
    deployed = pinned_deployment if pins else current_deployment
    async with query_worker(client, await deployed(client, settings.build_id or build_id())):
        yield


def worker_identity(*roles: Role) -> str:
    """Returns the identity of a worker, such as `research@host-1`: its roles, joined by `+`, and
    the machine or container that it runs on."""
    return f"{'+'.join(sorted(roles))}@{socket.gethostname()}"


async def _workers(
    client: Client,
    settings: Settings,
    roles: set[Role],
    journal: EffectJournal,
    stack: AsyncExitStack,
    in_flight: InFlight,
) -> list[Worker]:
    """Creates the workers. Each role's modules are imported only where the role runs, which saves
    memory in the others.

    If runs are pinned to a version, every role has one: a run's turns and calls are then made by
    the code that it began with.
    """
    from desk.platform.temporal.deployment import build_id, current_deployment, pinned_deployment

    workers: list[Worker] = []
    interceptors = (in_flight,)
    build = settings.build_id or build_id()
    pins = settings.versioning is Versioning.PINNED
    pinned = await pinned_deployment(client, build) if pins else None
    tools = cache(partial(_tools, settings, journal, stack))
    if Role.SOURCES in roles:
        from workers.sources import sources

        workers += sources(client, *tools(), pinned, interceptors)
    for role in sorted(roles & {Role.RESEARCH, Role.VALIDATION}):
        from workers.agents import agents

        workers.append(agents(QUEUES[role], client, settings, journal, pinned, interceptors))
    if Role.ORCHESTRATOR in roles:
        from activities.publishing.archive_upkeep import running_archive_upkeep
        from workers.orchestrator import orchestrator

        deployment = pinned if pins else await current_deployment(client, build)
        other_roles = _other_roles(settings, roles, tools)
        archive = await stack.enter_async_context(running_archive_upkeep(settings.reports_dir))
        workers.append(
            orchestrator(client, settings, journal, deployment, other_roles, archive, interceptors)
        )
    return workers


def _other_roles(
    settings: Settings, roles: set[Role], tools: "Callable[[], tuple[McpPool, ToolActivities]]"
) -> "OtherRoles":
    """Returns the other roles' work that the orchestrator does too. None with an external server:
    another orchestrator may poll there, without a source's credentials. With the desk's embedded
    server, all activities, and on its own queue those without a rate limit if all roles are in this
    process."""
    from workers.other_roles import NO_OTHER_ROLES, LazyTools, OtherRoles

    if settings.external:
        return NO_OTHER_ROLES
    other_roles = OtherRoles(LazyTools(lambda: tools()[1]).all)
    if roles != EVERY_ROLE:
        return other_roles
    unlimited = (
        source_queue(name)
        for name, spec in tools()[0].servers.items()
        if spec.calls_per_second is None
    )
    return replace(other_roles, queues=frozenset((Queue.RESEARCH, Queue.VALIDATION, *unlimited)))


def _tools(
    settings: Settings, journal: EffectJournal, stack: AsyncExitStack
) -> "tuple[McpPool, ToolActivities]":
    from activities.tool_calls import ToolActivities
    from desk.platform.mcp.circuit import outlasting
    from desk.platform.mcp.kept_files import servers_caching_files
    from desk.platform.mcp.pool import McpPool
    from desk.platform.mcp.redaction import configured_secrets
    from desk.platform.settings.mcp_json import servers_to_serve

    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    policy = settings.config.policy
    pool = McpPool(
        traced_servers(
            servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process),
            settings,
            in_process=in_process,
        ),
        in_process=in_process,
        project_dir=settings.project_dir,
        cache_dir=settings.cache_dir,
        refresh_every=None if settings.offline else timedelta(seconds=settings.cache_ttl_seconds),
        opens_after=outlasting(policy.retries, policy.deadlines.tool_tries),
        secrets=configured_secrets(settings),
    )
    # Connections are opened when they are first needed.
    stack.push_async_exit(pool)
    return pool, ToolActivities(pool, journal, servers_caching_files(pool.servers))
