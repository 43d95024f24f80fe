"""No module and no package imports one that imports it, directly or by way of others.

Imports inside of functions count as well: they delay when a module is loaded, and what depends on
what stays the same.
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from tests.architecture.parsed import nodes_of
from tests.architecture.test_layout import OURS, modules, name_of

_IMPORT = ast.Import | ast.ImportFrom


def test_there_is_no_circle_of_modules() -> None:
    assert _circle(_imports()) == []


def test_there_is_no_circle_of_packages() -> None:
    """A package is the modules that lie directly in a folder; a folder inside of it is another."""
    imports = _imports()
    folders = {name.rpartition(".")[0] for name in imports}
    needed: dict[str, set[str]] = defaultdict(set)
    for name, imported in imports.items():
        own, *others = (_folder(folders, each) for each in (name, *imported))
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


def _imports() -> dict[str, set[str]]:
    """The modules of ours that each of ours imports, at its top or inside of a function."""
    trees = _trees()
    return {
        name: set(_named(trees, (n for n in nodes_of(tree) if isinstance(n, _IMPORT))))
        for name, tree in trees.items()
    }


def _folder(folders: Collection[str], module: str) -> str:
    """The package that a module lies in; a package's face lies in it itself."""
    return module if module in folders else module.rpartition(".")[0]


def _named(trees: Collection[str], imports: Iterable[ast.Import | ast.ImportFrom]) -> Iterator[str]:
    for node in imports:
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from inner.intersection(trees)
            if not inner.issubset(trees) and node.module in trees:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in trees)
