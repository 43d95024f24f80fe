"""An agent and a program that the tree does not know, added as docs/extending.md says: packages
beside it."""

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.command import Answer, DeskCommand
from tests.support.homes import PROJECT

pytestmark = pytest.mark.timeout(300)

QUESTION = "What is the status of the ticket that blocks us?"


def examples(heading: str, language: str) -> list[str]:
    """What docs/extending.md shows in a language under a heading."""
    said = (PROJECT / "docs" / "extending.md").read_text().split(f"## {heading}\n")[1]
    blocks = re.findall(
        rf"^   ```{language}\n(.*?)^   ```$", said.split("\n## ")[0], re.DOTALL | re.MULTILINE
    )
    return [re.sub("^   ", "", block, flags=re.MULTILINE) for block in blocks]


def beside(folder: Path, heading: str, *modules: str) -> DeskCommand:
    """A desk beside which a package is installed: no file of the tree is another. A module begins
    with its name."""
    packages = folder / "packages"
    metadata = packages / "blocker-1.0.dist-info"
    metadata.mkdir(parents=True)
    for module in modules:
        (packages / module.splitlines()[0].removeprefix("# ")).write_text(module)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: blocker\nVersion: 1.0\n")
    (entry,) = examples(heading, "toml")
    ((group, line),) = re.findall(r'"(research_desk\.\w+)"\]\n(.*)\n', entry)
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{line.replace(chr(34), '')}\n")
    (folder / "blocker.yaml").write_text(*examples("Add an agent", "yaml"))
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    return DeskCommand(folder, PYTHONPATH=path)


class Asked(NamedTuple):
    """A desk with the agent, and what it said when the agent had worked."""

    desk: DeskCommand
    answer: Answer


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("desk")
    desk = beside(folder, "Add an agent", *examples("Add an agent", "python"))
    return Asked(desk, desk("ask", QUESTION, "--graph", str(folder / "blocker.yaml")))


def test_an_agent_of_another_package_works_in_a_graph(asked: Asked) -> None:
    assert asked.answer.code == 0, asked.answer.err
    assert "“Blocked”" in asked.answer.out
    assert "blocker done" in asked.answer.err


def test_what_an_agent_did_is_read_after_its_package_is_gone(asked: Asked) -> None:
    folder = asked.desk.directory
    (page,) = (folder / "reports" / "answers").glob("*.json")
    assert asked.desk("audit", str(page)).code == 0
    assert DeskCommand(folder)("audit", str(page)).code == 0


def test_a_specialist_of_another_package_works_in_a_swarm(tmp_path: Path) -> None:
    desk = beside(tmp_path, "Add a specialist", *examples("Add a specialist", "python"))
    answer = desk("swarm", "Is USD/JPY worth its funding?", "--about", "carry", "--rounds", "1")
    assert answer.code == 0, answer.err
    (page,) = (tmp_path / "reports" / "answers").glob("*.json")
    (first,) = json.loads(page.read_text())["swarm"]["rounds"]
    asked = [each["agent"] for each in first["plan"]["subagents"]]
    assert "funding_specialist" in asked
    assert desk("audit", str(page)).code == 0


def test_a_program_of_another_package_gives_its_agent_work(tmp_path: Path) -> None:
    modules = examples("Add an agent", "python") + examples("Add a program", "python")
    desk = beside(tmp_path, "Add a program", *modules)
    with desk.up():
        run = ("workflow", "execute", "--type", "BlockerWorkflow", "--task-queue", "desk")
        told = desk.temporal(*run, "--workflow-id", "blocker", "--input", f'"{QUESTION}"')
    assert told.code == 0, told.err
    assert "Blocked" in told.out


def test_a_command_of_another_package_starts_its_program(tmp_path: Path) -> None:
    headings = ("Add an agent", "Add a program", "Add a command")
    modules = [each for heading in headings for each in examples(heading, "python")]
    desk = beside(tmp_path, "Add a command", *modules)
    (entries,) = (tmp_path / "packages").glob("*/entry_points.txt")
    programs = "[research_desk.programs]\nblocker = blocker_program:PROGRAM\n"
    entries.write_text(entries.read_text() + programs)
    answer = desk("blocker", QUESTION)
    assert answer.code == 0, answer.err
    assert answer.out == "Blocked\n"
    assert "What the ticket that holds everything up" in desk("--help").out


def test_a_command_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    desk = beside(tmp_path, "Add a command", "# blocker_command.py\nimport nothing_installed\n")
    assert desk("--help").code == 0
    answer = desk("blocker")
    assert answer.code != 0
    assert "blocker = blocker_command:blocker" in answer.err


def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    broken = "# ticket_desk.py\nimport nothing_that_is_installed\n"
    desk = beside(tmp_path, "Add an agent", broken)
    answer = desk("ask", QUESTION, "--graph", str(tmp_path / "blocker.yaml"))
    assert answer.code != 0
    assert "ticket_desk:TASK" in answer.err
