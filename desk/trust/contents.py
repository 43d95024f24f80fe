"""Parses the contents of tool results, each once in a process.

An answer is parsed for every claim that rests on it, and again by every renderer of such a claim.
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
"""The maximum size in bytes of a cached content. The desk's own sources answer with a tenth of
this; third-party ones may send megabytes."""

CACHE_SIZE: Final = 256
"""The number of answers that a process caches: those of some markets. A year of fixings takes 40
kB."""


def packed(content: JsonValue) -> bytes | None:
    """Serialises a value, ten times faster than as JSON. Equal bytes mean equal values. Returns
    None for a value that is too large to cache or is not JSON."""
    try:
        found = marshal.dumps(content, VERSION)
    except ValueError:
        return None
    return found if len(found) <= LARGEST else None


def unpacked(found: bytes) -> JsonValue:
    """Returns the value that `packed` serialised."""
    value: JsonValue = marshal.loads(found)  # noqa: S302 - this process has just made them
    return value


def read_as(model: type[Answer], content: JsonValue) -> Answer:
    """Parses the content as one of the desk's own models.

    Raises:
        pydantic.ValidationError: it has another form.
    """
    small = packed(content)
    if small is None:
        return model.model_validate(content)
    return cast(Answer, _cached_answer(model, small))


@lru_cache(maxsize=CACHE_SIZE)
def _cached_answer(model: type[SourceResult], content: bytes) -> SourceResult:
    return model.model_validate(unpacked(content))
