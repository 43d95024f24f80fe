"""What came of a hypothesis, how well it was said, and which price it is held against."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import JsonValue

from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.findings.results import Leaning
from desk.contracts.markets import MarketKind
from desk.contracts.names import AgentId
from desk.contracts.runs.swarm import HypothesisStatus
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind, HypothesisState
from desk.learning.hypotheses.prices import (
    NoPrice,
    Price,
    expected_day,
    no_source_message,
    price_calls,
    price_when_due,
)
from desk.learning.hypotheses.scoring import brier_score, scored, state_at, unscorable, void
from desk.learning.hypotheses.words import (
    hypothesis_details,
    hypothesis_outcome,
    hypothesis_summary,
    outcome_memory,
)
from tests.support.runs.desk import policy_rate
from tests.support.runs.hypotheses import MADE, SWARM, hypothesis, hypothesis_request, stock

HELD, REFUTED = HypothesisState.HELD, HypothesisState.REFUTED
NOW = datetime(2026, 4, 1, tzinfo=UTC)
DUE = hypothesis().due
RANGE: dict[str, Any] = {
    "kind": HypothesisKind.RANGE,
    "leaning": Leaning.NEUTRAL,
    "low": "149.00",
    "high": "151.00",
}


def answer(about: Hypothesis, content: JsonValue, status: ToolStatus = ToolStatus.OK) -> ToolResult:
    """What the first source says."""
    call = price_calls(about, RunPolicy())[0]
    error = None if status is ToolStatus.OK else "there is no such pair"
    return ToolResult(call=call, status=status, content=content, error=error)


def quote(value: str | None, fixed_on: date) -> JsonValue:
    return {"symbol": "USD/JPY", "value": value, "fixed_on": fixed_on.isoformat()}


@pytest.mark.parametrize(
    ("leaning", "value", "state"),
    [
        (Leaning.UP, "150.01", HELD),
        (Leaning.UP, "149.99", REFUTED),
        (Leaning.DOWN, "149.99", HELD),
        (Leaning.DOWN, "150.01", REFUTED),
    ],
)
def test_a_direction_holds_on_its_side_of_the_level(
    leaning: Leaning, value: str, state: HypothesisState
) -> None:
    assert state_at(hypothesis(leaning=leaning), Decimal(value)) is state


@pytest.mark.parametrize("leaning", [Leaning.UP, Leaning.DOWN])
@pytest.mark.parametrize("value", ["150.00", "150.0000", "150.004", "149.996"])
def test_a_value_that_prints_as_the_level_refutes_either_direction(
    leaning: Leaning, value: str
) -> None:
    assert state_at(hypothesis(leaning=leaning), Decimal(value)) is REFUTED


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ("149.00", HELD),
        ("151.00", HELD),
        ("150", HELD),
        ("148.99", REFUTED),
        ("151.01", REFUTED),
    ],
)
def test_a_range_includes_its_bounds(value: str, state: HypothesisState) -> None:
    assert state_at(hypothesis(**RANGE), Decimal(value)) is state


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"market": policy_rate("JP")}, "has no price"),
        ({"leaning": Leaning.NEUTRAL}, "takes no side"),
        ({**RANGE, "low": None}, "lacks a bound"),
    ],
)
def test_what_no_price_can_decide_is_said_and_never_scored(
    fields: dict[str, Any], words: str
) -> None:
    about = hypothesis(**fields)
    assert words in (unscorable(about) or "")
    with pytest.raises(ValueError, match=words):
        state_at(about, Decimal(150))


def test_the_brier_score_is_the_squared_distance_from_what_came() -> None:
    assert (brier_score(0.7, HELD), brier_score(0.7, REFUTED)) == (0.09, 0.49)
    assert (brier_score(1.0, HELD), brier_score(1.0, REFUTED)) == (0.0, 1.0)
    assert brier_score(0.7, HypothesisState.VOID) is None
    assert brier_score(0.7, HypothesisState.OPEN) is None


def test_whoever_it_rests_on_is_named_where_the_roster_knows_them() -> None:
    request = hypothesis_request(by=("technical_specialist", "somebody_of_once"))
    told = scored(request, Price(Decimal("151.00"), date(2026, 3, 27)), workflow_id="w", now=NOW)
    assert told.by == (AgentId.TECHNICAL_SPECIALIST,)


def test_pairs_are_asked_for_as_quotes_and_stocks_from_the_level_on() -> None:
    (call,) = price_calls(hypothesis(), RunPolicy())
    assert (call.server, call.tool, call.arguments) == ("ecb", "get_quote", {"symbol": "USD/JPY"})
    (call,) = price_calls(hypothesis(market=stock()), RunPolicy())
    assert (call.server, call.tool) == ("analysis", "price_history")
    assert call.arguments == {"symbol": "NVDA", "start": "2026-01-02"}


def test_they_are_asked_of_whom_the_run_asks_in_its_order() -> None:
    own = Route(server="own", tool="fx", names={"symbol": "pair"}, answer={"value": "rate"})
    policy = RunPolicy(
        sources=("own", "ecb"),
        capabilities={Capability.QUOTE: (own, Route(server="ecb", tool="get_quote"))},
    )
    first, second = price_calls(hypothesis(), policy)
    assert (first.server, first.arguments, second.server) == ("own", {"pair": "USD/JPY"}, "ecb")
    assert price_calls(hypothesis(), RunPolicy(sources=("reuters",))) == ()
    words = no_source_message(hypothesis(), RunPolicy(sources=("reuters",)))
    assert words == "no source ecb or yahoo_finance is configured in .mcp.json"


def test_the_last_fixing_before_it_was_due_is_the_outcome() -> None:
    """It was due on a Monday morning: what is known is Friday's."""
    about = hypothesis()
    friday = date(2026, 3, 27)
    assert expected_day(MarketKind.PAIR, DUE) == friday
    assert price_when_due(about, answer(about, quote("151.00", friday))) == (
        Decimal("151.00"),
        friday,
    )


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (1, "no price that was known then"),
        (-21, "too old"),
        (-90, "no newer than the level"),
    ],
)
def test_a_price_of_another_time_is_none(days: int, words: str) -> None:
    about = hypothesis()
    told = answer(about, quote("151.00", DUE.date() + timedelta(days=days)))
    with pytest.raises(NoPrice, match=words) as missing:
        price_when_due(about, told)
    assert not missing.value.final


