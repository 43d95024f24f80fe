"""One name means one thing: a class is called what no other class of the product is called."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.architecture.test_layout import OURS, modules, name_of

SHARED: dict[str, str] = {
    "Desk": "Python's own, `from desk import Desk`; and the connection to one that commands have",
}
"""Names that two classes may have, each with the reason."""


def classes() -> Iterator[tuple[str, str]]:
    """Every class at the top of a module with the module, private ones too."""
    for package in OURS:
        for path, tree in modules(package):
            yield from (
                (node.name, name_of(path)) for node in tree.body if isinstance(node, ast.ClassDef)
            )


def test_no_two_classes_have_one_name() -> None:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, module in classes():
        found[name].append(module)
    several = {name: modules for name, modules in found.items() if len(modules) > 1}
    assert {name: where for name, where in several.items() if name not in SHARED} == {}
    assert set(SHARED) <= set(several), "what is shared no more needs no reason"
