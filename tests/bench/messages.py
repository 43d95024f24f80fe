"""`python -m tests.bench.messages`: a week's messages read, and what they promise measured.

A whole week is researched by `desk run` beside a `desk up`. Then its messages are read, by this
process and by `desk messages --json`, and every one of them is checked against its contract. The
promises are measured with small workflows on the same server, while it has nothing else to do.
"""

import argparse
import asyncio
import logging
import os
import random
import resource
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from rich.console import Console
from rich.table import Table
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from desk.contracts.runs.messages import AgentMessage, MessageType
from desk.platform.settings import load_settings
from desk.platform.temporal.client import connect
from desk.runs.messages import chosen
from starters.monitoring.messages.history import entries_of
from starters.runs.week_runs import run_named
from starters.terminal.exit_status import exit_now
from tests.bench import promises
from tests.support.processes.command import DeskCommand
from tests.support.processes.homes import PROJECT
from workers.tuning import TUNING

WEEK: Final = "2026-W44"
GOAL_SECONDS: Final = 2.0
DELIVERY_MS, PROCESSING_MS = 1_000, 100
PENDING: Final = 1_000
PARCEL_BYTES: Final = 10_000_000
DESK: Final = "promises"
"""The queue of the bench's workflows."""

T = TypeVar("T")


class Span(NamedTuple):
    """Milliseconds: of the message in the middle, of all but five in a hundred, of all."""

    median: float
    most: float
    worst: float

    def __str__(self) -> str:
        """`3.1 ms (95 %: 5.0, most 9.2)`."""
        return f"{self.median:.1f} ms (95 %: {self.most:.1f}, most {self.worst:.1f})"


class Line(NamedTuple):
    """A line of the table: what, the figure, what it should be, and whether it is."""

    what: str
    figure: str
    goal: str = ""
    held: bool = True


def main(repetitions: int) -> bool:
    """Print all figures; whether every goal was met."""
    logging.getLogger("temporalio.activity").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        desk = DeskCommand(Path(directory))
        with desk.up():
            ran, seconds = timed(lambda: desk("run", "--week", WEEK))
            if ran.code != 0:
                raise SystemExit(ran.err)
            lines = [Line("the week researched, all markets", f"{seconds:.1f} s")]
            lines += by_command(desk, repetitions)
            lines += asyncio.run(measured(desk, repetitions))
    show(lines)
    return all(line.held for line in lines)


def by_command(desk: DeskCommand, repetitions: int) -> list[Line]:
    """The week's messages by the command, start of the process and all; each checked again."""
    worked = children_seconds()
    answers = [timed(lambda: desk("messages", WEEK, "--json")) for _ in range(repetitions)]
    worked = (children_seconds() - worked) / repetitions
    sent = [AgentMessage.model_validate_json(line) for line in answers[0][0].out.splitlines()]
    took = statistics.median(seconds for _, seconds in answers)
    return [
        Line(
            f"`desk messages {WEEK} --json`, median of {repetitions}",
            f"{took:.2f} s, of it at work {worked:.2f} s",
            f"under {GOAL_SECONDS:.0f} s",
            took < GOAL_SECONDS,
        ),
        Line("of its lines, valid when read again", f"{len(sent)}"),
    ]


def children_seconds() -> float:
    """What the processes started from here have taken of the processors' time, once they ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def measured(desk: DeskCommand, repetitions: int) -> list[Line]:
    """The week's messages, then the promises."""
    client = await connect(load_settings(PROJECT, dict(desk.variables)))
    messages, seconds = await read(client, repetitions)
    counts = Counter(message.type for message in messages)
    lines = [
        Line(
            f"its {len(messages)} messages read, median of {repetitions}",
            f"{seconds:.2f} s",
            f"under {GOAL_SECONDS:.0f} s",
            seconds < GOAL_SECONDS,
        ),
        *(Line(f"  {kind}", str(counts[kind])) for kind in MessageType),
        Line("delivery in that week, all markets at once", str(span(waits(messages)))),
    ]
    async with worker(client, workflows=promises.WORKFLOWS):
        lines += await hand_overs(client)
        lines += await failures(client)
        lines += await many(client)
        lines += await large(client)
    lines += await ordered(client)
    return lines


async def read(client: Client, repetitions: int) -> tuple[Sequence[AgentMessage], float]:
    """The messages of the week, and the median time of reading them."""
    found = await run_named(client, WEEK, WEEK)
    times = []
    messages: Sequence[AgentMessage] = ()
    for _ in range(repetitions):
        began = time.perf_counter()
        messages = chosen(await entries_of(found, None, datetime.now(UTC)))
        times.append(time.perf_counter() - began)
    return messages, statistics.median(times)


def waits(messages: Sequence[AgentMessage]) -> Iterator[float]:
    """Milliseconds from each assignment to its acceptance."""
    sent = {message.message_id: message.timestamp for message in messages}
    for message in messages:
        if message.type is MessageType.TASK_ACCEPTANCE and message.reply_to in sent:
            yield (message.timestamp - sent[message.reply_to]).total_seconds() * 1_000


