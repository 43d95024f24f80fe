"""How a pair did since a bank decided is measured from the bank's record, and told first."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from desk.analytics.names.periods import since_decision
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import EVENT_DAYS, EVENT_READ, SINCE_DECISION, Query, TaskType
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import DatePrecision, RateDecision, RateDecisions
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry, Turn
from desk.contracts.weeks import TimeWindow
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.question.builtin.synthesis import take_turn
from desk.programs.turns import builtin_turn
from desk.trust.ledger.rederivation import Ledger
from desk.trust.prose import split_sentences
from desk.trust.prose.references import render
from desk.trust.prose.synthesis_review import claims_in, review_synthesis
from tests.knowledge.asking import asked
from tests.support.builders import (
    answered,
    calendar,
    call,
    decision,
    decisions,
    history,
    pair_market,
    policy_rates,
    rate_market,
    real_fixings,
    request,
)

WEEK = "2026-W44"
YEN = pair_market(digits=2)
WINDOW = TimeWindow(
    start=datetime(2026, 10, 24, tzinfo=UTC),
    end=datetime(2026, 10, 30, 23, tzinfo=UTC),
    time_zone="Europe/London",
)
DECISIONS = decisions(
    WEEK,
    decision("US", "2025-12-10", "3.625", "-25"),
    decision("US", "2026-07-29", "3.875", "25"),
    decision("US", "2026-09-16", "3.875", "0"),
).model_copy(update={"as_of": WINDOW.end})


@pytest.fixture(autouse=True)
def of_this_worker(with_meaning: None) -> Iterator[None]:
    """The model of meaning as a worker's turn has it."""
    known = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    yield
    WORKER_EMBEDDING_MODEL.reset(known)


def sentences(question: str, *others: ResearchResult, **within: str) -> tuple[Synthesis, list[str]]:
    """The answer to a question about the dollar and the yen, all of it derived again. `within` are
    the parameters with the days of the decision."""
    since = since_decision(question)
    named = {SINCE_DECISION: since.words} if since else {}
    query = Query(question=question, parameters=named | within)
    found = _researched(query)
    state = [
        StateEntry(key=result.market, node=f"node{number}", round=1, result=result)
        for number, result in enumerate((found, *others))
    ]
    turn = asked(TaskType.SYNTHESISE, question, state=state)
    of_it = {"query": query, "window": WINDOW}
    assignment = turn.assignment.model_copy(update=of_it)
    made = take_turn(turn.model_copy(update={"assignment": assignment})).result
    assert isinstance(made, Synthesis)
    assert review_synthesis(made, state) == ()
    told = split_sentences(render(made.summary, claims_in(state)))
    return made, [each.strip() for each in told]


def _researched(query: Query, decided: RateDecisions = DECISIONS) -> ResearchResult:
    turn = request(TaskType.RESEARCH_FX, YEN)
    assignment = turn.assignment.model_copy(update={"query": query, "window": WINDOW})
    first: Turn = builtin_turn(turn.model_copy(update={"assignment": assignment}))
    prices, banks = first.calls
    assert banks.arguments["areas"] == ["US"]
    known = tuple(each for each in real_fixings(YEN.market) if each[0] <= WINDOW.end.date())
    results = [
        answered(prices, history(YEN.market, known, WINDOW.end)),
        answered(banks, decided),
    ]
    turn = request(TaskType.RESEARCH_FX, YEN, results=results)
    result = builtin_turn(turn.model_copy(update={"assignment": assignment})).result
    assert isinstance(result, ResearchResult)
    claims = {claim.claim_id: claim for claim in result.claims}
    book = Ledger((YEN,), WINDOW, "US", results)
    assert [book.failed_check(claim, claims) for claim in result.claims] == [None] * len(claims)
    return result


@pytest.mark.parametrize(
    ("question", "first", "then"),
    [
        (
            "by how much did usdjpy move since the fed's last decision",
            "The Federal Reserve decided last, as far as is known, on 16 Sep 2026.",
            "From the fixing before that day, 155.00 on 15 Sep 2026, to 157.25 on 30 Oct 2026"
            " USD/JPY rose 1.45 %.",
        ),
        (
            "how has usdjpy done since the fed last hiked?",
            "The Federal Reserve last raised its rate, as far as is known, on 29 Jul 2026.",
            "From the fixing before that day, 163.91 on 28 Jul 2026, to 157.25 on 30 Oct 2026"
            " USD/JPY fell 4.06 %.",
        ),
        (
            "usdjpy since the fed's last cut",
            "The Federal Reserve last cut its rate, as far as is known, on 10 Dec 2025.",
            "From the fixing before that day,",
        ),
    ],
)
def test_a_move_since_a_decision_is_told_first_with_both_days(
    question: str, first: str, then: str
) -> None:
    made, told = sentences(question)
    assert told[0] == first
    assert told[1].startswith(then)
    assert made.answered


