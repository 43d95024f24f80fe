"""The servers of `.mcp.json` asked from Python, in this process and over HTTP."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from desk.platform.mcp.tool_calling import ToolUnreachable
from desk.sources import client
from tests.support.addresses.session import SESSION, server_with_sessions
from tests.support.knowledge.process import http_server
from tests.support.processes.homes import home_environment

THEN = datetime(2026, 9, 1, tzinfo=UTC)
AFTER_W44 = datetime(2026, 11, 2, 7, tzinfo=UTC)

Project = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of the test's own, and the desk's own `.mcp.json`."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder with an `.mcp.json` of the servers that are named."""

    def made(**servers: dict[str, Any]) -> Path:
        (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
        return tmp_path

    return made


def test_each_function_asks_once_and_answers_typed() -> None:
    ticket = client.fetch_ticket("DESK-101")
    assert (ticket.id, ticket.status, ticket.assignee) == ("DESK-101", "In review", "Ines Varga")
    hits = client.search_web("redistribution licence Quillmark", limit=3)
    assert len(hits) == 3
    pdf = next(hit for hit in hits if hit.url.endswith(".pdf"))
    assert client.get_pdf(pdf.url).pages[0].page_number == 1
    document = client.get_doc("runbook-fixing-outage")
    assert document.markdown and document.html.startswith("<")


def test_a_ticket_is_told_as_it_stood() -> None:
    with client.connected() as sources:
        assert sources.fetch_ticket("DESK-102", as_of=THEN).status == "Done"
        assert sources.fetch_ticket("DESK-101", as_of=THEN).status == "In progress"


def test_figures_are_asked_in_the_same_way() -> None:
    with client.connected() as sources:
        last = sources.get_quote("USD/JPY", as_of=AFTER_W44).value
        days = sources.get_historical(
            "USD/JPY", date(2026, 10, 1), date(2026, 10, 30), as_of=AFTER_W44
        )
        assert days.values[-1] == last
        rates = sources.get_policy_rate("US", "JP", as_of=AFTER_W44).rates
        assert [rate.area for rate in rates] == ["US", "JP"]
        decided = sources.get_rate_decisions(
            "US", start=date(2026, 1, 1), end=date(2026, 6, 30), as_of=AFTER_W44
        )
        assert decided.decisions
        assert {tool.tool for tool in sources.tools("knowledge")} >= {"get_doc", "fetch_ticket"}


def test_what_is_not_there_is_a_refusal_with_the_nearest() -> None:
    with pytest.raises(client.ToolRefused, match=r"no ticket DESK-10100; nearest: .*DESK-101"):
        client.fetch_ticket("DESK-10100")


async def test_questions_are_asked_side_by_side_in_one_session() -> None:
    async with client.connected_async() as sources:
        tickets = await asyncio.gather(
            *(sources.fetch_ticket(f"DESK-{number}") for number in (101, 102, 103))
        )
    assert [ticket.id for ticket in tickets] == ["DESK-101", "DESK-102", "DESK-103"]


async def test_the_plain_functions_work_where_a_loop_runs() -> None:
    assert client.fetch_ticket("DESK-101").status == "In review"


def test_a_server_that_is_too_slow_is_given_up_after_the_timeout(project: Project) -> None:
    with (
        http_server("--latency", "1500") as slow,
        client.connected(project=project(knowledge={"url": slow.url}), timeout=0.5) as sources,
        pytest.raises(ToolUnreachable, match=r"within 0\.5 s"),
    ):
        sources.fetch_ticket("DESK-101")


def test_the_id_of_a_session_is_told_where_the_server_names_one(project: Project) -> None:
    with (
        server_with_sessions() as url,
        client.connected(project=project(older={"url": url})) as sources,
    ):
        assert sources.session_id("older") is None
        for _ in range(2):
            assert sources.call("older", "mumble", {}) == {"text": "held"}
        assert sources.session_id("older") == SESSION


def test_an_answer_of_another_form_is_said_to_be_one(project: Project) -> None:
    with (
        server_with_sessions() as url,
        client.connected(project=project(older={"url": url})) as sources,
        pytest.raises(client.OtherForm, match="another form than TicketAnswer"),
    ):
        sources.fetch_ticket("A-1", server="older")
