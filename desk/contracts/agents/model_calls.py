"""One call of a language model: the request and the response, independent of any client."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, JsonValue

from desk.contracts.agents.tasks import Effort
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, ShortText


class StopReason(StrEnum):
    """Why a model stopped. `other` is a reason that the desk does not know."""

    END_TURN = "end_turn"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    CONTEXT_EXCEEDED = "model_context_window_exceeded"
    OTHER = "other"


class ModelCall(Contract):
    """The request to a model.

    `system`, `tools` and the first messages stay the same for all turns of a task, so that the
    prompt cache can serve them. `schema_of_result` is the JSON schema of the result; with
    `no_more_calls` the model must deliver it now.
    """

    model: ShortText
    system: str
    messages: Annotated[tuple[JsonValue, ...], Field(min_length=1)]
    schema_of_result: dict[str, JsonValue]
    tools: tuple[JsonValue, ...] = ()
    no_more_calls: bool = False
    max_tokens: Annotated[int, Field(ge=1, le=20_000)] = 16_000
    effort: Effort = Effort.MEDIUM


class ModelAnswer(Contract):
    """A model's response: its content blocks, their text, why it stopped and what it cost."""

    content: tuple[JsonValue, ...]
    text: str
    stop_reason: StopReason
    usage: Usage
    request_id: ShortText | None = None
