"""A cache of answers, so that the same question is asked only once for a while."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Generic, TypeVar

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension
from mcp_types import CallToolRequestParams, CallToolResult

from desk.contracts.agents.tools import KEPT_ANSWER

Answer = TypeVar("Answer")


class CacheLookups:
    """The questions that were looked up in caches, and whether each had an answer in the end: while
    one question waits for its turn, another may bring its answer."""

    def __init__(self) -> None:
        self._had: dict[tuple[int, Hashable], bool] = {}

    def note(self, place: int, question: Hashable, *, had: bool) -> None:
        """Records that a question was looked up in one of several caches."""
        self._had[place, question] = had

    @property
    def all_kept(self) -> bool:
        """Whether there were questions and every answer came from a cache."""
        return bool(self._had) and all(self._had.values())


_LOOKED_UP: ContextVar[CacheLookups | None] = ContextVar("looked_up", default=None)


@contextmanager
def recording_lookups() -> Iterator[CacheLookups]:
    """Records the lookups in the block and in threads that are started with its context."""
    seen = CacheLookups()
    token = _LOOKED_UP.set(seen)
    try:
        yield seen
    finally:
        _LOOKED_UP.reset(token)


class KeptAnswers(Generic[Answer]):
    """Caches the `most` latest answers, each for `seconds`. Thread-safe. `looked_up` counts the
    lookups of all caches in this process, by whether there was an answer."""

    looked_up: ClassVar[Counter[bool]] = Counter()

    def __init__(self, seconds: float, most: int, clock: Callable[[], float]) -> None:
        """`clock` returns seconds that never run backwards."""
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, Answer]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, question: Hashable) -> Answer | None:
        """The answer to a question, if there is one that has not expired."""
        with self._lock:
            until, answer = self._kept.get(question, (0.0, None))
            had = answer is not None and self._clock() < until
            self.looked_up[had] += 1
        seen = _LOOKED_UP.get()
        if seen is not None:
            seen.note(id(self), question, had=had)
        return answer if had else None

    def keep(self, question: Hashable, answer: Answer) -> None:
        """Caches an answer, and evicts the oldest if there are too many."""
        with self._lock:
            self._kept.pop(question, None)
            self._kept[question] = (self._clock() + self._seconds, answer)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


class KeptNotes(Extension):
    """Notes in the metadata of a tool's answer that all of it came from a cache. For servers that
    cache answers (`KeptAnswers`)."""

    identifier = KEPT_ANSWER

    async def intercept_tool_call(
        self,
        params: CallToolRequestParams,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
    ) -> HandlerResult:
        """The answer, with the note if it applies."""
        with recording_lookups() as seen:
            result = await call_next(ctx)
        if isinstance(result, CallToolResult) and not result.is_error and seen.all_kept:
            return result.model_copy(update={"meta": {**(result.meta or {}), KEPT_ANSWER: True}})
        return result
