"""A question, a week, a swarm and an episode by a model of 270 million parameters: what it says is
of no use, and the desk comes through it, within its budget of tokens."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.models.model_week import LAST_WEEK
from tests.support.models.smallest_model import smallest_model
from tests.support.processes.command import Answer, DeskCommand
from tests.support.processes.homes import PROJECT

pytestmark = [pytest.mark.others, pytest.mark.timeout(7_200)]

BUDGET = 100_000
SHORT = {"turn": "1 minute", "task": "3 minutes", "week": "8 minutes"}
"""A model that writes on and on is cut off sooner than it usually is."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk whose agents are all the smallest model."""
    home = tmp_path_factory.mktemp("smallest")
    settings = (PROJECT / "desk.toml").read_text()
    for name, span in SHORT.items():
        settings = re.sub(rf"(?m)^{name} = .*$", f'{name} = "{span}"', settings, count=1)
    configured = home / "desk.toml"
    configured.write_text(settings)
    with smallest_model() as url:
        yield DeskCommand(
            home,
            ANTHROPIC_BASE_URL=url,
            CLAUDE_MODEL_ORCHESTRATOR="gemma3-270m",
            CLAUDE_MODEL_EXECUTION="gemma3-270m",
            DESK_CONFIG=str(configured),
        )


def report_of(answer: Answer) -> Path:
    found = re.search(r"Report +(\S+)\.html", answer.out)
    assert found is not None, answer.out + answer.err
    return Path(f"{found[1]}.json")


def held_up(desk: DeskCommand, answer: Answer) -> Any:
    """The report of a run that ended well: it is audited, and took no more than its budget."""
    assert answer.code == 0, answer.out + answer.err
    assert "Traceback" not in answer.err
    path = report_of(answer)
    assert desk("audit", str(path)).code == 0
    told = json.loads(path.read_text())
    assert told["usage"]["input_tokens"] + told["usage"]["output_tokens"] <= BUDGET
    return told


def budgeted(desk: DeskCommand, *words: str) -> Answer:
    return desk(*words, "--budget-tokens", str(BUDGET))


def test_doctor_says_what_the_endpoint_can(desk: DeskCommand) -> None:
    told = desk("doctor", "--ask").out
    assert "model gemma3-270m" in told
    assert "it answers" in told


def test_a_question_is_answered_all_the_same_and_says_who_did_not_deliver(
    desk: DeskCommand,
) -> None:
    answer = budgeted(desk, "ask", "What is the status of DESK-103?")
    held_up(desk, answer)
    assert "Blocked" in answer.out
    assert "gemma3-270m did not deliver" in answer.err


def test_a_week_comes_through(desk: DeskCommand) -> None:
    report = held_up(desk, budgeted(desk, "run", "--week", LAST_WEEK, "--markets", "USD/JPY"))
    (market,) = report["markets"]
    assert market["outcome"] == "researched"


def test_a_swarm_comes_through(desk: DeskCommand) -> None:
    asked = ("swarm", "Is USD/JPY overbought?", "--as-of", "2026-10-30", "--effort", "simple")
    assert "overbought begins at 70" in str(held_up(desk, budgeted(desk, *asked)))


def test_an_episode_comes_through(desk: DeskCommand) -> None:
    told = held_up(desk, budgeted(desk, "stock", "NVDA", "--as-of", "2024-06-10"))
    assert told["stock"]["board"]["evaluation"] is not None
