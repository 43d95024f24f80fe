"""A specialist that stands in a conflict with its view and with its target."""

from agents.builtin.swarm_disputes import tell_conflict
from contracts.claims import Metric
from contracts.config import VotingConfig
from contracts.graph import NodeOutcome
from contracts.knowledge import Synthesis
from contracts.names import AgentId
from contracts.results import ConflictRecord, Leaning, ResearchResult, ViewKind
from domain.compile_answer import compile_answer
from domain.conflicts import detect_conflicts
from domain.swarm_positions import held_as
from reporting.answer_swarm_words import position_lines, resolution_words
from tests.support.answers import FINISHED_AT
from tests.support.builders import claim, finding, source, view
from tests.support.swarm_reports import swarm_record

LAST = claim("USD/JPY", Metric.LAST, "157.25")
TARGET = claim("USD/JPY", Metric.TARGET, "154.00")
NEWS = "News of publishers were not read."


def split() -> ConflictRecord:
    """The fundamentals lean up; of the technicals the view leans nowhere and the target down."""
    technical = finding(
        LAST,
        TARGET,
        agent=AgentId.TECHNICAL_SPECIALIST,
        confidence=0.6,
        views=[view("USD/JPY", ViewKind.DIRECTION, Leaning.NEUTRAL, confidence=0.35)],
        sources=(source("ECB"),),
    )
    fundamental = finding(
        agent=AgentId.FUNDAMENTAL_SPECIALIST,
        views=[view("USD/JPY", ViewKind.DIRECTION, Leaning.UP, confidence=0.4)],
    )
    (conflict,) = detect_conflicts("USD/JPY", (technical, fundamental), VotingConfig())
    return conflict


def test_a_view_and_a_target_of_one_agent_are_told_apart() -> None:
    conflict = split()
    held = {(p.agent, p.stated): held_as(conflict, p) for p in conflict.positions}
    assert held == {
        (AgentId.FUNDAMENTAL_SPECIALIST, Leaning.UP): "",
        (AgentId.TECHNICAL_SPECIALIST, Leaning.NEUTRAL): "view",
        (AgentId.TECHNICAL_SPECIALIST, Leaning.DOWN): "target",
    }


def test_the_leader_says_which_of_the_two_holds_what() -> None:
    told = tell_conflict(split(), {})
    assert "down said the target of the technical specialist" in told
    assert "neither way said the view of the technical specialist" in told


def test_the_report_says_which_of_the_two_holds_what_and_repeats_no_vote() -> None:
    lines = [words for _, words in position_lines(split())]
    assert (
        sum(words.startswith("technical specialist's target states down") for words in lines) == 1
    )
    assert (
        sum(words.startswith("technical specialist's view states neutral") for words in lines) == 1
    )
    assert resolution_words(split()) == ""


def lacking(node: NodeOutcome) -> NodeOutcome:
    """A node that could not have something that others could not have either."""
    result = node.entry.result
    if not isinstance(result, ResearchResult | Synthesis):
        return node
    missing = (NEWS, f"nothing for {node.entry.node}")
    entry = node.entry.model_copy(update={"result": result.model_copy(update={"missing": missing})})
    return node.model_copy(update={"entry": entry})


def test_what_several_could_not_have_is_told_once() -> None:
    record = swarm_record()
    lacks = record.model_copy(update={"nodes": tuple(map(lacking, record.nodes))})
    answer = compile_answer(lacks, finished_at=FINISHED_AT)
    assert [line for line in answer.missing if NEWS in line] == [NEWS]
    assert "sentiment specialist: nothing for sentiment" in answer.missing
