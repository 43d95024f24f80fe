"""What a command says of what keeps failing in the run it follows, and that it is over."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.runs.graph import GraphStatus
from desk.contracts.runs.week import WeekStatus
from starters.questions import follow
from starters.runs import following, watching
from starters.runs import stalls as stalls_module
from starters.runs.progress import TimedLines
from starters.runs.stalls import BUSY, GOES_ON, SILENT, StallMonitor
from starters.weeks.backfill import command
from starters.weeks.backfill.command import PastWeeks
from tests.support.documents.reports import sample_report
from tests.unit.starters.monitoring.test_watch import look
from tests.unit.starters.questions.test_cli_ask_progress import status as graph_status
from tests.unit.starters.weeks.test_cli_output import FILES

FAILING = "publish report has failed and is tried again: File exists"
UNSAID = RPCError("busy", RPCStatusCode.UNAVAILABLE, b"")

Moment = tuple[bool, str | None]
"""Whether the run answers, and what keeps failing in it."""


class Lines(TimedLines):
    """What is said, in plain lines; a status says nothing here."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        super().__init__(self.stream)

    def update(self, status: object) -> None:
        """Show nothing."""

    @property
    def said(self) -> list[str]:
        """The sentences without their times."""
        return [line.partition(" s  ")[2] for line in self.stream.getvalue().splitlines()]


@pytest.fixture(autouse=True)
def never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look is due, and nothing waits between looks."""
    monkeypatch.setattr(stalls_module, "SILENCE_SECONDS", -1.0)
    monkeypatch.setattr(following, "POLL_SECONDS", 0.0)


def given(monkeypatch: pytest.MonkeyPatch, status: Any, *moments: Moment) -> None:
    """A run that is as in the moments, one after another, and has published after the last."""
    left = list(moments)
    failing: str | None = None

    async def shown(*_: object) -> Any:
        nonlocal failing
        answers, failing = left.pop(0)
        return status(ended=not left) if answers else None

    async def trouble(_: object) -> str | None:
        return failing

    @asynccontextmanager
    async def open_still(_: object) -> AsyncIterator["asyncio.Future[None]"]:
        yield asyncio.get_running_loop().create_future()

    async def nobody(_: object) -> bool:
        return False

    monkeypatch.setattr(following, "is_polled", nobody)
    monkeypatch.setattr(following, "show_status", shown)
    monkeypatch.setattr(following, "until_closed", open_still)
    monkeypatch.setattr(stalls_module, "problem_of", trouble)


def week_status(*, ended: bool) -> WeekStatus:
    found = look(markets=("USD/JPY",), phase=Phase.PUBLISHING).status
    assert found is not None
    if not ended:
        return found
    report = sample_report()
    published = {"revisions": report.revisions, "coverage": report.coverage, "files": FILES}
    return found.model_copy(update=published)


COME_BACK: tuple[Moment, ...] = (
    (True, None),
    (True, FAILING),
    (True, FAILING),
    (True, None),
    (False, None),
    (False, None),
    (True, None),
    (True, FAILING),
    (True, None),
)
TOLD = [FAILING, GOES_ON, SILENT, GOES_ON, FAILING, GOES_ON]


async def test_a_week_says_what_holds_it_up_and_that_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines, run = (
        Lines(),
        SimpleNamespace(client=None, handle=None, workflow_id="weekly", run_id="1"),
    )
    given(monkeypatch, week_status, *COME_BACK)
    await watching.wait_until_published(run, "2026-W44", lines)  # type: ignore[arg-type]
    assert lines.said == TOLD


async def test_a_question_says_what_holds_it_up_and_that_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def status(*, ended: bool) -> GraphStatus:
        phase = Phase.AWAITING_HORIZON if ended else Phase.RESEARCHING
        return graph_status(phase=phase).model_copy(update={"files": FILES if ended else None})

    async def published(_: object) -> Any:
        return "the answer"

    lines = Lines()
    run: Any = SimpleNamespace(client=None, handle=None)
    given(monkeypatch, status, *COME_BACK)
    answered = await follow.wait_for_answer(run, lines, published)
    assert (answered.result, lines.said) == ("the answer", TOLD)


class Handle:
    """A run's handle whose calls for the result end as given, the last with the result."""

    def __init__(self, *ends: RPCStatusCode) -> None:
        self._ends = iter(ends)

    async def result(self, **_: object) -> str:
        """The result, once no end is left."""
        for status in self._ends:
            raise RPCError("lost", status, b"")
        return "the result"


