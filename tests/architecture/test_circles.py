"""Nothing is imported, by way of others, by what it imports itself: no module and no package."""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from tests.architecture.parsed import nodes_of
from tests.architecture.test_layout import OURS, modules, name_of


def test_there_is_no_circle_of_modules() -> None:
    """Neither as they are loaded nor by what their functions import later."""
    trees = _trees()
    everywhere = {
        name: [each for each in nodes_of(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
        for name, tree in trees.items()
    }
    assert _circle({n: set(_named(trees, found)) for n, found in everywhere.items()}) == []


def test_there_is_no_circle_of_packages() -> None:
    """A package here is a folder's own modules: one inside of it is another."""
    trees = _trees()
    folders = {name.rpartition(".")[0] for name in trees}
    needed: dict[str, set[str]] = defaultdict(set)
    for name in trees:
        own, *others = (_folder(folders, each) for each in (name, *_needed(trees, name)))
        needed[own].update(other for other in others if other != own)
    assert _circle(needed) == []


def test_a_circle_is_named() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(_circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}


def _circle(needed: Mapping[str, Collection[str]]) -> Sequence[str]:
    """The names of a circle of what needs what, in turn; empty where there is none."""
    try:
        TopologicalSorter(needed).prepare()
    except CycleError as error:
        circle: Sequence[str] = error.args[1]
        return circle
    return []


def _trees() -> dict[str, ast.Module]:
    """Every module by its name, a package's face by that of the package."""
    return {
        name_of(path).removesuffix(".__init__"): tree
        for package in OURS
        for path, tree in modules(package)
    }


def _folder(folders: Collection[str], module: str) -> str:
    """The package that a module lies in; a package's face lies in it itself."""
    return module if module in folders else module.rpartition(".")[0]


def _needed(trees: dict[str, ast.Module], module: str) -> Iterator[str]:
    """What has to be loaded before a module can be; what a function imports is not."""
    return _named(trees, _at_import(trees[module].body))


def _named(
    trees: dict[str, ast.Module], imports: Iterable[ast.Import | ast.ImportFrom]
) -> Iterator[str]:
    for node in imports:
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from inner & trees.keys()
            if not inner <= trees.keys() and node.module in trees:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in trees)


def _at_import(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.With):  # workflow code passes imports through so
            yield from _at_import(node.body)
