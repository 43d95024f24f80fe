"""Jira, Confluence and a folder of papers as the desk's sources, by configuration alone.

`mcp-atlassian` from PyPI and the filesystem server from npm run as they are, over stdio, each in an
environment of its own. Jira and Confluence are stood in for by an address on this machine.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import JsonValue
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.tool_calls import ToolActivities
from desk.agents.answer_form import ParsedDocument, ParsedHits, ParsedTicket, parse_answer
from desk.agents.capabilities import best_answer, call_by, routes_to, satisfies
from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.platform.effects.journal import EffectJournal
from desk.platform.mcp.pool import McpPool
from desk.platform.settings.desk_toml import read_desk_file
from desk.platform.settings.mcp_json import servers_to_serve
from desk.trust.prose.quotations import occurs_in
from tests.support.models.model_questions import Questioned
from tests.support.models.model_server import model_server
from tests.support.models.model_week import KEY
from tests.support.outside.atlassian import TOKEN, Atlassian, atlassian, issue, page
from tests.support.outside.atlassian_desk import DESK_TOML, MCP_JSON, variables
from tests.support.processes.command import DeskCommand
from tests.support.processes.homes import PROJECT
from tests.support.sources.third_party import installed, installed_by_npm

pytestmark = pytest.mark.others

MARKETS = '[markets]\npolicy_rates = [{ area = "JP", group = "Asia" }]\n'
PATIENCE = timedelta(seconds=30)
ISSUES = {
    "DESK-101": issue("DESK-101", "The fixing was late", "In Progress", "Mei Tan"),
    "DESK-102": issue("DESK-102", "Nobody has this one", "Open", None),
}
PAGE = page("4711", "Fixing times", "<p>The fixing is at <b>16:00</b>,<br/>London time.</p>")
PAPER = "# Carry\n\nCarry is not\nfree.\n"


@dataclass(frozen=True)
class Desk:
    """The tool calls of a desk with these sources, and the address behind them."""

    activities: ToolActivities
    policy: RunPolicy
    upstream: Atlassian

    async def asks(
        self,
        capability: Capability,
        *,
        as_of: datetime | None = None,
        patience: timedelta = PATIENCE,
        **arguments: JsonValue,
    ) -> ToolResult:
        """The answer of whoever has a capability, as an agent's call of it goes."""
        usual = USUAL_ROUTES[capability][0]
        call = ToolCall(
            call_id="t/1",
            server=usual.server,
            tool=usual.tool,
            arguments=arguments,
            capability=capability,
        )
        results = []
        for route in routes_to(capability, self.policy):
            results.append(await self.call(call_by(route, call), as_of, patience))
            if satisfies(results[-1]):
                break
        return best_answer(results)

    async def call(self, call: ToolCall, as_of: datetime | None, patience: timedelta) -> ToolResult:
        """One call, as the activity that makes it, and one of its own."""
        environment = ActivityEnvironment()
        environment.info = replace(
            environment.info, activity_id=str(uuid4()), start_to_close_timeout=patience
        )
        request = ToolRequest(call=call, as_of=as_of or datetime.now(UTC))
        return await environment.run(self.activities.call_tool, request)


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    folder = tmp_path_factory.mktemp("atlassian")
    papers = folder / "papers"
    papers.mkdir()
    (papers / "carry.md").write_text(PAPER)
    (folder / "mcp.json").write_text(MCP_JSON)
    (folder / "desk.toml").write_text(MARKETS + DESK_TOML)
    await asyncio.to_thread(installed, "mcp-atlassian")
    await asyncio.to_thread(installed_by_npm, "server-filesystem")
    async with AsyncExitStack() as stack:
        upstream = stack.enter_context(atlassian(ISSUES, {"4711": PAGE}))
        journal = EffectJournal(folder / "effects.db")
        stack.callback(journal.close)
        told_of = variables(upstream.url, str(papers))
        servers = servers_to_serve(folder / "mcp.json", told_of, in_process=True)
        pool = McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=folder)
        tools = ToolActivities(await stack.enter_async_context(pool), journal)
        policy = read_desk_file(folder / "desk.toml").run.policy
        yield Desk(tools, policy.model_copy(update={"sources": tuple(servers)}), upstream)


