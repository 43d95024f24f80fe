"""A question of yes or no begins with the fact that decides it."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import ResearchResult
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.question.builtin.banks import changes_within
from desk.programs.question.builtin.kinds import NOT_DONE, AskedSide, side_of
from desk.programs.question.builtin.synthesis import take_turn
from desk.programs.question.builtin.synthesis.verdicts import (
    change_said,
    gap_verdict,
    move_verdict,
    then_and_now_verdict,
)
from desk.trust.claims.rate_claims import differential_claim
from desk.trust.prose.synthesis_review import review_synthesis
from tests.knowledge.asking import asked
from tests.support.builders import calendar, claim, decisions, policy_rates, rate_market
from tests.unit.programs.week.test_rates_analyst import HIKE, WEEK, research

JAPAN, AMERICA = rate_market("JP"), rate_market("US")
SIDES = {
    "Has the ringgit been slumping since May?": AskedSide.DOWN,
    "did the kiwi gain in August": AskedSide.UP,
    "Is the pound stronger than in June": AskedSide.UP,
    "is the boj's rate as high as the fed's": AskedSide.LEVEL,
    "Are Swiss policy rates below Sweden's?": AskedSide.BELOW,
    "has the ecb cut this year": AskedSide.CUT,
    "how much did the yen fall": None,
    "did the krone rise or fall last week": None,
    "why has the won weakened": None,
    "who has the lower rate, the snb or the boj": None,
    "did the bank of canada stand pat in march": AskedSide.HELD,
    "will the fed meet before the ecb": AskedSide.EARLIER,
    "which comes first, the fed or the ecb": None,
    "india's rate": None,
}


@pytest.fixture(autouse=True)
def of_this_worker() -> Iterator[None]:
    """The model of meaning as a worker's turn has it."""
    known = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    yield
    WORKER_EMBEDDING_MODEL.reset(known)


def test_what_would_be_so_is_the_side_that_is_nearest(with_meaning: None) -> None:
    among = [side for side in AskedSide if side not in NOT_DONE]
    assert {q: side_of(q, among, desk_embedding_model) for q in SIDES} == SIDES


def moved(pair: str, value: str) -> ResearchResult:
    move = claim(pair, Metric.MOVE, value, Unit.PERCENT)
    return research(JAPAN).model_copy(update={"market": pair, "claims": (move,)})


@pytest.mark.parametrize(
    ("question", "pair", "move", "said"),
    [
        ("has the rupiah been falling since july?", "USD/IDR", "1.4", "Yes: [[USD/IDR:move|IDR]]."),
        ("has the rupiah been rising since july?", "USD/IDR", "1.4", "No: [[USD/IDR:move|IDR]]."),
        ("did the kiwi fall last month", "NZD/USD", "1.4", "No: [[NZD/USD:move|NZD]]."),
        ("is sterling up against the yen", "GBP/JPY", "1.4", "Yes: [[GBP/JPY:move|GBP]]."),
        ("did the kiwi fall last month", "NZD/USD", "0", "No: [[NZD/USD:move|NZD]]."),
        ("how much did the kiwi fall last month", "NZD/USD", "1.4", ""),
        ("did the kiwi fall last month", "AUD/USD", "1.4", ""),
    ],
)
def test_a_move_is_told_as_one_of_the_currency_that_is_asked_about(
    question: str, pair: str, move: str, said: str, with_meaning: None
) -> None:
    assert move_verdict(question, [moved(pair, move)]) == said


def with_gap() -> list[ResearchResult]:
    rates = policy_rates(WEEK, US="5.375", JP="0.25")
    japan, america = research(JAPAN, rates=rates), research(AMERICA, rates=rates)
    both = {c.claim_id: c for r in (japan, america) for c in r.claims}
    policy = [c for c in both.values() if c.metric is Metric.POLICY_RATE]
    apart = differential_claim(JAPAN.model_copy(update={"areas": ("JP", "US")}), "XM", policy)
    assert isinstance(apart, Claim) and apart.value == Decimal("-512.5")
    return [japan.model_copy(update={"claims": (*policy, apart)}), america]


def test_of_two_policy_rates_it_is_told_how_far_they_are_apart(with_meaning: None) -> None:
    told = "the policy rate of the Bank of Japan, [[JP:policy_rate]], is [[JP:differential|size]]"
    told += " below that of the Federal Reserve, [[US:policy_rate]]."
    assert gap_verdict("is the boj's rate below the fed's?", with_gap()) == f"Yes: {told}"
    assert gap_verdict("are Japanese rates the same as in the US", with_gap()) == f"No: {told}"
    assert gap_verdict("whose rate is lower, the boj's or the fed's?", with_gap()) == f"T{told[1:]}"
    assert gap_verdict("how far is the boj below the fed", with_gap()) == f"T{told[1:]}"
    assert " above that of the Bank of Japan" in gap_verdict("is the fed over the boj", with_gap())


def test_a_rate_is_held_against_the_one_of_a_day(with_meaning: None) -> None:
    result = research(JAPAN, decided=decisions(WEEK, HIKE))
    question = "is the boj's rate higher than a year ago?"
    assert then_and_now_verdict(question, [result], date(2024, 8, 2)).startswith(("Yes: ", "No: "))
    assert then_and_now_verdict(question, [result], date(2023, 8, 2)) == ""


def test_that_a_bank_did_not_move_is_sure_only_where_every_outcome_is_known() -> None:
    silent = research(
        JAPAN,
        decided=decisions(WEEK, covered_until="2024-07-30"),
        scheduled=calendar(WEEK, ("JP", "2024-07-31")),
        by_question=True,
    )
    days = date(2024, 7, 1), date(2024, 8, 5)
    within = changes_within((silent,), date(2024, 8, 5), days)
    assert within is not None and not within.all_known
    assert change_said(AskedSide.CUT, (), all_known=True) == ""
    assert change_said(AskedSide.CUT, (Decimal(0),), all_known=False) == "No, as far as is known."
    assert change_said(AskedSide.CUT, (Decimal(25),), all_known=True) == "No."
    assert change_said(AskedSide.MOVED, (Decimal(25),), all_known=True) == "Yes."
    assert change_said(AskedSide.HELD, (Decimal(0),), all_known=True) == "Yes."
    assert change_said(AskedSide.HELD, (Decimal(0),), all_known=False) == "Yes, as far as is known."
    assert change_said(AskedSide.HELD, (Decimal(0), Decimal(25)), all_known=False) == "No."


def test_an_answer_about_two_banks_begins_with_their_gap(with_meaning: None) -> None:
    state = tuple(
        StateEntry(key=r.market, node=f"research{r.market}", result=r) for r in with_gap()
    )
    question = "is the boj's rate below the fed's?"
    made = take_turn(asked(TaskType.SYNTHESISE, question, state=state, papers="first")).result
    assert isinstance(made, Synthesis) and made.answered
    assert made.summary.startswith("Yes: the policy rate of the Bank of Japan")
    assert review_synthesis(made, state) == ()


def test_what_a_bank_will_do_is_told_as_not_known_before_its_next_day(with_meaning: None) -> None:
    rates = StateEntry(key="r", node="r", result=research(JAPAN))
    question = "will the boj hike at its next meeting?"
    made = take_turn(asked(TaskType.SYNTHESISE, question, state=(rates,), papers="first")).result
    assert isinstance(made, Synthesis) and not made.answered
    assert made.summary.startswith(
        "What the Bank of Japan will decide is not known here, nor what markets expect. "
    )
