"""The product's modules as trees, each read and parsed once by all tests of its structure."""

import ast
from functools import cache
from pathlib import Path


@cache
def files_in(folder: Path) -> tuple[Path, ...]:
    """The modules of a folder and of those inside of it, in order."""
    return tuple(sorted(folder.rglob("*.py")))


@cache
def parsed(file: Path) -> ast.Module:
    """The tree of a module, which nobody changes."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Every node of a tree, as `ast.walk` has them."""
    return tuple(ast.walk(tree))


def forget() -> None:
    """Nothing of the trees stays: they are some 200 MB."""
    for kept in (files_in, parsed, nodes_of):
        kept.cache_clear()
