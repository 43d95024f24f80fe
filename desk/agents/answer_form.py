"""Parses the answers of tools into the desk's own form.

A third-party tool may answer in its own format. `ToolCall.answer` gives, as JMESPath expressions,
where the desk's fields are found in it. Such answers contain less than those of the desk's own
tools: they may lack the date of publication, the place of a part, or the length of the whole. A
missing field stays empty.
"""

from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar

import jmespath
from jmespath.parser import ParsedResult
from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Instant

_INSTANT: Final = TypeAdapter(AwareDatetime)

Answer = TypeVar("Answer", bound="ParsedAnswer")

_NO_BODY: Final = "the answer is none of the form that is expected"


class UnreadableAnswer(ValueError):
    """A tool's answer lacks what was asked for. The message says what it lacks."""


def _as_words(value: object) -> object:
    """Converts integers to text: they are valid ids and titles."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _none_as_empty(value: object) -> object:
    return () if value is None else value


def _string_or_none(value: object) -> object:
    """Treats a non-string as absent."""
    return value if isinstance(value, str) else None


def _place(value: object) -> object:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _strings(value: object) -> object:
    """Keeps the strings of a list. Returns an empty tuple for anything else."""
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


Words = Annotated[str, BeforeValidator(_as_words)]
MaybeWords = Annotated[str | None, BeforeValidator(_string_or_none)]
MaybeLinks = Annotated[tuple[str, ...], BeforeValidator(_strings)]
MaybePlace = Annotated[int | None, BeforeValidator(_place)]


class ParsedAnswer(BaseModel):
    """Fields every tool answer may carry. All but the item itself are optional."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: MaybeWords = None
    missing: MaybeWords = None


class ParsedTicket(ParsedAnswer):
    """A ticket."""

    id: Words
    status: Words
    assignee: MaybeWords = None
    summary: Words
    url: MaybeWords = None
    description: MaybeWords = None
    links: MaybeLinks = ()


class ParsedDocument(ParsedAnswer):
    """A document, or a part of it that begins at `offset`."""

    doc_id: Words
    markdown: str
    html: MaybeWords = None
    url: MaybeWords = None
    links: MaybeLinks = ()
    offset: MaybePlace = None
    characters: MaybePlace = None
    next_offset: MaybePlace = None


class ParsedPage(ParsedAnswer):
    """A page of a PDF file."""

    text: str
    page_number: MaybePlace = None


class ParsedPdf(ParsedAnswer):
    """A PDF file, or pages of it."""

    url: Words
    pages: Annotated[tuple[ParsedPage, ...], BeforeValidator(_none_as_empty)] = ()
    page_count: MaybePlace = None
    next_page: MaybePlace = None


class ParsedHit(ParsedAnswer):
    """A result of a search."""

    title: MaybeWords = None
    snippet: MaybeWords = None
    url: Words


class ParsedHits(ParsedAnswer):
    """The results of a search, best first."""

    results: Annotated[tuple[ParsedHit, ...], BeforeValidator(_none_as_empty)] = ()


class ParsedInstant(BaseModel):
    """When an item was published or changed, if the answer says so."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    published_at: Instant | None = None
    updated_at: Instant | None = None


def in_desk_form(result: ToolResult) -> JsonValue:
    """Returns the content of a tool's answer in the desk's own form, by the expressions of its
    call.

    Without expressions the content is returned unchanged. A field is null if its expression finds
    nothing or cannot be evaluated.
    """
    if not result.call.answer:
        return result.content
    return {name: _found(path, result.content) for name, path in result.call.answer.items()}


def parse_answer(result: ToolResult, kind: type[Answer]) -> Answer:
    """Parses a tool's answer into the fields that the desk needs.

    Raises:
        UnreadableAnswer: it lacks what was asked for.
    """
    content = in_desk_form(result)
    if not isinstance(content, dict):
        raise UnreadableAnswer(_NO_BODY)
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        lacking = ", ".join(str(fault["loc"][0]) for fault in error.errors() if fault["loc"])
        raise UnreadableAnswer(f"{_NO_BODY}: {lacking}" if lacking else _NO_BODY) from error


def publication_instant(result: ToolResult) -> Instant | None:
    """Returns when the item in an answer was published or last changed, if the answer says so."""
    content = in_desk_form(result)
    try:
        when = ParsedInstant.model_validate(content)
    except ValidationError:
        return None
    return when.published_at or when.updated_at


@lru_cache(maxsize=500)
def _compiled(path: str) -> ParsedResult:
    return jmespath.compile(path)


def _found(path: str, content: JsonValue) -> JsonValue:
    try:
        value: Any = _compiled(path).search(content)
    except Exception:
        # A third-party answer must never make a workflow fail.
        return None
    return value  # type: ignore[no-any-return]


def unreachable_since(content: JsonValue) -> tuple[datetime | None, str]:
    """Returns since when and why a live source does not answer, if an answer is empty for that
    reason. Returns None and an empty reason for any other answer."""
    if not isinstance(content, dict) or content.get("unreachable_since") is None:
        return None, ""
    try:
        since = _INSTANT.validate_python(content["unreachable_since"])
    except ValidationError:
        return None, ""
    return since, str(content.get("missing") or "it does not answer")
