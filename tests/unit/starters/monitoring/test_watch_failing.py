"""What `desk watch` says of what keeps failing in a run that answers, and of one that does not."""

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from rich.console import Console
from rich.live import Live
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import (
    HistoryEvent,
    WorkflowTaskCompletedEventAttributes,
    WorkflowTaskFailedEventAttributes,
)
from temporalio.api.workflow.v1 import PendingWorkflowTaskInfo
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse

from desk.contracts.agents.search_attributes import Phase
from starters.monitoring.watch import command, snapshot
from starters.monitoring.watch.screen import JsonDisplay, LiveDisplay, PlainDisplay, WatchDisplay
from starters.monitoring.watch.snapshot import RunSnapshot
from starters.runs import stalls
from starters.runs.stalls import GOES_ON, SILENT, problem_of
from tests.support.documents.reports import sample_report
from tests.support.processes.homes import home_settings
from tests.unit.starters.monitoring.test_watch import activity, look
from tests.unit.starters.weeks.test_cli_output import FILES

FAILING = "publish report has failed and is tried again: File exists"


async def followed(
    shown: WatchDisplay,
    monkeypatch: pytest.MonkeyPatch,
    *moments: tuple[Phase | None, str | None],
    rarely: bool = False,
) -> None:
    """Watch a run that is in a phase, or does not answer, at each look, while something fails;
    `rarely`: it is not time to look for what fails again before the end."""
    looks = iter(moments)
    trouble: str | None = None

    async def looked(*_: object) -> RunSnapshot:
        nonlocal trouble
        phase, trouble = next(looks)
        found = look(markets=("USD/JPY",), phase=phase or Phase.PUBLISHING)
        assert found.status is not None
        report = sample_report()
        published = {"revisions": report.revisions, "coverage": report.coverage, "files": FILES}
        return found._replace(status=found.status.model_copy(update=published) if phase else None)

    async def failing(*_: object) -> str | None:
        if rarely:
            monkeypatch.setattr(stalls, "SILENCE_SECONDS", 1e9)
        return trouble

    async def nobody(_: object) -> bool:
        return False

    monkeypatch.setattr(command, "take_snapshot", looked)
    monkeypatch.setattr(command, "is_polled", nobody)
    monkeypatch.setattr(stalls, "problem_of", failing)
    monkeypatch.setattr(snapshot, "SPENDING_SECONDS", 1e9)
    monkeypatch.setattr(command, "REFRESH_SECONDS", 0.001)
    monkeypatch.setattr(stalls, "SILENCE_SECONDS", -1.0)
    client: Any = SimpleNamespace(get_workflow_handle=str)
    settings = home_settings(Path("unused"))
    await command.Watcher(client, settings, "weekly-2026-W44", "2026-W44", shown).follow()


WITH_TROUBLE = (
    (Phase.RESEARCHING, None),
    (Phase.PUBLISHING, FAILING),
    (Phase.PUBLISHING, FAILING),
    (Phase.PUBLISHING, None),
    (Phase.PUBLISHING, None),
    (Phase.OPEN_FOR_RERUNS, None),
)


async def test_what_keeps_failing_is_told_once_although_the_run_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    await followed(PlainDisplay(stream), monkeypatch, *WITH_TROUBLE)
    told = [line.partition(" s  ")[2] for line in stream.getvalue().splitlines()]
    assert told[-4:] == [
        "2026-W44: publishing",
        FAILING,
        GOES_ON,
        "2026-W44: open for reruns",
    ]


async def test_a_program_is_told_what_keeps_failing_and_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    await followed(JsonDisplay(stream, "weekly-2026-W44"), monkeypatch, *WITH_TROUBLE)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    notes = [(line["text"], line["over"]) for line in lines if line["kind"] == "note"]
    assert notes == [(FAILING, False), (GOES_ON, True)]


async def test_what_keeps_failing_stands_below_the_board_until_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    console = Console(file=io.StringIO(), width=80, height=24, force_terminal=True)
    with Live(console=console, auto_refresh=False) as live:
        await followed(LiveDisplay(live, console), monkeypatch, *WITH_TROUBLE)
        assert isinstance(console.file, io.StringIO)
        *_, before, last = console.file.getvalue().split("2026-W44")
    assert FAILING in console.file.getvalue()
    assert FAILING not in before + last


class Described(NamedTuple):
    """A run as the server describes it."""

    raw_description: DescribeWorkflowExecutionResponse

    async def describe(self) -> "Described":
        """The same."""
        return self


async def test_of_several_that_fail_that_which_holds_the_run_up_is_told_each_time() -> None:
    failing = [activity(f"deliver.{channel}.r1", failure="no route") for channel in "abc"]
    failing += [activity("list_tools.ecb"), activity("publish.r2", failure="File exists")]
    for pending in (failing, failing[::-1]):
        found = DescribeWorkflowExecutionResponse(pending_activities=pending)
        handle: Any = Described(found)
        assert (await problem_of(handle) or "").endswith("File exists")


SLOW = EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT
DONE = HistoryEvent(
    event_type=EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
    workflow_task_completed_event_attributes=WorkflowTaskCompletedEventAttributes(),
)


def failed_by(*words: str) -> HistoryEvent:
    """A workflow task that failed; without words the server gave it back."""
    failure = Failure(message=words[0]) if words else None
    return HistoryEvent(
        event_type=EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
        workflow_task_failed_event_attributes=WorkflowTaskFailedEventAttributes(failure=failure),
    )


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([DONE, HistoryEvent(event_type=SLOW)], None),
        ([failed_by("no such market"), DONE, HistoryEvent(event_type=SLOW)], None),
        ([DONE, failed_by()], None),
        ([DONE, failed_by("no such  market")], "fails and is tried again: no such market; see"),
    ],
)
async def test_a_task_that_was_only_too_slow_is_no_trouble(
    events: list[HistoryEvent], told: str | None
) -> None:
    class Tried(Described):
        async def fetch_history_events(self) -> AsyncIterator[HistoryEvent]:
            for event in events:
                yield event

    pending = PendingWorkflowTaskInfo(attempt=3)
    handle: Any = Tried(DescribeWorkflowExecutionResponse(pending_workflow_task=pending))
    said = await problem_of(handle)
    assert said is None if told is None else told in (said or "")


@pytest.mark.parametrize("failing", [None, FAILING])
async def test_what_was_told_is_looked_at_once_more_before_the_report_is_shown(
    failing: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    moments = ((Phase.PUBLISHING, FAILING), (Phase.OPEN_FOR_RERUNS, failing))
    await followed(PlainDisplay(stream), monkeypatch, *moments, rarely=True)
    assert stream.getvalue().count(FAILING) == 1
    assert (GOES_ON in stream.getvalue()) is (failing is None)


async def test_a_run_that_does_not_answer_says_so_until_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    moments = ((Phase.RESEARCHING, None), (None, None), (None, None), (Phase.RESEARCHING, None))
    await followed(PlainDisplay(stream), monkeypatch, *moments, (Phase.OPEN_FOR_RERUNS, None))
    told = [line.partition(" s  ")[2] for line in stream.getvalue().splitlines()]
    assert told[-3:] == [f"{SILENT}; see `desk agents`", GOES_ON, "2026-W44: open for reruns"]
