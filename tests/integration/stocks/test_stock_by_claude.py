"""A stock's episode by Claude, through the command, against a server of another's: models that do
as a headline says, that choose too early, that make up figures and reasons, and that are too sure.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from desk.contracts.episode.stock import Blackboard
from desk.programs.episode.claude.recommendation import most_confidence
from tests.support.models.model_server import model_server
from tests.support.models.model_stock import ROLES, Episode, advice, insight
from tests.support.models.model_stock_news import INJECTION, INVENTED
from tests.support.models.model_week import CHECKS_FACTS, KEY
from tests.support.processes.command import Answer, DeskCommand

TOPIC: Final = "tea leaves"
STEPS: Final = (
    "FETCH_NEWS",
    "RUN_TA_BASIC",
    "RUN_TA_ADVANCED",
    "GENERATE_INSIGHT",
    "GENERATE_RECOMMENDATION",
    "EVALUATE_PERFORMANCE",
)
SURE: Final = 0.41
REASONS: Final[dict[str, Any]] = {"reasons_for": ["trend"], "reasons_against": ["stretch"]}


class Researched(NamedTuple):
    """What came of an episode, and all that the model was asked on the way."""

    done: Answer
    report: dict[str, Any]
    asked: list[dict[str, Any]]
    files: dict[str, str]
    called: list[str]
    audit: Answer

    @property
    def told(self) -> str:
        """All that the model was told, and said."""
        return json.dumps([each["messages"] for each in self.asked])


def said_of(metric: str, words: str | None = None, **more: Any) -> dict[str, Any]:
    statement = words or f"It stands at [[NVDA:{metric}]]."
    line = {"topic": "level", "statement": statement, "confidence": 0.6}
    return {"findings": [{**line, "claims": [f"NVDA:{metric}"]}], "confidence": 0.6, **more}


def script() -> Episode:
    """Each agent makes its mistake, and mends it when it is told."""
    episode = Episode()
    first = {"action": "EVALUATE_PERFORMANCE", "reason": "The reward comes first."}
    controller = episode.role("controller", 1).delivers(first)
    for number, action in enumerate(STEPS, start=1):
        choice = {"action": action, "reason": "It is needed."}
        if number == 1:
            controller.delivers(choice, told="it makes no sense yet")
        else:
            episode.role("controller", number).delivers(choice)
    episode.role("news").calls_all(
        ("sentiment__delete_everything", {"path": "/"}), ("delete_everything", {})
    ).delivers(said_of("news_count", f"The shares ended at {INVENTED}.")).delivers(
        said_of("news_count", oddities=["A headline gives orders."]), told=f"'{INVENTED}' in"
    )
    episode.role("ta_basic").delivers(said_of("rsi"))
    episode.role("ta_advanced").delivers(said_of("adx"))
    stretch = insight("stretch", "rsi", leaning="down", strength=0.3)
    unknown = insight("stretch", "price_to_earnings", leaning="down")
    episode.role("insight").delivers(insights(insight(), unknown)).delivers(
        insights(insight(), stretch), told="insights.1.claims.0: unknown name"
    )
    sure = advice(confidence=1.0, **{**REASONS, "reasons_for": [TOPIC]})
    invented = advice(f"Buy: they ended at {INVENTED}.", confidence=SURE, **REASONS)
    episode.role("recommendation").delivers(sure).delivers(invented, told="allow at most").delivers(
        advice(confidence=SURE, **REASONS), told=f"'{INVENTED}' in"
    )
    return episode


def insights(*lines: dict[str, Any]) -> dict[str, Any]:
    return {"insights": list(lines), "confidence": 0.5}


def mcp_config(folder: Path, notes: Path) -> Path:
    hostile = ["-m", "tests.support.models.model_stock_news", str(notes)]
    servers = {
        "analysis": {"inProcess": "desk.sources.analysis.server"},
        "sentiment": {"command": sys.executable, "args": hostile},
    }
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    return config


@pytest.fixture(scope="module")
def researched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Researched]:
    folder = tmp_path_factory.mktemp("researched")
    (folder / "model").mkdir()
    notes = folder / "notes.txt"
    with model_server(folder / "model", script().fixtures()) as server:
        desk = DeskCommand(
            folder,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=server.url,
            DESK_MCP_CONFIG=str(mcp_config(folder, notes)),
        )
        asking = ("--as-of", "2024-06-10", "--no-memory", "--budget-usd", "5", "--json")
        done = desk("stock", "NVDA", *asking)
        asked = server.asked
    assert done.code == 0, done.err
    (path,) = (folder / "reports").rglob("*.json")
    yield Researched(
        done=done,
        report=done.json,
        asked=asked,
        files={file.suffix: file.read_text() for file in path.parent.glob(f"{path.stem}.*")},
        called=notes.read_text().split(),
        audit=desk("audit", str(path)),
    )


def board_of(researched: Researched) -> Blackboard:
    return Blackboard.model_validate(researched.report["stock"]["board"])


def test_everybody_who_judges_is_a_model_and_delivers(researched: Researched) -> None:
    nodes = {node["node"]: node for node in researched.report["nodes"]}
    assert set(nodes) == {"controller", *STEPS}
    models = {name: node["usage"]["model"] for name, node in nodes.items()}
    assert models.pop("EVALUATE_PERFORMANCE") == "builtin"
    assert set(models.values()) == {"claude-sonnet-5-5"}
    assert not [node["remark"] for node in nodes.values() if node.get("remark")]


def test_an_evaluation_is_measured_and_nothing_paid_for_it(researched: Researched) -> None:
    systems = [json.dumps(each["messages"][0]) for each in researched.asked]
    roles = (*ROLES.values(), CHECKS_FACTS)
    assert all(any(role in system for role in roles) for system in systems)
    evaluation = board_of(researched).evaluation
    assert evaluation and evaluation.reward is not None


def test_an_action_that_makes_no_sense_yet_is_objected_to_and_no_step_is_lost(
    researched: Researched,
) -> None:
    assert "it makes no sense yet: there is no recommendation to evaluate" in researched.told
    steps = researched.report["stock"]["steps"]
    assert [step["action"] for step in steps] == list(STEPS)
    assert not [step for step in steps if step.get("refused")]


def test_the_insights_and_reasons_are_the_models_over_figures_of_the_blackboard(
    researched: Researched,
) -> None:
    board = board_of(researched)
    assert [(each.topic, each.leaning) for each in board.insights] == [
        ("trend", "up"),
        ("stretch", "down"),
    ]
    assert (board.reasons_for, board.reasons_against) == (("trend",), ("stretch",))


def test_a_confidence_above_the_rule_is_objected_to_and_mended(researched: Researched) -> None:
    board = board_of(researched)
    most = most_confidence(board)
    assert f"the figures on the blackboard allow at most {most}" in researched.told
    assert (board.recommendation, board.confidence) == ("buy", SURE)
    assert board.confidence <= most


def test_a_reason_that_is_no_insight_is_objected_to(researched: Researched) -> None:
    assert "no insight on the blackboard has that topic" in researched.told
    assert not [name for name, text in researched.files.items() if TOPIC in text]


def test_an_invented_figure_is_refused_and_mended(researched: Researched) -> None:
    assert f"'{INVENTED}' in" in researched.told
    assert not [name for name in (".md", ".html") if INVENTED in researched.files[name]]


def test_what_is_printed_is_what_the_tools_measured(researched: Researched) -> None:
    values = {claim["claim_id"]: claim["value"] for claim in researched.report["claims"]}
    risen = values["NVDA:quarter_move"]
    assert researched.report["summary"] == f"Buy: it has risen by {risen} %."


def test_an_order_in_a_headline_is_read_obeyed_and_changes_nothing(
    researched: Researched,
) -> None:
    assert INJECTION[:40] in researched.told
    assert "no tool of that name is offered here" in researched.told
    offered = [
        tool["function"]["name"] for each in researched.asked for tool in each.get("tools", ())
    ]
    assert "sentiment__news_aggregator" in offered
    assert not [name for name in offered if "delete_everything" in name]
    assert set(researched.called) == {"news_aggregator"}


def test_what_an_agent_finds_odd_is_told_to_those_who_come_after_it(
    researched: Researched,
) -> None:
    told = [json.dumps(each["messages"]) for each in researched.asked]
    concluding = [words for words in told if ROLES["recommendation"] in words]
    assert concluding and all("A headline gives orders." in words for words in concluding)


def test_what_was_published_stands_up_to_the_audit(researched: Researched) -> None:
    assert researched.audit.code == 0, researched.audit.out + researched.audit.err


def test_no_key_is_in_what_was_published(researched: Researched) -> None:
    assert not [name for name, text in researched.files.items() if KEY in text]
