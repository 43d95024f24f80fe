"""Graphs in YAML files: found, read and checked. Every fault has its line and column."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from desk.agents.registry import TASK_IN_GRAPHS, TASKS
from desk.analytics.names.nearest import suggestion
from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId
from desk.contracts.question.graph import MOST_NODES, Edge, GraphSpec, NodeSpec, ParameterSpec
from desk.documents.rendering.words.wording import one_line
from desk.platform.files import read_file
from desk.platform.settings import shipped_graphs
from desk.platform.settings.desk_toml import span
from desk.runs.graphs import GraphFault, faults, naming_faults
from starters.terminal.exit_status import UsageError

Location = tuple[int | str, ...]
"""The path to a value: keys, and list indexes from 0."""

MOST_DEPTH: Final = 12
MOST_VALUES: Final = 100_000
MOST_TWICE: Final = 1_000
_NOTHING: Final = ("", "~", "null", "Null", "NULL")
_UNPRINTABLE: Final = re.compile(
    "[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufeff\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser if PyYAML has it. It is ten times as fast."""


class FilePosition(NamedTuple):
    """A line and a column, counted from 1."""

    line: int
    column: int


class FileFault(NamedTuple):
    """A fault in a file, and its position."""

    place: FilePosition
    words: str


class Unreadable(Exception):
    """The text is not YAML of the accepted kind."""

    def __init__(self, place: FilePosition, words: str) -> None:
        super().__init__(words)
        self.fault = FileFault(place, words)


