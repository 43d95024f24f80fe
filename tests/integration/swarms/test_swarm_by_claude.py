"""An objective researched by Claude, through the command, against a server of another's: a leader
and two specialists, a market that is not there, and figures that nobody measured."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.support.models.model_server import model_server
from tests.support.models.model_swarm import Swarmed, finding, part_of
from tests.support.models.model_week import KEY
from tests.support.processes.command import Answer, DeskCommand

OBJECTIVE = "Does USD/JPY have momentum, and does it pay?"
RSI, CARRY = "USD/JPY:rsi", "USD/JPY:carry_to_volatility"


class Researched(NamedTuple):
    """What came of an objective, and all that the model was asked on the way."""

    done: Answer
    report: dict[str, Any]
    asked: str
    files: dict[str, str]
    audit: Answer


def script() -> Swarmed:
    """A leader and specialists that each make one mistake, and mend it when they are told."""
    swarm = Swarmed()
    plan = {
        "complexity": "simple",
        "strategy": "Ask the price for momentum and the rates for what it pays.",
        "subagents": [part_of("technical"), part_of("fundamental")],
    }
    strange = [part_of("technical", "USD/QQQ"), part_of("fundamental")]
    swarm.role("plan").delivers({**plan, "subagents": strange}).delivers(plan, told="subagents.0")
    evidence = "indicator_calculator"
    swarm.role("technical").calls("analysis__pattern_detector", symbol="USD/JPY").delivers(
        finding("Momentum stands at 99.9.", RSI, evidence)
    ).delivers(finding(f"Momentum stands at [[{RSI}]].", RSI, evidence), told="99.9")
    swarm.role("fundamental").delivers(
        finding(f"It pays [[{CARRY}]] of its swings.", CARRY, "ratio_calculator")
    )
    lower = {
        "market": "USD/JPY",
        "kind": "direction",
        "leaning": "down",
        "weeks": 4,
        "probability": 0.6,
        "statement": "USD/JPY is below [[USD/JPY:last]].",
        "refuted_by": "It is at [[USD/JPY:last]] or above.",
    }
    whole = {
        "summary": f"Momentum is [[{RSI}]], and it pays [[{CARRY}]] of its swings.",
        "hypotheses": [lower],
    }
    swarm.role("conclusion").delivers(
        {**whole, "summary": f"Momentum is [[{RSI}]]. It pays 4,242 bp."}
    ).delivers(whole, told="4,242")
    return swarm


@pytest.fixture(scope="module")
def researched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Researched]:
    folder = tmp_path_factory.mktemp("researched")
    (folder / "model").mkdir()
    with model_server(folder / "model", script().fixtures()) as server:
        desk = DeskCommand(folder, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url)
        asking = ("--effort", "simple", "--as-of", "2026-10-30", "--rounds", "1")
        done = desk("swarm", OBJECTIVE, *asking, "--budget-usd", "5", "--json")
        asked = json.dumps([each["messages"] for each in server.asked])
    assert done.code == 0, done.err
    (path,) = (folder / "reports").rglob("*.json")
    yield Researched(
        done=done,
        report=done.json,
        asked=asked,
        files={file.suffix: file.read_text() for file in path.parent.glob(f"{path.stem}.*")},
        audit=desk("audit", str(path)),
    )


def test_everybody_is_a_model_and_delivers(researched: Researched) -> None:
    nodes = {node["node"]: node for node in researched.report["nodes"]}
    assert list(nodes) == ["plan_1", "technical", "fundamental", "conclude_1"]
    assert {node["usage"]["model"] for node in nodes.values()} == {"claude-sonnet-5-5"}
    assert not [node for node in nodes.values() if node.get("remark")], nodes


def test_what_is_printed_is_what_the_tools_measured(researched: Researched) -> None:
    values = {claim["claim_id"]: claim["value"] for claim in researched.report["claims"]}
    words = f"Momentum is {values[RSI]}, and it pays {values[CARRY]} of its swings."
    assert researched.report["summary"] == words


def test_a_market_that_there_is_not_is_objected_to(researched: Researched) -> None:
    assert "USD/QQQ" in researched.asked
    assert not [name for name, text in researched.files.items() if "USD/QQQ" in text]


@pytest.mark.parametrize("invented", ["99.9", "4,242"])
def test_an_invented_figure_is_refused_and_mended(researched: Researched, invented: str) -> None:
    assert invented in researched.asked
    assert not [name for name in (".md", ".html") if invented in researched.files[name]]


def test_its_hypothesis_has_the_level_that_was_measured(researched: Researched) -> None:
    (likely,) = researched.report["swarm"]["hypotheses"]
    values = {claim["claim_id"]: claim["value"] for claim in researched.report["claims"]}
    assert (likely["level"], likely["probability"]) == (values["USD/JPY:last"], 0.6)


def test_what_the_models_took_is_told(researched: Researched) -> None:
    assert researched.report["swarm"]["tokens"]["used"] > 0
    assert researched.report["usage"]["cost_usd"] != "0"


def test_what_was_published_stands_up_to_the_audit(researched: Researched) -> None:
    assert researched.audit.code == 0, researched.audit.out + researched.audit.err


def test_no_key_is_in_what_was_published(researched: Researched) -> None:
    assert not [name for name, text in researched.files.items() if KEY in text]
