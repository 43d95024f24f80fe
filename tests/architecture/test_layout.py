"""Who may import whom, what may not be called where, and how long things may be."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.parsed import files_in, nodes_of, parsed
from tests.support.processes.homes import PROJECT

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_PURE = {"desk.contracts", "desk.analytics", "desk.trust", "desk.agents"}
_LOGIC = _PURE | {"desk.runs", "desk.learning", "desk.documents"}
OURS: dict[str, set[str]] = {
    "desk.contracts": set(),
    "desk.analytics": {"desk.contracts"},
    "desk.trust": {"desk.contracts", "desk.analytics"},
    "desk.agents": {"desk.contracts", "desk.analytics", "desk.trust"},
    "desk.runs": _PURE,
    "desk.learning": _PURE | {"desk.runs"},
    "desk.documents": _PURE | {"desk.runs", "desk.learning"},
    "desk.programs": _LOGIC,
    "desk.platform": {"desk.contracts", "desk.analytics"},
    "desk.sources": {"desk.contracts", "desk.analytics"},
    "desk.sources.client": {"desk.contracts", "desk.platform"},
    "desk.training": _PURE | {"desk.learning", "desk.programs", "desk.sources"},
    "desk.evaluation": _LOGIC | {"desk.programs", "desk.platform", "desk.sources"},
    "desk.api": _LOGIC | {"desk.programs", "desk.platform", "starters"},
    "mcp_servers": {"desk.platform"},
    "activities": _LOGIC | {"desk.programs", "desk.platform"},
    "workflows": _LOGIC | {"desk.programs", "activities"},
    "workers": _LOGIC | {"desk.programs", "desk.platform", "activities", "workflows"},
    "starters": _LOGIC
    | {
        *("desk.programs", "desk.platform", "desk.training", "desk.evaluation"),
        *("workers", "workflows"),
    },
}
"""What each package may import of the others; the workers hand the desk to the starters."""

THIRD_PARTY = {
    "desk.contracts": {"pydantic"},
    "desk.analytics": {
        "babel",
        "numpy",
        "pendulum",
        "pydantic",
        "rapidfuzz",
        "scipy",
        "snowballstemmer",
        "vaderSentiment",
    },
    "desk.trust": {"numpy", "pendulum", "pydantic"},
    "desk.agents": {"jmespath", "pydantic"},
    "desk.runs": {"jmespath", "pendulum", "pydantic"},
    "desk.learning": {"numpy", "pendulum", "pydantic"},
    "desk.programs": {"jinja2", "markupsafe", "numpy", "pendulum", "pydantic"},
    "workflows": {"temporalio"},
}
"""What the inner packages may import from elsewhere; the others are bound by the lock only."""

CLOCKLESS = (*sorted(_LOGIC), "desk.programs", "workflows")
CLOCKS = {"now", "today", "utcnow", "time", "monotonic", "perf_counter", "tomorrow", "yesterday"}
CLOCK_OWNERS = {"datetime", "date", "pendulum", "time", "DateTime", "random", "uuid"}
LIGHT_FOR_WORKFLOWS = {"numpy", "matplotlib", "mcp", "anthropic", "jinja2", "vaderSentiment"}
LONGEST_FILE = 800
"""No goal: a file is one idea, however long. What is longer is looked at."""
LONGEST_FUNCTION = 50
MOST_IN_A_FOLDER = 12
"""Modules and subpackages: what outgrows that is two concepts."""


def modules(package: str) -> Iterator[tuple[Path, ast.Module]]:
    place = PROJECT / package.replace(".", "/")
    for path in files_in(place) if place.is_dir() else (place.with_suffix(".py"),):
        if package_of(name_of(path)) == package:
            yield path, parsed(path)


def imported(tree: ast.Module) -> Iterator[str]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


APART: Final = "desk.sources.client"
"""The client's side of the sources: no server of theirs imports what it may."""


def package_of(name: str) -> str:
    """The package of `OURS` that a module lies in; for any other its first name."""
    if name == APART:
        return APART
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "desk" else parts[0]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts)


def test_a_package_imports_only_what_lies_beneath_it() -> None:
    wrong = {
        f"{name_of(path)} imports {name}"
        for package, allowed in OURS.items()
        for path, tree in modules(package)
        for name in imported(tree)
        if package_of(name) in OURS and package_of(name) not in allowed | {package}
    }
    assert wrong == set()


@pytest.mark.parametrize("package", OURS)
def test_no_folder_holds_more_than_a_reader_takes_in(package: str) -> None:
    folders = {path.parent for path, _ in modules(package)}
    many = {
        str(folder.relative_to(PROJECT)): len(held)
        for folder in folders
        if len(
            held := [
                each
                for each in folder.iterdir()
                if (each.suffix == ".py" and not each.stem.startswith("__"))
                or (each / "__init__.py").is_file()
            ]
        )
        > MOST_IN_A_FOLDER
    }
    assert many == {}


