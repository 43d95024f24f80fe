"""What the histories of a size's runs say: how long they are, and what each activity took."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from desk.platform.temporal.history import RunHistory, fetch_history, fetch_raw_events

LOOKED_AT: Final = 40
"""Markets of a size whose histories are read; the others are taken to be like them."""

MEGABYTE: Final = 2**20


@dataclass(frozen=True)
class Service:
    """The activities of a queue: how many a market has, how long one waited for a worker, and how
    long the worker took, in seconds."""

    calls: float
    waited: float
    took: float


@dataclass(frozen=True)
class Histories:
    """`events` and `megabytes` are of all histories together; `longest` in events, `largest` in MB,
    and `starts` in MB are of the run of a week that has most: `starts` is what goes to the server
    at once when its markets begin."""

    events: float
    megabytes: float
    longest: int
    largest: float
    starts: float
    services: Mapping[str, Service]


async def histories_of(client: Client, weeks: Sequence[str], markets: Sequence[str]) -> Histories:
    """Of the runs of these weeks and markets, by their workflow ids."""
    some = markets[:: max(len(markets) // LOOKED_AT, 1)]
    own, each = [[await _length(client, one) for one in ids] for ids in (weeks, some)]
    share = len(markets) / len(some)
    return Histories(
        events=sum(events for events, _ in own) + share * sum(events for events, _ in each),
        megabytes=sum(size for _, size in own) + share * sum(size for _, size in each),
        longest=max(events for events, _ in own),
        largest=max(size for _, size in own),
        starts=max([await _starts(client, week) for week in weeks]),
        services=_services([await fetch_history(client, one) for one in some]),
    )


async def _length(client: Client, workflow_id: str) -> tuple[int, float]:
    description = await client.get_workflow_handle(workflow_id).describe()
    info = description.raw_description.workflow_execution_info
    return info.history_length, info.history_size_bytes / MEGABYTE


async def _starts(client: Client, week: str) -> float:
    kind = EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    events = [event async for event in fetch_raw_events(client, week)]
    return sum(event.ByteSize() for event in events if event.event_type == kind) / MEGABYTE


def _services(histories: Collection[RunHistory]) -> dict[str, Service]:
    spans: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for history in histories:
        for scheduled, started, ended in history.activities:
            if started is not None and ended is not None:
                waited = (started.at - scheduled.at).total_seconds()
                took = (ended.at - started.at).total_seconds()
                spans[scheduled.queue].append((waited, took))
    return {
        queue: Service(
            calls=len(found) / len(histories),
            waited=_mean(waited for waited, _ in found),
            took=_mean(took for _, took in found),
        )
        for queue, found in sorted(spans.items())
    }


def _mean(figures: Iterable[float]) -> float:
    known = tuple(figures)
    return sum(known) / len(known)
