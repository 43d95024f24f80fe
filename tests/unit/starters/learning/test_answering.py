"""Which workers a command starts that reads at a desk which is not up."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.settings import Settings
from starters import session
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
        if workflow_id == "unread":
            pytest.fail("its history was read")
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


async def test_no_more_is_read_once_work_is_due(begun: list[str], tmp_path: Path) -> None:
    client: Any = SimpleNamespace()
    desk = Desk(client, home_settings(tmp_path), hosting=True)
    async with answering(desk, ("due", "unread")):
        assert begun == ["all"]


class EmptyServer:
    """A server that has no workflows."""

    async def list_workflows(self, _query: str) -> AsyncIterator[Any]:
        workflows: list[Any] = []
        for each in workflows:
            yield each

    def get_workflow_handle(self, _workflow_id: str) -> Any:
        return SimpleNamespace(query=self._query)

    async def _query(self, *_: object, **__: object) -> Any:
        raise RPCError("no such workflow", RPCStatusCode.NOT_FOUND, b"")


@pytest.mark.parametrize(("command", "started"), [("learn", ["for queries"]), ("hypotheses", [])])
def test_a_command_that_reads_starts_a_server_without_workers(
    command: str,
    started: list[str],
    begun: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    async def host(
        settings: Settings, work: Callable[[Desk], Any], roles: Sequence[str], **_: object
    ) -> Any:
        begun.extend(roles)
        client: Any = EmptyServer()
        return await work(Desk(client, settings, hosting=True))

    settings = home_settings(tmp_path)
    monkeypatch.setattr(session, "host", host)
    for module in (queries, hypotheses):
        monkeypatch.setattr(module, "log_to_file", lambda _: None)
    if command == "learn":
        assert queries.learned(settings, None) is None
    else:
        monkeypatch.setattr(hypotheses, "load_settings", lambda: settings)
        hypotheses.list_hypotheses(state=None, market=None, as_json=False)
    assert begun == started
