"""From a swarm's record to its report: what stands, what is left out and why."""

from datetime import timedelta
from decimal import Decimal

import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.results import ConflictRecord, DecidedBy, ResearchResult
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRecord, NodeOutcome
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.record import SwarmRecord
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.markdown import answer_alone
from desk.documents.answer.nodes import missing_in
from desk.documents.answer.words import verdict_words
from desk.trust.conflicts.voting import decide
from tests.support.documents.answers import FINISHED_AT, market_record
from tests.support.swarms.reports import (
    conclusion,
    direction,
    on_target,
    swarm_record,
    swing,
)


def compiled(record: GraphRecord) -> AnswerReport:
    answer = compile_answer(record, finished_at=FINISHED_AT)
    assert findings_in_answer(answer) == ()
    return answer


def swarm_of(answer: AnswerReport) -> SwarmRecord:
    assert answer.swarm is not None
    return answer.swarm


def decided(whom: str | None, position: int | None) -> tuple[ConflictRecord, ...]:
    """The conflicts of a run, the one about the target as a person decided it."""
    record = swarm_record()
    assert record.swarm is not None
    views, target = record.swarm.conflicts
    return views, decide(target, position, DecidedBy.PERSON, whom)


def test_a_swarm_of_two_rounds_prints_claims_on_the_markets_of_both() -> None:
    answer = compiled(swarm_record(rounds=2))
    assert answer.summary == "The pair stands at 157.25, and NVDA at 202.49."
    assert answer.outcome is Outcome.COMPLETE
    assert [node.node for node in answer.nodes] == [
        *("plan_1", "market", "technical", "fundamental", "sentiment", "pattern", "conclude_1"),
        *("plan_2", "r2_market_nvda", "r2_sentiment_nvda", "conclude_2"),
    ]


def test_what_was_voted_for_is_printed_and_the_dissent_is_told() -> None:
    answer = compiled(swarm_record())
    assert "161.40" in answer.sections[0].content
    assert any("Dissent: 154.1" in conflict.resolution for conflict in swarm_of(answer).conflicts)
    assert not any("not printed here" in line for line in answer.missing)


def test_a_gap_that_a_later_round_filled_is_no_longer_told() -> None:
    record, gap = swarm_record(), "sentiment specialist: there is no news of the company offline"
    assert gap in missing_in(record, (), ())
    (first,) = (node for node in record.nodes if node.entry.node == "sentiment")
    assert isinstance(first.entry.result, ResearchResult)
    filled = first.entry.result.model_copy(update={"missing": ()})
    entry = first.entry.model_copy(update={"node": "r2_sentiment", "result": filled})
    again = first.model_copy(update={"entry": entry})
    later = record.model_copy(update={"nodes": (*record.nodes, again)})
    assert gap not in missing_in(later, (), ())


def test_what_a_person_chose_is_printed() -> None:
    answer = compiled(swarm_record(conflicts=decided("Ada", 0)))
    assert "154.10" in answer.sections[0].content
    target = next(claim for claim in answer.claims if claim.claim_id == "USD/JPY:target")
    assert target.evidence == ("pattern/pattern_miner",)


def test_a_withheld_figure_is_left_out_with_the_reason() -> None:
    answer = compiled(swarm_record(conflicts=decided("Ada", None)))
    assert answer.sections[0].content == "The last price is 157.25."
    (line,) = (line for line in answer.missing if line.startswith("USD/JPY:target"))
    assert "Ada found that no position holds" in line
    assert "USD/JPY:target" not in {claim.claim_id for claim in answer.claims}


def test_a_hypothesis_on_a_claim_that_does_not_stand_is_left_out_and_said() -> None:
    hypotheses = (direction(), on_target())
    answer = compiled(swarm_record(conflicts=decided("Ada", 1), hypotheses=hypotheses))
    assert len(swarm_of(answer).hypotheses) == 2
    answer = compiled(swarm_record(conflicts=decided("Ada", None), hypotheses=hypotheses))
    assert [each.hypothesis_id for each in swarm_of(answer).hypotheses] == ["usd-jpy-direction"]
    assert any("usd-jpy-target is left out" in line for line in answer.missing)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (direction(level=Decimal("157.30")), "its level is of no claim"),
        (direction(level_on=direction().level_on - timedelta(days=1)), "not of its day"),
        (swing(low=Decimal("153.00")), "a bound of it"),
        (swing(low=Decimal("160.68"), high=Decimal("153.90")), "lower bound is above"),
        (direction(weeks=5), "not as many weeks off"),
        (direction(claims=("USD/JPY:sma_50",)), "which does not stand"),
        (direction(statement="It is above 170."), "nothing is left of its statement"),
    ],
)
def test_a_hypothesis_that_cannot_be_scored_as_it_stands_is_left_out(
    wrong: Hypothesis, why: str
) -> None:
    answer = compiled(swarm_record(hypotheses=(wrong,)))
    assert swarm_of(answer).hypotheses == ()
    assert any(wrong.hypothesis_id in line and why in line for line in answer.missing)