@pytest.mark.parametrize(
    "content",
    [None, "a text", {"value": "about 150"}, {"symbol": "USD/JPY"}, {"value": "150.00"}],
)
def test_an_answer_that_holds_no_price_is_none(content: JsonValue) -> None:
    about = hypothesis()
    with pytest.raises(NoPrice, match=r"ecb\.get_quote: "):
        price_when_due(about, answer(about, content))


def test_what_the_source_says_is_the_reason() -> None:
    about = hypothesis()
    with pytest.raises(NoPrice, match="the file ends in 2025"):
        price_when_due(about, answer(about, {"missing": "the file ends in 2025"}))
    with pytest.raises(NoPrice, match="there is no such pair"):
        price_when_due(about, answer(about, None, ToolStatus.REFUSED))
    share = hypothesis(market=stock())
    several: JsonValue = {"days": [], "closes": [], "missing": ["no such stock", "it is offline"]}
    with pytest.raises(NoPrice, match="no such stock; it is offline"):
        price_when_due(share, answer(share, several))


def history(*prices: tuple[str, str]) -> JsonValue:
    return {"days": [day for day, _ in prices], "closes": [close for _, close in prices]}


def test_a_close_counts_from_ten_in_the_evening_on() -> None:
    days = history(("2026-03-26", "101.00"), ("2026-03-27", "102.00"))
    for hour, close in ((21, "101.00"), (22, "102.00")):
        due = datetime(2026, 3, 27, hour, tzinfo=UTC)
        about = hypothesis(market=stock(), level="100.00", due=due)
        assert price_when_due(about, answer(about, days)).value == Decimal(close)
        assert expected_day(MarketKind.STOCK, due) == price_when_due(about, answer(about, days)).day
    assert expected_day(MarketKind.STOCK, DUE) == date(2026, 3, 27)


@pytest.mark.parametrize(("then", "is_split"), [("99.20", False), ("10.00", True), ("60", True)])
def test_a_stock_that_was_split_has_no_price_in_the_terms_of_its_level(
    then: str, is_split: bool
) -> None:
    """A dividend moves what is stated for the day a little, a split halves it at least."""
    about = hypothesis(market=stock(), level="100.00")
    days = history(("2026-01-02", then), ("2026-03-27", "101.00"))
    if not is_split:
        assert price_when_due(about, answer(about, days)).value == Decimal("101.00")
        return
    with pytest.raises(NoPrice, match="as after a split") as missing:
        price_when_due(about, answer(about, days))
    assert missing.value.final


def test_it_is_told_in_words_from_its_figures() -> None:
    about = hypothesis()
    assert hypothesis_summary(about) == "USD/JPY above 150.00 on 30 Mar 2026: 70 % likely"
    assert "USD/JPY from 149.00 to 151.00 on" in hypothesis_summary(hypothesis(**RANGE))
    request = hypothesis_request()
    price = Price(Decimal("151.20"), date(2026, 3, 27))
    held = scored(request, price, workflow_id="w", now=NOW)
    assert hypothesis_outcome(held) == (
        "it held: the last price known was 151.20, of 27 Mar 2026 (Brier score 0.090)"
    )


def test_what_is_remembered_was_known_when_it_was_due_or_given_up() -> None:
    request = hypothesis_request()
    price = Price(Decimal("151.20"), date(2026, 3, 27))
    held = outcome_memory(request, scored(request, price, workflow_id="w", now=NOW))
    lost = outcome_memory(request, void(request, "it is away", workflow_id="w", now=NOW))
    assert (held.as_of, lost.as_of) == (DUE, NOW)
    assert held.memory_id == lost.memory_id
    assert held.text.startswith("Hypothesis of 5 Jan 2026: USD/JPY above 150.00 on 30 Mar 2026")
    assert lost.text.endswith("Outcome: void: it is away.")


def test_the_details_say_what_is_waited_for_and_escape_what_others_wrote() -> None:
    request = hypothesis_request(objective="is `it` <b>so</b>?")
    shown = hypothesis_details(HypothesisStatus(request=request, waits_for=DUE, note="a *note*"))
    assert "waits until 2026-03-30 07:00 UTC" in shown
    assert r"is \`it\` \<b\>so\</b\>?" in shown
    assert r"a \*note\*" in shown
    assert SWARM in shown and f"{MADE.day} Jan" in shown
