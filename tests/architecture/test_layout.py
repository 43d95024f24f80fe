"""Who may import whom, what may not be called where, and how long things may be."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.homes import PROJECT

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

OURS: dict[str, set[str]] = {
    "contracts": set(),
    "domain": {"contracts"},
    "agents": {"contracts", "domain"},
    "infra": {"contracts"},
    "mcp_servers": {"contracts", "domain"},
    "reporting": {"contracts", "domain"},
    "activities": {"contracts", "domain", "agents", "infra", "reporting"},
    "workflows": {"contracts", "domain", "agents", "activities"},
    "workers": {"contracts", "domain", "agents", "activities", "infra", "workflows"},
    "training": {"contracts", "domain", "mcp_servers"},
    "starters": {
        "contracts",
        "domain",
        "agents",
        "infra",
        "reporting",
        "training",
        "workers",
        "workflows",
    },
}
"""What each package may import of the others; the workers hand the desk to the starters."""

THIRD_PARTY = {
    "contracts": {"pydantic"},
    "domain": {"jmespath", "pendulum", "numpy", "pydantic", "vaderSentiment"},
    "agents": {"pydantic"},
    "workflows": {"temporalio"},
}
"""What the inner packages may import from elsewhere; the others are bound by the lock only."""

CLOCKLESS = ("contracts", "domain", "agents", "workflows", "reporting")
CLOCKS = {"now", "today", "utcnow", "time", "monotonic", "perf_counter", "tomorrow", "yesterday"}
CLOCK_OWNERS = {"datetime", "date", "pendulum", "time", "DateTime", "random", "uuid"}
LIGHT_FOR_WORKFLOWS = {"numpy", "matplotlib", "mcp", "anthropic", "jinja2", "vaderSentiment"}
LONGEST_FILE = 400
LONGEST_FUNCTION = 50
LONGEST_WORKFLOW_FILE = 300


def modules(package: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((PROJECT / package).rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("package", OURS)
def test_a_package_imports_only_what_lies_beneath_it(package: str) -> None:
    allowed = OURS[package] | {package}
    wrong = [
        f"{path.relative_to(PROJECT)} imports {name}"
        for path, tree in modules(package)
        for name in imported(tree)
        if name.split(".")[0] in OURS and name.split(".")[0] not in allowed
    ]
    assert wrong == []


@pytest.mark.parametrize("package", THIRD_PARTY)
def test_an_inner_package_imports_few_libraries(package: str) -> None:
    allowed = THIRD_PARTY[package] | set(OURS) | sys.stdlib_module_names
    wrong = [
        f"{path.relative_to(PROJECT)} imports {name}"
        for path, tree in modules(package)
        for name in imported(tree)
        if name.split(".")[0] not in allowed
    ]
    assert wrong == []


def test_workflows_take_only_the_roster_from_the_agents() -> None:
    wrong = [
        f"{path.name} imports {name}"
        for path, tree in modules("workflows")
        for name in imported(tree)
        if name.startswith("agents") and name != "agents.roster"
    ]
    assert wrong == []


def test_what_workflows_import_of_the_domain_is_light() -> None:
    wanted = {
        name
        for _, tree in modules("workflows")
        for name in imported(tree)
        if name.startswith("domain.")
    }
    seen: set[str] = set()
    heavy = []
    while wanted - seen:
        name = (wanted - seen).pop()
        seen.add(name)
        tree = ast.parse((PROJECT / (name.replace(".", "/") + ".py")).read_text())
        found = set(imported(tree))
        heavy += [f"{name} imports {h}" for h in found if h.split(".")[0] in LIGHT_FOR_WORKFLOWS]
        wanted |= {h for h in found if h.startswith("domain.")}
    assert heavy == []


def clock_calls(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
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
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"}
    }
    # A server with credentials runs as a process of its own and has them from its environment.
    assert readers == {"infra/settings.py", "mcp_servers/reuters.py"}


def test_no_folder_hides_the_mcp_library() -> None:
    assert not (PROJECT / "mcp").exists()


@pytest.mark.parametrize("package", OURS)
def test_files_and_functions_are_short(package: str) -> None:
    limit = LONGEST_WORKFLOW_FILE if package == "workflows" else LONGEST_FILE
    long = []
    for path, tree in modules(package):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > limit:
            long.append(f"{path.relative_to(PROJECT)}: {lines} lines")
        for node in ast.walk(tree):
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
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef)
        and any(
            "activity" in ast.unparse(d) and "defn" in ast.unparse(d) for d in node.decorator_list
        )
        and "beating(" not in ast.unparse(node)
    ]
    assert silent == []
