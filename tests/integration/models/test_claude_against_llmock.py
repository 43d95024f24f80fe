"""Claude's client against a Messages API that is not ours: answers, tool calls, and trouble."""

from collections.abc import Iterator
from datetime import timedelta

import httpx2
import pytest
from pydantic import JsonValue, SecretStr

from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.contracts.agents.tools import ToolSpec
from desk.platform.models.claude import LONGEST_PAUSE, Claude, price_of
from desk.platform.models.model_calling import ModelFailed
from desk.programs.claude.turns import asked_for, described
from tests.support.models.llmock_server import Llmock, llmock

KEY = "sk-ant-hush"
QUOTE = ToolSpec(
    server="ecb",
    tool="get_quote",
    description="The last reference rate of a pair.",
    input_schema={
        "type": "object",
        "properties": {"symbol": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        "required": ["symbol", "days"],
    },
)
QUESTION: JsonValue = {
    "role": "user",
    "content": [{"type": "text", "text": "What is the quote of USD/JPY?"}],
}
CALL = ModelCall(
    model="claude-sonnet-5-5",
    system="You are a research agent.",
    messages=(QUESTION,),
    schema_of_result={"type": "object", "properties": {"level": {"type": "string"}}},
)
WITH_TOOL = CALL.model_copy(update={"tools": described([QUOTE])})


@pytest.fixture(scope="module")
def server() -> Iterator[Llmock]:
    with llmock() as running:
        yield running


async def answer(server: Llmock, call: ModelCall = CALL, *, within: float = 10) -> ModelAnswer:
    async with httpx2.AsyncClient() as client:
        claude = Claude(SecretStr(KEY), base_url=server.url, http_client=client)
        return await claude.ask(call, timeout_seconds=within)


async def failure(server: Llmock, *, within: float = 10) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        await answer(server, within=within)
    assert KEY not in str(failed.value)
    assert len(server.requests) == 1, "whether to ask again is for Temporal to say"
    return failed.value


async def test_an_answer_comes_with_what_it_cost(server: Llmock) -> None:
    server.will({"type": "reply", "text": '{"level": "157.25"}'})
    found = await answer(server)
    assert found.text == '{"level": "157.25"}'
    assert found.stop_reason is StopReason.END_TURN
    assert found.usage.model == "claude-sonnet-5-5"
    assert found.usage.input_tokens > 0 < found.usage.output_tokens
    price = price_of(found.usage.model, found.usage.input_tokens)
    assert price is not None
    most = found.usage.input_tokens * price.read + found.usage.output_tokens * price.written
    assert 0 < found.usage.cost_usd <= most


async def test_a_tool_is_asked_for_and_its_result_read(server: Llmock) -> None:
    server.will()
    asked = await answer(server, WITH_TOOL)
    assert asked.stop_reason is StopReason.TOOL_USE
    (block,) = asked_for(asked.content)
    assert block["name"] == "ecb__get_quote"
    assert isinstance(block["input"]["symbol"], str)
    assert isinstance(block["input"]["days"], int)
    result: JsonValue = {"type": "tool_result", "tool_use_id": block["id"], "content": "157.25"}
    said: list[JsonValue] = [
        QUESTION,
        {"role": "assistant", "content": list(asked.content)},
        {"role": "user", "content": [result]},
    ]
    told = await answer(server, WITH_TOOL.model_copy(update={"messages": tuple(said)}))
    assert told.stop_reason is StopReason.END_TURN
    assert told.text
    assert told.usage.input_tokens > asked.usage.input_tokens


async def test_no_tool_is_asked_for_where_the_result_must_be_given_now(server: Llmock) -> None:
    server.will()
    found = await answer(server, WITH_TOOL.model_copy(update={"no_more_calls": True}))
    assert found.stop_reason is StopReason.END_TURN


async def test_a_tool_that_nobody_offered_is_only_a_name(server: Llmock) -> None:
    server.will({"type": "tool_fault", "kind": "unknown_tool"})
    found = await answer(server, WITH_TOOL)
    (block,) = asked_for(found.content)
    assert block["name"] not in {tool["name"] for tool in described([QUOTE])}  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("length", StopReason.MAX_TOKENS),
        ("content_filter", StopReason.REFUSAL),
        ("pause_turn", StopReason.PAUSE_TURN),
        ("something_new", StopReason.OTHER),
    ],
)
async def test_every_way_to_stop_is_an_answer(
    server: Llmock, finish: str, reason: StopReason
) -> None:
    server.will({"type": "reply", "text": '{"lev', "finish_reason": finish})
    assert (await answer(server)).stop_reason is reason


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_what_may_pass_may_be_asked_again(server: Llmock, status: int) -> None:
    server.will({"type": "fail", "status": status})
    failed = await failure(server)
    assert failed.again
    assert str(status) in str(failed)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_what_stays_is_not_asked_again(server: Llmock, status: int) -> None:
    server.will({"type": "fail", "status": status})
    failed = await failure(server)
    assert not failed.again
    assert failed.after is None


@pytest.mark.parametrize(("asked", "waited"), [(7, timedelta(seconds=7)), (900, LONGEST_PAUSE)])
async def test_the_pause_that_is_asked_for_is_kept(
    server: Llmock, asked: int, waited: timedelta
) -> None:
    server.will({"type": "fail", "status": 429, "retry_after": asked})
    assert (await failure(server)).after == waited


async def test_an_answer_that_takes_too_long_may_be_asked_for_again(server: Llmock) -> None:
    server.will({"type": "delay", "seconds": 2})
    with pytest.raises(ModelFailed, match="did not answer within") as failed:
        await answer(server, within=0.3)
    assert failed.value.again


async def test_where_nobody_answers_it_may_be_asked_again(server: Llmock) -> None:
    nobody = Llmock("http://127.0.0.1:9")
    with pytest.raises(ModelFailed, match="no way to Claude") as failed:
        await answer(nobody)
    assert failed.value.again
