"""The fingerprint of every contract, and the command that accepts a change to them.

    python -m tests.unit.contracts.accept_contracts

Run it when a contract was changed on purpose; the difference then shows in review.
"""

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from desk import contracts

LOCK = Path(__file__).with_name("contract_schema.json")
COMMAND = "python -m tests.unit.contracts.accept_contracts"

Fingerprint = dict[str, dict[str, str] | list[str]]

_UNTOLD = {"title", "description", "type", "$ref", "anyOf", "oneOf", "items", "discriminator"}
_BOUNDS = {
    "minimum": ">=",
    "exclusiveMinimum": ">",
    "maximum": "<=",
    "exclusiveMaximum": "<",
    "minLength": "length>=",
    "maxLength": "length<=",
    "minItems": "items>=",
    "maxItems": "items<=",
    "minProperties": "keys>=",
    "maxProperties": "keys<=",
}


def fingerprint() -> Fingerprint:
    """What stands on the wire: by contract the type, bounds and default of every field, and by
    enumeration its values."""
    types = sorted(set(_types()), key=_name)
    models = [found for found in types if issubclass(found, BaseModel)]
    fields = dict(zip(models, _fields(models), strict=True))
    return {_name(found): _values(found) or fields[found] for found in types}


def as_text(prints: Fingerprint) -> str:
    """The fingerprint as it stands in the lock file, one field a line."""
    return json.dumps(prints, indent=1, ensure_ascii=False) + "\n"


def as_lines(prints: Fingerprint) -> list[str]:
    """The fingerprint with the whole name of each field or value on its line, for comparing."""
    lines: list[str] = []
    for name, parts in prints.items():
        if isinstance(parts, list):
            lines += [f"{name}: {value}" for value in parts]
        else:
            lines += [f"{name}.{field}: {said}" for field, said in parts.items()]
    return lines


def _types() -> Iterator[type]:
    for module_info in pkgutil.walk_packages(contracts.__path__, "desk.contracts."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            ours = isinstance(value, type) and value.__module__ == module.__name__
            if ours and (issubclass(value, BaseModel) or (issubclass(value, Enum) and [*value])):
                yield value


def _name(found: type) -> str:
    return f"{found.__module__}.{found.__qualname__}"


def _values(found: type) -> list[str]:
    return sorted(str(member.value) for member in found) if issubclass(found, Enum) else []


def _fields(models: Sequence[type[BaseModel]]) -> Iterator[dict[str, str]]:
    # Of all at once, so that what many hold is described once.
    named, schemas = models_json_schema([(model, "validation") for model in models])
    for model in models:
        name = named[model, "validation"]["$ref"].rsplit("/", 1)[-1]
        yield _fields_of(model, schemas["$defs"][name])


def _fields_of(model: type[BaseModel], schema: Mapping[str, Any]) -> dict[str, str]:
    required = set(schema.get("required", ()))
    fields = {
        name: ("required " if name in required else "") + _described(field)
        for name, field in schema.get("properties", {}).items()
    }
    return {
        "(unknown fields)": str(model.model_config.get("extra")),
        **dict(sorted(fields.items())),
    }


def _described(field: Mapping[str, Any]) -> str:
    """One field's schema in a line: its type, its bounds, its default."""
    words = [_type(field)]
    for key, value in sorted(field.items()):
        if key in _BOUNDS:
            words.append(f"{_BOUNDS[key]}{value}")
        elif key == "additionalProperties" and isinstance(value, Mapping):
            words.append(f"of {_described(value)}")
        elif key not in _UNTOLD:
            words.append(f"{key}={json.dumps(value, ensure_ascii=False)}")
    return " ".join(words)


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    for key in ("anyOf", "oneOf"):
        if key in field:
            return " | ".join(f"({_described(choice)})" for choice in field[key])
    kind = str(field.get("type", "any"))
    return f"{kind} of ({_described(field['items'])})" if "items" in field else kind


def main() -> int:
    """Write the lock file; gives the exit status."""
    LOCK.write_text(as_text(fingerprint()), encoding="utf-8")
    print(f"accepted: {LOCK.name} holds the contracts as they are now")
    return 0


if __name__ == "__main__":
    sys.exit(main())
