"""The answers of tools in the desk's own form, whoever gave them.

A tool of another's making answers in another form; `ToolCall.answer` says where in it the desk's
fields are found, each as a JMESPath expression. Such answers say less than those of the desk's own
tools: when they were published, where they stand, or how long the whole is. What is missing stays
empty.
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

Told = TypeVar("Told", bound="ToldAnswer")

_NO_BODY: Final = "the answer is none of the form that is expected"


class UnreadableAnswer(ValueError):
    """A tool's answer without what was asked for. The message says what it lacks."""


def _as_words(value: object) -> object:
    """Numbers are ids and titles as well."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _nothing_as_empty(value: object) -> object:
    return () if value is None else value


def _first_words(value: object) -> object:
    """What is no text counts as not told."""
    return value if isinstance(value, str) else None


def _place(value: object) -> object:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _texts(value: object) -> object:
    """Of a list what is text; anything else tells nothing."""
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


Words = Annotated[str, BeforeValidator(_as_words)]
MaybeWords = Annotated[str | None, BeforeValidator(_first_words)]
MaybeLinks = Annotated[tuple[str, ...], BeforeValidator(_texts)]
MaybePlace = Annotated[int | None, BeforeValidator(_place)]


class ToldAnswer(BaseModel):
    """What every answer may tell. All but the thing itself may be missing."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: MaybeWords = None
    missing: MaybeWords = None


class ToldTicket(ToldAnswer):
    """A ticket."""

    id: Words
    status: Words
    assignee: MaybeWords = None
    summary: Words
    url: MaybeWords = None
    description: MaybeWords = None
    links: MaybeLinks = ()


class ToldDocument(ToldAnswer):
    """A document, or a part of it that begins at `offset`."""

    doc_id: Words
    markdown: str
    html: MaybeWords = None
    url: MaybeWords = None
    links: MaybeLinks = ()
    offset: MaybePlace = None
    characters: MaybePlace = None
    next_offset: MaybePlace = None


class ToldPage(ToldAnswer):
    """A page of a PDF file."""

    text: str
    page_number: MaybePlace = None


class ToldPdf(ToldAnswer):
    """A PDF file, or pages of it."""

    url: Words
    pages: Annotated[tuple[ToldPage, ...], BeforeValidator(_nothing_as_empty)] = ()
    page_count: MaybePlace = None
    next_page: MaybePlace = None


class ToldHit(ToldAnswer):
    """A line of a search's answer."""

    title: MaybeWords = None
    snippet: MaybeWords = None
    url: Words


class ToldHits(ToldAnswer):
    """What a search found, best first."""

    results: Annotated[tuple[ToldHit, ...], BeforeValidator(_nothing_as_empty)] = ()


class ToldInstant(BaseModel):
    """When something was published or changed, where that is told."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    published_at: Instant | None = None
    updated_at: Instant | None = None


def formed(result: ToolResult) -> JsonValue:
    """The content of a tool's answer in the desk's own form, by the expressions of its call.

    Without any it is the content as it is. A field whose expression finds nothing, or which is
    none, is null.
    """
    if not result.call.answer:
        return result.content
    return {name: _found(path, result.content) for name, path in result.call.answer.items()}


def told(result: ToolResult, kind: type[Told]) -> Told:
    """A tool's answer, read for what the desk needs of it.

    Raises:
        UnreadableAnswer: it lacks what was asked for.
    """
    content = formed(result)
    if not isinstance(content, dict):
        raise UnreadableAnswer(_NO_BODY)
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        lacking = ", ".join(str(fault["loc"][0]) for fault in error.errors() if fault["loc"])
        raise UnreadableAnswer(f"{_NO_BODY}: {lacking}" if lacking else _NO_BODY) from error


def told_when(result: ToolResult) -> Instant | None:
    """When the thing in an answer was published or last changed, where the answer says so."""
    content = formed(result)
    try:
        when = ToldInstant.model_validate(content)
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
        # An answer of somebody else's: whatever goes wrong with it must not stop a workflow.
        return None
    return value  # type: ignore[no-any-return]


def unreachable_since(content: JsonValue) -> tuple[datetime | None, str]:
    """Since when and why a live source does not answer, if that is why an answer's content holds
    nothing; None for any other answer."""
    if not isinstance(content, dict) or content.get("unreachable_since") is None:
        return None, ""
    try:
        since = _INSTANT.validate_python(content["unreachable_since"])
    except ValidationError:
        return None, ""
    return since, str(content.get("missing") or "it does not answer")
