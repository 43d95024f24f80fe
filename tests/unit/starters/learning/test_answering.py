"""Which workers a command starts that reads at a desk which is not up."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from starters.learning import answering as answering_module
from starters.learning import queries
from starters.learning.answering import answering
from starters.learning.hypotheses import command as hypotheses
from starters.session import Desk
from tests.support.processes.homes import home_settings


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The workers that were started."""
    names: list[str] = []

    def worker(name: str) -> Callable[[Desk], Any]:
        @contextlib.asynccontextmanager
        async def started(_: Desk) -> AsyncIterator[None]:
            names.append(name)
            yield

        return started

    async def required(*_: object) -> None:
        names.append("those of another process")

    async def has_due_work(_client: object, workflow_id: str, _now: object) -> bool:
        return workflow_id == "due"

    monkeypatch.setattr(answering_module, "with_workers", worker("all"))
    monkeypatch.setattr(answering_module, "with_query_worker", worker("for queries"))
    monkeypatch.setattr(answering_module, "require_workers", required)
    monkeypatch.setattr(answering_module, "has_due_work", has_due_work)
    return names


@pytest.mark.parametrize(
    ("hosting", "workflows", "started"),
    [
        (True, (), []),
        (True, ("waits",), ["for queries"]),
        (True, ("waits", "due"), ["all"]),
        (False, ("due",), ["those of another process"]),
    ],
)
async def test_only_what_is_due_needs_all_workers(
    hosting: bool, workflows: tuple[str, ...], started: list[str], begun: list[str], tmp_path: Path
) -> None:
    client: Any = SimpleNamespace()
    async with answering(Desk(client, home_settings(tmp_path), hosting=hosting), workflows):
        assert begun == started


@pytest.mark.parametrize("command", ["learn", "hypotheses"])
def test_a_command_that_reads_starts_a_server_without_workers(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[bool] = []

    async def at_a_server(_settings: object, _work: object, *, server_only: bool = False) -> Any:
        asked.append(server_only)
        return []

    settings = home_settings(tmp_path)
    for module in (queries, hypotheses):
        monkeypatch.setattr(module, "with_desk", at_a_server)
        monkeypatch.setattr(module, "log_to_file", lambda _: None)
    monkeypatch.setattr(hypotheses, "load_settings", lambda: settings)
    if command == "learn":
        queries.learned(settings, None)
    else:
        hypotheses.list_hypotheses(state=None, market=None, as_json=False)
    assert asked == [True]
