"""Finds out which parts of the Messages protocol an endpoint supports, and stores the result.

Ollama, vLLM and llama.cpp's server support only parts of the protocol: one refuses an unknown
field, another silently ignores it. So each part is tried in a request of a few tokens, and counts
as supported only if the answer shows it.
"""

import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from desk.contracts.agents.usage import Usage
from desk.platform.models.model_calling import ModelFailed

FILE: Final = "model_endpoints.json"
"""A file in the desk's home, with the abilities by address and model."""

Request = dict[str, Any]


class Abilities(BaseModel):
    """The parts of the protocol that an endpoint supports besides plain text.

    `structured`: answers follow a JSON schema given in the request. `tools`: it accepts tools and
    the results of their calls. `tool_choice`: it can be told to call none. `caching`: it accepts
    marks for the prompt cache. `effort`: it can be told how much to think. `tokens_a_second` is how
    fast it wrote when it was probed, with reading and the network included; None if it wrote too
    little to measure.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    structured: bool = True
    tools: bool = True
    tool_choice: bool = True
    caching: bool = True
    effort: bool = True
    tokens_a_second: float | None = None


ALL: Final = Abilities()
"""The abilities of Anthropic's own endpoint."""


class TrialAnswer(NamedTuple):
    """The answer to a trial request, None if it was refused, and its duration in seconds."""

    answer: Mapping[str, Any] | None
    usage: Usage = Usage()
    seconds: float = 0.0


Ask = Callable[[Request], Awaitable[TrialAnswer]]
"""Sends a request to an endpoint. Raises if there is no answer at all, such as without a
connection."""

_MOST: Final = 64
_TELLING: Final = 32
"""The fewest output tokens from which the speed of writing can be measured."""

_SCHEMA: Final = {
    "type": "object",
    "properties": {"sure": {"type": "boolean"}},
    "required": ["sure"],
    "additionalProperties": False,
}
_TOOL: Final = {
    "name": "look_up",
    "description": "Looks a word up.",
    "input_schema": {"type": "object", "properties": {"word": {"type": "string"}}},
}


class Probed(NamedTuple):
    """The abilities of an endpoint, and what it cost to find them out."""

    abilities: Abilities
    usage: Usage


async def probe(ask: Ask, model: str) -> Probed:
    """Tries each part of the protocol separately.

    Raises:
        ModelFailed: the endpoint cannot be reached, or refuses a plain request.
    """
    plain = await ask(_request(model, {}))
    if plain.answer is None:
        raise ModelFailed(f"the endpoint refuses a plain request of {model}", again=False)
    usage, speeds = plain.usage, [_speed(plain)]
    found: dict[str, bool] = {}
    for name, more, holds in _TRIALS:
        tried = await ask(_request(model, more))
        usage = usage.plus(tried.usage)
        speeds.append(_speed(tried))
        found[name] = tried.answer is not None and holds(tried.answer)
    found["tool_choice"] = found["tool_choice"] and found["tools"]
    fastest = max((speed for speed in speeds if speed is not None), default=None)
    return Probed(Abilities(**found, tokens_a_second=fastest), usage)


def _speed(tried: TrialAnswer) -> float | None:
    """Tokens a second. None for an answer so short that the network dominates its duration."""
    written = tried.usage.output_tokens
    return written / tried.seconds if written >= _TELLING and tried.seconds > 0 else None


def load_abilities(home: Path, endpoint: str, model: str) -> Abilities | None:
    """Loads the stored abilities of a model at an endpoint. None if there are none."""
    try:
        return Abilities.model_validate(_read(home)[_key(endpoint, model)])
    except (KeyError, ValidationError):
        return None


def save_abilities(home: Path, endpoint: str, model: str, abilities: Abilities) -> None:
    """Stores the abilities of a model, for later runs of this desk.

    Raises:
        OSError: they cannot be written.
    """
    entries = {**_read(home), _key(endpoint, model): abilities.model_dump()}
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=home, prefix=f".{FILE}.", delete=False) as file:
        json.dump(entries, file, indent=1, sort_keys=True)
    Path(file.name).replace(home / FILE)


def _key(endpoint: str, model: str) -> str:
    return f"{endpoint.rstrip('/')} {model}"


def _read(home: Path) -> dict[str, Any]:
    try:
        entries = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _request(model: str, more: Mapping[str, Any]) -> Request:
    asked = 'Are you sure that two and two is four? Answer in JSON, such as {"sure": true}.'
    message = {"role": "user", "content": [{"type": "text", "text": asked}]}
    return {"model": model, "max_tokens": _MOST, "messages": [message], **more}


def _any(answer: Mapping[str, Any]) -> bool:
    return bool(answer)


def _follows(answer: Mapping[str, Any]) -> bool:
    """Whether the text of an answer is exactly the requested object. An endpoint that ignores the
    schema may do so by chance; its first real answer then reveals it."""
    words = "".join(b.get("text") or "" for b in answer.get("content") or () if isinstance(b, dict))
    try:
        read = json.loads(words)
    except ValueError:
        return False
    return isinstance(read, dict) and isinstance(read.get("sure"), bool)


def _calls_none(answer: Mapping[str, Any]) -> bool:
    blocks = answer.get("content") or ()
    return not any(isinstance(b, dict) and b.get("type") == "tool_use" for b in blocks)


_TRIALS: Final[tuple[tuple[str, Mapping[str, Any], Callable[[Mapping[str, Any]], bool]], ...]] = (
    (
        "structured",
        {"output_config": {"format": {"type": "json_schema", "schema": _SCHEMA}}},
        _follows,
    ),
    ("effort", {"output_config": {"effort": "low"}}, _any),
    ("tools", {"tools": [_TOOL]}, _any),
    ("tool_choice", {"tools": [_TOOL], "tool_choice": {"type": "none"}}, _calls_none),
    ("caching", {"cache_control": {"type": "ephemeral"}}, _any),
)

_PROBES: Final = tuple(_request("", more) for more in ({}, *(trial[1] for trial in _TRIALS)))

READ_BY_PROBES: Final = sum(len(json.dumps(each)) for each in _PROBES)
"""The most tokens that probing an endpoint reads, at one character a token."""

WRITTEN_BY_PROBES: Final = _MOST * len(_PROBES)
"""The most tokens that probing an endpoint writes."""
