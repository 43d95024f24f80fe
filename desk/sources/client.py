"""Asks the servers of `.mcp.json` from Python, by functions with typed answers.

    from desk.sources import client

    client.fetch_ticket("DESK-101").status

A function asks once. `connected` keeps one session with each server for several questions, and
`connected_async` is the same for asynchronous code.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

from anyio.from_thread import BlockingPortal, start_blocking_portal
from pydantic import JsonValue, ValidationError

from desk.contracts.agents.tools import ToolSpec
from desk.contracts.base import Contract
from desk.contracts.findings.source_results import History, PolicyRates, Quote, RateDecisions
from desk.contracts.question.knowledge import (
    DocumentAnswer,
    PdfAnswer,
    SearchAnswer,
    SearchHit,
    TicketAnswer,
)
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.redaction import configured_secrets
from desk.platform.mcp.tool_calling import ServerCall
from desk.platform.settings import McpTransport, load_settings
from desk.platform.settings.mcp_json import servers_to_serve

KNOWLEDGE: Final = "knowledge"
FIXINGS: Final = "ecb"
CENTRAL_BANKS: Final = "central_banks"

Answer = TypeVar("Answer", bound=Contract)
T = TypeVar("T")

AsOf = datetime | None
"""The instant that is answered for: what was public then. None: now."""


class ToolRefused(Exception):
    """The server refused, for example because there is no such ticket. The message is the server's
    own."""


class OtherForm(Exception):
    """The answer does not have the form that the function returns. `AsyncSources.call` returns it
    as it came."""


class AsyncSources:
    """The servers of `.mcp.json`, with one session for each that is asked.

    Each question is bounded by `timeout` in seconds, the opening of its session included. A server
    that does not answer is not asked again: a `ToolUnreachable` says why. `server` names another
    server whose tool has the same name and form.
    """

    def __init__(self, pool: McpPool, timeout: float) -> None:
        self._pool = pool
        self._timeout = timeout

    async def fetch_ticket(
        self, ticket_id: str, *, as_of: AsOf = None, server: str = KNOWLEDGE
    ) -> TicketAnswer:
        """A ticket: id, status, assignee, summary.

        Raises:
            ToolRefused: there is none of that id.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        return await self._typed(
            TicketAnswer, server, "fetch_ticket", {"ticket_id": ticket_id}, as_of
        )

    async def get_doc(
        self, doc_id: str, *, as_of: AsOf = None, offset: int = 0, server: str = KNOWLEDGE
    ) -> DocumentAnswer:
        """A document as Markdown and HTML; of a long one the part from `offset`, and in
        `next_offset` where the next begins.

        Raises:
            ToolRefused: there is none of that id.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        asked = {"doc_id": doc_id, "offset": offset}
        return await self._typed(DocumentAnswer, server, "get_doc", asked, as_of)

    async def get_pdf(
        self, url: str, *, as_of: AsOf = None, first_page: int = 1, server: str = KNOWLEDGE
    ) -> PdfAnswer:
        """The text of a PDF file by pages; of a long one those from `first_page`, and in
        `next_page` where the next begin.

        Raises:
            ToolRefused: there is none at that address, or it cannot be read.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        asked = {"url": url, "first_page": first_page}
        return await self._typed(PdfAnswer, server, "get_pdf", asked, as_of)

    async def search_web(
        self, query: str, *, as_of: AsOf = None, limit: int = 10, server: str = KNOWLEDGE
    ) -> list[SearchHit]:
        """What a search finds, best first; empty where it finds nothing.

        Raises:
            ToolRefused: the server does not take the query.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        asked = {"query": query, "limit": limit}
        answer = await self._typed(SearchAnswer, server, "search_web", asked, as_of)
        return list(answer.results)

    async def get_quote(self, symbol: str, *, as_of: AsOf = None, server: str = FIXINGS) -> Quote:
        """The last fixing of a pair such as `USD/JPY`, or why there is none.

        Raises:
            ToolRefused: the server does not know such a symbol.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        return await self._typed(Quote, server, "get_quote", {"symbol": symbol}, as_of)

    async def get_historical(
        self, symbol: str, start: date, end: date, *, as_of: AsOf = None, server: str = FIXINGS
    ) -> History:
        """The daily fixings of a pair from one day to another.

        Raises:
            ToolRefused: the server does not know such a symbol, or takes no such span.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        asked = {"symbol": symbol, "start": start.isoformat(), "end": end.isoformat()}
        return await self._typed(History, server, "get_historical", asked, as_of)

    async def get_policy_rate(
        self, *areas: str, as_of: AsOf = None, server: str = CENTRAL_BANKS
    ) -> PolicyRates:
        """The policy rates of areas such as `US` and `JP`.

        Raises:
            ToolRefused: the server does not know such an area.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        return await self._typed(
            PolicyRates, server, "get_policy_rate", {"areas": list(areas)}, as_of
        )

    async def get_rate_decisions(
        self, *areas: str, start: date, end: date, as_of: AsOf = None, server: str = CENTRAL_BANKS
    ) -> RateDecisions:
        """The decisions on the policy rates of areas from one day to another.

        Raises:
            ToolRefused: the server does not know such an area, or takes no such span.
            ToolUnreachable, OtherForm: there is no answer, or none of this form.
        """
        asked = {"areas": list(areas), "start": start.isoformat(), "end": end.isoformat()}
        return await self._typed(RateDecisions, server, "get_rate_decisions", asked, as_of)

    async def call(self, server: str, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """What any tool of any server answers, as it came.

        Raises:
            ToolRefused: the server said no.
            ToolUnreachable: there is no answer.
        """
        call = ServerCall(server, tool, arguments, key=uuid4().hex, timeout_seconds=self._timeout)
        answer = await self._pool.call(call)
        if answer.refusal is not None:
            raise ToolRefused(answer.refusal)
        return answer.content

    async def tools(self, server: str) -> tuple[ToolSpec, ...]:
        """What a server offers.

        Raises:
            ToolUnreachable: there is no answer.
        """
        return await self._pool.tools(server, timeout_seconds=self._timeout)

    def session_id(self, server: str) -> str | None:
        """The id that a server gave this session: over HTTP, where it gives any, and once it was
        asked. Over pipes and in this process the connection itself is the session."""
        return self._pool.session_id(server)

    async def _typed(
        self,
        form: type[Answer],
        server: str,
        tool: str,
        arguments: Mapping[str, Any],
        as_of: AsOf,
    ) -> Answer:
        instant = (as_of or datetime.now(UTC)).isoformat()
        content = await self.call(server, tool, {**arguments, "as_of": instant})
        try:
            return form.model_validate(content)
        except ValidationError as error:
            raise OtherForm(
                f"{server}.{tool} answered in another form than {form.__name__}: "
                f"{error.error_count()} fields do not fit; `call` has it as it came"
            ) from error


class Sources:
    """As `AsyncSources`, for code that is not asynchronous."""

    def __init__(self, portal: BlockingPortal, sources: AsyncSources) -> None:
        self._portal = portal
        self._sources = sources

    def fetch_ticket(
        self, ticket_id: str, *, as_of: AsOf = None, server: str = KNOWLEDGE
    ) -> TicketAnswer:
        """As `AsyncSources.fetch_ticket`."""
        return self._portal.call(
            partial(self._sources.fetch_ticket, ticket_id, as_of=as_of, server=server)
        )

    def get_doc(
        self, doc_id: str, *, as_of: AsOf = None, offset: int = 0, server: str = KNOWLEDGE
    ) -> DocumentAnswer:
        """As `AsyncSources.get_doc`."""
        return self._portal.call(
            partial(self._sources.get_doc, doc_id, as_of=as_of, offset=offset, server=server)
        )

    def get_pdf(
        self, url: str, *, as_of: AsOf = None, first_page: int = 1, server: str = KNOWLEDGE
    ) -> PdfAnswer:
        """As `AsyncSources.get_pdf`."""
        return self._portal.call(
            partial(self._sources.get_pdf, url, as_of=as_of, first_page=first_page, server=server)
        )

    def search_web(
        self, query: str, *, as_of: AsOf = None, limit: int = 10, server: str = KNOWLEDGE
    ) -> list[SearchHit]:
        """As `AsyncSources.search_web`."""
        return self._portal.call(
            partial(self._sources.search_web, query, as_of=as_of, limit=limit, server=server)
        )

    def get_quote(self, symbol: str, *, as_of: AsOf = None, server: str = FIXINGS) -> Quote:
        """As `AsyncSources.get_quote`."""
        return self._portal.call(
            partial(self._sources.get_quote, symbol, as_of=as_of, server=server)
        )

    def get_historical(
        self, symbol: str, start: date, end: date, *, as_of: AsOf = None, server: str = FIXINGS
    ) -> History:
        """As `AsyncSources.get_historical`."""
        return self._portal.call(
            partial(self._sources.get_historical, symbol, start, end, as_of=as_of, server=server)
        )

    def get_policy_rate(
        self, *areas: str, as_of: AsOf = None, server: str = CENTRAL_BANKS
    ) -> PolicyRates:
        """As `AsyncSources.get_policy_rate`."""
        return self._portal.call(
            partial(self._sources.get_policy_rate, *areas, as_of=as_of, server=server)
        )

    def get_rate_decisions(
        self, *areas: str, start: date, end: date, as_of: AsOf = None, server: str = CENTRAL_BANKS
    ) -> RateDecisions:
        """As `AsyncSources.get_rate_decisions`."""
        asked = partial(self._sources.get_rate_decisions, start=start, end=end)
        return self._portal.call(partial(asked, *areas, as_of=as_of, server=server))

    def call(self, server: str, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """As `AsyncSources.call`."""
        return self._portal.call(self._sources.call, server, tool, arguments)

    def tools(self, server: str) -> tuple[ToolSpec, ...]:
        """As `AsyncSources.tools`."""
        return self._portal.call(self._sources.tools, server)

    def session_id(self, server: str) -> str | None:
        """As `AsyncSources.session_id`."""
        return self._sources.session_id(server)


@asynccontextmanager
async def connected_async(
    *, timeout: float | None = None, project: str | Path | None = None
) -> AsyncIterator[AsyncSources]:
    """The servers of `.mcp.json`, each with a session that lasts until the block ends.

    Args:
        timeout: Seconds for one question; by default `tool_call` of desk.toml's deadlines, 20 s.
        project: The folder of `.mcp.json`, by default as for the commands.

    Raises:
        SettingsError, McpConfigError: the configuration cannot be used.
    """
    settings = load_settings(None if project is None else Path(project))
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    async with McpPool(
        servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process),
        in_process=in_process,
        project_dir=settings.project_dir,
        cache_dir=settings.cache_dir,
        secrets=configured_secrets(settings),
    ) as pool:
        usual = settings.config.policy.deadlines.tool_call.total_seconds()
        yield AsyncSources(pool, usual if timeout is None else timeout)


@contextmanager
def connected(
    *, timeout: float | None = None, project: str | Path | None = None
) -> Iterator[Sources]:
    """As `connected_async`, for code that is not asynchronous; a notebook's included."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            connected_async(timeout=timeout, project=project)
        ) as sources,
    ):
        yield Sources(portal, sources)


def _once(ask: Callable[[Sources], T], timeout: float | None) -> T:
    with connected(timeout=timeout) as sources:
        return ask(sources)


def fetch_ticket(
    ticket_id: str, *, as_of: AsOf = None, timeout: float | None = None
) -> TicketAnswer:
    """As `AsyncSources.fetch_ticket`, in a session of its own."""
    return _once(lambda sources: sources.fetch_ticket(ticket_id, as_of=as_of), timeout)


def get_doc(doc_id: str, *, as_of: AsOf = None, timeout: float | None = None) -> DocumentAnswer:
    """As `AsyncSources.get_doc`, in a session of its own."""
    return _once(lambda sources: sources.get_doc(doc_id, as_of=as_of), timeout)


def get_pdf(url: str, *, as_of: AsOf = None, timeout: float | None = None) -> PdfAnswer:
    """As `AsyncSources.get_pdf`, in a session of its own."""
    return _once(lambda sources: sources.get_pdf(url, as_of=as_of), timeout)


def search_web(
    query: str, *, as_of: AsOf = None, limit: int = 10, timeout: float | None = None
) -> list[SearchHit]:
    """As `AsyncSources.search_web`, in a session of its own."""
    return _once(lambda sources: sources.search_web(query, as_of=as_of, limit=limit), timeout)
