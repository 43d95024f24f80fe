"""Rate decisions and scheduled days over a window, and the claims they make."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from desk.analytics.figures import as_number
from desk.analytics.prices.rates_view import RatesView, view_rates
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import DatePrecision, RateDecision
from desk.contracts.weeks import TimeWindow
from desk.trust.claims.rate_claims import (
    decision_claims,
    differential_areas,
    differential_claim,
    next_decision_claims,
    policy_rate_claims,
)
from tests.support.builders import (
    calendar,
    decision,
    decisions,
    pair_market,
    policy_rates,
    rate_market,
)

WEEK = "2024-W31"
AREAS = ("US", "JP", "SE")
FIRST, AS_OF = date(2024, 7, 28), date(2024, 8, 5)


def view(
    *decided: RateDecision, days: tuple[tuple[str, str], ...] = (), until: str = "2024-08-31"
) -> RatesView:
    answer = decisions(WEEK, *decided, covered_until=until)
    return view_rates(answer, calendar(WEEK, *days), AREAS, FIRST, AS_OF)


def test_a_scheduled_day_with_its_decision_is_no_second_event() -> None:
    found = view(decision("JP", "2024-07-31", "0.25", "20"), days=(("JP", "2024-07-31"),))
    assert [d.area for d in found.decisions] == ["JP"]
    assert found.ahead == found.unresolved == found.uneventful == ()


def test_a_decision_of_another_area_does_not_answer_a_scheduled_day() -> None:
    found = view(decision("JP", "2024-07-31", "0.25", "20"), days=(("US", "2024-07-31"),))
    assert [day.area for day in found.uneventful] == ["US"]


def test_an_area_that_was_not_asked_about_is_no_news() -> None:
    found = view(decision("NZ", "2024-07-31", "5.50", "0"), days=(("NZ", "2024-08-14"),))
    assert found.decisions == ()
    assert found.ahead == ()


def test_a_past_day_beyond_the_source_s_cover_is_unresolved() -> None:
    found = view(days=(("US", "2024-07-31"),), until="2024-07-30")
    assert [day.area for day in found.unresolved] == ["US"]
    assert found.uneventful == ()


def test_days_from_the_as_of_day_on_are_ahead() -> None:
    found = view(days=(("US", "2024-08-05"), ("JP", "2024-09-20")), until="2024-07-01")
    assert [day.area for day in found.ahead] == ["US", "JP"]


@pytest.mark.parametrize(
    ("precision", "decided_on", "matched"),
    [
        (DatePrecision.DAY, "2024-07-31", True),
        (DatePrecision.DAY, "2024-08-01", False),
        (DatePrecision.EFFECTIVE, "2024-08-05", True),
        (DatePrecision.EFFECTIVE, "2024-07-30", False),
        (DatePrecision.MONTH, "2024-07-31", True),
    ],
)
def test_an_inexact_day_is_matched_as_far_as_it_is_known(
    precision: DatePrecision, decided_on: str, *, matched: bool
) -> None:
    decided = decision("SE", decided_on, "3.50", "-25", precision=precision)
    found = view(decided, days=(("SE", "2024-07-31"),))
    assert (found.uneventful == ()) is matched


def test_a_pair_s_differential_is_the_base_area_s_rate_less_the_quote_area_s() -> None:
    rates = policy_rate_claims(policy_rates(WEEK, US="5.375", JP="0.25").rates, AS_OF, "e")
    claim = differential_claim(pair_market("USD/JPY"), "US", rates)
    assert claim is not None
    assert (claim.claim_id, claim.value) == ("USD/JPY:differential", Decimal("512.5"))
    assert claim.inputs == ("US:policy_rate", "JP:policy_rate")


def test_an_area_s_differential_is_taken_against_the_base_area() -> None:
    rates = policy_rate_claims(policy_rates(WEEK, JP="0.25", US="5.50").rates, AS_OF, "e")
    claim = differential_claim(rate_market("JP"), "US", rates)
    assert claim is not None
    assert (claim.claim_id, str(claim.value)) == ("JP:differential", "-525")
    assert differential_areas(rate_market("US"), "US") is None
    assert differential_claim(rate_market("US"), "US", rates) is None


def test_without_one_of_the_rates_there_is_no_differential() -> None:
    rates = policy_rate_claims(policy_rates(WEEK, US="5.375", SG=None).rates, AS_OF, "e")
    assert [claim.subject for claim in rates] == ["US"]
    assert differential_claim(pair_market("USD/SGD"), "US", rates) is None


def test_a_stale_rate_is_claimed_for_the_last_day_that_is_covered() -> None:
    (us, jp) = policy_rates(WEEK, US="5.375", JP="0.25").rates
    old = jp.model_copy(update={"covered_until": date(2024, 6, 30), "stale": True})
    claims = policy_rate_claims((us, old), AS_OF, "e")
    assert [claim.as_of for claim in claims] == [AS_OF, date(2024, 6, 30)]
    differential = differential_claim(pair_market("USD/JPY"), "US", claims)
    assert differential is not None
    assert differential.as_of == date(2024, 6, 30)


@pytest.mark.parametrize(
    ("asked_at", "hour", "next_day"),
    [
        ("2024-07-31T17:00:00+00:00", time(14), "2024-07-31"),
        ("2024-07-31T19:00:00+00:00", time(14), "2024-09-18"),
        ("2024-07-31T19:00:00+00:00", None, "2024-07-31"),
    ],
)
def test_a_decision_of_the_day_is_the_next_until_it_is_announced(
    asked_at: str, hour: time | None, next_day: str
) -> None:
    days = calendar(WEEK, ("US", "2024-07-31"), ("US", "2024-09-18"))
    told = {"announced_at_local": hour, "time_zone": "America/New_York"}
    days = days.model_copy(
        update={"scheduled": tuple(d.model_copy(update=told) for d in days.scheduled)}
    )
    at = datetime.fromisoformat(asked_at)
    until = TimeWindow(start=at - timedelta(days=8), end=at, time_zone="Europe/London")
    (claim,) = next_decision_claims(days, until, "call")
    assert claim.value == as_number(date.fromisoformat(next_day))


@pytest.mark.parametrize(("hour", "next_day"), [(14, "2026-10-30"), (16, "2026-12-18")])
def test_a_decision_without_an_hour_is_the_next_until_the_bank_s_day_is_over(
    hour: int, next_day: str
) -> None:
    """In Tokyo the day is over nine hours before it is in London."""
    days = calendar(WEEK, ("JP", "2026-10-30"), ("JP", "2026-12-18"))
    told = {"announced_at_local": None, "time_zone": "Asia/Tokyo"}
    days = days.model_copy(
        update={"scheduled": tuple(d.model_copy(update=told) for d in days.scheduled)}
    )
    at = datetime(2026, 10, 30, hour, tzinfo=UTC)
    until = TimeWindow(start=at - timedelta(days=8), end=at, time_zone="Europe/London")
    (claim,) = next_decision_claims(days, until, "call")
    assert claim.value == as_number(date.fromisoformat(next_day))


def test_a_decision_makes_two_claims_of_its_day() -> None:
    claims = decision_claims([decision("JP", "2024-07-31", "0.25", "20")], "e")
    assert [(claim.claim_id, claim.value) for claim in claims] == [
        ("JP:decision_rate@2024-07-31", Decimal("0.25")),
        ("JP:decision_change@2024-07-31", Decimal(20)),
    ]
    assert {claim.metric for claim in claims} == {Metric.DECISION_RATE, Metric.DECISION_CHANGE}
