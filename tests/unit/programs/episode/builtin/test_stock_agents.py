"""The built-in agents that fill the blackboard of a stock's episode, and its evaluator."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from desk.contracts.agents.tools import ToolStatus
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning, ResearchResult, ViewKind
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.programs.episode.actions import DATA, PART_METRICS
from desk.programs.turns import builtin_turn
from desk.trust.prose.references import render
from tests.support.builders import answered, failed
from tests.support.stocks.answers import (
    ACCOUNTS,
    ADVANCED,
    ALL,
    BASIC,
    EVALUATED,
    EVALUATION,
    FIGURES,
    NEWS,
    SENTIMENT,
    answer,
    brought,
    quickly,
    without_digits,
)
from tests.support.stocks.asking import AS_OF, acting


def asked(action: StockAction, **shown: Any) -> Turn:
    """An action's first turn."""
    return builtin_turn(TurnRequest(assignment=acting(action, **EVALUATED), **shown))


@pytest.mark.parametrize(
    ("action", "tools"),
    [
        (NEWS, {"news_aggregator"}),
        (SENTIMENT, {"sentiment_analyzer"}),
        (ACCOUNTS, {"ratio_calculator", "earnings_analyzer", "company_fundamentals"}),
        (BASIC, {"market_data", "indicator_calculator", "price_history"}),
        (ADVANCED, {"indicator_calculator", "pattern_detector", "market_data"}),
        (EVALUATION, {"performance"}),
    ],
)
def test_an_agent_asks_all_its_questions_at_once(action: StockAction, tools: set[str]) -> None:
    calls = asked(action).calls
    assert {call.tool for call in calls} == tools
    assert all(call.arguments["symbol"] == "NVDA" for call in calls)


def test_prices_are_asked_for_from_so_far_back_that_a_year_has_its_long_average() -> None:
    (prices,) = [call for call in asked(BASIC).calls if call.tool == "price_history"]
    assert prices.arguments == {"symbol": "NVDA", "start": "2022-08-15"}


@quickly
@given(values=FIGURES)
@pytest.mark.parametrize("action", (*DATA, EVALUATION))
def test_a_part_holds_its_own_figures_as_the_tools_gave_them_and_no_other_digit(
    action: StockAction, values: dict[Metric, Decimal]
) -> None:
    result = brought(action, values)
    without_digits(result)
    held = {claim.metric: claim.value for claim in result.claims}
    assert held == {m: values[m] for m in PART_METRICS[action] if m in values}
    evidence = {source.evidence_id for source in result.sources}
    assert all(set(claim.evidence) <= evidence for claim in result.claims)
    assert all(view.kind is ViewKind.DIRECTION and view.claims for view in result.views)
    assert not result.recommendations
    if len(held) < len(PART_METRICS[action]):
        assert result.missing


def test_each_signal_of_the_indicators_is_heard_in_one_part() -> None:
    views = {action: brought(action, ALL).views for action in (BASIC, ADVANCED, SENTIMENT, NEWS)}
    assert [view.leaning for view in views[BASIC]] == [Leaning.UP]
    assert [view.leaning for view in views[ADVANCED]] == [Leaning.DOWN]
    assert [view.leaning for view in views[SENTIMENT]] == [Leaning.DOWN]
    assert not views[NEWS]


def test_what_lacks_of_one_part_is_not_told_as_missing_of_the_other() -> None:
    reasons = (
        "adx: there are no highs and lows of NVDA, one price a day.",
        "sma_200: it needs 200 days with prices, and 59 are known without a hole.",
    )
    short = dict(ALL)
    del short[Metric.ADX], short[Metric.SMA_200]
    assert brought(BASIC, short, missing=reasons).missing == (
        "NVDA: its long-term average: it takes more days with prices than are known.",
    )
    assert brought(ADVANCED, short, missing=reasons).missing == (
        "NVDA: the strength of its trend (ADX), which takes highs and lows; it has closes only.",
    )


def test_the_prices_of_the_chart_are_a_source_and_give_no_claim() -> None:
    result = brought(BASIC, ALL)
    assert f"{BASIC}/price_history" in {source.evidence_id for source in result.sources}
    assert not any(f"{BASIC}/price_history" in claim.evidence for claim in result.claims)


def test_the_target_is_set_beside_the_last_price_which_is_another_part_s() -> None:
    statements = {f.topic: f.statement for f in brought(ADVANCED, ALL).findings}
    assert statements["target"].endswith("ends at [[NVDA:target]], below the last price.")


@pytest.mark.parametrize("action", (*DATA, EVALUATION))
def test_an_agent_that_nobody_answers_gives_its_task_back(action: StockAction) -> None:
    calls = asked(action).calls
    down = tuple(failed(call, ToolStatus.UNAVAILABLE, "the server is down") for call in calls)
    turn = asked(action, exchanges=(Exchange(results=down),))
    assert turn.failure is not None
    assert turn.failure.error_type == FailureType.TOOL_UNAVAILABLE


def test_an_answer_about_another_stock_is_a_gap() -> None:
    calls = asked(BASIC).calls
    results = tuple(
        answered(c, answer(c.capability, ALL, symbol="NVDA" if n else "AMD"))
        for n, c in enumerate(calls)
        if c.capability is not None
    )
    turn = asked(BASIC, exchanges=(Exchange(results=results),))
    assert isinstance(turn.result, ResearchResult)
    assert "NVDA: market data: the answer is of another market" in turn.result.missing
    assert Metric.LAST not in {claim.metric for claim in turn.result.claims}


def test_the_evaluator_asks_for_the_position_that_was_taken() -> None:
    (call,) = asked(EVALUATION).calls
    assert call.arguments == {
        "symbol": "NVDA",
        "made_at": AS_OF.isoformat(),
        "position": "long",
        "cost": 0.1,
    }


@pytest.mark.parametrize("told", [{}, {**EVALUATED, "cost": "a little"}])
def test_an_evaluation_of_nothing_is_refused(told: dict[str, Any]) -> None:
    turn = builtin_turn(TurnRequest(assignment=acting(EVALUATION, **told)))
    assert turn.failure is not None
    assert turn.failure.error_type == FailureType.UNUSABLE_REQUEST


def test_an_evaluation_reads_as_what_was_measured() -> None:
    result = brought(EVALUATION, ALL)
    claims = {claim.claim_id: claim for claim in result.claims}
    told = [render(finding.statement, claims) for finding in result.findings]
    assert told[0] == "The price went from 120.91 to 128.20, a move of +12.34 %."
    assert len(told) == 4
    assert result.confidence == 1.0


def test_what_an_evaluation_lacks_is_told_with_its_reason() -> None:
    short: dict[Metric, Decimal] = {
        m: v for m, v in ALL.items() if m in (Metric.ENTRY, Metric.EXIT)
    }
    reason = "reward: it needs cash move and a positive risk."
    result = brought(EVALUATION, short, missing=(reason,))
    assert [finding.topic for finding in result.findings] == ["price"]
    assert result.missing == ("NVDA: reward: it needs cash move and a positive risk.",)
    assert result.confidence < 0.5
