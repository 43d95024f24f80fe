"""Asks Claude once for each call, and reports failures as typed errors.

The client does not retry: retries are Temporal's, and each answer is stored before its activity
completes. Errors contain no part of a key.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import anthropic
import httpx2
from genai_prices import extract_usage
from pydantic import JsonValue, SecretStr

from desk.contracts.agents.budget import ModelPrice
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.contracts.agents.usage import Usage
from desk.platform.models.abilities import (
    ALL,
    Abilities,
    Probed,
    TrialAnswer,
    load_abilities,
    probe,
    save_abilities,
)
from desk.platform.models.model_calling import ModelFailed
from desk.platform.models.retry_after import pause_of
from desk.platform.models.third_party import (
    adapted_request,
    is_claude,
    json_object_in,
    most_output_tokens,
)

PRICED_TOKENS = 1_000

LOG = logging.getLogger(__name__)


CONNECT_SECONDS: Final = 5.0
LONGEST_PAUSE: Final = timedelta(minutes=2)
NEVER_ASKED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout)
RETRIED: Final = frozenset({408, 409, 429})
"""The statuses below 500 after which the same request may succeed."""
REFUSES: Final = frozenset({400, 404, 415, 422, 500, 501})
"""The statuses with which endpoints refuse a part of the protocol that they do not support."""

CHARACTERS_A_TOKEN: Final = 4
"""Characters of English prose to a token, for endpoints that do not count."""

SPEND_LIMIT: Final = "spend_limit_reached"
"""The suffix of error codes that come with status 429 and that waiting does not help."""


def usage_of(model: str, counted: Mapping[str, Any]) -> Usage:
    """The tokens and the cost of one answer. `counted` is the `usage` of the response.

    Prices are those of the installed `genai-prices`. An unknown model has tokens and no price. The
    call has been paid for, so no failure here is raised.
    """
    cost = _cost(model, counted)
    read = _count(counted, "cache_read_input_tokens")
    written = _count(counted, "cache_creation_input_tokens")
    return Usage(
        # Anthropic counts tokens read from and written to the cache apart from the other input.
        input_tokens=_count(counted, "input_tokens") + read + written,
        output_tokens=_count(counted, "output_tokens"),
        cache_read_tokens=read,
        cache_write_tokens=written,
        cost_usd=cost or Decimal(0),
        unpriced_calls=0 if cost is not None else 1,
        model=model[:200],
    )


def price_of(model: str, reading: int) -> ModelPrice | None:
    """The most that a token of a model costs in a call that reads `reading` tokens, by the
    installed `genai-prices`. Assumes that input is written to the prompt cache, which costs more
    than reading it. Some models cost more from a certain length on, for output too. None if the
    price is unknown."""
    read = {"input_tokens": 0, "cache_creation_input_tokens": max(reading, 1)}
    for_reading = _cost(model, {**read, "output_tokens": 0})
    for_both = _cost(model, {**read, "output_tokens": PRICED_TOKENS})
    if not for_reading or not for_both or for_both <= for_reading:
        return None
    return ModelPrice(
        read=for_reading / max(reading, 1), written=(for_both - for_reading) / PRICED_TOKENS
    )


def _count(counted: Mapping[str, Any], name: str) -> int:
    found = counted.get(name)
    return found if isinstance(found, int) and found > 0 else 0


def _cost(model: str, counted: Mapping[str, Any]) -> Decimal | None:
    try:
        usage = extract_usage({"model": model, "usage": dict(counted)}, provider_id="anthropic")
        return usage.calc_price().total_price
    except Exception as error:
        # Whatever fails in the price table, the tokens are spent and the answer has arrived.
        _warn_once(model, str(error))
        return None


@cache
def _warn_once(model: str, reason: str) -> None:
    """Warns once for each model that its price is not known."""
    LOG.warning("the price of a call of %s is not known: %s", model, reason)


class Claude:
    """A client of the Messages API. `http_client` replaces the network in tests.

    A third-party model, at an endpoint that speaks the protocol, is probed once for its abilities.
    The result is stored in the folder `home`, if one is given.
    """

    def __init__(
        self,
        api_key: SecretStr,
        *,
        base_url: str | None = None,
        http_client: httpx2.AsyncClient | None = None,
        home: Path | None = None,
    ) -> None:
        self._home = home
        self._known: dict[str, Abilities] = {}
        self._probing = asyncio.Lock()
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key.get_secret_value(),
            base_url=base_url,
            http_client=http_client,
            max_retries=0,
        )

    async def close(self) -> None:
        """Closes its connections. It must not be used after that."""
        await self._client.close()

    def price(self, model: str, reading: int) -> ModelPrice | None:
        """See `ModelCaller.price`."""
        return price_of(model, reading)

    async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
        """See `ModelCaller.ask`. The first call of a third-party model includes the cost of probing
        it."""
        found = await self.abilities(call.model, timeout_seconds=timeout_seconds)
        if is_claude(call.model):
            asked = _request(call)
        else:
            most = most_output_tokens(call, found.abilities, timeout_seconds)
            fitted = call.model_copy(update={"max_tokens": most})
            asked = adapted_request(fitted, found.abilities)
        message = await self._create(asked, timeout_seconds)
        try:
            answer = _answer(message, asked)
        except (AttributeError, TypeError, ValueError):
            # The client returns anything that came with status 200, such as the page of a proxy.
            words = "what came back is no message of Claude"
            raise ModelFailed(words, again=True, billed=True) from None
        if not found.usage.tokens:
            return answer
        return answer.model_copy(update={"usage": found.usage.plus(answer.usage)})

    async def abilities(self, model: str, *, timeout_seconds: float) -> Probed:
        """The abilities of the endpoint's model: all of them if it is Claude, else the stored ones,
        else probed now.

        Raises:
            ModelFailed: probing failed.
        """
        if is_claude(model):
            return Probed(ALL, Usage())
        async with self._probing:
            address = str(self._client.base_url)
            known = self._known.get(model)
            if known is None and self._home:
                known = load_abilities(self._home, address, model)
            if known is not None:
                self._known[model] = known
                return Probed(known, Usage())
            found = await probe(lambda asked: self._try(asked, timeout_seconds), model)
            self._known[model] = found.abilities
            if self._home:
                with contextlib.suppress(OSError):
                    save_abilities(self._home, address, model, found.abilities)
            return found

    async def _try(self, asked: dict[str, Any], timeout_seconds: float) -> TrialAnswer:
        began = time.monotonic()
        try:
            message = await self._create(asked, timeout_seconds)
            answer = _answer(message, asked)
        except _Status as refused:
            if refused.status in REFUSES:
                return TrialAnswer(None)
            raise
        except (AttributeError, TypeError, ValueError):
            return TrialAnswer(None)
        took = time.monotonic() - began
        return TrialAnswer({"content": list(answer.content)}, answer.usage, took)

    async def _create(
        self, asked: dict[str, Any], timeout_seconds: float
    ) -> anthropic.types.Message:
        try:
            message: anthropic.types.Message = await self._client.messages.create(
                **asked, timeout=httpx2.Timeout(timeout_seconds, connect=CONNECT_SECONDS)
            )
            return message
        except anthropic.APIStatusError as error:
            raise _of_status(error) from None
        except anthropic.APIConnectionError as error:
            late = isinstance(error, anthropic.APITimeoutError)
            who = "Claude" if is_claude(str(asked["model"])) else str(asked["model"])[:100]
            timed_out = f"{who} did not answer within {timeout_seconds:.0f} s"
            words = timed_out if late else f"no way to {who}"
            reason = error.__cause__
            raise ModelFailed(
                f"{words}: {type(reason).__name__}",
                again=True,
                billed=not isinstance(reason, NEVER_ASKED),
            ) from None
        except (anthropic.AnthropicError, TypeError, ValueError) as error:
            raise ModelFailed(f"the call cannot be made: {error}", again=False) from None


class _Status(ModelFailed):
    """A failure with an HTTP status."""

    status: int = 0


def _request(call: ModelCall) -> dict[str, Any]:
    schema = anthropic.transform_schema(cast("dict[str, Any]", call.schema_of_result))
    asked = {
        "model": call.model,
        "max_tokens": call.max_tokens,
        "system": [{"type": "text", "text": call.system, "cache_control": {"type": "ephemeral"}}],
        "messages": list(call.messages),
        "output_config": {
            "effort": call.effort.value,
            "format": {"type": "json_schema", "schema": schema},
        },
        # The last block too, so that the next turn reads the conversation so far from the cache.
        "cache_control": {"type": "ephemeral"},
    }
    if call.tools:
        asked["tools"] = list(call.tools)
        asked["tool_choice"] = {"type": "none" if call.no_more_calls else "auto"}
    return asked


def _answer(message: anthropic.types.Message, asked: Mapping[str, Any]) -> ModelAnswer:
    blocks = [block.model_dump(mode="json", exclude_none=True) for block in message.content]
    words = "".join(block.text for block in message.content if block.type == "text")
    model = str(asked["model"])
    if is_claude(model):
        counted = message.usage.model_dump(mode="json", exclude_none=True)
        usage = usage_of(message.model, counted)
    else:
        usage = _counted(message, asked, model)
    return ModelAnswer(
        content=tuple(cast("list[JsonValue]", blocks)),
        text=json_object_in(words),
        stop_reason=_stop_reason(message.stop_reason),
        usage=usage,
        request_id=message._request_id,
    )


def _counted(message: anthropic.types.Message, asked: Mapping[str, Any], model: str) -> Usage:
    """The tokens and the cost of an answer. Estimated from its length if the endpoint does not
    count."""
    reported = getattr(message, "usage", None)
    counted = reported.model_dump(mode="json", exclude_none=True) if reported else {}
    if not _count(counted, "input_tokens"):
        counted["input_tokens"] = len(json.dumps(asked)) // CHARACTERS_A_TOKEN
    if not _count(counted, "output_tokens"):
        written = [block.model_dump(mode="json") for block in message.content]
        counted["output_tokens"] = len(json.dumps(written)) // CHARACTERS_A_TOKEN + 1
    return usage_of(model, counted)


def _stop_reason(given: str | None) -> StopReason:
    known = {reason.value: reason for reason in StopReason}
    return known.get(given or "", StopReason.OTHER)


def _of_status(error: anthropic.APIStatusError) -> ModelFailed:
    """Converts an HTTP error by whether it can be retried. A header of the API overrides the
    status."""
    status, headers = error.status_code, error.response.headers
    code = error.error_code
    spent = code is not None and code.endswith(SPEND_LIMIT)
    again = (status in RETRIED or status >= 500) and not spent
    again = {"true": True, "false": False}.get(headers.get("x-should-retry", ""), again)
    request = error.request_id or "none"
    words = f"Claude answered {status} ({code or error.type or 'no type'}, request {request})"
    text = f"{words}: {error.message}"[:400]
    after = pause_of(headers, LONGEST_PAUSE) if again else None
    failed = _Status(text, again=again and not spent, after=after)
    failed.status = status
    return failed
