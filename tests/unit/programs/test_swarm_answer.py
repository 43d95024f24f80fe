"""What a swarm's summary answers to what was asked, by rule."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from desk.agents.roster import profile_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import SourceResult
from desk.contracts.markets import MarketSpec
from desk.contracts.runs.turns import StateEntry
from desk.programs.swarm.plan import Ground, plan_swarm
from desk.programs.swarm.question import (
    BEHIND,
    SPECIALISTS,
    AnswerForm,
    asked_now,
    ends_in,
    first_asked,
    question_of,
)
from desk.trust.prose.references import render
from desk.trust.prose.synthesis_review import claims_in
from tests.unit.programs.test_swarm_leader import (
    DOLLAR_YEN,
    OBJECTIVE,
    concluded,
    planned,
    symbols,
    yen_round,
)
from tests.unit.trust.test_swarm_specialists import (
    CARRY,
    CONDITIONS,
    INDICATORS,
    MOVES,
    NVIDIA,
    YEN,
    analysis,
    research,
)

AMAZON = NVIDIA.model_copy(update={"market": "AMZN"})
FALLING = {**MOVES, Metric.MONTH_MOVE: "-4.10", Metric.QUARTER_MOVE: "-7.30"}


def summary(objective: str, state: tuple[StateEntry, ...]) -> str:
    synthesis = concluded(state, objective)
    return render(synthesis.summary, claims_in(state))


def looked_at(
    moves: Mapping[Metric, str] = MOVES, indicators: Mapping[Metric, str] = INDICATORS
) -> tuple[StateEntry, ...]:
    """The yen after some moves, by the market, technical and fundamental specialists."""
    plan = planned(symbols(DOLLAR_YEN), "why USD/JPY?", markets=(YEN,))
    conditions = {**CONDITIONS, Capability.MARKET_DATA: analysis(moves)}
    technicals = {
        Capability.INDICATORS: analysis(indicators),
        Capability.MARKET_DATA: analysis(moves),
    }
    given: dict[TaskType, Mapping[Capability, SourceResult]] = {
        TaskType.RESEARCH_CONDITIONS: conditions,
        TaskType.ANALYSE_TECHNICALS: technicals,
        TaskType.ANALYSE_FUNDAMENTALS: CARRY,
    }
    entries = [StateEntry(key="plan_1", node="plan_1", result=plan)]
    for each in plan.subagents:
        result = research(each.task, given[each.task])
        entries.append(StateEntry(key=each.name, node=each.name, result=result))
    return tuple(entries)


@pytest.mark.parametrize(
    ("objective", "asked", "currency"),
    [
        ("Is the yen carry trade unwinding?", AnswerForm.UNWINDING, "JPY"),
        ("is the yen cary trade unwindng", AnswerForm.UNWINDING, "JPY"),
        ("What drives AUD this quarter?", AnswerForm.DRIVERS, "AUD"),
        ("why is the yen weak", AnswerForm.DRIVERS, "JPY"),
        ("Is USD/JPY overbought?", AnswerForm.OVERBOUGHT, None),
        ("is usd/jpy oversold", AnswerForm.OVERSOLD, None),
        ("Was the franc strong in spring?", AnswerForm.STRONG, "CHF"),
        ("Is Tesla falling?", AnswerForm.WEAK, None),
        ("Will the yen weaken?", AnswerForm.OUTLOOK, "JPY"),
        ("Outlook for EUR/USD and GBP/USD", AnswerForm.OUTLOOK, None),
        ("compare nvidia and amazon", AnswerForm.BETTER, None),
        ("NVDA after earnings", AnswerForm.OUTLOOK, None),
    ],
)
def test_an_objective_tells_what_it_asks(
    objective: str, asked: AnswerForm, currency: str | None
) -> None:
    found = question_of(objective)
    assert (found.asked, found.currency) == (asked, currency)


def test_a_further_round_knows_what_was_asked_at_first() -> None:
    objective = f"Settle which way USD/JPY leans.{BEHIND}{OBJECTIVE}"
    assert first_asked(objective) == first_asked(OBJECTIVE) == OBJECTIVE
    assert asked_now(objective) == "Settle which way USD/JPY leans."


def test_what_is_settled_in_a_second_round_answers_the_first_question() -> None:
    state = yen_round("why do technicals and patterns of USD/JPY matter?")
    further = concluded(state, "Is USD/JPY overbought?").further
    assert further is not None
    assert summary(further.objective, state).startswith("No: USD/JPY is not overbought.")


def test_a_carry_trade_unwinds_where_its_funding_currency_gains() -> None:
    text = summary(OBJECTIVE, looked_at(FALLING))
    assert text.startswith(
        "Yes: JPY, which funds the trade, is gaining on the currencies bought with it. For a yes:"
        " JPY"
        " gained (USD/JPY -4.10 % on the month and -7.30 % on the quarter). For a no: the carry of"
        " USD/JPY still pays 0.36 of its volatility."
    )


def test_a_carry_trade_does_not_unwind_where_its_funding_currency_falls() -> None:
    text = summary(OBJECTIVE, looked_at())
    assert text.startswith("No: JPY, which funds the trade, is not gaining")
    assert "For a no: JPY lost (USD/JPY +2.10 % on the month and +4.30 % on the quarter)" in text


def test_moves_of_both_kinds_leave_it_unclear() -> None:
    mixed = {**FALLING, Metric.MONTH_MOVE: "0.20"}
    text = summary(OBJECTIVE, looked_at(mixed))
    assert text.startswith("Not clear: JPY")
    assert "JPY did little (USD/JPY +0.20 % on the month)" in text


@pytest.mark.parametrize(
    ("index", "place", "answer"),
    [
        ("74.0", "104.00", "Yes: USD/JPY is overbought."),
        ("61.0", "81.00", "No: USD/JPY is not overbought."),
        ("74.0", "81.00", "Not clear: USD/JPY is overbought by one measure only."),
    ],
)
def test_overbought_is_what_both_measures_say_is(index: str, place: str, answer: str) -> None:
    stretched = {**INDICATORS, Metric.RSI: index, Metric.BOLLINGER_POSITION: place}
    assert summary("Is USD/JPY overbought?", looked_at(indicators=stretched)).startswith(answer)


@pytest.mark.parametrize(
    ("objective", "answer"),
    [
        ("Is the dollar strong?", "Yes: USD has been strong."),
        ("Is the yen strong?", "No: JPY has not been strong."),
        ("is the yen weak", "Yes: JPY has been weak."),
        ("was the yen strong in spring", "Not clear: the objective asks about spring"),
    ],
)
def test_a_currency_is_judged_on_its_own_side_of_the_pair(objective: str, answer: str) -> None:
    assert summary(objective, looked_at()).startswith(answer)


def test_a_period_is_covered_by_a_quarter_that_ends_with_it() -> None:
    assert ends_in("spring", datetime(2026, 5, 29, tzinfo=UTC))
    assert ends_in("december", datetime(2027, 1, 4, tzinfo=UTC))
    assert not ends_in("spring", datetime(2026, 10, 30, tzinfo=UTC))


def test_drivers_are_ranked_by_the_weight_of_their_evidence() -> None:
    text = summary("what drives the yen?", yen_round())
    assert text.startswith(
        "JPY has lost: USD/JPY has risen over the quarter (+4.30 %), driven first by the"
        " fundamentals (a rate differential of +337.5 bp, 0.36 of the volatility); second by the"
        " technicals (a price of 153.20, against a long average of 149.50). Against it: the"
        " patterns of the past"
    )


def test_where_little_moved_the_faint_pulls_are_named() -> None:
    still = {**MOVES, Metric.QUARTER_MOVE: "0.30"}
    text = summary("what drives USD/JPY?", looked_at(still))
    assert text.startswith("Nothing has driven USD/JPY far over the quarter (+0.30 %):")
    assert "the fundamentals (a rate differential of +337.5 bp" in text


def test_of_two_stocks_it_is_said_which_has_done_better() -> None:
    def entry(market: MarketSpec, quarter: str) -> StateEntry:
        moves = analysis({**MOVES, Metric.QUARTER_MOVE: quarter}, symbol=market.market)
        given = {Capability.MARKET_DATA: moves}
        result = research(TaskType.RESEARCH_CONDITIONS, given, market=market)
        name = "market" if market is NVIDIA else "market_2"
        return StateEntry(key=name, node=name, result=result)

    tools = {agent: profile_of(agent).tools for agent in SPECIALISTS}
    plan = plan_swarm("swarm/plan", Ground("compare", (NVIDIA, AMAZON), tools))
    state = (
        StateEntry(key="plan_1", node="plan_1", result=plan),
        entry(NVIDIA, "46.18"),
        entry(AMAZON, "23.35"),
    )
    assert summary("compare nvidia and amazon", state).startswith(
        "Over the quarter NVDA has done best (NVDA +46.18 % and AMZN +23.35 %)"
    )