async def test_an_issue_is_a_ticket(desk: Desk) -> None:
    answer = await desk.asks(Capability.TICKET, ticket_id="DESK-101")
    assert parse_answer(answer, ParsedTicket) == ParsedTicket(
        id="DESK-101",
        status="In Progress",
        assignee="Mei Tan",
        summary="The fixing was late",
        url=f"{desk.upstream.url}/browse/DESK-101",
    )
    nobodys = await desk.asks(Capability.TICKET, ticket_id="DESK-102")
    assert parse_answer(nobodys, ParsedTicket).assignee is None, "and not somebody named Unassigned"


async def test_reading_an_issue_leaves_no_trace_at_jira(desk: Desk) -> None:
    del desk.upstream.asked[:]
    await desk.asks(Capability.TICKET, ticket_id="DESK-101")
    assert all(line.startswith("GET ") for line in desk.upstream.asked)
    (asked,) = [line for line in desk.upstream.asked if "/issue/" in line]
    assert asked.endswith("?fields=summary,status,assignee,updated&updateHistory=false")


async def test_a_page_is_a_document_and_found_by_a_search(desk: Desk) -> None:
    answer = await desk.asks(Capability.DOCUMENT, doc_id="4711")
    read = parse_answer(answer, ParsedDocument)
    assert (read.doc_id, read.title) == ("4711", "Fixing times")
    assert read.markdown.startswith("The fixing is at **16:00**,")
    (hit,) = parse_answer(
        await desk.asks(Capability.WEB_SEARCH, query="fixing"), ParsedHits
    ).results
    assert (hit.title, hit.url) == ("Fixing times", read.url)
    assert "London time" in (hit.snippet or "")


async def test_words_of_a_page_are_found_letter_by_letter_over_its_lines(desk: Desk) -> None:
    answer = await desk.asks(Capability.DOCUMENT, doc_id="4711")
    assert occurs_in("16:00**, London time.", answer.content)
    assert not occurs_in("17:00**, London time.", answer.content)


async def test_a_document_that_one_source_has_not_is_asked_of_the_next(desk: Desk) -> None:
    answer = await desk.asks(Capability.DOCUMENT, doc_id="carry.md")
    assert (answer.call.server, answer.call.tool) == ("papers", "read_text_file")
    assert parse_answer(answer, ParsedDocument) == ParsedDocument(doc_id="carry.md", markdown=PAPER)
    assert "Failed to retrieve page by ID 'carry.md'" in (answer.in_place_of or "")
    nobody = await desk.asks(Capability.DOCUMENT, doc_id="nowhere.md")
    assert not satisfies(nobody)
    assert "no such file" in json.dumps(nobody.model_dump(mode="json"))


@pytest.mark.parametrize("name", ["../mcp.json", "/etc/passwd"])
async def test_no_file_outside_of_the_folder_is_read(desk: Desk, name: str) -> None:
    answer = await desk.asks(Capability.DOCUMENT, doc_id=name)
    assert not satisfies(answer)
    assert "Access denied" in json.dumps(answer.model_dump(mode="json"))


async def test_what_a_search_does_not_find_is_an_answer_without_hits(desk: Desk) -> None:
    answer = await desk.asks(Capability.WEB_SEARCH, query="unheard of")
    assert answer.status is ToolStatus.OK and not satisfies(answer)
    assert parse_answer(answer, ParsedHits).results == ()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "a failure of Jira's: 500"),
        (401, "Authentication failed for Jira API (401)"),
        (403, "Authentication failed for Jira API (403)"),
        (429, "rate limit hit (429)"),
    ],
)
async def test_a_failure_of_jiras_is_told_in_its_words(desk: Desk, status: int, words: str) -> None:
    desk.upstream.failing = status
    try:
        ticket = await desk.asks(Capability.TICKET, ticket_id="DESK-101")
        document = await desk.asks(Capability.DOCUMENT, doc_id="4711")
    finally:
        desk.upstream.failing = 0
    assert ticket.status is ToolStatus.REFUSED
    assert words in (ticket.error or "")
    assert TOKEN not in ticket.model_dump_json()
    assert not satisfies(document)
    after = await desk.asks(Capability.TICKET, ticket_id="DESK-101")
    assert satisfies(after)


async def test_an_issue_that_is_not_there_is_refused(desk: Desk) -> None:
    answer = await desk.asks(Capability.TICKET, ticket_id="DESK-999")
    assert answer.status is ToolStatus.REFUSED
    assert "Issue DESK-999 not found" in (answer.error or "")


