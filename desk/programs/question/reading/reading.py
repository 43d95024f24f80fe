"""The course of the agents that read long things for a question, whatever kind of thing it is.

They read what is named, or else what a search finds, and go on with what is long up to a bound.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import JsonValue

from desk.agents.answer_form import ToldAnswer, UnreadableAnswer, told, told_when
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.base import Instant
from desk.programs.question.builtin.asking import (
    ask_about,
    asked_for,
    distinct,
    query_of,
    results_of,
    stop_if_nobody_answered,
    why_not,
)
from desk.programs.question.reading.plan import search_words
from desk.trust.prose.prose import clip

LONGEST_MISSING = 600

Part = TypeVar("Part", bound=ToldAnswer)
OneReading = TypeVar("OneReading", bound="Reading[Any]")


@dataclass(slots=True)
class Reading(ABC, Generic[Part]):
    """A thing as far as it was read: what its first part told of it, and the last part's
    evidence."""

    name: str
    answer: Part
    evidence: str
    published_at: Instant | None

    @property
    @abstractmethod
    def goes_on_at(self) -> int | None:
        """Where the next part to read begins; None at the end, and at the bound."""

    @abstractmethod
    def add(self, part: Part) -> None:
        """Take in a part, the first one too."""

    @abstractmethod
    def unread(self) -> list[str]:
        """What of it was not read, as the ends of sentences that its name begins."""


@dataclass(frozen=True)
class Course(Generic[Part, OneReading]):
    """What an agent reads and how it asks for it.

    `kind` is the word of a search for such things, `things` what they are called in sentences, and
    `title` what one is called there. `asks_by` and `goes_on_by` are the tool's arguments for its
    name and for the place where a part begins.
    """

    capability: Capability
    kind: str
    things: str
    title: Callable[[str], str]
    asks_by: str
    goes_on_by: str
    most_searched: int
    named: Callable[[Query], tuple[str, ...]]
    found: Callable[[TurnRequest, Iterable[ToolResult]], tuple[str, ...]]
    part: type[Part]
    reading: Callable[[str, Part, str, Instant | None], OneReading]


class ReadSoFar(NamedTuple, Generic[OneReading]):
    """What there is to deliver."""

    readings: tuple[OneReading, ...]
    missing: tuple[str, ...]

    @property
    def evidence(self) -> tuple[str, ...]:
        """The evidence of each reading."""
        return tuple(reading.evidence for reading in self.readings)


def read_on(request: TurnRequest, course: Course[Part, OneReading]) -> Turn | ReadSoFar[OneReading]:
    """The turn that asks for what comes next, or all that was read when that is nothing more.

    Raises:
        TaskNotPossible: there is no question, or no tool could be asked.
    """
    query = query_of(request)
    searched = results_of(request, Capability.WEB_SEARCH)
    answers = results_of(request, course.capability)
    named = course.named(query)
    wanted = named or course.found(request, searched)
    if answers:
        readings, missing = _read(answers, course)
        further = () if request.last else _further(request, answers, readings, course)
        if further:
            return Turn(calls=further, note=f"Read on in the long {course.things}")
        stop_if_nobody_answered(request, answers)
        return _so_far(readings, [*_silent(searched, course), *missing], course)
    if request.last or (searched and not wanted):
        stop_if_nobody_answered(request, searched)
        return _so_far([], _silent(searched, course), course)
    if named or searched:
        calls = (_first(request, name, course) for name in wanted)
        return Turn(calls=distinct(calls), note=f"Read the {course.things}")
    return Turn(
        calls=(_search(request, query, course),),
        note=f"Look for {course.things} that the question is about",
    )


def _search(request: TurnRequest, query: Query, course: Course[Part, OneReading]) -> ToolCall:
    return ask_about(
        request,
        Capability.WEB_SEARCH,
        f"{course.kind}s",
        query=search_words(request, query),
        kinds=[course.kind],
        limit=course.most_searched,
    )


def _first(request: TurnRequest, name: str, course: Course[Part, OneReading]) -> ToolCall:
    return ask_about(request, course.capability, course.title(name), **{course.asks_by: name})


def _next(request: TurnRequest, name: str, at: int, course: Course[Part, OneReading]) -> ToolCall:
    where: dict[str, JsonValue] = {course.asks_by: name, course.goes_on_by: at}
    return ask_about(request, course.capability, f"{course.title(name)}-from-{at}", **where)


def _further(
    request: TurnRequest,
    answers: Iterable[ToolResult],
    readings: Iterable[OneReading],
    course: Course[Part, OneReading],
) -> tuple[ToolCall, ...]:
    refused = {asked_for(result) for result in answers if result.error}
    return distinct(
        _next(request, reading.name, reading.goes_on_at, course)
        for reading in readings
        if reading.goes_on_at is not None and reading.name not in refused
    )


def _read(
    answers: Iterable[ToolResult], course: Course[Part, OneReading]
) -> tuple[list[OneReading], list[str]]:
    readings: dict[str, OneReading] = {}
    missing: list[str] = []
    for result in answers:
        name = asked_for(result)
        if result.status is not ToolStatus.OK:
            missing.append(why_not(result, course.title(name)))
            continue
        try:
            part = told(result, course.part)
        except UnreadableAnswer as error:
            missing.append(f"{course.title(name)} could not be read: {error}")
            continue
        if name not in readings:
            readings[name] = course.reading(name, part, result.evidence_id, told_when(result))
        readings[name].add(part)
        readings[name].evidence = result.evidence_id
    return list(readings.values()), missing


def _so_far(
    readings: list[OneReading], missing: list[str], course: Course[Part, OneReading]
) -> ReadSoFar[OneReading]:
    unread = (f"{course.title(each.name)}: {words}" for each in readings for words in each.unread())
    lines = tuple(clip(line, LONGEST_MISSING) for line in (*missing, *unread))
    return ReadSoFar(tuple(readings), lines)


def _silent(searched: Iterable[ToolResult], course: Course[Part, OneReading]) -> list[str]:
    failed = (result for result in searched if result.status is not ToolStatus.OK)
    return [why_not(result, f"the search for {course.things}") for result in failed]
