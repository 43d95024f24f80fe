"""Reads the contents of tool results, once in a process for each.

An answer is read for every claim that rests on it, and by every printer of such a claim.
"""

import marshal
from functools import lru_cache
from typing import Final, TypeVar, cast

from pydantic import JsonValue

from desk.contracts.findings.source_results import SourceResult

Answer = TypeVar("Answer", bound=SourceResult)

VERSION: Final = 2
"""The version of marshal's format in which equal values have equal bytes. Later ones also encode
object identity."""

LARGEST: Final = 64 * 1_024
"""Bytes up to which a content is cached. The desk's own sources answer with a tenth of this; others
may send megabytes."""

REMEMBERED: Final = 256
"""How many answers a process caches: those of some markets. A year of fixings takes 40 kB."""


def packed(content: JsonValue) -> bytes | None:
    """Bytes for a value, made in a tenth of the time of its JSON. Equal bytes mean equal values.
    None for a value that is too large to cache or is not JSON."""
    try:
        found = marshal.dumps(content, VERSION)
    except ValueError:
        return None
    return found if len(found) <= LARGEST else None


def unpacked(found: bytes) -> JsonValue:
    """The value that the bytes of `packed` stand for."""
    value: JsonValue = marshal.loads(found)  # noqa: S302 - this process has just made them
    return value


def read_as(model: type[Answer], content: JsonValue) -> Answer:
    """The content as one of the desk's own models.

    Raises:
        pydantic.ValidationError: it has another.
    """
    small = packed(content)
    if small is None:
        return model.model_validate(content)
    return cast(Answer, _remembered(model, small))


@lru_cache(maxsize=REMEMBERED)
def _remembered(model: type[SourceResult], content: bytes) -> SourceResult:
    return model.model_validate(unpacked(content))
