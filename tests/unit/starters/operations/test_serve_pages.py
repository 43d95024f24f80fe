"""What pages of `desk serve` say of agents and sources, and what its forms start."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from desk.analytics.names.periods import span_given
from desk.contracts.names import AgentId
from desk.contracts.runs.swarm import SwarmRequest
from desk.platform.settings import ServeSettings
from desk.programs.swarm.objectives import OVER_SPAN
from starters.monitoring.agents.command import DeskAgents, desk_agents
from starters.monitoring.agents.work import DeskWork, Fleet, QueueState, WorkCounts
from starters.operations.serve.application import application
from starters.operations.serve.command import hosts_of
from starters.operations.serve.pages import health, start
from starters.operations.serve.serving.guard import Admission
from starters.operations.serve.serving.hosting import DeskKeeper
from starters.operations.serve.serving.site import Site
from starters.runs.server_runs import RunStart
from starters.session import Desk
from tests.support.processes.homes import home_settings
from workers.needed_sources import agent_queues

HERE = "http://127.0.0.1:8250"
NOW = datetime(2026, 11, 2, 7, tzinfo=UTC)


class Kept(DeskKeeper):
    """A keeper of a desk whose server nobody asks."""

    @property
    def desk(self) -> Desk:
        return cast("Desk", SimpleNamespace())


@pytest.fixture
def browser(tmp_path: Path) -> TestClient:
    where = ServeSettings()
    site = Site(home_settings(tmp_path), Kept(), Admission.of(where, None))
    return TestClient(
        application(site, hosts_of(where)),
        base_url=HERE,
        client=("127.0.0.1", 50_000),
        follow_redirects=False,
    )


def found(record: DeskWork, *, polled: bool = True) -> DeskAgents:
    """A desk of two sources that did some work, with or without workers."""
    sources = {"ecb": (AgentId.VALIDATOR,), "google_news": (AgentId.VALIDATOR,)}
    queues = [*map(str, agent_queues().values()), *(f"source.{server}" for server in sources)]
    last = NOW if polled else None
    looks = {queue: QueueState(queue, 0, timedelta(0), last) for queue in queues}
    return desk_agents(Fleet(workers=(), queues=looks), record, agent_queues(), sources, now=NOW)


def said(browser: TestClient, monkeypatch: pytest.MonkeyPatch, told: DeskAgents) -> str:
    async def agents_at(_: Desk) -> DeskAgents:
        return told

    monkeypatch.setattr(health, "agents_at", agents_at)
    return browser.get("/agents").text.partition("<main")[2]


def test_how_a_source_is_comes_from_its_calls_and_not_from_the_page_that_asks(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = DeskWork()
    record.queues["source.google_news"] = WorkCounts(finished=1, failed=5)
    text = said(browser, monkeypatch, found(record))
    assert "is degraded: 5 of its 6 calls failed." in text
    sources = text.partition("<h2>Sources</h2>")[2]
    assert "Not asked in this time: ecb." in sources
    assert "ealthy" not in sources


def test_a_desk_that_nobody_asked_needs_no_attention(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = said(browser, monkeypatch, found(DeskWork()))
    assert "Nothing needs attention: a worker polls for each of the" in text
    assert "Not asked in this time: ecb, google news." in text


def test_a_desk_that_is_not_up_is_one_line_and_no_breakdown(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = said(browser, monkeypatch, found(DeskWork(), polled=False))
    assert "No worker runs, so nothing is at work: <code>desk up</code> starts the desk." in text
    assert "No worker polls" not in text and "offline" not in text


def test_an_objective_looks_as_far_back_as_its_form_says(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[SwarmRequest] = []

    async def answer(_: Desk, __: Any, ___: Any, run: RunStart[Any], *rest: object) -> object:
        assert isinstance(run.request, SwarmRequest)
        begun.append(run.request)
        return SimpleNamespace(workflow_id=run.workflow_id)

    monkeypatch.setattr(start, "_answer", answer)
    sent = {"objective": "Is the yen dear?", "about": "dear", "over": "1y"}
    sent |= {"rounds": "2", "answer_within": "3d"}
    taken = browser.post("/swarm", data=sent, headers={"Origin": HERE})
    assert taken.status_code == 303, taken.text
    assert begun[0].query.parameters[OVER_SPAN] == span_given("1y").words
    assert begun[0].memory
    unremembered = browser.post("/swarm", data=sent | {"no_memory": "no"}, headers={"Origin": HERE})
    assert unremembered.status_code == 303 and not begun[1].memory
    refused = browser.post("/swarm", data=sent | {"about": "carry"}, headers={"Origin": HERE})
    assert refused.status_code == 422
    assert "carry takes no “How far back”; these forms do: " in refused.text
