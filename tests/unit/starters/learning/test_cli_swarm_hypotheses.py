"""`desk hypotheses`: what is listed, in which order, and how one is shown."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.contracts.findings.results import Leaning
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.runs.swarm import HypothesisRequest
from desk.contracts.swarm.hypotheses import (
    Hypothesis,
    HypothesisKind,
    HypothesisState,
    ScoredHypothesis,
)
from starters.learning.hypotheses.command import chosen_hypotheses, hypothesis_named, state_named
from starters.learning.hypotheses.listing import ListedHypothesis
from starters.learning.hypotheses.table import hypothesis_lines, table_lines
from starters.terminal.exit_status import UsageError
from tests.support.runs.desk import pair

MADE = datetime(2026, 10, 30, 23, tzinfo=UTC)
DUE = MADE + timedelta(weeks=4)
SWARM = "swarm-0123456789ab"
NVDA = MarketSpec(market="NVDA", kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2)


def said(market: MarketSpec, **more: object) -> Hypothesis:
    return Hypothesis.model_validate(
        {
            "hypothesis_id": f"{market.market}/direction",
            "market": market,
            "kind": HypothesisKind.DIRECTION,
            "leaning": Leaning.UP,
            "level": Decimal("157.25"),
            "level_on": date(2026, 10, 30),
            "weeks": 4,
            "due": DUE,
            "probability": 0.63,
            "statement": f"It ends above [[{market.market}:last]].",
            "refuted_by": f"A fixing at or below [[{market.market}:last]].",
            "claims": (f"{market.market}:last",),
            **more,
        }
    )


def listed(market: MarketSpec, state: HypothesisState = HypothesisState.OPEN, *,
           number: int = 1, **more: object) -> ListedHypothesis:  # fmt: skip
    hypothesis, workflow_id = said(market, **more), f"{SWARM}/hypothesis/{number}"
    scored = None
    if state is not HypothesisState.OPEN:
        scored = ScoredHypothesis(
            workflow_id=workflow_id, hypothesis=hypothesis, state=state, value=Decimal("159.10"),
            value_on=DUE.date(), score=0.1369, scored_at=DUE, made_as_of=MADE,
        )  # fmt: skip
    return ListedHypothesis(
        workflow_id=workflow_id,
        request=HypothesisRequest(
            hypothesis=hypothesis, swarm=SWARM, objective="Is it unwinding?", made_as_of=MADE,
            by=("technical_specialist",),
        ),
        state=state,
        waits_for=None if scored else hypothesis.due,
        scored=scored,
    )  # fmt: skip


OPEN = listed(pair("USD/JPY"), number=1)
LATER = listed(NVDA, number=2, due=DUE + timedelta(weeks=4))
HELD = listed(pair("EUR/USD"), HypothesisState.HELD, number=3)


def test_open_ones_go_before_scored_ones_and_the_nearest_day_first() -> None:
    kept = [HELD, LATER, OPEN]
    assert chosen_hypotheses(kept, None, None) == [OPEN, LATER, HELD]
    assert chosen_hypotheses(kept, HypothesisState.HELD, None) == [HELD]
    assert chosen_hypotheses(kept, None, "usdjpy") == [OPEN]
    assert chosen_hypotheses(kept, HypothesisState.OPEN, "EUR/USD") == []


def test_the_table_says_what_is_held_against_what() -> None:
    lines = list(table_lines([OPEN, HELD]))
    assert lines[0].split() == ["market", "says", "due", "likely", "state", "value", "score"]
    assert lines[1].split() == [
        *("USD/JPY", "above", "157.25", "2026-11-27", "63", "%", "open", "–", "–"),
    ]
    assert lines[2].strip() == OPEN.workflow_id
    assert lines[3].split()[-3:] == ["held", "159.10", "0.137"]
    assert max(map(len, lines)) <= 80


def test_a_range_is_told_by_its_bounds() -> None:
    within = listed(
        pair("USD/JPY"), kind=HypothesisKind.RANGE, leaning=Leaning.NEUTRAL,
        low=Decimal("149.00"), high=Decimal("161.50"),
    )  # fmt: skip
    assert "149.00-161.50" in list(table_lines([within]))[1]


def test_nothing_is_listed_where_there_is_nothing() -> None:
    assert list(table_lines([])) == []


def test_an_open_hypothesis_says_what_would_refute_it_and_when_that_is_looked_at() -> None:
    told = "\n".join(hypothesis_lines(OPEN, MADE))
    assert "USD/JPY above 157.25 on 27 Nov 2026  open" in told
    assert "A fixing at or below 157.25." in told
    assert "[[" not in told
    assert "28 days from now" in told
    assert "technical specialist" in told
    assert "outcome" not in told


def test_a_scored_hypothesis_says_what_came_of_it() -> None:
    told = "\n".join(hypothesis_lines(HELD, DUE))
    assert "it held: the last price known was 159.10" in told
    assert "waits" not in told


def test_a_hypothesis_says_when_it_was_written_beside_its_as_of_instant() -> None:
    assert "as of     " in told(MADE)
    assert "afterwards" not in told(MADE + timedelta(days=1))
    late = told(MADE + timedelta(days=20))
    assert f"{MADE + timedelta(days=20):%d %b %Y}" in late
    assert "afterwards: a back-test, not the desk's record" in late


def test_a_back_test_is_marked_in_the_list() -> None:
    in_time, late = written(MADE + timedelta(days=1)), written(MADE + timedelta(days=20))
    assert "back-test" not in "\n".join(table_lines([in_time]))
    assert "open, back-test" in "\n".join(table_lines([late]))


def written(at: datetime) -> ListedHypothesis:
    """The open hypothesis, written at an instant."""
    request = OPEN.request.model_copy(update={"written_at": at})
    return OPEN.model_copy(update={"request": request})


def told(written_at: datetime) -> str:
    return "\n".join(hypothesis_lines(written(written_at), MADE))


def test_the_beginning_of_an_id_is_enough_where_it_is_the_only_one() -> None:
    assert hypothesis_named([OPEN, LATER], f"{SWARM}/hypothesis/2") is LATER
    with pytest.raises(UsageError, match="2 hypotheses begin"):
        hypothesis_named([OPEN, LATER], SWARM)
    with pytest.raises(UsageError, match="desk hypotheses list"):
        hypothesis_named([OPEN, LATER], "nothing")


def test_a_state_that_is_none_is_told_with_those_that_are() -> None:
    assert state_named(" Held ") is HypothesisState.HELD
    with pytest.raises(UsageError, match="open, held, refuted, void"):
        state_named("held up")