async def test_a_jira_that_does_not_answer_is_given_up_and_asked_again(desk: Desk) -> None:
    desk.upstream.stalls = True
    try:
        with pytest.raises(ApplicationError, match="jira_get_issue did not answer") as caught:
            await desk.asks(Capability.TICKET, ticket_id="DESK-101", patience=timedelta(seconds=2))
    finally:
        desk.upstream.stalls = False
    assert not caught.value.non_retryable
    assert satisfies(await desk.asks(Capability.TICKET, ticket_id="DESK-101"))


async def test_what_knows_no_instant_is_not_asked_about_the_past(desk: Desk) -> None:
    del desk.upstream.asked[:]
    past = datetime.now(UTC) - timedelta(days=7)
    answer = await desk.asks(Capability.TICKET, as_of=past, ticket_id="DESK-101")
    assert answer.status is ToolStatus.REFUSED
    assert "it could tell what was not known then" in (answer.error or "")
    paper = await desk.asks(Capability.DOCUMENT, as_of=past, doc_id="carry.md")
    assert not satisfies(paper)
    assert desk.upstream.asked == []


async def test_only_the_tools_that_are_wanted_are_there(desk: Desk) -> None:
    offered = await ActivityEnvironment().run(desk.activities.list_tools, "atlassian")
    assert {spec.tool for spec in offered.tools} == {
        "jira_get_issue",
        "confluence_get_page",
        "confluence_search",
    }


def command(folder: Path, upstream: Atlassian, **environment: str) -> DeskCommand:
    """The command of a desk that is configured so and no otherwise."""
    installed("mcp-atlassian")
    installed_by_npm("server-filesystem")
    papers = folder / "papers"
    papers.mkdir()
    (papers / "carry.md").write_text(PAPER)
    own, sources = folder / "desk.toml", folder / "mcp.json"
    own.write_text((PROJECT / "desk.toml").read_text() + DESK_TOML)
    sources.write_text(MCP_JSON)
    told_of = variables(upstream.url, str(papers))
    return DeskCommand(
        folder, DESK_CONFIG=str(own), DESK_MCP_CONFIG=str(sources), **told_of, **environment
    )


@pytest.mark.parametrize(
    ("question", "words", "tool"),
    [
        ("What is the status of DESK-101, and who has it?", "Mei Tan", "jira_get_issue"),
        ("At what time is the fixing?", "The fixing is at **16:00**, London time.", "confluence"),
        ("What is carry not?", "Carry is not free.", "read_text_file"),
    ],
)
def test_a_question_is_answered_from_jira_confluence_or_a_folder(
    tmp_path: Path, question: str, words: str, tool: str
) -> None:
    given = ("--param", "ticket=DESK-101", "--param", "document=4711, carry.md")
    with atlassian(ISSUES, {"4711": PAGE}) as upstream:
        desk = command(tmp_path, upstream)
        done = desk("ask", question, "--graph", "tickets", *given, "--json")
        asked = list(upstream.asked)
    assert done.code == 0, done.err
    (quoted,) = [q for q in done.json["quotations"] if " ".join(q["text"].split()) == words]
    evidence = {e["call"]["call_id"]: e["call"]["tool"] for e in done.json["evidence"]}
    assert tool in evidence[quoted["evidence_id"]]
    assert all(line.startswith("GET ") for line in asked)
    assert TOKEN not in done.out + done.err
    (path,) = (tmp_path / "reports").rglob("*.json")
    audited = desk("audit", str(path))
    assert audited.code == 0, audited.out


def test_an_issue_that_claude_asks_jira_for_is_a_ticket_as_well(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    script = Questioned()
    script.agent("tickets").calls("atlassian__jira_get_issue", issue_key="DESK-102").keeps(
        "jira_get_issue.1.1"
    )
    quoted = {"quotation_id": "q1", "text": "Nobody has this one"}
    evidence = "fetchTickets/jira_get_issue.1.1"
    script.agent("synthesis").delivers(
        {"summary": "It says [[q1]].", "quotations": [{**quoted, "evidence": evidence}]}
    )
    with (
        atlassian(ISSUES, {}) as upstream,
        model_server(tmp_path / "model", script.fixtures()) as server,
    ):
        desk = command(tmp_path, upstream, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url)
        done = desk("ask", "Who has DESK-101?", "--graph", "tickets", "--json")
    (quotation,) = done.json["quotations"]
    assert (quotation["source"], quotation["place"]) == ("DESK-102", "summary")
    assert quotation["url"] == f"{upstream.url}/browse/DESK-102"
