"""`desk status` waits for a worker that is busy, and says so of one that is not there."""

from types import SimpleNamespace
from typing import Any

import pytest

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.names import Queue
from desk.contracts.runs.week import WeekStatus
from starters.monitoring import week_status as status_command
from starters.terminal.exit_status import CommandError
from tests.unit.starters.monitoring.test_watch import look
from workers import health

DESK: Any = SimpleNamespace(client=None)
RUN: Any = SimpleNamespace(open=True, handle=None, workflow_id="weekly-2026-W44")


def given(
    monkeypatch: pytest.MonkeyPatch, *answers: WeekStatus | None, unpolled: tuple[str, ...] = ()
) -> None:
    """What the run answers, one question after another, then nothing; and the queues that nobody
    polls."""
    left = list(answers)

    async def answered(*_: object, within: float) -> WeekStatus | None:
        return left.pop(0) if left else None

    async def nobody(*_: object) -> tuple[str, ...]:
        return unpolled

    async def still_open(*_: object) -> Any:
        return RUN

    monkeypatch.setattr(status_command, "query_status_or_none", answered)
    monkeypatch.setattr(health, "unpolled", nobody)
    monkeypatch.setattr(status_command, "known_run", still_open)


async def test_a_busy_worker_is_asked_again_until_it_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status = look(markets=("USD/JPY",), phase=Phase.RESEARCHING).status
    given(monkeypatch, None, None, None, status)
    assert await status_command.status_of(DESK, RUN, "2026-W44") is status
    assert capsys.readouterr().err == "desk: the run has not answered yet; waiting for its worker\n"


async def test_a_run_that_nobody_works_on_is_said_to_be_so_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given(monkeypatch, unpolled=(Queue.DESK,))
    with pytest.raises(CommandError, match=r"no worker polls the queue 'desk'; .*`desk up`"):
        await status_command.status_of(DESK, RUN, "2026-W44")


async def test_a_worker_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch)
    monkeypatch.setattr(status_command, "ANSWER_PATIENCE_SECONDS", 0.0)
    with pytest.raises(CommandError, match="has not answered for"):
        await status_command.status_of(DESK, RUN, "2026-W44")
