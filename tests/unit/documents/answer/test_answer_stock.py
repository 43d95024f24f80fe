"""From an episode's record to its answer: what is recommended, lacking, left out."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRecord
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.programs.episode.actions import DATA
from desk.programs.episode.document.words import part_lines
from tests.support.documents.answers import FINISHED_AT
from tests.support.stocks.reports import stock_record

A = StockAction


def answer(record: GraphRecord) -> AnswerReport:
    return compile_answer(record, finished_at=FINISHED_AT)


def tampered(record: GraphRecord, tool: str, node: str) -> GraphRecord:
    """The run with another text in what a tool answered than its hash was taken of."""
    nodes = tuple(
        outcome.model_copy(
            update={
                "evidence": tuple(
                    result.model_copy(update={"content": {**result.content, "method": "another"}})
                    if result.call.tool == tool and isinstance(result.content, dict)
                    else result
                    for result in outcome.evidence
                )
            }
        )
        if outcome.entry.node == node
        else outcome
        for outcome in record.nodes
    )
    return record.model_copy(update={"nodes": nodes})


def recommending(record: GraphRecord, **changes: Any) -> GraphRecord:
    """The run whose recommendation agent delivered another recommendation than is on the board."""

    def changed(result: Any) -> Any:
        if not isinstance(result, Synthesis) or result.recommendation is None:
            return result
        made = result.recommendation.model_copy(update=changes)
        return result.model_copy(update={"recommendation": made})

    nodes = tuple(
        outcome.model_copy(
            update={
                "entry": outcome.entry.model_copy(update={"result": changed(outcome.entry.result)})
            }
        )
        for outcome in record.nodes
    )
    return record.model_copy(update={"nodes": nodes})


def test_an_episode_is_told_with_its_recommendation_its_board_and_what_came_of_it() -> None:
    told = answer(stock_record())
    assert (told.outcome, told.answered) == (Outcome.COMPLETE, False)  # it has no accounts
    assert told.stock is not None
    assert told.stock.board == stock_record().stock.board  # type: ignore[union-attr]
    assert told.stock.board.recommendation is Recommended.BUY
    assert [section.title for section in told.sections][:2] == ["For", "Against"]
    assert {claim.metric for claim in told.claims} >= {Metric.LAST, Metric.ADX, Metric.REWARD}
    assert told.stock.prices in {result.evidence_id for result in told.evidence}
    assert findings_in_answer(told) == ()


def test_it_is_the_same_after_it_was_written_and_read() -> None:
    told = answer(stock_record())
    assert answer_from_json(answer_to_json(told)) == told


def test_figures_of_news_and_accounts_stand_where_there_are_any() -> None:
    told = answer(stock_record(complete=True))
    assert told.stock is not None and told.stock.board.fundamentals_data is not None
    assert told.stock.board.fundamentals_data.lacking == ()
    assert findings_in_answer(told) == ()


def test_what_lacks_is_told_by_its_action_with_the_reason() -> None:
    missing = answer(stock_record()).missing
    assert any(
        line.startswith("FETCH_FUNDAMENTALS: NVDA: there are no accounts") for line in missing
    )


def test_each_part_tells_its_reason_whatever_another_has_told() -> None:
    """Of that time there are no prices, which is one reason for both technical parts."""
    told = answer(stock_record(*DATA, as_of=datetime(2026, 6, 10, 22, tzinfo=UTC)))
    assert told.stock is not None
    assert all(part.lacking and part.reasons for part in part_lines(told))
    ended = "NVDA: its prices end on 2025-02-14"
    assert [line.startswith(f"{A.RUN_TA_ADVANCED}: {ended}") for line in told.missing].count(True)
    assert [line.startswith(f"{A.RUN_TA_BASIC}: {ended}") for line in told.missing].count(True)


def test_an_episode_that_was_not_asked_for_a_recommendation_is_complete() -> None:
    told = answer(stock_record(A.RUN_TA_BASIC, given=True))
    assert (told.outcome, told.answered) == (Outcome.COMPLETE, True)
    assert told.summary.startswith("No recommendation was asked for.")
    assert findings_in_answer(told) == ()


def test_a_refused_step_is_no_failure_and_no_answer() -> None:
    told = answer(stock_record(A.GENERATE_RECOMMENDATION, A.RUN_TA_BASIC, given=True))
    assert (told.outcome, told.answered) == (Outcome.COMPLETE, False)
    assert told.summary.startswith("No recommendation was made.")
    assert told.stock is not None and told.stock.steps[0].refused
    assert findings_in_answer(told) == ()


def test_an_episode_in_which_every_step_was_refused_has_an_answer_that_says_so() -> None:
    told = answer(stock_record(A.EVALUATE_PERFORMANCE, given=True))
    assert not told.answered
    assert findings_in_answer(told) == ()


@pytest.mark.parametrize("action", list(A))
def test_an_action_whose_agent_failed_makes_the_answer_incomplete(action: StockAction) -> None:
    told = answer(stock_record(failing=frozenset({action})))
    assert told.outcome is Outcome.INCOMPLETE
    assert any(line.startswith(f"{action} (") for line in told.missing)
    assert findings_in_answer(told) == ()


def test_actions_may_be_repeated_and_the_last_recommendation_counts() -> None:
    basic = (A.RUN_TA_BASIC, A.GENERATE_INSIGHT, A.GENERATE_RECOMMENDATION)
    again = (A.RUN_TA_ADVANCED, A.GENERATE_INSIGHT, A.GENERATE_RECOMMENDATION)
    told = answer(stock_record(*basic, *again, A.EVALUATE_PERFORMANCE))
    assert told.stock is not None
    first, last = told.stock.steps[2].board, told.stock.steps[5].board
    assert (first.confidence, last.confidence) == (0.18, told.stock.board.confidence)
    assert first.confidence < last.confidence
    assert findings_in_answer(told) == ()


def test_a_figure_whose_claim_does_not_stand_is_left_out_with_all_that_rests_on_it() -> None:
    told = answer(tampered(stock_record(), "market_data", A.RUN_TA_BASIC))
    assert told.stock is not None and told.stock.board.ta_basic_data is not None
    assert Metric.LAST in told.stock.board.ta_basic_data.lacking
    assert "RUN_TA_BASIC: the last is left out: no surviving claim has it" in told.missing
    assert {insight.topic for insight in told.stock.board.insights} == {
        "bands",
        "regression line",
        "stretch",
    }


def test_a_recommendation_that_rests_on_what_fell_is_withdrawn_and_nowhere_printed() -> None:
    told = answer(tampered(stock_record(), "market_data", A.RUN_TA_BASIC))
    assert told.stock is not None
    assert told.stock.board.recommendation is None
    assert told.stock.board.confidence == 0.0
    assert (told.outcome, told.answered) == (Outcome.INCOMPLETE, False)
    assert told.summary.startswith("A recommendation was made, and is withdrawn")
    assert told.sections == ()
    assert any("is withdrawn" in line for line in told.missing)


@pytest.mark.parametrize(
    "changes", [{"action": Recommended.SELL}, {"confidence": 0.9}, {"probability": 0.7}], ids=str
)
def test_a_board_that_recommends_another_thing_than_its_agent_is_not_believed(
    changes: dict[str, Any],
) -> None:
    told = answer(recommending(stock_record(), **changes))
    assert told.stock is not None and told.stock.board.recommendation is None
    assert any("not the one that the recommendation agent delivered" in m for m in told.missing)


def test_an_evaluation_that_does_not_stand_takes_its_reward_along() -> None:
    told = answer(tampered(stock_record(), "performance", A.EVALUATE_PERFORMANCE))
    assert told.stock is not None and told.stock.board.evaluation is not None
    assert told.stock.board.evaluation.reward is None
    assert told.stock.steps[-1].reward == Decimal(0)
    assert told.stock.board.recommendation is Recommended.BUY
    assert findings_in_answer(told) == ()


def test_a_chart_whose_prices_are_not_there_is_told_to_be_missing() -> None:
    record = stock_record()
    stock = record.stock.model_copy(update={"prices": "nowhere"})  # type: ignore[union-attr]
    told = answer(record.model_copy(update={"stock": stock}))
    assert told.stock is not None and told.stock.prices is None
    assert any("no chart is drawn" in line for line in told.missing)


def cut_off(record: GraphRecord) -> GraphRecord:
    """The run, as if its time had been used up."""
    told = {"cut_off": "its time was used up", "notes": ("the learning system was not told",)}
    stock = record.stock.model_copy(update=told)  # type: ignore[union-attr]
    return record.model_copy(update={"stock": stock})


def test_an_episode_that_was_cut_off_is_incomplete_and_says_why() -> None:
    told = answer(cut_off(stock_record(A.FETCH_NEWS, A.RUN_TA_BASIC)))
    assert (told.outcome, told.answered) == (Outcome.INCOMPLETE, False)
    assert "the episode was cut off: its time was used up" in told.missing
    assert "the learning system was not told" in told.missing
    assert findings_in_answer(told) == ()


def test_a_note_alone_is_told_and_leaves_an_episode_complete() -> None:
    record = cut_off(stock_record())
    stock = record.stock.model_copy(update={"cut_off": None})  # type: ignore[union-attr]
    told = answer(record.model_copy(update={"stock": stock}))
    assert told.outcome is Outcome.COMPLETE
    assert "the learning system was not told" in told.missing
    assert findings_in_answer(told) == ()


def test_identical_records_give_an_identical_answer() -> None:
    later = compile_answer(stock_record(), finished_at=FINISHED_AT + timedelta(hours=1))
    same = {"finished_at": FINISHED_AT, "seal": ""}
    assert later.model_copy(update=same) == answer(stock_record()).model_copy(update=same)
