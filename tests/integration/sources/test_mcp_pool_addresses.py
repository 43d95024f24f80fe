"""MCP servers behind HTTP: tokens, rate limits, and what a status means for another try."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from desk.contracts.names import CallFault
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import McpServerSpec
from tests.support.addresses.guarded import TOKEN, Guard, Trouble, guarded
from tests.support.processes.homes import PROJECT, free_port
from tests.support.sources.foreign_server import RAMBLE

HELD = {"text": "The rate  was held.\nSo it was."}


@pytest.fixture
def guard() -> Iterator[Guard]:
    with guarded() as guard:
        yield guard


@asynccontextmanager
async def pool_for(url: str, token: str = TOKEN, **more: Any) -> AsyncIterator[McpPool]:
    described = {"url": url, "headers": {"Authorization": f"Bearer {token}"}} | more
    servers = {"news": McpServerSpec.model_validate(described)}
    async with McpPool(
        servers, in_process=True, project_dir=PROJECT, cache_dir=Path("unused")
    ) as pool:
        yield pool


async def ask(pool: McpPool, tool: str = "mumble", **arguments: int) -> ToolAnswer:
    return await pool.call(ServerCall("news", tool, arguments, "test", 10))


async def test_a_server_is_asked_with_the_headers_it_wants(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        assert (await ask(pool)).content == HELD
        with pytest.raises(ToolUnreachable, match="Internal error: the feed is down"):
            await ask(pool, "fail")


async def test_a_server_of_the_older_kind_is_asked_too() -> None:
    with guarded(sse=True) as guard:
        async with pool_for(guard.url, type="sse") as pool:
            assert (await ask(pool)).content == HELD


@pytest.mark.parametrize("sse", [False, True])
async def test_of_an_answer_no_more_is_read_than_its_entry_says(sse: bool) -> None:
    with guarded(sse=sse) as guard:
        kind = "sse" if sse else "http"
        async with pool_for(guard.url, type=kind, maxAnswerBytes=RAMBLE // 2) as pool:
            assert (await ask(pool)).content == HELD
            with pytest.raises(ToolUnreachable, match="bytes") as caught:
                await ask(pool, "ramble")
            assert caught.value.fault is CallFault.TOO_LARGE
            assert (await ask(pool)).content == HELD


@pytest.mark.parametrize("sse", [False, True])
async def test_a_token_that_is_not_accepted_is_a_refusal(
    sse: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = "sk-wrong-0123456789"
    with guarded(sse=sse) as guard:
        kind = "sse" if sse else "http"
        async with pool_for(f"{guard.url}?key={wrong}", wrong, type=kind) as pool:
            refusal = (await ask(pool)).refusal or ""
    assert "it answered 401 Unauthorized; check its headers in .mcp.json" in refusal
    assert wrong not in refusal


async def test_a_token_that_is_withdrawn_is_a_refusal_until_it_is_given_again(
    guard: Guard,
) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.token = "another"
        asked = guard.requests
        refusal = (await ask(pool)).refusal or ""
        assert refusal.startswith("news.mumble: it answered 401 Unauthorized; check its headers")
        assert guard.requests == asked + 1
        guard.token = TOKEN
        assert (await ask(pool)).content == HELD


async def test_what_is_forbidden_is_a_refusal(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.troubles.append(Trouble(403))
        assert "it answered 403 Forbidden" in ((await ask(pool)).refusal or "")


async def test_too_many_requests_may_be_tried_again_after_the_pause(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.troubles.append(Trouble(429, {"retry-after": "7"}))
        with pytest.raises(ToolUnreachable, match="429 Too Many Requests, to be asked") as caught:
            await ask(pool)
        assert caught.value.after == timedelta(seconds=7)
        assert (await ask(pool)).content == HELD


async def test_too_many_requests_while_connecting_may_be_tried_again_too(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        guard.troubles += [Trouble(429, {"retry-after": "7"})] * 3
        with pytest.raises(ToolUnreachable, match="429 Too Many Requests") as caught:
            await ask(pool)
        assert caught.value.after == timedelta(seconds=7)
        guard.troubles.clear()
        assert (await ask(pool)).content == HELD


@pytest.mark.parametrize("status", [500, 502, 503, 408])
async def test_a_server_in_trouble_may_be_asked_again(guard: Guard, status: int) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.troubles.append(Trouble(status, {"content-type": "text/html"}))
        with pytest.raises(ToolUnreachable, match=f"it answered {status}") as caught:
            await ask(pool)
        assert caught.value.after is None
        assert (await ask(pool)).content == HELD


async def test_a_request_that_the_server_faults_is_a_refusal(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.troubles.append(Trouble(422))
        assert "it answered 422" in ((await ask(pool)).refusal or "")


async def test_a_session_that_the_server_has_forgotten_is_opened_anew(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        # To the first question of newer clients, an older server has no answer.
        guard.troubles.append(Trouble(400))
        assert (await ask(pool)).content == HELD
        guard.troubles.append(Trouble(404))
        with pytest.raises(ToolUnreachable, match="it answered 404 Not Found: Session terminated"):
            await ask(pool)
        assert (await ask(pool)).content == HELD


async def test_an_address_without_a_server_is_unreachable_with_its_status(guard: Guard) -> None:
    async with pool_for(f"{guard.url}/elsewhere") as pool:
        with pytest.raises(ToolUnreachable, match="it answered 404 Not Found"):
            await ask(pool)


async def test_a_page_in_place_of_an_answer_is_a_refusal(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.troubles.append(Trouble(200, {"content-type": "text/html"}))
        assert "Unexpected content type" in ((await ask(pool)).refusal or "")


async def test_one_call_in_trouble_says_nothing_of_those_beside_it(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        guard.troubles.append(Trouble(401))
        answers = await asyncio.gather(*(ask(pool) for _ in range(20)))
    assert sum(answer.content == HELD for answer in answers) == 19
    (refused,) = (answer.refusal for answer in answers if answer.refusal)
    assert "401" in refused


async def test_a_redirect_takes_the_token_nowhere_else(guard: Guard) -> None:
    with guarded() as elsewhere:
        async with pool_for(guard.url) as pool:
            await ask(pool)
            guard.troubles.append(Trouble(307, {"location": elsewhere.url}))
            assert "it answered 307" in ((await ask(pool)).refusal or "")
        assert elsewhere.requests == 0


async def test_an_address_where_nobody_listens_is_unreachable() -> None:
    async with pool_for(f"http://127.0.0.1:{free_port()}/mcp") as pool:
        with pytest.raises(
            ToolUnreachable, match="cannot be opened: no connection: nothing listens"
        ):
            await ask(pool)


async def test_a_name_without_an_address_is_told_in_plain_words() -> None:
    async with pool_for("http://rates.invalid/mcp") as pool:
        with pytest.raises(ToolUnreachable) as caught:
            await ask(pool)
    assert "its name has no address; is there a network?" in str(caught.value)
    assert "Errno" not in str(caught.value)


async def test_leaving_the_pool_closes_what_it_opened(guard: Guard) -> None:
    async with pool_for(guard.url) as pool:
        await ask(pool)
        assert any(task.get_name() == "mcp-news" for task in asyncio.all_tasks())
    assert not any(task.get_name() == "mcp-news" for task in asyncio.all_tasks())
