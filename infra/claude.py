"""Claude behind one function: a call asked once, and what went wrong as a typed error.

The client does not retry: retries are Temporal's, and each answer is kept before its activity
completes. Nothing of a key reaches an error.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final, cast

import anthropic
import httpx2
from pydantic import JsonValue, SecretStr

from contracts.model_calls import ModelAnswer, ModelCall, StopReason
from infra.claude_prices import usage_of
from infra.model_calling import ModelFailed

CONNECT_SECONDS: Final = 5.0
LONGEST_PAUSE: Final = timedelta(minutes=2)
RETRIED: Final = frozenset({408, 409, 429})
"""The statuses below 500 after which the same request may succeed."""
SPEND_LIMIT: Final = "spend_limit_reached"
"""How the codes of errors end that come with status 429 and that no waiting mends."""


class Claude:
    """A client of the Messages API. `http_client` stands in for the network in tests."""

    def __init__(
        self,
        api_key: SecretStr,
        *,
        base_url: str | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key.get_secret_value(),
            base_url=base_url,
            http_client=http_client,
            max_retries=0,
        )

    async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
        """See `ModelCaller.ask`."""
        try:
            message = await self._client.messages.create(
                **_request(call), timeout=httpx2.Timeout(timeout_seconds, connect=CONNECT_SECONDS)
            )
        except anthropic.APIStatusError as error:
            raise _of_status(error) from None
        except anthropic.APIConnectionError as error:
            words = "Claude did not answer in time" if _is_timeout(error) else "no way to Claude"
            raise ModelFailed(f"{words}: {type(error.__cause__).__name__}", again=True) from None
        except (anthropic.AnthropicError, TypeError, ValueError) as error:
            raise ModelFailed(f"the call cannot be made: {error}", again=False) from None
        try:
            return _answer(message)
        except (AttributeError, TypeError, ValueError):
            # The client hands on whatever came with status 200, such as the page of a proxy.
            raise ModelFailed("what came back is no message of Claude", again=True) from None


def _request(call: ModelCall) -> dict[str, Any]:
    schema = anthropic.transform_schema(cast("dict[str, Any]", call.schema_of_result))
    return {
        "model": call.model,
        "max_tokens": call.max_tokens,
        "system": [{"type": "text", "text": call.system, "cache_control": {"type": "ephemeral"}}],
        "messages": list(call.messages),
        "output_config": {
            "effort": call.effort.value,
            "format": {"type": "json_schema", "schema": schema},
        },
    }


def _answer(message: anthropic.types.Message) -> ModelAnswer:
    blocks = [block.model_dump(mode="json", exclude_none=True) for block in message.content]
    counted = message.usage.model_dump(mode="json", exclude_none=True)
    return ModelAnswer(
        content=tuple(cast("list[JsonValue]", blocks)),
        text="".join(block.text for block in message.content if block.type == "text"),
        stop_reason=_stop_reason(message.stop_reason),
        usage=usage_of(message.model, counted),
        request_id=message._request_id,
    )


def _stop_reason(given: str | None) -> StopReason:
    known = {reason.value: reason for reason in StopReason}
    return known.get(given or "", StopReason.OTHER)


def _of_status(error: anthropic.APIStatusError) -> ModelFailed:
    """An HTTP error by what may be done about it; a header of the API goes before the status."""
    status, headers = error.status_code, error.response.headers
    code = error.error_code
    spent = code is not None and code.endswith(SPEND_LIMIT)
    again = (status in RETRIED or status >= 500) and not spent
    again = {"true": True, "false": False}.get(headers.get("x-should-retry", ""), again)
    request = error.request_id or "none"
    words = f"Claude answered {status} ({code or error.type or 'no type'}, request {request})"
    said = f"{words}: {error.message}"[:1_000]
    return ModelFailed(said, again=again and not spent, after=_pause(headers) if again else None)


def _pause(headers: Mapping[str, str]) -> timedelta | None:
    """What `retry-after-ms` or `retry-after` asks for, at most `LONGEST_PAUSE`."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return min(timedelta(seconds=seconds), LONGEST_PAUSE)
    return None


def _is_timeout(error: anthropic.APIConnectionError) -> bool:
    return isinstance(error, anthropic.APITimeoutError)
