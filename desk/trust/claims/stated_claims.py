"""The numbers that a tool of another form states, as claims: what is at a path of its answer.

Such a number is what its source says it is, and of no metric or unit that the desk knows. Its name
says where it stands: the server, the tool with what tells its question from others, and the path.
"""

import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Final

from pydantic import JsonValue, TypeAdapter, ValidationError

from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim, ClaimId, Metric, Unit

MOST_STATED: Final = 60
"""Numbers of one answer that can be claims, the first in the order of the answer."""

MOST_DIGITS: Final = 15
_SUBJECT: Final = re.compile(r"[^A-Z0-9]+")
_NAME: Final = re.compile(r"[^a-z0-9_]+")
_STEP: Final = re.compile(r"[^A-Za-z0-9_-]+")
_NUMBER: Final = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?")
_ID: Final[TypeAdapter[str]] = TypeAdapter(ClaimId)
_META: Final = frozenset({"as_of"})


def stated_claims(result: ToolResult, day: date) -> tuple[Claim, ...]:
    """The numbers of a tool's structured answer, each under the path to it, as of a day.

    A text that is a number and nothing else is one too. Of two paths that read alike the first
    counts. None where the tool did not answer.
    """
    if result.status is not ToolStatus.OK or not isinstance(result.content, dict | list):
        return ()
    found: dict[str, Claim] = {}
    for path, value in _numbers(result.content, ()):
        name = f"{subject_of(result)}:{_asked(result)}{''.join(f'.{step}' for step in path)}"
        if not _fits(name) or name in found:
            continue
        found[name] = Claim(
            claim_id=name,
            subject=subject_of(result),
            metric=Metric.STATED,
            value=value,
            unit=Unit.NUMBER,
            as_of=day,
            evidence=(result.evidence_id,),
        )
        if len(found) == MOST_STATED:
            break
    return tuple(found.values())


def subject_of(result: ToolResult) -> str:
    """What a stated number is about: the server that states it."""
    name = _SUBJECT.sub("-", result.call.server.upper()).strip("-")[:15]
    return name if name[:1].isalpha() else f"S{name}"[:15]


def _asked(result: ToolResult) -> str:
    """The tool, and four signs of what it was asked: two questions have two names."""
    tool = _NAME.sub("_", result.call.tool.lower())[:60] or "tool"
    asked = {n: value for n, value in result.call.arguments.items() if n not in _META}
    if not asked:
        return tool
    told = json.dumps(asked, sort_keys=True)
    return f"{tool}_{sha256(told.encode()).hexdigest()[:4]}"


def _numbers(
    content: JsonValue, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Decimal]]:
    if len(path) > 8:
        return
    if isinstance(content, dict):
        for name, held in content.items():
            step = _STEP.sub("_", name)
            if step and not (not path and name in _META):
                yield from _numbers(held, (*path, step))
    elif isinstance(content, list):
        for place, held in enumerate(content):
            yield from _numbers(held, (*path, str(place)))
    elif path and (value := _number(content)) is not None:
        yield path, value


def _number(leaf: JsonValue) -> Decimal | None:
    if isinstance(leaf, bool) or leaf is None:
        return None
    written = str(leaf)
    if isinstance(leaf, str) and not _NUMBER.fullmatch(written):
        return None
    try:
        value = Decimal(written)
    except InvalidOperation:
        return None
    if not value.is_finite():
        return None
    plain = Decimal(f"{value:f}")
    return plain if len(plain.as_tuple().digits) <= MOST_DIGITS else None


def _fits(name: str) -> bool:
    try:
        _ID.validate_python(name)
    except ValidationError:
        return False
    return True