def test_no_folder_of_tests_holds_too_many_modules() -> None:
    held = Counter(path.parent for path in (PROJECT / "tests").rglob("[a-z]*.py"))
    assert {folder for folder, modules in held.items() if modules > MOST_IN_A_FOLDER} == set()


@pytest.mark.parametrize("package", THIRD_PARTY)
def test_an_inner_package_imports_few_libraries(package: str) -> None:
    allowed = THIRD_PARTY[package] | {"desk", "workflows", "activities"} | sys.stdlib_module_names
    wrong = [
        f"{path.relative_to(PROJECT)} imports {name}"
        for path, tree in modules(package)
        for name in imported(tree)
        if name.split(".")[0] not in allowed
    ]
    assert wrong == []


def test_workflows_take_no_analyst() -> None:
    """An analyst works in an activity: workflows import neither the built-in ones nor Claude's."""
    wrong = [
        f"{path.name} imports {name}"
        for path, tree in modules("workflows")
        for name in imported(tree)
        if name.startswith("desk.programs") and {"builtin", "claude"} & set(name.split("."))
    ]
    assert wrong == []


def test_what_workflows_import_is_light() -> None:
    wanted = {
        name
        for _, tree in modules("workflows")
        for name in imported(tree)
        if name.startswith("desk.")
    }
    seen: set[str] = set()
    heavy = []
    while wanted - seen:
        name = (wanted - seen).pop()
        seen.add(name)
        place = PROJECT / name.replace(".", "/")
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        tree = parsed(file)
        found = set(imported(tree))
        heavy += [f"{name} imports {h}" for h in found if h.split(".")[0] in LIGHT_FOR_WORKFLOWS]
        wanted |= {h for h in found if h.startswith("desk.")}
    assert heavy == []


def clock_calls(tree: ast.Module) -> Iterator[str]:
    for node in nodes_of(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.attr in CLOCKS | {"uuid4", "random"}
            and node.func.value.id in CLOCK_OWNERS
        ):
            yield f"{node.func.value.id}.{node.func.attr} in line {node.lineno}"


@pytest.mark.parametrize("package", CLOCKLESS)
def test_what_decides_has_no_clock_and_no_chance(package: str) -> None:
    wrong = [
        f"{path.relative_to(PROJECT)}: {call}"
        for path, tree in modules(package)
        for call in clock_calls(tree)
    ]
    assert wrong == []


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        path.relative_to(PROJECT).as_posix()
        for package in OURS
        for path, tree in modules(package)
        for node in nodes_of(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"}
    }
    # A server with credentials runs as a process of its own and has them from its environment.
    assert readers == {"desk/platform/settings/environment.py", "desk/sources/reuters/server.py"}


def test_only_the_reader_of_histories_knows_how_temporal_writes_them() -> None:
    reader = PROJECT / "desk/platform/temporal/history"
    others = [
        name_of(path)
        for package in OURS
        for path, tree in modules(package)
        if reader not in path.parents
        and (
            "temporalio.api.history.v1" in imported(tree)
            or any(
                isinstance(node, ast.Attribute) and node.attr.startswith("fetch_history")
                for node in nodes_of(tree)
            )
        )
    ]
    assert others == []


def test_no_folder_hides_the_mcp_library() -> None:
    assert not (PROJECT / "mcp").exists()


@pytest.mark.parametrize("package", OURS)
def test_files_and_functions_are_short(package: str) -> None:
    long = []
    for path, tree in modules(package):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE:
            long.append(f"{path.relative_to(PROJECT)}: {lines} lines")
        for node in nodes_of(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    long.append(f"{path.relative_to(PROJECT)}: {node.name}, {length} lines")
    assert long == []


def public_definitions(body: list[ast.stmt]) -> Iterator[ast.ClassDef | FunctionNode]:
    """Public functions and classes, and the public methods of public classes."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("_"):
                continue
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node.body)


@pytest.mark.parametrize("package", OURS)
def test_every_public_symbol_says_what_it_guarantees(package: str) -> None:
    bare = [
        f"{path.relative_to(PROJECT)}: {node.name}"
        for path, tree in modules(package)
        for node in public_definitions(tree.body)
        if ast.get_docstring(node) is None
    ]
    assert bare == []


def test_activities_with_a_heartbeat_timeout_beat() -> None:
    """Without a beat the timeout would end healthy work instead of noticing a killed worker."""
    silent = [
        f"{path.name}: {node.name}"
        for path, tree in modules("activities")
        for node in nodes_of(tree)
        if isinstance(node, ast.AsyncFunctionDef)
        and any(
            "activity" in ast.unparse(d) and "defn" in ast.unparse(d) for d in node.decorator_list
        )
        and "beating(" not in ast.unparse(node)
    ]
    assert silent == []