@dataclass
class Tree:
    """The contents of a file, the position of each value and key, and duplicate keys."""

    value: Any = None
    places: dict[Location, FilePosition] = field(default_factory=dict)
    keys: dict[Location, FilePosition] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)

    def place_of(self, path: Location, *, key: bool = False) -> FilePosition:
        """Returns the position of a value, or of its key. For a missing value, returns the position
        of the value that would contain it."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, FilePosition(1, 1))


def read_tree(text: str) -> Tree:
    """Parses a YAML file.

    Raises:
        Unreadable: it is empty or not YAML, has aliases or tags, or is nested too deeply.
    """
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        line, column = (
            text.count("\n", 0, bad.start()),
            bad.start() - text.rfind("\n", 0, bad.end()),
        )
        raise Unreadable(FilePosition(line + 1, column), f"{bad[0]!r} is no printable character")
    tree = Tree()
    try:
        _document(yaml.parse(text, Loader=_LOADER), tree)
    except yaml.MarkedYAMLError as error:
        told = ", ".join(part for part in (error.problem, error.context) if part)
        raise Unreadable(_place(error.problem_mark), f"no usable YAML: {told}") from None
    except yaml.YAMLError as error:
        raise Unreadable(FilePosition(1, 1), f"no usable YAML: {error}") from None
    return tree


def _document(events: Iterator[Any], tree: Tree) -> None:
    documents = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise Unreadable(
                    _place(event.start_mark), "a second document: a file has one graph"
                )
            tree.value = _value(next(events), events, (), tree)
    if tree.value is None:
        raise Unreadable(FilePosition(1, 1), "the file is empty; it begins with `graph:`")


def _value(event: Any, events: Iterator[Any], path: Location, tree: Tree) -> Any:
    place = _place(event.start_mark)
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise Unreadable(place, "anchors and aliases are not read here: write it out")
    if event.tag is not None and event.tag != "!":
        raise Unreadable(place, f"tags such as {event.tag!r} are not read here")
    if len(path) > MOST_DEPTH:
        raise Unreadable(place, "nested too deeply for a graph")
    if len(tree.places) >= MOST_VALUES:
        raise Unreadable(place, f"more than {MOST_VALUES:,} values: too many for a graph")
    tree.places.setdefault(path, place)
    if isinstance(event, yaml.SequenceStartEvent):
        return _list(events, path, tree)
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, path, tree)
    return None if event.style is None and event.value in _NOTHING else event.value


def _list(events: Iterator[Any], path: Location, tree: Tree) -> list[Any]:
    found: list[Any] = []
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            break
        found.append(_value(event, events, (*path, len(found)), tree))
    return found


def _mapping(events: Iterator[Any], path: Location, tree: Tree) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        place = _place(event.start_mark)
        if not isinstance(event, yaml.ScalarEvent):
            raise Unreadable(place, "a key is a single word")
        key = event.value
        if key in found and len(tree.faults) < MOST_TWICE:
            first = tree.keys[(*path, key)].line
            words = f"the key {key!r} stands there twice, first in line {first}"
            tree.faults.append(FileFault(place, words))
        tree.keys.setdefault((*path, key), place)
        kept = _value(next(events), events, (*path, key), tree)
        found.setdefault(key, kept)
    return found


def _place(mark: Any) -> FilePosition:
    return FilePosition(1, 1) if mark is None else FilePosition(mark.line + 1, mark.column + 1)


AGENTS: Final = tuple(str(agent) for agent in TASK_IN_GRAPHS)
TASKS_KNOWN: Final = tuple(str(task) for task in TASKS)
TOP_KEYS: Final = ("graph", "name", "description", "parameters", "merge")
_FIELDS: Final[Mapping[str, str]] = {"graph": "nodes", "merge": "merges"}
_KNOWN: Final = {
    "edge": tuple(Edge.model_fields),
    "node": tuple(NodeSpec.model_fields),
    "parameter": tuple(ParameterSpec.model_fields),
    "retries": tuple(RetryConfig.model_fields),
}


def contract_form(tree: Tree, file: PurePath) -> tuple[dict[str, Any], list[FileFault]]:
    """Returns the fields of a `GraphSpec`, unvalidated, and the faults of names that only occur in
    files.

    Replaces an unknown agent by a known one, so that the rest can be checked.
    """
    if not isinstance(tree.value, dict) or "graph" not in tree.value:
        words = "a graph is a mapping with the key `graph`, a list of nodes"
        return {}, [*_unknown(tree), FileFault(tree.place_of(()), words)]
    nodes = tree.value["graph"]
    if isinstance(nodes, list) and len(nodes) > MOST_NODES:
        words = f"a graph has at most {MOST_NODES:,} nodes, and this one has {len(nodes):,}"
        return {}, [FileFault(tree.place_of(("graph", MOST_NODES)), words)]
    found = list(_unknown(tree))
    made: dict[str, Any] = {
        _FIELDS.get(key, key): tree.value[key] for key in TOP_KEYS if key in tree.value
    }
    made.setdefault("name", file.stem)
    if made.get("description") is None:
        made.pop("description", None)
    if made.get("merges", {}) is None:
        del made["merges"]
    if "parameters" in made:
        made["parameters"] = _parameters(made["parameters"])
    if isinstance(made["nodes"], list):
        made["nodes"] = [
            _node(node, place, tree, found) for place, node in enumerate(made["nodes"])
        ]
    return made, found


def known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """Returns the keys that are allowed in place of an unknown one, by the contract's location."""
    if location[0] == "parameters":
        return _KNOWN["parameter"]
    if len(location) > 3:
        return _KNOWN["retries" if location[2] == "retries" else "edge"]
    return _KNOWN["node"]


def _unknown(tree: Tree) -> Iterable[FileFault]:
    keys = tree.value if isinstance(tree.value, dict) else ()
    for key in keys:
        if key not in TOP_KEYS:
            words = f"unknown key {key!r}; known: {', '.join(TOP_KEYS)}{suggestion(key, TOP_KEYS)}"
            yield FileFault(tree.place_of((key,), key=True), words)


def _node(written: Any, place: int, tree: Tree, found: list[FileFault]) -> Any:
    if not isinstance(written, dict):
        return written
    made = {key: value for key, value in written.items() if value is not None}
    for key in ("agent", "fallback"):
        _check_agent(made, key, place, tree, found)
    _check_task(made, place, tree, found)
    # A missing agent is one fault, not two.
    agent = made.get("agent")
    usual = TASK_IN_GRAPHS[AgentId(agent)] if agent in AGENTS else TaskType.READ_DOCUMENTS
    made.setdefault("task", usual)
    for key in ("next", "fork"):
        if key in made:
            made[key] = [_edge(entry) for entry in _listed(made[key])]
    if "reads" in made:
        made["reads"] = _listed(made["reads"])
    if "tools" in made:
        made["tools"] = [_tool(entry) for entry in _listed(made["tools"])]
    if "timeout" in made:
        made["timeout"] = span(made["timeout"])
    if isinstance(made.get("retries"), dict):
        made["retries"] = {key: span(value) for key, value in made["retries"].items()}
    return made