@pytest.mark.parametrize(
    "lost",
    [RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED, RPCStatusCode.INTERNAL],
)
async def test_a_lost_call_for_the_result_is_no_end_of_the_run(lost: RPCStatusCode) -> None:
    handle: Any = Handle(lost, lost)
    async with following.until_closed(handle) as closed:
        assert await closed == "the result"


async def test_a_run_that_is_gone_is_closed() -> None:
    handle: Any = Handle(RPCStatusCode.NOT_FOUND)
    async with following.until_closed(handle) as closed:
        await asyncio.wait({closed})
        assert isinstance(closed.exception(), RPCError)


async def test_past_weeks_say_each_what_holds_it_up_and_that_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines, weeks = Lines(), PastWeeks((), again=False)
    weeks._runs = {week: SimpleNamespace(handle=week) for week in ("W1", "W2")}  # type: ignore[misc]
    failing: Iterator[dict[str, str]] = iter([{"W1": FAILING}, {"W1": FAILING, "W2": FAILING}, {}])
    for found in failing:
        monkeypatch.setattr(command, "problem_of", _answering(found))
        await weeks._report_problems(["W1", "W2"], lines)
    assert lines.said == [
        f"W1: {FAILING}",
        f"W2: {FAILING}",
        f"W1: {GOES_ON}",
        f"W2: {GOES_ON}",
    ]


def _answering(found: dict[str, str]) -> Any:
    async def trouble(handle: str) -> str | None:
        return found.get(handle)

    return trouble


async def test_a_server_that_does_not_say_takes_nothing_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str | None] = []
    answers: list[str | RPCError | None] = [FAILING, UNSAID, FAILING, None]
    stalls = StallMonitor(told.append)

    async def trouble(_: object) -> str | None:
        found = answers.pop(0)
        if isinstance(found, RPCError):
            raise found
        return found

    monkeypatch.setattr(stalls_module, "problem_of", trouble)
    while answers:
        await stalls.check(None, answers=True)  # type: ignore[arg-type]
    assert told == [FAILING, None]


async def test_a_run_is_asked_now_and_then_and_not_at_every_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[object] = []

    async def trouble(handle: object) -> None:
        looked.append(handle)

    monkeypatch.setattr(stalls_module, "problem_of", trouble)
    monkeypatch.setattr(stalls_module, "SILENCE_SECONDS", 1e9)
    later, at_once = StallMonitor(looked.append), StallMonitor(looked.append, at_once=True)
    for _ in range(3):
        await later.check("later", answers=True)  # type: ignore[arg-type]
        await at_once.check("at once", answers=True)  # type: ignore[arg-type]
    assert looked == ["at once"]


@pytest.mark.parametrize(
    ("is_there", "patience", "said"),
    [(False, 1e9, [SILENT]), (True, 1e9, []), (True, -1.0, [BUSY])],
    ids=["no worker", "a worker that is busy", "a worker that is busy for long"],
)
async def test_a_worker_that_is_busy_is_no_trouble(
    is_there: bool, patience: float, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str | None] = []

    async def nothing(_: object) -> None:
        return None

    async def polled() -> bool:
        return is_there

    monkeypatch.setattr(stalls_module, "problem_of", nothing)
    monkeypatch.setattr(stalls_module, "BUSY_SECONDS", patience)
    stalls = StallMonitor(told.append, polled=polled)
    for answers in (False, False, True):
        await stalls.check(None, answers=answers)  # type: ignore[arg-type]
    assert told == [*said, *([None] if said else [])]
