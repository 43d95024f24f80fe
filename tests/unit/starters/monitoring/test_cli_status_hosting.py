"""What `desk status` starts where no desk is up."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from desk.contracts.agents.search_attributes import Phase
from starters.monitoring import status as status_command
from starters.monitoring import week_status
from starters.session import Desk, Work
from starters.terminal.exit_status import ExitStatus
from tests.support.processes.homes import PROJECT
from tests.unit.starters.monitoring.test_watch import look

ASKED = """
import json, sys
from starters.main import execute
status = execute(["status", "--week", "2026-W44"])
print(json.dumps([status, "temporalio" in sys.modules]))
"""


def test_where_no_desk_was_ever_up_no_server_is_started_and_no_sdk_is_loaded(
    tmp_path: Path,
) -> None:
    asked = subprocess.run(
        (sys.executable, "-c", ASKED),
        cwd=PROJECT,
        env={**os.environ, "DESK_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stderr == (
        "desk: no run of 2026-W44 is known; `desk run --week 2026-W44` researches one\n"
    )
    assert json.loads(asked.stdout) == [ExitStatus.FAILED, False]


@pytest.mark.parametrize(("is_open", "started"), [(True, ["query worker"]), (False, [])])
def test_an_open_run_is_asked_by_a_worker_that_runs_no_activities(
    is_open: bool, started: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[str] = []
    run = SimpleNamespace(open=is_open, workflow_id="weekly-2026-W44", run_id="run-1")
    client: Any = SimpleNamespace(namespace="default")

    async def at_a_server(settings: Any, work: Work[ExitStatus], *, server_only: bool) -> Any:
        assert server_only
        return await work(Desk(client, settings, hosting=True))

    @contextlib.asynccontextmanager
    async def worker(_: Desk) -> AsyncIterator[None]:
        begun.append("query worker")
        yield

    async def found(*_: object) -> Any:
        return run, "2026-W44"

    async def told(*_: object) -> Any:
        return look(markets=("USD/JPY",), phase=Phase.RESEARCHING).status

    async def newest(*_: object) -> str:
        return "2026-W44"

    monkeypatch.setattr(status_command, "never_up", lambda _: False)
    monkeypatch.setattr(status_command, "log_to_file", lambda _: None)
    monkeypatch.setattr(status_command, "with_desk", at_a_server)
    monkeypatch.setattr(status_command, "with_query_worker", worker)
    monkeypatch.setattr(week_status, "run_at", found)
    monkeypatch.setattr(week_status, "status_of", told)
    monkeypatch.setattr(week_status, "newest_week", newest)
    monkeypatch.setenv("DESK_HOME", str(tmp_path))
    assert status_command.show_status(None, as_json=True) is ExitStatus.COMPLETE
    assert begun == started