def of_the_fed(*decided: RateDecision) -> ResearchResult:
    """What was researched of the Federal Reserve, which meets on two later days."""
    results = [
        answered(
            call("central_banks", "get_policy_rate"), policy_rates(WEEK, since=None, US="3.875")
        ),
        answered(call("central_banks", "get_rate_decisions"), decisions(WEEK, *decided)),
        answered(
            call("central_banks", "get_decision_calendar"),
            calendar(WEEK, ("US", "2026-10-28"), ("US", "2026-12-09")),
        ),
    ]
    turn = request(TaskType.RESEARCH_RATES, rate_market("US"), WEEK, results=results)
    of_it = {"query": Query(question="?"), "window": WINDOW}
    assignment = turn.assignment.model_copy(update=of_it)
    result = builtin_turn(turn.model_copy(update={"assignment": assignment})).result
    assert isinstance(result, ResearchResult)
    return result


def test_why_a_later_decision_is_not_measured_from_comes_before_the_move() -> None:
    question = "by how much did usdjpy move since the fed's last decision"
    _, told = sentences(question, of_the_fed(*DECISIONS.decisions))
    assert told[0] == (
        "What the Federal Reserve decided on 28 Oct 2026 is not in the source yet: this is"
        " measured from its last known decision, 16 Sep 2026."
    )
    assert told[1].endswith("USD/JPY rose 1.45 %.")
    assert not any("last week" in each for each in told)


def test_of_a_decision_known_by_its_month_the_one_before_it_is_measured_from() -> None:
    undated = decision("US", "2026-10-31", "4.125", "25", precision=DatePrecision.MONTH)
    of_it = of_the_fed(*DECISIONS.decisions, undated)
    _, told = sentences("by how much did usdjpy move since the fed's last decision", of_it)
    assert told[0] == (
        "Of the decision of the Federal Reserve in Oct 2026 the source gives only the month: this"
        " is measured from its last decision with a known day, 16 Sep 2026."
    )


def test_a_later_decision_known_by_its_month_is_among_the_claims_of_the_pair() -> None:
    """Else the last decision with a known day would contradict the rate in force."""
    question = "by how much did usdjpy move since the fed's last decision"
    since = since_decision(question)
    assert since is not None
    undated = decision("US", "2026-09-30", "4.125", "25", precision=DatePrecision.MONTH)
    of_it = decisions(WEEK, *DECISIONS.decisions, undated)
    decided = of_it.model_copy(update={"as_of": WINDOW.end})
    result = _researched(
        Query(question=question, parameters={SINCE_DECISION: since.words}), decided
    )
    rates = [c for c in result.claims if c.metric is Metric.DECISION_RATE]
    assert max(rates, key=lambda claim: claim.as_of).value == undated.rate


@pytest.mark.parametrize(
    "asked",
    [
        "how has usdjpy done since the fed's july hike",
        "what has usdjpy done since the fed hiked in july",
        "usdjpy since the fed raised rates in july",
    ],
)
def test_the_days_that_a_question_names_are_those_of_the_decision(asked: str) -> None:
    july = {EVENT_READ: "july", EVENT_DAYS: "2026-07-01/2026-07-31"}
    made, told = sentences(asked, **july)
    assert told[0] == "The Federal Reserve raised its rate on 29 Jul 2026."
    assert told[1].endswith("163.91 on 28 Jul 2026, to 157.25 on 30 Oct 2026 USD/JPY fell 4.06 %.")
    assert made.answered


def test_without_a_decision_in_those_days_the_one_before_is_named_and_is_no_answer() -> None:
    asked = "how has usdjpy done since the fed's august decision"
    august = {EVENT_READ: "august", EVENT_DAYS: "2026-08-01/2026-08-31"}
    made, told = sentences(asked, **august)
    assert told[0] == (
        "No decision of the Federal Reserve from 1 Aug 2026 to 31 Aug 2026 is known here: this is"
        " measured from its decision before, 29 Jul 2026."
    )
    assert not made.answered


def test_what_follows_no_bank_is_no_decision() -> None:
    assert since_decision("how did the yen do since june") is None
    assert since_decision("how did the yen do since june, and when does the fed meet") is None
    told = since_decision("is the yen down since the boj hiked, and by how much?")
    assert told is not None
    assert (told.area, told.words) == ("JP", "since the boj hiked")
