"""Tapes of runs: the key of an effect on a tape, the comparison of requests, and the encoding as
bytes."""

import gzip
import json
import zlib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ValidationError

from desk.contracts.base import most_values
from desk.contracts.runs.tape import TAPE_VERSION, Effect, Take, Tape
from desk.trust.seals import content_hash

LARGEST: Final = 64 * 2**20
"""The maximum size of an unpacked tape in bytes: 75 weeks of all markets by the built-in
analyst."""

MOST_VALUES: Final = 2_000_000
"""The maximum number of values in its JSON: 45 such weeks."""

FORMAT: Final = "desk-tape"
SEAL: Final = "seal"
_GZIP: Final = b"\x1f\x8b"


class TapeUnusable(ValueError):
    """The bytes are not a tape that can be played. The message says why."""


def to_bytes(tape: Tape, *, packed: bool) -> bytes:
    """Returns the tape as JSON with a seal over all of it, compressed with gzip if `packed`.

    The same tape always gives the same bytes.
    """
    content = tape.model_dump(mode="json")
    sealed = {**content, SEAL: content_hash(content)}
    text = json.dumps(sealed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return gzip.compress(text, mtime=0) if packed else text


def from_bytes(content: bytes) -> Tape:
    """Parses a tape, compressed or not.

    Raises:
        TapeUnusable: the bytes are truncated, damaged, changed, of another version, or not a tape.
    """
    text = _unpacked(content) if content.startswith(_GZIP) else content
    if most_values(text) > MOST_VALUES:
        raise TapeUnusable(f"it holds more than {MOST_VALUES:,} values")
    held = _object(text)
    version, seal = held.get("version"), held.pop(SEAL, None)
    if version != TAPE_VERSION:
        raise TapeUnusable(
            f"it is a tape of version {version!r:.20}, and this desk plays version {TAPE_VERSION}"
        )
    if seal != content_hash(held):
        raise TapeUnusable("its content does not match its seal: it was changed or damaged")
    try:
        return Tape.model_validate_json(json.dumps(held))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the tape"
        raise TapeUnusable(
            f"it holds what this desk cannot read, at {place}: {first['msg']}"
        ) from None


def _unpacked(content: bytes) -> bytes:
    unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        text = unpacking.decompress(content, LARGEST + 1)
    except zlib.error as error:
        raise TapeUnusable(f"it cannot be unpacked: {error}") from None
    if len(text) > LARGEST:
        raise TapeUnusable(f"it holds more than {LARGEST // 2**20} MB")
    if not unpacking.eof:
        raise TapeUnusable("it is cut off")
    if unpacking.unused_data:
        raise TapeUnusable("something follows its end")
    return text


def _object(text: bytes) -> dict[str, Any]:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "it is cut off, or no JSON" if text.lstrip()[:1] == b"{" else "it is no JSON"
        raise TapeUnusable(f"{reason}: {error}") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise TapeUnusable("it is no tape of a desk")
    return held


DIGITS: Final = 16
"""Hex digits of a SHA-256 that are stored. A digest is only compared with one of the same field."""

_RESULT: Final = dict.fromkeys(
    ("retrieved_at", "place", "took", "kept", "cost_usd", "besides"), True
)
_OF_THE_RUN: Final[Mapping[Effect, Any]] = {
    Effect.TURN: {
        # What concurrent agents may still spend depends on which of them finishes first.
        "allowance": True,
        "assignment": {"deadline"},
        # The openings that follow from it are on the tape as the turn's answer.
        "policy": True,
        "exchanges": {"__all__": {"results": {"__all__": _RESULT}}},
        "evidence": {"__all__": _RESULT},
    },
    # How long a source may take does not change the request.
    Effect.TOOL_CALL: {"within": True},
    Effect.ADVICE: {"asked_at": True},
    # The findings follow from turns and answers that are on the tape themselves.
    Effect.JUDGEMENT: {"outcomes": True},
    Effect.DECISION: {
        "remind_at": True,
        "deadline": True,
        "evidence": {"__all__": _RESULT},
    },
}
"""The fields of a request that differ between two runs with the same requests: instants, runs,
allowances."""


class TakeKey(NamedTuple):
    """The key of a take on its tape."""

    workflow: str
    activity_id: str
    effect: Effect

    def __str__(self) -> str:
        """Returns `take_turn research_agent_1.research_fx.t1 of market/USD/JPY`."""
        return f"{self.effect} {self.activity_id} of {self.workflow or 'the run'}"


def place_of(take: Take) -> TakeKey:
    """Returns the key of a take."""
    return TakeKey(take.workflow, take.activity_id, take.effect)


def digests_of(effect: Effect, request: BaseModel | str) -> dict[str, str]:
    """Returns a digest of each field of a request, without fields that belong to the run.

    A field with its default value is left out, so that a request equals an older one without that
    field.
    """
    if not isinstance(request, BaseModel):
        return {"request": content_hash(request)[:DIGITS]}
    fields = request.model_dump(mode="json", exclude_defaults=True, exclude=_OF_THE_RUN.get(effect))
    return {name: content_hash(value)[:DIGITS] for name, value in fields.items()}


def differing(recorded: Mapping[str, str], asked: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the fields in which two requests differ, by their digests."""
    names = sorted({*recorded, *asked})
    return tuple(name for name in names if recorded.get(name) != asked.get(name))