def test_claims_that_hypotheses_and_conflicts_name_come_with_their_evidence() -> None:
    answer = compiled(swarm_record(concluded=conclusion("Nothing moved.", "No more.")))
    names = {claim.claim_id for claim in answer.claims}
    assert {"USD/JPY:last", "USD/JPY:expected_low", "USD/JPY:target"} <= names
    assert {result.evidence_id for result in answer.evidence} == {
        "market/market_data",
        "technical/indicator_calculator",
    }


def test_one_of_five_that_failed_is_told_and_the_others_count() -> None:
    answer = compiled(swarm_record(failed=["fundamental"]))
    assert answer.outcome is Outcome.INCOMPLETE
    assert answer.answered
    assert any("fundamental (fundamental specialist) failed" in line for line in answer.missing)
    states = [node.state for node in answer.nodes]
    assert states.count(NodeState.FAILED) == 1


def test_tools_that_were_asked_in_vain_make_it_incomplete_and_are_told_first() -> None:
    record = swarm_record()
    lost = ("market_analysis indicators", "headlines_news search")
    nodes = tuple(
        node.model_copy(update={"entry": node.entry.model_copy(update={"lost": lost})})
        if node.entry.node in {"technical", "sentiment"}
        else node
        for node in record.nodes
    )
    answer = compiled(record.model_copy(update={"nodes": nodes}))
    assert answer.outcome is Outcome.INCOMPLETE
    first = answer_alone(answer).split("\n\n")[1]
    assert first.startswith("**This rests on less than was asked: 2 tools could not be asked (")
    assert verdict_words(answer).startswith("Incomplete: 7 nodes are done, and 2 tools could not")
    claimed = answer.model_copy(update={"outcome": Outcome.COMPLETE})
    assert any(f.where == "outcome" for f in findings_in_answer(claimed))


def test_without_a_conclusion_the_findings_stand_in_its_place() -> None:
    record = swarm_record()
    answer = compiled(record.model_copy(update={"nodes": record.nodes[:-1]}))
    assert not answer.answered
    assert answer.outcome is Outcome.INCOMPLETE
    assert "The carry is 0.38 of the volatility." in answer.sections[0].content


def test_a_strategy_that_types_a_figure_loses_the_sentence() -> None:
    record = swarm_record()
    assert record.swarm is not None
    first = record.swarm.rounds[0]
    plan = first.plan.model_copy(update={"strategy": "Prices first. The pair is at 170.33."})
    told = record.swarm.model_copy(update={"rounds": (first.model_copy(update={"plan": plan}),)})
    answer = compiled(record.model_copy(update={"swarm": told}))
    assert swarm_of(answer).rounds[0].plan.strategy == "Prices first."
    assert any(line.place == "round 1, strategy" for line in answer.dropped)


def test_an_answer_to_a_question_has_no_swarm() -> None:
    assert compiled(market_record()).swarm is None


NEWS = "News of publishers were not read."


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


def test_that_somebody_has_another_figure_is_told_where_it_is_printed() -> None:
    record = swarm_record()
    printed = {claim.claim_id for claim in compiled(record).claims}
    first, second = (
        next(node for node in record.nodes if node.entry.node == name)
        for name in ("technical", "market")
    )
    assert isinstance(first.entry.result, ResearchResult)
    assert isinstance(second.entry.result, ResearchResult)
    unprinted = next(c for c in second.entry.result.claims if c.claim_id not in printed)
    assert "USD/JPY:last" in printed
    for name, told in ((unprinted.claim_id, False), ("USD/JPY:last", True)):
        claim = next(c for c in second.entry.result.claims if c.claim_id == name)
        other = claim.model_copy(update={"value": claim.value + 1})
        claims = tuple(c for c in first.entry.result.claims if c.claim_id != name)
        changed = first.entry.result.model_copy(update={"claims": (*claims, other)})
        entry = first.entry.model_copy(update={"result": changed})
        nodes = tuple(
            node.model_copy(update={"entry": entry}) if node is first else node
            for node in record.nodes
        )
        lines = compile_answer(
            record.model_copy(update={"nodes": nodes}), finished_at=FINISHED_AT
        ).missing
        assert any("not printed here" in line for line in lines) is told
