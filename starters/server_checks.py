"""The checks of `desk doctor` at a server: attributes, retention, workers, data."""

import asyncio
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime, timedelta

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError

from desk.analytics.weeks import latest_complete_week, latest_covered_week
from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.contracts.config import ScheduleConfig
from desk.contracts.findings.source_results import FixingCoverage
from desk.platform.mcp.config import McpConfigError, read_mcp_config
from desk.platform.server.embedded import RETENTION
from starters.checks import Check, Level
from starters.desk_session import Desk
from starters.tool_look import held_fixings
from starters.week_choice import REFRESH
from workers.health import queues_of, unpolled
from workers.hosting import Role

POLLER_PATIENCE = 20
"""Tries, a tenth of a second apart where the workers have just started."""


async def server_checks(desk: Desk) -> AsyncIterator[Check]:
    """Everything that is asked of a server that answers."""
    client, settings = desk.client, desk.settings
    where = client.service_client.config.target_host
    how = " (started for this check)" if desk.hosting else ""
    yield Check("server", Level.OK, f"{where}, namespace {client.namespace}{how}")
    yield await _attributes(client)
    yield await _retention(client)
    waiting = await _unpolled(desk)
    yield poller_check(waiting)
    if waiting:
        yield Check("data", Level.WARN, "not looked at: that takes workers")
        return
    held = await held_fixings(client, now := datetime.now(UTC))
    yield data_check(held, now, settings.config.schedule, str(settings.cache_dir))


async def _attributes(client: Client) -> Check:
    try:
        listed = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError as error:
        return Check("attributes", Level.WARN, f"the server does not list them: {error.message}")
    return attribute_check(listed.custom_attributes.keys())


def attribute_check(registered: Collection[str]) -> Check:
    """All search attributes are registered; a run hangs without."""
    missing = [name for name in SearchAttribute if name not in registered]
    if not missing:
        return Check("attributes", Level.OK, ", ".join(SearchAttribute))
    command = f"`temporal operator search-attribute create {_creation_flags(missing)}`"
    return Check("attributes", Level.FAIL, f"missing: {', '.join(missing)}; {command}")


def _creation_flags(missing: Collection[SearchAttribute]) -> str:
    """Each name with its type: of several names under one type the command adds only the first."""
    return " ".join(
        f"--name {name} --type {'Int' if name in INTEGER_ATTRIBUTES else 'Keyword'}"
        for name in missing
    )


async def _retention(client: Client) -> Check:
    from desk.platform.server.namespace import retention_of

    try:
        return retention_check(await retention_of(client), client.namespace)
    except RPCError as error:
        return Check("retention", Level.WARN, f"the server does not say: {error.message}")


def retention_check(kept: timedelta, namespace: str) -> Check:
    """Closed runs are kept long enough for a rerun and for their dead letters."""
    text = f"closed runs are kept for {kept.days} days"
    if kept >= RETENTION:
        return Check("retention", Level.OK, text)
    return Check(
        "retention",
        Level.WARN,
        f"{text}, dead letters too; `temporal operator namespace update --namespace {namespace} "
        f"--retention {RETENTION.days}d`",
    )


async def _unpolled(desk: Desk) -> tuple[str, ...]:
    """The queues that no worker polls."""
    try:
        servers = list(read_mcp_config(desk.settings.mcp_config))
    except McpConfigError:
        servers = []
    waiting = queues_of(Role.ALL, servers)
    for _ in range(POLLER_PATIENCE):
        waiting = await unpolled(desk.client, None, waiting)
        if not waiting:
            break
        await asyncio.sleep(0.1 if desk.hosting else 0.01)
    return waiting


def poller_check(unpolled: Collection[str]) -> Check:
    """Every queue has a worker."""
    if not unpolled:
        return Check("workers", Level.OK, "every queue is polled")
    return Check(
        "workers",
        Level.FAIL,
        f"nobody polls {', '.join(unpolled)}; `desk up` or `desk worker all` starts them",
    )


def data_check(
    held: FixingCoverage | None, now: datetime, schedule: ScheduleConfig, cache_dir: str
) -> Check:
    """The fixings reach the latest complete week."""
    if held is None:
        return Check("data", Level.FAIL, "the ECB source does not answer; see the workers' log")
    latest = latest_complete_week(now, schedule)
    covered = latest_covered_week(now, held.last_day, schedule)
    text = f"fixings from {held.first_day} to {held.last_day}"
    if covered >= latest:
        return Check("data", Level.OK, text)
    return Check(
        "data",
        Level.WARN,
        f"{text}: {latest} is complete and not covered; `{REFRESH.format(cache_dir=cache_dir)}`",
    )
