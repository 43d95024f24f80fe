"""The stand-ins tell one story: rates, calendar, releases and headlines of the same decisions."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.statistics.bank_rates.economic_calendar import pages
from tests.standins.providers.bank_feeds import RELEASES
from tests.standins.providers.google_news import headlines
from tests.standins.providers.policy_rates import policy_rates
from tests.standins.serving import serving
from tests.standins.share import Counts, counts_of
from tests.standins.world import Decision, decisions

TODAY = date(2026, 11, 24)
LATELY = [each for each in decisions() if date(2026, 10, 15) <= each.day <= TODAY]
VERBS = {-1: ("cuts", "lower"), 0: ("holds", "maintain", "unchanged"), 1: ("raises", "increase")}


def direction(decision: Decision) -> int:
    return (decision.change > 0) - (decision.change < 0)


@pytest.mark.parametrize("decision", LATELY, ids=lambda each: f"{each.area} {each.day}")
def test_the_rate_in_force_after_a_decision_is_the_one_that_was_decided(decision: Decision) -> None:
    series = policy_rates(decision.area, TODAY)
    assert series is not None
    in_force = decision.day + timedelta(days=7 if decision.area == "XM" else 4)
    assert series.level_on(min(in_force, TODAY)) == decision.rate
    assert series.level_on(decision.day - timedelta(days=1)) == decision.before


def test_headlines_and_releases_say_what_was_decided_and_not_before_it() -> None:
    told = [(title, at) for title, _, at in headlines()]
    told += [entry for entries in RELEASES.values() for entry in entries]
    for decision in LATELY:
        end = decision.at + timedelta(hours=1)
        own = [
            title for title, at in told if decision.at <= at < end and decision.bank[-8:] in title
        ]
        assert own
        others = [
            word for way, words in VERBS.items() if way != direction(decision) for word in words
        ]
        assert not [title for title in own if any(word in title for word in others)]


def test_the_calendar_has_the_outcome_of_every_decision_that_it_covers() -> None:
    found: dict[tuple[str, date], Decimal] = {}
    with serving() as standins:
        standins.until = TODAY
        for page in pages(read_facts(), TODAY):
            reply = standins.reply("nasdaq_calendar", page.path.lstrip("/"))
            assert reply is not None
            for name, values in page.read(reply.content).series.items():
                if name.endswith(" decided"):
                    found |= {(name[:2], day): rate for day, rate in values.items()}
    covered = [each for each in LATELY if each.area not in ("KR", "US")]
    assert found == {(each.area, each.day): each.rate for each in covered}


def report(outcomes: int, *reported: bool) -> dict[str, Any]:
    """A report of six decisions, and of markets with an event each and news of the week."""
    item = {"published_at": "2026-10-30T03:05:00Z"}
    return {
        "window": {"start": "2026-10-24T23:00:00Z", "end": "2026-11-02T07:00:00Z"},
        "coverage": {"freshness": {"decisions": 6, "open_decisions": 6 - outcomes}},
        "markets": [
            {"market": f"M{number}", "events": [{}], "reported": [item] * there}
            for number, there in enumerate(reported)
        ],
        "evidence": [
            {"call": {"call_id": f"M{number}/search_news"}, "content": {"items": [item]}}
            for number in range(len(reported))
        ],
    }


def test_outcomes_and_news_that_are_lacking_are_counted() -> None:
    assert counts_of(report(6, True, True)) == Counts(6, 6, 2, 2, 2)
    assert counts_of(report(6, True, True)).whole
    assert not counts_of(report(5, True, True)).whole
    assert not counts_of(report(6, True, False)).whole


def test_an_event_of_a_market_without_news_lacks_none() -> None:
    told = report(6, False)
    told["evidence"][0]["content"]["items"][0]["published_at"] = "2026-09-01T09:00:00Z"
    assert counts_of(told) == Counts(6, 6, 0, 0, 1)