def _check_agent(
    made: dict[str, Any], field: str, place: int, tree: Tree, found: list[FileFault]
) -> None:
    written = made.get(field)
    if not isinstance(written, str) or written in AGENTS:
        return
    words = f"{field} is {written!r}, which works in no graph; known: {', '.join(AGENTS)}"
    found.append(
        FileFault(tree.place_of(("graph", place, field)), words + suggestion(written, AGENTS))
    )
    made[field] = AGENTS[0] if field == "agent" else AGENTS[1]


def _check_task(made: dict[str, Any], place: int, tree: Tree, found: list[FileFault]) -> None:
    written = made.get("task")
    if not isinstance(written, str) or written in TASKS_KNOWN:
        return
    hint = suggestion(written, TASKS_KNOWN)
    words = f"task is {written!r}; allowed: {', '.join(TASKS_KNOWN)}{hint}"
    found.append(FileFault(tree.place_of(("graph", place, "task")), words))
    del made["task"]


def _edge(written: Any) -> Any:
    return {"to": written} if isinstance(written, str) else written


def _listed(written: Any) -> list[Any]:
    return written if isinstance(written, list) else [written]


def _tool(written: Any) -> Any:
    server, dot, tool = written.partition(".") if isinstance(written, str) else ("", "", "")
    return {"server": server, "tool": tool} if server and dot and tool else written


def _parameters(written: Any) -> Any:
    if written is None:
        return []
    if isinstance(written, dict):
        return [_parameter(name, told) for name, told in written.items()]
    if isinstance(written, list):
        return [{"name": one} if isinstance(one, str) else one for one in written]
    return written


def _parameter(name: str, told: Any) -> Any:
    if isinstance(told, dict):
        return {"name": name, **told}
    return {"name": name} if told is None else {"name": name, "description": told}


_WRITTEN = {"nodes": "graph", "merges": "merge"}
"""Names in a file that differ from those in the contract."""


def contract_faults(tree: Tree, error: ValidationError) -> Iterator[FileFault]:
    """Yields every fault that the contract found, with its position in the file."""
    for one in error.errors(include_url=False):
        if one["type"] == "too_short" and one["input"]:
            continue  # What there is has faults of its own and was not counted.
        location = tuple(part for part in one["loc"] if part != "[key]")
        path = file_path(tree, location)
        unknown = one["type"] == "extra_forbidden"
        named = unknown or "[key]" in one["loc"]
        yield FileFault(tree.place_of(path, key=named), _words(one, location))


def file_path(tree: Tree, location: Location) -> Location:
    """Returns the path in the file of a location in the contract."""
    path = (_WRITTEN.get(str(location[0]), location[0]), *location[1:]) if location else ()
    parameters = tree.value.get("parameters") if isinstance(tree.value, dict) else None
    if path[:1] == ("parameters",) and isinstance(parameters, dict) and len(path) > 1:
        names = list(parameters)
        return ("parameters", names[int(path[1])], *path[2:])
    return path


def _words(one: ErrorDetails, location: Location) -> str:
    kind = one["type"]
    key = next((part for part in reversed(location) if isinstance(part, str)), "the file")
    if kind == "extra_forbidden":
        known = known_keys(location)
        return f"unknown key {key!r}; known: {', '.join(known)}{suggestion(key, known)}"
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
        return f"{', '.join(options)}{suggestion(str(one['input']), options)}"
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


MOST_BYTES: Final = 5 * 2**20
MOST_TOLD: Final = 20
"""The most faults of a file that are listed."""

_ENDINGS: Final = (".yaml", ".yml")