async def hand_overs(client: Client) -> list[Line]:
    """A hundred messages one after another, timed by the server."""
    await done(client, promises.OneByOne.run, 100, "one-by-one")
    at: dict[int, dict[str, datetime]] = {}
    async for event in client.get_workflow_handle("one-by-one").fetch_history_events():
        moment = event.event_time.ToDatetime(tzinfo=UTC)
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            at[event.event_id] = {"asked": moment}
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
            taken = event.activity_task_started_event_attributes.scheduled_event_id
            at[taken]["taken"] = moment
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            answered = event.activity_task_completed_event_attributes.scheduled_event_id
            at[answered]["answered"] = moment
    delivery = span(ms(times["asked"], times["taken"]) for times in at.values())
    processing = span(ms(times["taken"], times["answered"]) for times in at.values())
    return [
        Line("delivery: asked to taken", str(delivery), "under 1 s", delivery.most < DELIVERY_MS),
        Line(
            "processing: taken to answered",
            str(processing),
            "under 100 ms",
            processing.most < PROCESSING_MS,
        ),
    ]


async def failures(client: Client) -> list[Line]:
    """What nobody answers expires; what fails is tried again, and then no more."""
    late = (await done(client, promises.Unanswered.run, None, "unanswered"))[0]
    late -= promises.EXPIRY.total_seconds()
    await done(client, promises.Failing.run, None, "failing")
    attempts = [
        event.activity_task_started_event_attributes.attempt
        async for event in client.get_workflow_handle("failing").fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED
    ]
    return [
        Line(
            f"expiry: after a timeout of {promises.EXPIRY.seconds} s, late by",
            f"{1_000 * late:.0f} ms",
            "under 1 s",
            0 <= late < 1,
        ),
        Line("attempts before it has failed", f"{attempts[-1]}", "3", attempts == [3]),
    ]


async def many(client: Client) -> list[Line]:
    """As many messages as may be pending, for one receiver, all at once."""
    answered, seconds = await done(client, promises.SideBySide.run, PENDING, "side-by-side")
    return [
        Line(
            f"{PENDING:,} pending tasks, all answered after",
            f"{seconds:.1f} s",
            f"{PENDING:,}",
            answered == PENDING,
        )
    ]


async def large(client: Client) -> list[Line]:
    """A message as large as may be, of what cannot be packed."""
    parcel = random.Random(0).randbytes(PARCEL_BYTES // 2).hex()
    length, seconds = await done(client, promises.Parcel.run, parcel, "parcel")
    description = await client.get_workflow_handle("parcel").describe()
    size = description.raw_description.workflow_execution_info.history_size_bytes
    return [
        Line(
            "a message of 10 MB, there and on",
            f"{seconds:.2f} s, {size / 1_000:.1f} kB of history",
            "10 MB",
            length == len(parcel),
        )
    ]


async def ordered(client: Client) -> list[Line]:
    """As many signals as may be pending, sent to a workflow before anybody works for it."""
    inbox: WorkflowHandle[Any, list[int]] = await client.start_workflow(
        promises.Inbox.run, PENDING, id="inbox", task_queue=DESK
    )
    began = time.perf_counter()
    for number in range(PENDING):
        await inbox.signal(promises.Inbox.put, number)
    sent = time.perf_counter() - began
    began = time.perf_counter()
    async with worker(client, workflows=promises.WORKFLOWS):
        taken = await inbox.result()
    seconds = time.perf_counter() - began
    return [
        Line(
            f"{PENDING:,} pending signals, all taken after",
            f"{seconds:.2f} s (sent one by one in {sent:.1f} s)",
            "in order",
            taken == list(range(PENDING)),
        )
    ]


@asynccontextmanager
async def worker(client: Client, workflows: Sequence[type]) -> Any:
    """The workers of the promises."""
    async with (
        Worker(client, task_queue=DESK, workflows=workflows, **TUNING),
        Worker(client, task_queue=promises.WORK, activities=promises.ACTIVITIES, **TUNING),
    ):
        yield


async def done(
    client: Client, run: Callable[..., Awaitable[T]], argument: object, run_id: str
) -> tuple[T, float]:
    """A workflow's result, and how long it took in seconds."""
    began = time.perf_counter()
    arguments = [] if argument is None else [argument]
    result: T = await client.execute_workflow(run, args=arguments, id=run_id, task_queue=DESK)
    return result, time.perf_counter() - began


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """A result, and how long it took in seconds."""
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def ms(since: datetime, until: datetime) -> float:
    """Milliseconds between two instants."""
    return (until - since).total_seconds() * 1_000


def span(figures: Iterator[float]) -> Span:
    """What many figures come to."""
    found = sorted(figures)
    return Span(statistics.median(found), found[int(0.95 * (len(found) - 1))], found[-1])


def show(lines: Sequence[Line]) -> None:
    """The table, with what missed its goal marked."""
    table = Table("what", "figure", "goal", title=f"The messages of {WEEK}, {os.cpu_count()} cores")
    for line in lines:
        table.add_row(line.what, line.figure, line.goal if line.held else f"MISSED: {line.goal}")
    Console(width=120).print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    exit_now(0 if main(parser.parse_args().repetitions) else 1)
