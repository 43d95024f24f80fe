"""What an earlier answer lacked, and whether it has been installed since."""

import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.extras import Extra
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import WorkflowType
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.graph import GraphResult
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from starters.questions import answer_run
from starters.questions.answer_run import PROJECT, AnswerRequest, AnswerRun, installed_since
from starters.questions.follow import AnsweredRun
from starters.runs import command_run
from starters.runs.server_runs import RunStart
from starters.session import Desk
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.answers import FINISHED_AT, ticket_record
from tests.support.runs.desk import pair

BEGAN = datetime(2026, 11, 2, 12, tzinfo=UTC)
LATER, EARLIER = BEGAN + timedelta(hours=1), BEGAN - timedelta(hours=1)

Install = Callable[[str, datetime], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Packages of a project whose extra `swarm` asks for two."""

    def installed(name: str, when: datetime, *needs: str) -> None:
        folder = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        lines = (f"Requires-Dist: {need}" for need in needs)
        head = ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *lines)
        (folder / "METADATA").write_text("\n".join(head))
        record = folder / "RECORD"
        record.write_text(f"{folder.name}/METADATA,,\n{folder.name}/RECORD,,\n")
        os.utime(record, (when.timestamp(), when.timestamp()))

    # Found before the project itself.
    monkeypatch.syspath_prepend(tmp_path)
    installed(
        PROJECT,
        LATER,
        "always>=1",
        'series-one>=0.8; extra == "swarm"',
        "series.two>=0.1 ; python_version >= '3.11' and extra == 'swarm'",
        'swarmless; extra == "swarmless"',
    )
    return installed


def lacking(*missing: str, error: str | None = None) -> AnswerReport:
    """An answer that lacks something, or of which a node failed."""
    answer = compile_answer(ticket_record(), finished_at=FINISHED_AT)
    nodes = tuple(line.model_copy(update={"error": error}) for line in answer.nodes[:1])
    return answer.model_copy(update={"missing": missing, "nodes": nodes})


TOLD = "RSI: it needs TA-Lib, which is not installed; run `make install-swarm`."


def test_what_was_installed_since_is_named_once(install: Install) -> None:
    install("series-one", LATER)
    install("series.two", EARLIER)
    assert installed_since(lacking(TOLD, TOLD), BEGAN) == (Extra.SWARM,)
    assert installed_since(lacking(error=TOLD), BEGAN) == (Extra.SWARM,)


def test_what_was_there_already_brings_nothing(install: Install) -> None:
    install("series-one", EARLIER)
    install("series.two", EARLIER)
    assert installed_since(lacking(TOLD), BEGAN) == ()


def test_what_is_installed_in_part_is_lacking_still(install: Install) -> None:
    install("series-one", LATER)
    assert installed_since(lacking(TOLD), BEGAN) == ()


@pytest.mark.parametrize(
    "answer",
    [None, lacking("There was no news."), lacking("Run `make install-nothing`.")],
    ids=["unreadable", "nothing", "unknown"],
)
def test_who_lacked_no_package_has_an_answer(install: Install, answer: AnswerReport | None) -> None:
    install("series-one", LATER)
    install("series.two", LATER)
    assert installed_since(answer, BEGAN) == ()


def test_without_a_record_of_its_files_nobody_knows_when_a_package_came(
    install: Install, tmp_path: Path
) -> None:
    install("series-one", LATER)
    install("series.two", EARLIER)
    (tmp_path / "series_one-1.0.dist-info" / "RECORD").unlink()
    assert installed_since(lacking(TOLD), BEGAN) == ()


class Server:
    """Knows one run, which is closed or has published and goes on; one that is started ends it."""

    def __init__(self, files: PublishedFiles, *, waits: bool) -> None:
        self._run: Any = SimpleNamespace(
            workflow_id="swarm-1", run_id="first", started_at=BEGAN, open=waits
        )
        self._result = GraphResult(
            outcome=Outcome.INCOMPLETE, files=files, summary="As it was.", seconds=1
        )
        self.replaced: list[bool] = []

    async def described(self, *_: object) -> Any:
        return self._run

    async def answer(self, _: object) -> GraphResult:
        return self._result

    async def start(self, *_: object, replace: bool) -> Any:
        self.replaced.append(replace)
        return SimpleNamespace(workflow_id="swarm-1", run_id="second", open=True)

    async def followed(self, run: Any, *_: object) -> AnsweredRun[GraphResult]:
        return AnsweredRun(run, self._result)


@pytest.fixture
def files(tmp_path: Path) -> PublishedFiles:
    """Where an answer stands that lacked TA-Lib."""
    return publish_answer(lacking(TOLD), tmp_path / "answers")


def printed(server: Server, monkeypatch: pytest.MonkeyPatch) -> AnsweredRun[GraphResult]:
    """The answer that a command prints with this server."""
    shown: list[AnsweredRun[GraphResult]] = []

    async def with_desk(settings: Any, work: Callable[[Desk], Awaitable[ExitStatus]]) -> ExitStatus:
        client: Any = None
        return await work(Desk(client, settings, hosting=True))

    def show(_: Desk, answered: AnsweredRun[GraphResult]) -> ExitStatus:
        shown.append(answered)
        return ExitStatus.COMPLETE

    for name, does in {
        "run_described": server.described,
        "answer_of": server.answer,
        "wait_for_answer": server.followed,
    }.items():
        monkeypatch.setattr(answer_run, name, does)
    monkeypatch.setattr(command_run, "with_desk", with_desk)
    monkeypatch.setattr(command_run, "start_run", server.start)
    settings: Any = SimpleNamespace(external=False)
    start = RunStart(WorkflowType.RESEARCH_SWARM, "swarm-1", lacking(), GraphResult, "about")
    config = RunConfig(markets=(pair("USD/JPY"),))
    asking = AnswerRequest(start, config, ("desk", "swarm"), show, published=server.answer)
    AnswerRun(asking).run_command(settings)
    (answered,) = shown
    return answered


@pytest.mark.parametrize("waits", [False, True], ids=["closed", "waiting"])
def test_an_answer_that_lacked_what_was_installed_since_is_asked_anew_and_said_to_be(
    install: Install,
    files: PublishedFiles,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    waits: bool,
) -> None:
    install("series-one", LATER)
    install("series.two", LATER)
    server = Server(files, waits=waits)
    assert not printed(server, monkeypatch).before
    assert server.replaced == [True]
    told = " ".join(capsys.readouterr().err.split())
    assert "swarm-1 lacked what the extra swarm has brought since; asking anew" in told


@pytest.mark.parametrize("waits", [False, True], ids=["closed", "waiting"])
def test_an_answer_that_lacks_it_still_is_printed_as_it_is(
    install: Install, files: PublishedFiles, monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    install("series-one", EARLIER)
    install("series.two", EARLIER)
    server = Server(files, waits=waits)
    assert printed(server, monkeypatch).before
    assert server.replaced == []
