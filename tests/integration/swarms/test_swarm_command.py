"""`desk swarm` and `desk hypotheses` as their users run them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.command import Answer, DeskCommand

OBJECTIVE = "Is USD/JPY overbought, and what drives it?"
SWARM = (
    "swarm",
    OBJECTIVE,
    "--effort",
    "moderate",
    "--no-memory",
    "--as-of",
    "2026-10-30",
    "--rounds",
    "1",
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"))
    with command.up():
        yield command


@pytest.fixture(scope="module")
def researched(desk: DeskCommand) -> Answer:
    """The first answer of the objective."""
    answer = desk(*SWARM)
    assert answer.code == 0, answer.err
    return answer


def report_of(desk: DeskCommand, answer: Answer) -> Path:
    found = re.search(r"Report +(\S+)", answer.out)
    assert found is not None, answer.out
    return Path(found[1])


def test_an_objective_is_planned_worked_on_side_by_side_and_concluded(researched: Answer) -> None:
    for words in ("plan_1 done", "begins (technical specialist)", "conclude_1 done"):
        assert words in researched.err
    assert "USD/JPY" in researched.out
    assert "Rounds    1, 3 specialists, a moderate objective" in researched.out
    assert "Tokens" not in researched.out, "no model was at work"


def test_the_report_holds_up_to_an_audit(desk: DeskCommand, researched: Answer) -> None:
    page = report_of(desk, researched)
    assert page.is_file()
    audited = desk("audit", str(page.with_suffix(".json")))
    assert audited.code == 0, audited.out + audited.err


def test_the_same_objective_is_told_from_its_one_run(desk: DeskCommand, researched: Answer) -> None:
    again = desk(*SWARM)
    assert "Answered" in again.out
    assert report_of(desk, again) == report_of(desk, researched)


def test_what_is_likely_waits_for_its_day_and_can_be_looked_at(
    desk: DeskCommand, researched: Answer
) -> None:
    made = json.loads(report_of(desk, researched).with_suffix(".json").read_text())["swarm"]
    assert made["hypotheses"]
    kept = desk.until(
        lambda told: len(told.json) >= len(made["hypotheses"]), "hypotheses", "list", "--json"
    ).json
    told = {each["request"]["hypothesis"]["market"]["market"] for each in kept}
    assert told == {"USD/JPY"}
    first = kept[0]["workflow_id"]
    assert first in desk("hypotheses", "list", "--market", "usdjpy").out
    shown = desk("hypotheses", "show", first)
    assert "refuted" in shown.out
    assert desk("hypotheses", "list", "--market", "EUR/USD").out == "no such hypotheses\n"


def test_a_swarm_is_known_to_the_commands_that_look_at_runs(
    desk: DeskCommand, researched: Answer
) -> None:
    run = report_of(desk, researched).stem
    told = desk("messages", run)
    assert told.code == 0, told.err
    assert "for 3 specialists" in told.out
    desk.listed(f"WorkflowType = 'SpecialistWorkflow' AND WorkflowId STARTS_WITH '{run}/'", 3)
    agents = {each["agent"]: each for each in desk("agents", "--json").json["agents"]}
    assert agents["technical_specialist"]["finished"] >= 1
    assert desk("dead-letters").code == 0


def test_an_objective_without_a_market_is_told_what_to_name(desk: DeskCommand) -> None:
    answer = desk("swarm", "Is it going to rain?", "--as-of", "2026-10-30")
    assert answer.code == 2
    assert "names no market" in answer.err
    assert "name a pair such as USD/JPY" in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_a_swarm_can_be_left_alone_and_come_back_to(desk: DeskCommand) -> None:
    alone = ("swarm", "Is EUR/USD overbought?", "--effort", "simple", "--as-of", "2026-10-30")
    left = desk(*alone, "--no-wait")
    assert left.code == 0, left.err
    assert re.fullmatch(r"swarm-[0-9a-f]{12}\n", left.out)
    assert " goes on at the desk that is up, until its deadline; " in left.err
    assert "comes back to it" in left.err
    back = desk(*alone, "--json")
    assert back.json["workflow_id"] == left.out.strip()


def test_a_damaged_memory_is_set_aside_and_rebuilt_from_the_histories(desk: DeskCommand) -> None:
    home = Path(desk.variables["DESK_HOME"])
    swarm = ("swarm", "Is GBP/USD oversold?", "--effort", "simple", "--as-of", "2026-10-30")
    answer = desk(*swarm, "--rounds", "1")
    assert answer.code == 0, answer.err
    desk.listed(f"WorkflowId = '{report_of(desk, answer).stem}'")
    before = desk("memory", "list", "--json").json
    assert {entry["kind"] for entry in before["entries"]} >= {"plan", "findings"}
    (home / "memory.db").write_bytes(b"no database at all" * 500)
    assert desk("memory", "rebuild").code == 0
    assert desk("memory", "list", "--json").json == before
    assert (home / "memory.db.damaged-1").is_file()
