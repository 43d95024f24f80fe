"""A tape as bytes and back, so that damage is noticed before anything is played."""

import gzip
import json
import zlib
from typing import Any, Final

from pydantic import ValidationError

from desk.contracts.agents.tape import TAPE_VERSION, Tape
from desk.documents.upkeep.json_size import most_values
from desk.trust.ledger.seal import content_hash

LARGEST: Final = 64 * 2**20
"""Bytes of a tape, unpacked: 75 weeks of all markets by the built-in analyst."""

MOST_VALUES: Final = 2_000_000
"""Of its JSON: 45 such weeks."""

FORMAT: Final = "desk-tape"
SEAL: Final = "seal"
_GZIP: Final = b"\x1f\x8b"


class TapeUnusable(ValueError):
    """Bytes are no tape that can be played. The message says what is wrong with them."""


def to_bytes(tape: Tape, *, packed: bool) -> bytes:
    """The tape as JSON with a seal over all of it, in gzip where it is to be packed.

    The same tape always gives the same bytes.
    """
    content = tape.model_dump(mode="json")
    sealed = {**content, SEAL: content_hash(content)}
    text = json.dumps(sealed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return gzip.compress(text, mtime=0) if packed else text


def from_bytes(content: bytes) -> Tape:
    """The tape that bytes hold, packed or not.

    Raises:
        TapeUnusable: they are cut off, damaged, changed, of another version, or no tape at all.
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
