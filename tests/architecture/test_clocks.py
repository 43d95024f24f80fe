"""The workflows and the logic in `desk` are outside the sandbox when they run; this keeps their
clocks closed, and what the runs of a process share unchanged."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.parsed import nodes_of
from tests.architecture.test_layout import CLOCK_OWNERS, CLOCKS, modules

CHANCE_AND_CLOCKS = {"time", "random", "secrets", "uuid", "os", "subprocess", "threading"}
"""Modules of which a pure function needs nothing."""

STANDARD = {"datetime", "pendulum"}
"""Modules that have a clock among much else."""


def reached(tree: ast.Module) -> Iterator[str]:
    """What a module reaches of clocks and chance, by import or by a name taken from a class."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name.split(".")[0] in CHANCE_AND_CLOCKS
            )
        elif isinstance(node, ast.ImportFrom) and node.module in CHANCE_AND_CLOCKS:
            yield node.module
        elif isinstance(node, ast.ImportFrom) and node.module in STANDARD:
            clocks = CLOCKS - {"time"} if node.module == "datetime" else CLOCKS
            yield from (alias.name for alias in node.names if alias.name in clocks)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in CLOCK_OWNERS
            and node.attr in CLOCKS
        ):
            yield f"{node.value.id}.{node.attr}"


@pytest.mark.parametrize(
    "package", ["desk.analytics", "desk.trust", "desk.runs", "desk.learning", "workflows"]
)
def test_what_decides_reaches_no_clock_and_no_chance(package: str) -> None:
    found = [f"{path.name}: {name}" for path, tree in modules(package) for name in reached(tree)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "import time",
        "from time import monotonic",
        "from pendulum import now",
        "clock = datetime.now",
        "import uuid",
        "from random import random",
    ],
)
def test_a_clock_that_is_reached_for_is_noticed(line: str) -> None:
    assert list(reached(ast.parse(line)))


MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
CONTAINERS = {"list", "dict", "set", "defaultdict", "deque", "Counter"}


def shared(tree: ast.Module) -> Iterator[str]:
    """What a module and its classes hold that could change, and functions that change a global."""
    classes = [node for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]
    bodies = (tree.body, *(each.body for each in classes))
    for statement in (statement for body in bodies for statement in body):
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        value = statement.value
        called = value.func if isinstance(value, ast.Call) else None
        if isinstance(value, MUTABLE) or getattr(called, "id", None) in CONTAINERS:
            yield f"line {statement.lineno}"
    yield from (f"line {node.lineno}" for node in nodes_of(tree) if isinstance(node, ast.Global))


def test_the_workflows_of_a_process_share_nothing_that_changes() -> None:
    """They share their modules."""
    found = [f"{path.name}: {line}" for path, tree in modules("workflows") for line in shared(tree)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    ["seen = []", "class Run:\n    seen: set[str] = set()", "def add():\n    global number"],
)
def test_what_runs_would_share_is_noticed(line: str) -> None:
    assert list(shared(ast.parse(line)))
