"""Whether an answer settles what a forecast is scored against, or has to be waited for."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from pydantic import JsonValue

from desk.analytics.prices.fixings import is_fixing_day, last_expected_day
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.learning.record import Resolution
from desk.learning.forecasts.fixings import (
    AWAITED_FOR,
    asked_for,
    fixing_calls,
    is_refused,
    resolutions_in,
)
from desk.learning.forecasts.pauses import (
    LONGEST_PAUSE,
    MOST_REFUSALS,
    Fixed,
    FixingPauses,
    is_given_up,
)
from desk.sources.ecb.server import EcbTools
from desk.sources.ecb.store import RatesStore

STORE = RatesStore(None)
ECB = EcbTools(STORE)
LAST = ECB.get_coverage(datetime(2100, 1, 1, tzinfo=UTC)).last_day
"""The last day of the packaged file."""

MOMENT = timedelta(seconds=1)


def at_six(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 6, tzinfo=UTC)


def answered(due: datetime, *symbols: str) -> ToolResult:
    """What the real tool says of some pairs."""
    (call,) = fixing_calls("ecb", symbols)
    content = ECB.get_quotes([*symbols], due).model_dump(mode="json")
    return ToolResult(call=call, status=ToolStatus.OK, content=content)


def settled(answer: ToolResult, due: datetime, now: datetime) -> dict[str, Resolution]:
    return {known.market: known for known in resolutions_in(answer, due, now)}


def test_every_day_that_is_expected_has_been_a_day_of_fixings() -> None:
    rates, day = STORE.current(), STORE.current().first_day
    while day <= LAST:
        assert not is_fixing_day(day) or rates.last_day_until(day) == day, day
        day += timedelta(days=1)


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-11-02T06:00:00Z", date(2026, 10, 30)),
        ("2026-11-03T14:59:59Z", date(2026, 11, 2)),
        ("2026-11-03T15:00:00Z", date(2026, 11, 3)),
        ("2026-04-07T06:00:00Z", date(2026, 4, 2)),
        ("2026-12-28T06:00:00Z", date(2026, 12, 24)),
    ],
)
def test_the_last_expected_day_is_no_holiday(as_of: str, expected: date) -> None:
    assert last_expected_day(datetime.fromisoformat(as_of)) == expected


def test_a_file_that_ends_before_the_due_day_settles_nothing_while_it_may_be_refreshed() -> None:
    """Its last fixing is less than 14 days old: on the face of it a quote like any other."""
    due = at_six(LAST + timedelta(days=10))
    answer = answered(due, "USD/JPY")
    assert settled(answer, due, due + MOMENT) == {}
    assert settled(answer, due, due + AWAITED_FOR - MOMENT) == {}
    void = settled(answer, due, due + AWAITED_FOR)["USD/JPY"]
    assert void.value is None
    assert str(LAST) in void.words
    assert not is_refused(answer, "USD/JPY")


def test_nor_does_one_that_ended_long_before() -> None:
    due = at_six(LAST + timedelta(days=40))
    assert settled(answered(due, "USD/JPY"), due, due) == {}


def test_a_file_that_reaches_the_due_day_settles_all_at_once() -> None:
    """A pair that has ended is not waited for; nor are the past weeks of a backfill."""
    due = at_six(LAST + timedelta(days=1))
    known = settled(answered(due, "USD/JPY", "USD/RUB", "USD/TWD"), due, due)
    assert known["USD/JPY"].value_on == LAST
    assert (known["USD/RUB"].value, known["USD/TWD"].value) == (None, None)
    assert "no fixing for USD/RUB" in known["USD/RUB"].words
    past = at_six(date(2022, 10, 10))
    known = settled(answered(past, "USD/JPY", "USD/TWD"), past, at_six(LAST))
    assert (known["USD/JPY"].value_on, known["USD/TWD"].value) == (date(2022, 10, 7), None)


def one_quote(content: JsonValue) -> ToolResult:
    (call,) = fixing_calls("own", ["USD/JPY"])
    return ToolResult(call=call, status=ToolStatus.OK, content=content)


def test_a_source_that_does_not_say_where_it_ends_is_judged_by_the_pair() -> None:
    due = at_six(date(2022, 10, 10))
    answer = one_quote({"symbol": "USD/JPY", "value": "145.00", "fixed_on": "2022-10-06"})
    assert settled(answer, due, due) == {}
    later = settled(answer, due, due + AWAITED_FOR)["USD/JPY"]
    assert later.value == Decimal("145.00")
    none = one_quote({"symbol": "USD/JPY", "missing": "not known here"})
    assert settled(none, due, due) == {}
    assert settled(none, due, due + AWAITED_FOR)["USD/JPY"].words == "not known here"


@pytest.mark.parametrize("content", [{"level": "100"}, "145.00", {"symbol": "GBP/USD"}])
def test_what_holds_no_quote_of_the_pair_is_a_refusal(content: JsonValue) -> None:
    assert is_refused(one_quote(content), "USD/JPY")


def test_who_was_refused_is_asked_for_alone() -> None:
    calls = fixing_calls("ecb", ["USD/JPY", "EUR/USD", "GBP/USD"], alone={"EUR/USD"})
    assert [asked_for(call) for call in calls] == [("USD/JPY", "GBP/USD"), ("EUR/USD",)]
    assert [asked_for(call) for call in fixing_calls("own", ["USD/JPY"])] == [("USD/JPY",)]


def test_many_refusals_in_a_short_time_give_nothing_up() -> None:
    """Nor do a few over a long one. A source that is away says nothing either way."""
    fixed, now = Fixed(at_six(LAST), "ecb", "USD/JPY"), at_six(LAST)
    pauses = FixingPauses()
    for _ in range(3 * MOST_REFUSALS):
        pause = pauses.hold(fixed, now, refused=True)
    assert (pause.length, is_given_up(pause, now)) == (LONGEST_PAUSE, False)
    assert is_given_up(pauses.hold(fixed, now + timedelta(days=14), refused=True), now) is False
    late = now + timedelta(days=14)
    assert is_given_up(pauses.hold(fixed, late, refused=True), late)
    away = FixingPauses()
    for days in range(100):
        pause = away.hold(fixed, now + timedelta(days=days), refused=False)
    refused = away.hold(fixed, now + timedelta(days=200), refused=True)
    assert not is_given_up(refused, now + timedelta(days=200))


def test_only_the_pauses_of_what_is_open_are_carried() -> None:
    now = at_six(LAST)
    pauses = FixingPauses()
    fixed = [Fixed(now, server, "USD/JPY") for server in ("a", "b")]
    for one in fixed:
        pauses.hold(one, now, refused=True)
        pauses.hold_server(one.server, now)
    carried = pauses.carried(fixed[:1])
    assert [(pause.server, pause.market) for pause in carried] == [("a", None), ("a", "USD/JPY")]
    again = FixingPauses(carried)
    assert again.was_refused(fixed[0]) and not again.is_paused(fixed[1])
