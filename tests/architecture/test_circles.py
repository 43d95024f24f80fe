"""No module is imported, by way of others, by what it imports itself."""

import ast
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter

from tests.architecture.test_layout import OURS, modules, name_of


def test_there_is_no_circle_of_imports() -> None:
    trees = {
        name_of(path).removesuffix(".__init__"): tree
        for package in OURS
        for path, tree in modules(package)
    }
    circle_free = TopologicalSorter({name: set(_needed(trees, name)) for name in trees})
    circle_free.prepare()  # a CycleError names the modules of a circle


def _needed(trees: dict[str, ast.Module], module: str) -> Iterator[str]:
    """What has to be loaded before a module can be; what a function imports is not."""
    for node in _at_import(trees[module].body):
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
