"""The shared state of a graph: a view of it as JSON, and conditions on that view.

The view has `question`, `parameters`, each key of the state with the result delivered under it, and
`errors` with the reason for each key that a node failed to write. If a node ran in several rounds,
the last one counts. If several nodes write a key, the graph's merge rule decides, in the order of
the file: the order in which they ended makes no difference.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult
from pydantic import JsonValue

from desk.contracts.agents.tasks import Query
from desk.contracts.question.graph import GraphSpec, Merge
from desk.contracts.runs.turns import StateEntry

RESERVED: Final = ("question", "parameters", "errors")
"""Names of the view itself, which no node may write."""


class StateAsJson(NamedTuple):
    """An entry with its result as JSON, so that a long document is serialised only once."""

    entry: StateEntry
    content: JsonValue


def as_json(entry: StateEntry) -> StateAsJson:
    """Returns an entry and its result as JSON, or None for the result if it has none."""
    result = entry.result
    return StateAsJson(entry, None if result is None else result.model_dump(mode="json"))


def view(spec: GraphSpec, query: Query, entries: Iterable[StateEntry]) -> dict[str, JsonValue]:
    """Returns the state as conditions and people see it, from entries in any order."""
    places = {node.name: place for place, node in enumerate(spec.nodes)}
    last: dict[str, StateEntry] = {}
    for entry in entries:
        if entry.node not in last or last[entry.node].round <= entry.round:
            last[entry.node] = entry
    ordered = sorted(last.values(), key=lambda entry: places.get(entry.node, len(places)))
    return view_of(spec.merges, query, (as_json(entry) for entry in ordered))


def view_of(
    merges: Mapping[str, Merge], query: Query, entries: Iterable[StateAsJson]
) -> dict[str, JsonValue]:
    """Returns the same from the last entry of each node, in the order of the file."""
    delivered: dict[str, list[JsonValue]] = {}
    errors: dict[str, list[str]] = {}
    for entry, content in entries:
        if entry.error is not None:
            errors.setdefault(entry.key, []).append(entry.error)
        elif content is not None:
            delivered.setdefault(entry.key, []).append(content)
    merged = {key: _merged(merges.get(key), found) for key, found in delivered.items()}
    return {
        **merged,
        "question": query.question,
        "parameters": {**query.parameters},
        "errors": {key: "; ".join(reasons) for key, reasons in errors.items()},
    }


def _merged(merge: Merge | None, found: list[JsonValue]) -> JsonValue:
    if merge is Merge.ALL:
        return found
    return found[0] if merge is Merge.FIRST else found[-1]


def holds(expression: str, state: Mapping[str, JsonValue]) -> bool:
    """Returns whether a condition is true of a view: its value is not null, false or empty.

    A condition that cannot be evaluated, such as the length of a number, is false.
    """
    try:
        found = compiled(expression).search(dict(state))
    except Exception:
        # The library also raises errors that are not its own, such as those of a slice's step.
        return False
    return not (found is None or found is False or found in ("", [], {}))


@lru_cache(maxsize=2_000)
def compiled(expression: str) -> ParsedResult:
    """Returns a compiled condition. Cached, because a graph may have a thousand.

    Raises:
        ValueError: it is not JMESPath.
    """
    try:
        return jmespath.compile(expression)
    except (JMESPathError, RecursionError) as error:
        raise ValueError(str(error)) from error
