"""Graphs as YAML files: found, read and checked, with the place of everything that is wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from desk.contracts.question.graph import GraphSpec
from desk.documents.rendering.wording import one_line
from desk.platform.files import read_file
from desk.runs.graphs.checks import faults, naming_faults
from desk.runs.graphs.fault import GraphFault, hint
from starters.endings import UsageError
from starters.graph_files_form import contract_form
from starters.graph_files_tree import FileFault, Place, Tree, Unreadable, read_tree
from starters.graph_files_words import contract_faults, file_path

MOST_BYTES: Final = 5 * 2**20
MOST_TOLD: Final = 20
"""As many faults of a file are listed."""

_FOLDER: Final = "graphs"
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
    """The file of a graph: one that ships, by its name, or any, by its path.

    Raises:
        UsageError: there is neither.
    """
    given = Path(name_or_path)
    if given.suffix in _ENDINGS or len(given.parts) > 1 or given.is_file():
        return given
    shipped = shipped_graphs(project_dir)
    for path in shipped:
        if path.stem == name_or_path:
            return path
    names = [path.stem for path in shipped]
    there = f"there are {', '.join(names)}" if names else f"there are none in {project_dir}"
    raise UsageError(
        f"no graph is called {name_or_path!r}; {there}{hint(name_or_path, names)}; "
        "a file of your own ends in .yaml"
    )


def shipped_graphs(project_dir: Path) -> tuple[Path, ...]:
    """The files of the graphs that come with the desk, by name."""
    return tuple(sorted((project_dir / _FOLDER).glob("*.yaml")))


def read_graph(path: Path) -> GraphSpec:
    """The graph of a file, checked: it can be run.

    Raises:
        GraphFileError: the file cannot be read, or anything is wrong in it.
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
    start = Place(1, 1)
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
        place = Place(before.count(b"\n") + 1, column)
        raise Unreadable(place, "this is no UTF-8; save the file as UTF-8") from None


def _validated(made: dict[str, Any], tree: Tree, found: list[FileFault]) -> GraphSpec | None:
    """The graph, or what can be read of it; what cannot is added to `found`."""
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
    """The graph without the fields in which something is wrong; None where a node would go."""
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
