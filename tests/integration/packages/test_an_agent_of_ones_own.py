"""An agent and a program that the tree does not know, added as docs/extending.md says: packages
beside it."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.processes.command import Answer, DeskCommand
from tests.support.processes.homes import PROJECT

QUESTION = "What is the status of the ticket that blocks us?"


def examples(heading: str, language: str) -> list[str]:
    """What docs/extending.md shows in a language under a heading."""
    said = (PROJECT / "docs" / "extending.md").read_text().split(f"## {heading}\n")[1]
    blocks = re.findall(
        rf"^   ```{language}\n(.*?)^   ```$", said.split("\n## ")[0], re.DOTALL | re.MULTILINE
    )
    return [re.sub("^   ", "", block, flags=re.MULTILINE) for block in blocks]


def beside(folder: Path, *headings: str, modules: Sequence[str] | None = None) -> DeskCommand:
    """A desk beside which a package is installed that has what is shown under some headings, or
    other modules: no file of the tree is another. A module begins with its name."""
    packages = folder / "packages"
    metadata = packages / "blocker-1.0.dist-info"
    metadata.mkdir(parents=True)
    shown = [each for heading in headings for each in examples(heading, "python")]
    for module in shown if modules is None else modules:
        (packages / module.splitlines()[0].removeprefix("# ")).write_text(module)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: blocker\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points(headings))
    (folder / "blocker.yaml").write_text(*examples("Add an agent", "yaml"))
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    return DeskCommand(folder, PYTHONPATH=path)


def entry_points(headings: Sequence[str]) -> str:
    """What is shown under the headings, by group."""
    lines: dict[str, list[str]] = {}
    for heading in headings:
        (entry,) = examples(heading, "toml")
        ((group, line),) = re.findall(r'"(research_desk\.\w+)"\]\n(.*)\n', entry)
        lines.setdefault(group, []).append(line.replace('"', ""))
    return "".join("\n".join((f"[{group}]", *found, "")) for group, found in lines.items())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up, with the specialist, the program, which brings its agent, and the
    command."""
    headings = ("Add a specialist", "Add a program", "Add a command")
    modules = [each for h in ("Add an agent", *headings) for each in examples(h, "python")]
    command = beside(tmp_path_factory.mktemp("desk"), *headings, modules=modules)
    with command.up():
        yield command


class Asked(NamedTuple):
    """A desk with the agent, and what it said when the agent had worked."""

    desk: DeskCommand
    answer: Answer


@pytest.fixture(scope="module")
def asked(desk: DeskCommand) -> Asked:
    return Asked(desk, desk("ask", QUESTION, "--graph", str(desk.directory / "blocker.yaml")))


def test_an_agent_of_another_package_works_in_a_graph(asked: Asked) -> None:
    assert asked.answer.code == 0, asked.answer.err
    assert "“Blocked”" in asked.answer.out
    assert "blocker done" in asked.answer.err


def test_what_an_agent_did_is_read_after_its_package_is_gone(asked: Asked) -> None:
    folder = asked.desk.directory
    (page,) = (folder / "reports" / "answers").glob("ask-*.json")
    assert DeskCommand(folder)("audit", str(page)).code == 0


def test_a_specialist_of_another_package_works_in_a_swarm(desk: DeskCommand) -> None:
    few = ("--effort", "moderate", "--rounds", "1", "--no-memory")
    answer = desk("swarm", "Is USD/JPY worth its funding?", "--about", "carry", *few)
    assert answer.code == 0, answer.err
    (page,) = (desk.directory / "reports" / "answers").glob("swarm-*.json")
    (first,) = json.loads(page.read_text())["swarm"]["rounds"]
    asked = [each["agent"] for each in first["plan"]["subagents"]]
    assert "funding_specialist" in asked
    assert DeskCommand(desk.directory)("audit", str(page)).code == 0


def test_a_program_of_another_package_gives_its_agent_work(desk: DeskCommand) -> None:
    run = ("workflow", "execute", "--type", "BlockerWorkflow", "--task-queue", "desk")
    told = desk.temporal(*run, "--workflow-id", "blocker", "--input", f'"{QUESTION}"')
    assert told.code == 0, told.err
    assert "Blocked" in told.out


def test_a_command_of_another_package_starts_its_program(desk: DeskCommand) -> None:
    answer = desk("blocker", QUESTION)
    assert answer.code == 0, answer.err
    assert answer.out == "Blocked\n"
    assert "Prints the status of the ticket that blocks" in desk("--help").out


def test_a_command_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    broken = "# blocker_command.py\nimport nothing_installed\n"
    desk = beside(tmp_path, "Add a command", modules=[broken])
    assert desk("--help").code == 0
    answer = desk("blocker")
    assert answer.code != 0
    assert "blocker = blocker_command:blocker" in answer.err


def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    broken = "# ticket_desk.py\nimport nothing_that_is_installed\n"
    desk = beside(tmp_path, "Add an agent", modules=[broken])
    answer = desk("ask", QUESTION, "--graph", str(tmp_path / "blocker.yaml"))
    assert answer.code != 0
    assert "ticket_desk:TASK" in answer.err
