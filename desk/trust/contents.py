"""The contents of tool results, each read once by a process: an answer is asked about for every
claim that rests on it, and by whoever prints one."""

import marshal
from functools import lru_cache
from typing import Final, TypeVar, cast

from pydantic import JsonValue

from desk.contracts.findings.source_results import SourceResult

Answer = TypeVar("Answer", bound=SourceResult)

VERSION: Final = 2
"""Of marshal's form that is the same for equal values; later ones tell the same object from its
equals."""

LARGEST: Final = 64 * 1_024
"""Bytes up to which a content is remembered. An answer of the desk's own sources has a tenth of it;
those of others may have megabytes."""

REMEMBERED: Final = 256
"""Answers that a process keeps, those of some markets. A year of fixings takes 40 kB."""


def packed(content: JsonValue) -> bytes | None:
    """Bytes that stand for a value, in a tenth of the time that its JSON takes. Equal bytes are
    equal values; None for one that is too large to be remembered, or holds what JSON has not."""
    try:
        found = marshal.dumps(content, VERSION)
    except ValueError:
        return None
    return found if len(found) <= LARGEST else None


def unpacked(found: bytes) -> JsonValue:
    """The value that bytes of `packed` stand for."""
    value: JsonValue = marshal.loads(found)  # noqa: S302 - this process has just made them
    return value


def read_as(model: type[Answer], content: JsonValue) -> Answer:
    """The content in one of the desk's own shapes.

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
