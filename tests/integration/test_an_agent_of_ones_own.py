"""An agent that the tree does not know, added as docs/extending.md says: a package beside it."""

import os
import re
from pathlib import Path

import pytest

from tests.support.command import DeskCommand
from tests.support.homes import PROJECT

pytestmark = pytest.mark.timeout(300)

QUESTION = "What is the status of the ticket that blocks us?"


def example(language: str) -> str:
    """What docs/extending.md says in a language about adding an agent."""
    said = (PROJECT / "docs" / "extending.md").read_text().split("## Add an agent\n")[1]
    block = re.search(rf"^   ```{language}\n(.*?)^   ```$", said, re.DOTALL | re.MULTILINE)
    assert block is not None
    return re.sub("^   ", "", block[1], flags=re.MULTILINE)


def with_the_agent(folder: Path, *, code: str) -> DeskCommand:
    """A desk beside which a package is installed: no file of the tree is another."""
    packages = folder / "packages"
    metadata = packages / "ticket_desk-1.0.dist-info"
    metadata.mkdir(parents=True)
    (packages / "ticket_desk.py").write_text(code)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: ticket-desk\nVersion: 1.0\n")
    group, entry = re.findall(r'"(research_desk\.\w+)"\]\n(.*)\n', example("toml"))[0]
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{entry.replace(chr(34), '')}\n")
    (folder / "blocker.yaml").write_text(example("yaml"))
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    return DeskCommand(folder, PYTHONPATH=path)


def test_an_agent_of_another_package_works_in_a_graph(tmp_path: Path) -> None:
    desk = with_the_agent(tmp_path, code=example("python"))
    answer = desk("ask", QUESTION, "--graph", str(tmp_path / "blocker.yaml"))
    assert answer.code == 0, answer.err
    assert "“Blocked”" in answer.out
    assert "blocker done" in answer.err
    (page,) = (tmp_path / "reports" / "answers").glob("*.json")
    assert desk("audit", str(page)).code == 0


def test_what_was_done_by_an_agent_is_read_after_its_package_is_gone(tmp_path: Path) -> None:
    desk = with_the_agent(tmp_path, code=example("python"))
    assert desk("ask", QUESTION, "--graph", str(tmp_path / "blocker.yaml")).code == 0
    (page,) = (tmp_path / "reports" / "answers").glob("*.json")
    without = DeskCommand(tmp_path)
    assert without("audit", str(page)).code == 0


def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    desk = with_the_agent(tmp_path, code="import nothing_that_is_installed\n")
    answer = desk("ask", QUESTION, "--graph", str(tmp_path / "blocker.yaml"))
    assert answer.code != 0
    assert "ticket_desk:TASK" in answer.err