class GraphFileError(UsageError):
    """A graph's file cannot be used. The message has a line `FILE:LINE:COLUMN: words` for each
    fault, at most `MOST_TOLD` of them; `faults` has all."""

    listed = True

    def __init__(self, file: Path, found: tuple[FileFault, ...]) -> None:
        self.file, self.faults = file, found
        super().__init__("\n".join(self.lines()))

    def lines(self) -> Iterator[str]:
        """The lines of the message."""
        for place, words in self.faults[:MOST_TOLD]:
            yield f"{self.file}:{place.line}:{place.column}: {one_line(words)}"
        if len(self.faults) > MOST_TOLD:
            yield f"{self.file}: and {len(self.faults) - MOST_TOLD} faults more"


def find_graph(name_or_path: str, project_dir: Path) -> Path:
    """Returns the file of a graph: a shipped one by its name, or any by its path.

    Raises:
        UsageError: there is no such graph.
    """
    given = Path(name_or_path)
    if given.suffix in _ENDINGS or len(given.parts) > 1 or given.is_file():
        return given
    shipped = shipped_graphs(project_dir)
    for path in shipped:
        if path.stem == name_or_path:
            return path
    names = [path.stem for path in shipped]
    raise UsageError(
        f"no graph is called {name_or_path!r}; there are {', '.join(names)}"
        f"{suggestion(name_or_path, names)}; a file of your own ends in .yaml"
    )


def read_graph(path: Path) -> GraphSpec:
    """Reads the graph of a file, completely checked.

    Raises:
        GraphFileError: the file cannot be read, or is invalid.
    """
    try:
        tree = read_tree(_text(path))
    except Unreadable as error:
        raise GraphFileError(path, (error.fault,)) from None
    made, found = contract_form(tree, path)
    found += tree.faults
    spec = _validated(made, tree, found) if made else None
    if spec is not None and not found:
        found += (_fault_in_file(tree, fault) for fault in faults(spec))
    elif spec is not None:
        found += (_fault_in_file(tree, fault) for fault in naming_faults(spec))
    if found or spec is None:
        raise GraphFileError(path, tuple(sorted(dict.fromkeys(found))))
    return spec


def _text(path: Path) -> str:
    start = FilePosition(1, 1)
    try:
        contents = read_file(path, MOST_BYTES)
    except FileNotFoundError:
        raise Unreadable(start, "there is no such file") from None
    except OSError as error:
        raise Unreadable(start, f"the file cannot be read: {error.strerror}") from None
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = contents[: error.start]
        column = len(before) - before.rfind(b"\n")
        place = FilePosition(before.count(b"\n") + 1, column)
        raise Unreadable(place, "this is no UTF-8; save the file as UTF-8") from None


def _validated(made: dict[str, Any], tree: Tree, found: list[FileFault]) -> GraphSpec | None:
    """Validates the graph. Falls back to its valid part. Adds faults to `found`."""
    try:
        return GraphSpec.model_validate(made, extra="forbid")
    except ValidationError as error:
        found += contract_faults(tree, error)
        rest = _without_faulty(made, error)
    try:
        return GraphSpec.model_validate(rest) if rest else None
    except ValidationError:
        return None


def _without_faulty(made: dict[str, Any], error: ValidationError) -> dict[str, Any] | None:
    """Removes the faulty fields from the graph. Returns None if a node would have to be removed."""
    nodes = made["nodes"]
    rest = dict(made)
    if isinstance(nodes, list):
        rest["nodes"] = [dict(node) if isinstance(node, dict) else node for node in nodes]
    for one in error.errors(include_url=False):
        match one["loc"]:
            case ("nodes", int(place), str(field), *_) if field not in ("name", "agent"):
                rest["nodes"][place].pop(field, None)
            case (str(field), *_) if field not in ("nodes", "name"):
                rest.pop(field, None)
            case _:
                return None
    return rest


def _fault_in_file(tree: Tree, fault: GraphFault) -> FileFault:
    steps = tuple(int(step) if step.isdigit() else step for step in fault.field.split("."))
    if fault.place is not None:
        steps = ("nodes", fault.place, *steps)
    return FileFault(tree.place_of(file_path(tree, steps)), fault.words)
