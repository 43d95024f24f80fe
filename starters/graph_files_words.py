"""What the contract has against a graph, in words for whoever wrote the file."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from desk.runs.graphs.fault import hint
from starters.graph_files_form import known_keys
from starters.graph_files_tree import FileFault, Path, Tree

_WRITTEN = {"nodes": "graph", "merges": "merge"}
"""How the file calls what the contract calls otherwise."""


def contract_faults(tree: Tree, error: ValidationError) -> Iterator[FileFault]:
    """Everything that the contract found, where it stands in the file."""
    for one in error.errors(include_url=False):
        if one["type"] == "too_short" and one["input"]:
            continue  # What there is has faults of its own and was not counted.
        location = tuple(part for part in one["loc"] if part != "[key]")
        path = file_path(tree, location)
        unknown = one["type"] == "extra_forbidden"
        named = unknown or "[key]" in one["loc"]
        yield FileFault(tree.place_of(path, key=named), _words(one, location))


def file_path(tree: Tree, location: Path) -> Path:
    """The way in the file to what stands at a location of the contract."""
    path = (_WRITTEN.get(str(location[0]), location[0]), *location[1:]) if location else ()
    parameters = tree.value.get("parameters") if isinstance(tree.value, dict) else None
    if path[:1] == ("parameters",) and isinstance(parameters, dict) and len(path) > 1:
        names = list(parameters)
        return ("parameters", names[int(path[1])], *path[2:])
    return path


def _words(one: ErrorDetails, location: Path) -> str:
    kind = one["type"]
    key = next((part for part in reversed(location) if isinstance(part, str)), "the file")
    if kind == "extra_forbidden":
        known = known_keys(location)
        return f"unknown key {key!r}; known: {', '.join(known)}{hint(key, known)}"
    if kind == "missing":
        return f"{key!r} is missing"
    return f"{_WRITTEN.get(key, key)} is {_shown(one['input'])}; allowed: {_allowed(one, key)}"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _allowed(one: ErrorDetails, key: str) -> str:
    kind, context = one["type"], one.get("ctx", {})
    if key == "tools":
        return "a tool such as knowledge.get_doc, with its server before the dot"
    if kind == "enum":
        options = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return f"{', '.join(options)}{hint(str(one['input']), options)}"
    if kind.startswith("time_delta"):
        return 'a duration such as "20 s" or "2 minutes"'
    if kind == "string_pattern_mismatch":
        return "a name of letters, digits, _ and -, a letter first and at most 60 in all"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return f"a mapping{_of(key)}"
    if kind in ("list_type", "tuple_type"):
        return f"a list{_of(key)}"
    if kind == "value_error":
        return str(context["error"])
    if kind in ("too_short", "too_long"):
        most = context.get("max_length")
        return "one at least" if most is None else f"{most} at most"
    told: Any = one["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    return f"{told[0].lower()}{told[1:]}"


def _of(key: str) -> str:
    keys = {"nodes": " with `name`, `agent` and what follows", "next": " of `to` and `when`"}
    return keys.get("next" if key == "fork" else key, "")
