"""Errors about settings, with messages by which a person can correct them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from desk.analytics.names.nearest import suggestion

ENVIRONMENT: Final = "environment"
"""The name of the process environment together with `.env` in messages."""

_TABLE_EXPECTED: Final = frozenset({"model_type", "model_attributes_type", "dict_type"})
"""Types of errors for a value in the place of a table."""


class SettingsError(Exception):
    """A setting is not valid. The message names file, key, value and what is allowed."""


def unparsable_message(path: Path, language: str, why: str, unended: int | None) -> str:
    """The message that a settings file cannot be parsed: the line where an unterminated construct
    begins, the reason, and what to do next."""
    where = f"what begins on line {unended} does not end: " if unended else ""
    return (
        f"{path} is no usable {language}: {where}{why}; correct it, or move the file away, and"
        " `desk init` writes it anew"
    )


def settings_error(
    source: str,
    model: type[BaseModel],
    error: ValidationError,
    elsewhere: Mapping[Any, tuple[str, str]] = MappingProxyType({}),
) -> SettingsError:
    """The error about the most relevant problem in `source`. `elsewhere` has the source and the
    name of values that were set somewhere else.

    An unknown key comes first, because it is often the reason why another is missing.
    """
    errors = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    first = errors[0]
    source, key = elsewhere.get(first["loc"], (source, _dotted(first["loc"])))
    if first["type"] == "extra_forbidden":
        known = _known_keys(model, first["loc"][:-1])
        hint = suggestion(str(first["loc"][-1]), known)
        return SettingsError(f"{source}: unknown key '{key}'; known: {', '.join(known)}{hint}")
    if first["type"] == "missing":
        return SettingsError(f"{source}: '{key}' is missing{_where_to_find(source)}")
    if first["type"] in _TABLE_EXPECTED:
        keys = ", ".join(_known_keys(model, first["loc"]))
        return SettingsError(
            f"{source}: {key} is {_shown(first['input'])}; allowed: a table with the keys {keys}"
        )
    return SettingsError(f"{source}: {key} is {_shown(first['input'])}; allowed: {_allowed(first)}")


def _where_to_find(source: str) -> str:
    return "" if source == ENVIRONMENT else "; `desk init` in an empty folder writes a whole file"


def _dotted(location: Sequence[int | str]) -> str:
    named = [part for part in location if part != "[key]"]
    text = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in named)
    return text.removeprefix(".")


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return "not usable"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _allowed(error: ErrorDetails) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "enum":
        return f"{context['expected']}{_nearest_of(error['input'], context['expected'])}"
    if kind.startswith("time_delta"):
        return 'a duration such as "200 ms", "30 minutes" or "6 days"'
    if kind == "value_error":
        return str(context["error"])
    message = error["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    return message[0].lower() + message[1:]


def _nearest_of(value: object, expected: str) -> str:
    options = [word.strip("' ") for word in expected.replace(" or ", ", ").split(",")]
    return suggestion(str(value), options)


def _known_keys(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """The keys that a table may have, found by walking the models along the location."""
    current: Any = model
    for part in location:
        fields = current.model_fields if _is_model(current) else {}
        if isinstance(part, str) and part in fields:
            current = _model_within(fields[part].annotation)
    return sorted(current.model_fields) if _is_model(current) else []


def _model_within(annotation: Any) -> Any:
    """The model in an annotation such as `tuple[Model, ...]` or `Model | None`."""
    if _is_model(annotation):
        return annotation
    inner = [_model_within(argument) for argument in get_args(annotation)]
    return next((found for found in inner if found is not None), None)


def _is_model(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
