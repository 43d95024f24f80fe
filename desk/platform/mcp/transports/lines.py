"""Lines of a stdio server, of a bounded length, and which request an unusable one belongs to."""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mcp_types import RequestId

KEPT_OF_LONG: Final = 4_096
"""Bytes of the beginning and of the end of a line that is too long."""

_ID: Final = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")'
_VERSION: Final = rb'"jsonrpc"\s*:\s*"2\.0"'
_AT_THE_BEGINNING: Final = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID)
_AT_THE_END: Final = re.compile(_ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*$")


class LongLine(NamedTuple):
    """A line that was not kept: how it begins, how it ends, and how many bytes it has."""

    beginning: bytes
    end: bytes
    size: int


class Lines:
    """Lines out of chunks. Of one with more than `most` bytes no more than a `LongLine` is kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._chunks: list[bytes] = []
        self._size = 0
        self._long: LongLine | None = None

    def of(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """The lines that a further chunk completes."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._taken()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._long is not None:
            end = (self._long.end + piece)[-KEPT_OF_LONG:]
            self._long = self._long._replace(end=end, size=self._size)
        elif self._size > self._most:
            line = b"".join([*self._chunks, piece])
            self._long = LongLine(line[:KEPT_OF_LONG], line[-KEPT_OF_LONG:], self._size)
            self._chunks.clear()
        else:
            self._chunks.append(piece)

    def _taken(self) -> bytes | LongLine:
        line = self._long or b"".join(self._chunks)
        self._chunks, self._size, self._long = [], 0, None
        return line


def request_of(line: bytes | LongLine) -> RequestId | None:
    """The id of the request that a line answers, where it stands at the beginning or at the end,
    as servers write it. What an answer quotes in between is not taken for it."""
    beginning, end = (line, line) if isinstance(line, bytes) else (line.beginning, line.end)
    found = _AT_THE_BEGINNING.match(beginning) or _AT_THE_END.search(end[-KEPT_OF_LONG:])
    if found is None:
        return None
    try:
        named: RequestId = json.loads(found.group(1))
    except ValueError:
        return None
    return named
