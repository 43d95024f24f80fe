"""Asking Claude: what is sent, what comes back, and which failures may be tried again."""

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.platform.models.claude import LONGEST_PAUSE, Claude, usage_of
from desk.platform.models.model_calling import ModelFailed

KEY = "sk-ant-hush"
CALL = ModelCall(
    model="claude-opus-5-5",
    system="You plan.",
    messages=({"role": "user", "content": [{"type": "text", "text": "{}"}]},),
    schema_of_result={
        "type": "object",
        "properties": {"priority": {"type": "integer", "minimum": 1}},
        "required": ["priority"],
    },
)
COUNTED = {
    "input_tokens": 1_000,
    "output_tokens": 200,
    "cache_read_input_tokens": 4_000,
    "cache_creation_input_tokens": 0,
}

Handler = Callable[[httpx2.Request], httpx2.Response]


def message(**changed: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [{"type": "text", "text": '{"priority": 1}'}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": COUNTED,
        **changed,
    }


def answering(body: object, status: int = 200, **headers: str) -> Handler:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx2.Response(status, json=body, headers=sent)


def failing(
    status: int, kind: str = "api_error", code: str | None = None, **headers: str
) -> Handler:
    error = {"type": kind, "message": "said so", "details": {"error_code": code}}
    return answering({"type": "error", "error": error, "request_id": "req_9"}, status, **headers)


async def asked(handler: Handler) -> ModelAnswer:
    transport = httpx2.MockTransport(handler)
    async with httpx2.AsyncClient(transport=transport) as http_client:
        return await Claude(SecretStr(KEY), http_client=http_client).ask(CALL, timeout_seconds=30)


async def failed(handler: Handler) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await asked(handler)
    assert KEY not in str(caught.value)
    return caught.value


async def test_an_answer_has_its_text_its_blocks_its_reason_and_its_request() -> None:
    answer = await asked(answering(message(), request_id="req_1"))
    assert (answer.text, answer.stop_reason) == ('{"priority": 1}', StopReason.END_TURN)
    assert answer.content == ({"type": "text", "text": '{"priority": 1}'},)
    assert answer.request_id == "req_1"


async def test_a_remark_behind_the_answer_costs_no_further_turn() -> None:
    words = '{"priority": 1}\n\nTell me if you want more.'
    answer = await asked(answering(message(content=[{"type": "text", "text": words}])))
    assert answer.text == '{"priority": 1}'


async def test_tokens_and_money_are_counted_with_those_of_the_cache() -> None:
    usage = (await asked(answering(message()))).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (5_000, 200, 4_000)
    # 5 and 25 dollars a million, and a tenth of the former for what the cache served.
    assert usage.cost_usd == usage_of("claude-opus-5-5", COUNTED).cost_usd > Decimal("0.001")
    assert usage.unpriced_calls == 0


async def test_a_model_of_unknown_price_is_paid_for_and_no_error() -> None:
    usage = (await asked(answering(message(model="claude-of-tomorrow")))).usage
    assert (usage.tokens, usage.cost_usd, usage.unpriced_calls) == (5_200, Decimal(0), 1)


def test_usage_with_unreadable_token_counts_is_an_unpriced_call() -> None:
    usage = usage_of("claude-opus-5-5", {"input_tokens": "many", "output_tokens": -3})
    assert (usage.tokens, usage.unpriced_calls) == (0, 1)


async def test_what_is_sent_has_a_cached_system_prompt_a_form_and_no_retries() -> None:
    seen: list[httpx2.Request] = []

    def record(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json=message())

    await asked(record)
    (request,) = seen
    body = json.loads(request.content)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert body["model"] == "claude-opus-5-5"
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert KEY not in request.content.decode()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    attempts = 0
    answer = failing(status)

    def count(request: httpx2.Request) -> httpx2.Response:
        nonlocal attempts
        attempts += 1
        return answer(request)

    error = await failed(count)
    assert error.again
    assert attempts == 1, "the client retries by itself"


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    error = await failed(failing(status, "invalid_request_error"))
    assert not error.again
    assert f"answered {status}" in str(error) and "req_9" in str(error)


@pytest.mark.parametrize("code", ["enforced_spend_limit_reached", "contract_spend_limit_reached"])
async def test_a_spend_limit_is_not_waited_for(code: str) -> None:
    error = await failed(failing(429, "rate_limit_error", code, retry_after="3"))
    assert (error.again, error.after) == (False, None)


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry_after": "3"}, timedelta(seconds=3)),
        ({"retry_after_ms": "1500", "retry_after": "9"}, timedelta(seconds=1.5)),
        ({"retry_after": "86400"}, LONGEST_PAUSE),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "nan"}, None),
        ({}, None),
    ],
)
async def test_the_pause_asked_for_is_kept_within_reason(
    headers: dict[str, str], pause: timedelta | None
) -> None:
    assert (await failed(failing(429, **headers))).after == pause


async def test_the_word_of_the_api_goes_before_the_status() -> None:
    assert not (await failed(failing(500, x_should_retry="false"))).again
    assert (await failed(failing(400, x_should_retry="true"))).again


@pytest.mark.parametrize(
    "error", [httpx2.ConnectError, httpx2.ReadTimeout, httpx2.RemoteProtocolError]
)
async def test_a_connection_that_breaks_is_tried_again(error: type[httpx2.TransportError]) -> None:
    def broken(request: httpx2.Request) -> httpx2.Response:
        raise error("gone", request=request)

    assert (await failed(broken)).again


@pytest.mark.parametrize("body", ["<html>Bad gateway</html>", "", "[]"])
async def test_an_answer_that_is_no_message_is_an_error_of_ours(body: str) -> None:
    page = httpx2.Response(200, content=body.encode(), headers={"content-type": "text/html"})
    assert (await failed(lambda _: page)).again


@pytest.mark.parametrize("reason", ["refusal", "max_tokens", "pause_turn", "of tomorrow"])
async def test_every_reason_to_stop_is_an_answer(reason: str) -> None:
    answer = await asked(answering(message(stop_reason=reason, content=[])))
    assert answer.stop_reason == (reason if reason != "of tomorrow" else StopReason.OTHER)
    assert answer.usage.tokens == 5_200
