"""An impact says why it is what it is."""

from datetime import timedelta

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import EventType, Impact
from desk.contracts.week.report import MarketReport, ReportedEvent
from desk.programs.week.document.judging.impact_words import impact_words
from tests.support.builders import claim
from tests.support.documents.real_reports import real_report

PAIR = "USD/JPY"
TODAY = claim(PAIR, Metric.LAST, "1").as_of


def words(event_type: EventType, impact: Impact, *claims: Claim) -> str:
    (section,) = real_report(PAIR).markets
    market: MarketReport = section.model_copy(update={"claims": claims})
    event: ReportedEvent = section.events[0].model_copy(
        update={
            "event_type": event_type,
            "impact": impact,
            "claims": tuple(each.claim_id for each in claims),
            "event_date": claim(PAIR, Metric.LAST, "1").as_of,
        }
    )
    return impact_words(event, market, TODAY)


def test_a_decision_that_was_due_is_no_longer_called_due() -> None:
    section = real_report(PAIR).markets[0]
    event = section.events[0].model_copy(
        update={
            "event_type": EventType.SCHEDULED_DECISION,
            "impact": Impact.MEDIUM,
            "event_date": TODAY - timedelta(days=5),
        }
    )
    told = impact_words(event, section, TODAY)
    assert told == "medium impact: passed, outcome unknown"
    later = event.model_copy(update={"event_date": TODAY})
    assert impact_words(later, section, TODAY) == "medium impact: due within a week"


def test_an_extreme_within_the_week_is_no_ordinary_move() -> None:
    ends = (claim(PAIR, Metric.WINDOW_LOW, "1.2523"), claim(PAIR, Metric.YEAR_LOW, "1.2523"))
    told = words(EventType.FX_MOVEMENT, Impact.HIGH, score("-0.5"), *ends)
    assert told == "high impact: twelve-month low within the week"
    assert words(EventType.FX_MOVEMENT, Impact.MEDIUM, score("-0.5")) == (
        "medium impact: an extreme within the week"
    )


def score(value: str) -> Claim:
    return claim(PAIR, Metric.Z_SCORE, value, Unit.STANDARD_DEVIATIONS)


@pytest.mark.parametrize(
    ("impact", "claims", "told"),
    [
        (Impact.HIGH, (score("-2.4"),), "high impact: an unusual move"),
        (
            Impact.HIGH,
            (score("-0.5"), claim(PAIR, Metric.RANGE_POSITION, "0.0", Unit.PERCENT)),
            "high impact: twelve-month low",
        ),
        (
            Impact.MEDIUM,
            (score("0.4"), claim(PAIR, Metric.HIGHEST_SINCE, "20260601", Unit.CALENDAR_DAY)),
            "medium impact: three-month high",
        ),
        (Impact.MEDIUM, (score("1.2"),), "medium impact: a larger move than most"),
        (Impact.LOW, (score("0.2"),), "low impact: an ordinary move"),
        (
            Impact.MEDIUM,
            (claim(PAIR, Metric.BAND_POSITION, "96", Unit.PERCENT),),
            "medium impact: near the edge of its band",
        ),
    ],
)
def test_a_move_says_what_of_it_matters(
    impact: Impact, claims: tuple[Claim, ...], told: str
) -> None:
    assert words(EventType.FX_MOVEMENT, impact, *claims) == told


def test_a_decision_says_whether_the_rate_changed() -> None:
    change = claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, dated=True)
    hold = change.model_copy(update={"value": change.value * 0})
    decided = EventType.RATE_DECISION
    assert words(decided, Impact.HIGH, change) == "high impact: the rate changed"
    assert words(decided, Impact.MEDIUM, hold) == "medium impact: the rate was held"
    assert words(decided, Impact.MEDIUM) == "medium impact"
