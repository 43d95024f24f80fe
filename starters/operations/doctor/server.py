"""Checks of the Temporal server, its workers, and the fixings that the sources have."""

import asyncio
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError

from desk.analytics.prices.fixings import covered_to
from desk.analytics.weeks import latest_complete_week, latest_covered_week
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.contracts.findings.source_results import FixingCoverage
from desk.platform.server.embedded import RETENTION
from desk.platform.server.host_lock import stopped_words
from desk.platform.settings.mcp_json import McpConfigError, present, read_mcp_config
from starters.operations.doctor.check import Check, Level
from starters.runs.week_choice import REFRESH
from starters.session import Desk
from starters.sources.tools.fixing_coverage import held_fixings
from workers.health import queues_of, unpolled
from workers.hosting import Role

POLLER_PATIENCE = 20
"""Tries, a tenth of a second apart if the workers have just started."""


async def server_checks(desk: Desk) -> AsyncIterator[Check]:
    """All checks of a running server."""
    client, settings = desk.client, desk.settings
    where = client.service_client.config.target_host
    how = " (started for this check)" if desk.hosting else ""
    yield Check("server", Level.OK, f"{where}, namespace {client.namespace}{how}")
    yield await _attributes(client)
    yield await _retention(client)
    if (stopped := _stopped(desk)) is not None:
        yield Check("workers", Level.FAIL, stopped)
        yield Check("data", Level.WARN, "not looked at: that takes workers")
        return
    waiting = await _unpolled(desk)
    yield poller_check(waiting)
    if waiting:
        yield Check("data", Level.WARN, "not looked at: that takes workers")
        return
    if "ecb" not in present(read_mcp_config(settings.mcp_config)):
        yield Check("data", Level.FAIL, "no fixings: they are the source ecb's, see above")
        return
    held = await held_fixings(client, now := datetime.now(UTC))
    yield data_check(held, now, settings.config.schedule)


def _stopped(desk: Desk) -> str | None:
    """Says which process of the desk is stopped, if it is hosted on this machine."""
    return None if desk.settings.external else stopped_words(desk.settings.home)


async def _attributes(client: Client) -> Check:
    try:
        listed = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError as error:
        return Check("attributes", Level.WARN, f"the server does not list them: {error.message}")
    return attribute_check(listed.custom_attributes.keys())


def attribute_check(registered: Collection[str]) -> Check:
    """Checks that all search attributes are registered; without them a run hangs."""
    missing = [name for name in SearchAttribute if name not in registered]
    if not missing:
        return Check("attributes", Level.OK, ", ".join(SearchAttribute))
    command = f"`temporal operator search-attribute create {_creation_flags(missing)}`"
    return Check("attributes", Level.FAIL, f"missing: {', '.join(missing)}; {command}")


def _creation_flags(missing: Collection[SearchAttribute]) -> str:
    """Each name with its own type: of several names under one type the command adds only the
    first."""
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
    """Checks that closed runs are kept long enough for a rerun and for their dead letters."""
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
    """Returns the queues that no worker polls."""
    waiting = queues_wanted(desk.settings.mcp_config)
    for _ in range(POLLER_PATIENCE):
        waiting = await unpolled(desk.client, None, waiting)
        if not waiting:
            break
        await asyncio.sleep(0.1 if desk.hosting else 0.01)
    return waiting


def queues_wanted(mcp_config: Path) -> tuple[str, ...]:
    """Returns the queues that need a worker. Omits servers whose package is not installed."""
    try:
        servers = list(present(read_mcp_config(mcp_config)))
    except McpConfigError:
        servers = []
    return tuple(queues_of(Role.ALL, servers))


def poller_check(unpolled: Collection[str]) -> Check:
    """Checks that every queue has a worker."""
    if not unpolled:
        return Check("workers", Level.OK, "every queue is polled")
    return Check(
        "workers",
        Level.FAIL,
        f"no worker polls {', '.join(unpolled)}; `desk up` or `desk worker all` starts them",
    )


def data_check(held: FixingCoverage | None, now: datetime, schedule: ScheduleConfig) -> Check:
    """Checks that the fixings reach the latest complete week."""
    if held is None:
        return Check("data", Level.FAIL, "the ECB source does not answer; see the workers' log")
    latest = latest_complete_week(now, schedule)
    covered = latest_covered_week(now, covered_to(held.last_day), schedule)
    text = f"fixings from {held.first_day} to {held.last_day}"
    if covered >= latest:
        return Check("data", Level.OK, text)
    return Check(
        "data",
        Level.WARN,
        f"{text}: {latest} is complete and not covered; `{REFRESH}` gets newer ones",
    )
