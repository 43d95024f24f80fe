"""Dead letters that are tried again together in `desk serve`: each is told of."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from urllib.parse import parse_qs

import pytest
from starlette.testclient import TestClient
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.settings import ServeSettings
from starters.operations.dead_letters import FoundLetter
from starters.operations.serve.application import application
from starters.operations.serve.command import hosts_of
from starters.operations.serve.pages import retry
from starters.operations.serve.pages.decide import MOST_LETTERS
from starters.operations.serve.pages.retry import SILENT, TOO_MANY, UNASKED, retry_each
from starters.operations.serve.serving.guard import Admission
from starters.operations.serve.serving.hosting import DeskKeeper
from starters.operations.serve.serving.site import Site
from starters.session import Desk
from starters.terminal.exit_status import CommandError
from tests.support.processes.homes import home_settings
from tests.unit.starters.weeks.test_cli_output import letter

HERE = "http://127.0.0.1:8250"
FULL = CommandError("2026-W44 has 200 revisions, the most there can be")
AWAY = RPCError("gone", RPCStatusCode.UNAVAILABLE, b"")


class Runs:
    """Runs that do letters again, apart from those that cannot be."""

    def __init__(self, wrong: Mapping[str, Exception]) -> None:
        self.wrong = wrong
        self.asked: list[str] = []

    async def again(self, name: str) -> str:
        self.asked.append(name)
        if name in self.wrong:
            raise self.wrong[name]
        return f"run-of-{name}"


async def test_a_letter_that_cannot_be_tried_keeps_none_of_the_others_from_it() -> None:
    runs = Runs({"c": FULL})
    tried = await retry_each(["a", "b", "c", "d"], runs.again)
    assert [each.run for each in tried] == ["run-of-a", "run-of-b", None, "run-of-d"]
    assert tried[2].wrong == str(FULL)


async def test_behind_a_silent_server_nothing_more_is_asked_for() -> None:
    runs = Runs({"b": AWAY})
    tried = await retry_each(["a", "b", "c"], runs.again)
    assert [(each.run, each.wrong) for each in tried] == [
        ("run-of-a", None),
        (None, SILENT),
        (None, UNASKED),
    ]
    assert runs.asked == ["a", "b"]


async def test_letters_that_are_too_many_are_told_of() -> None:
    names = [f"l{number}" for number in range(MOST_LETTERS + 2)]
    runs = Runs({})
    tried = await retry_each(names, runs.again)
    assert [each.letter for each in tried] == names
    assert [each.letter for each in tried if each.wrong == TOO_MANY] == names[-2:]
    assert runs.asked == names[:-2]


@pytest.mark.parametrize("error", [FULL, AWAY])
async def test_one_letter_alone_fails_as_any_page_does(error: Exception) -> None:
    with pytest.raises(type(error)):
        await retry_each(["a"], Runs({"a": error}).again)


class Kept(DeskKeeper):
    """A keeper of a desk whose server nobody asks."""

    @property
    def desk(self) -> Desk:
        return cast("Desk", SimpleNamespace())


def test_the_page_names_those_that_are_tried_again_and_those_that_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found(_: Desk) -> list[FoundLetter]:
        runs = {"JP": "W44", "US": "W44", "CH": "W44", "GB": "W43"}
        return [letter(f"weekly-2026-{week}/market/{name}") for name, week in runs.items()]

    async def retried(_: Desk, chosen: FoundLetter) -> SimpleNamespace:
        if chosen.workflow_id.endswith("CH"):
            raise FULL
        run = chosen.workflow_id.partition("/")[0]
        return SimpleNamespace(workflow_id=f"{run}-again")

    monkeypatch.setattr(retry, "letters_at", found)
    monkeypatch.setattr(retry, "retried_at", retried)
    where = ServeSettings()
    site = Site(home_settings(tmp_path), Kept(), Admission.of(where, None))
    browser = TestClient(
        application(site, hosts_of(where)),
        base_url=HERE,
        client=("127.0.0.1", 50_000),
        follow_redirects=False,
    )
    names = [f"weekly-2026-W44/market/{name}" for name in ("JP", "CH", "US")]
    some = browser.post("/retry", data={"letter": names}, headers={"Origin": HERE})
    assert some.status_code == 409
    kept_from, _, begun = some.text.partition("<h2>Tried again</h2>")
    assert names[1] in kept_from and "the most there can be" in kept_from
    assert names[0] in begun and names[2] in begun and "/runs/weekly-2026-W44-again" in begun
    assert names[1] not in begun
    every = browser.post("/retry", data={"letter": names[::2]}, headers={"Origin": HERE})
    assert every.status_code == 303
    assert every.headers["location"] == "/runs/weekly-2026-W44-again"
    two_runs = browser.post(
        "/retry",
        data={"letter": ["weekly-2026-W43/market/GB", names[0]]},
        headers={"Origin": HERE},
    )
    path, _, query = two_runs.headers["location"].partition("?")
    assert path == "/runs/weekly-2026-W44-again"
    assert parse_qs(query)["note"] == [
        "2 tasks are tried again: in this run, and in `weekly-2026-W43-again`"
    ]
