"""An audit of what the desk's own record said: its weights follow from what they name."""

import re
from collections.abc import Iterator

import pytest

from desk.contracts.learning.lessons import (
    Advice,
    RecordWeight,
    Scorecard,
    ScoredForecast,
    SourceRecord,
    StanceMonitor,
)
from desk.learning.calibration import LEAST_WEEKS, agent_weights, scorecard, source_weights
from desk.programs.week.document.audit.report import audit
from desk.trust.seals import sealed
from tests.support.documents.advised import AS_OF, scored_forecasts
from tests.support.documents.real_reports import real_report

RECORDS = (
    SourceRecord(server="ecb", verified=190, contested=3, rejected=1),
    SourceRecord(server="central_banks", verified=60, rejected=20),
    SourceRecord(server="yahoo_finance", verified=20, contested=2),
)
FEW, ENOUGH = 12, LEAST_WEEKS + 4


def forecasts(weeks: int) -> tuple[ScoredForecast, ...]:
    return scored_forecasts(("EUR/USD", "USD/JPY"), weeks)


def advice(weeks: int) -> Advice:
    scored = forecasts(weeks)
    return Advice(
        as_of=AS_OF,
        weeks=weeks,
        weights=(*agent_weights(scored), *source_weights(RECORDS)),
        scorecard=scorecard(scored, [scored[0].made], AS_OF),
    )


def faults(said: Advice) -> list[str]:
    held = real_report("USD/JPY")
    changed = held.model_copy(update={"advice": said.model_copy(update={"as_of": held.as_of})})
    found = (each for each in audit(sealed(changed)) if "as of" not in each.words)
    return [f"{each.where}: {each.words}" for each in found]


def forged(weight: RecordWeight) -> Iterator[RecordWeight]:
    """A weight with one of its figures changed, in turn; figures of three places by enough to be no
    rounding."""
    yield weight.model_copy(update={"factor": round(weight.factor - 0.05, 2)})
    yield weight.model_copy(update={"outcomes": weight.outcomes + 1})
    for place in re.finditer(r"\d(?=[ :%])|\d(?=\.)|\d(?=\d$)", weight.reason):
        at = place.start()
        other = str((int(weight.reason[at]) + 3) % 10)
        yield weight.model_copy(
            update={"reason": f"{weight.reason[:at]}{other}{weight.reason[at + 1 :]}"}
        )


@pytest.mark.parametrize("weeks", [FEW, ENOUGH])
def test_weights_that_follow_from_the_record_are_verified(weeks: int) -> None:
    assert faults(advice(weeks)) == []


@pytest.mark.parametrize("weeks", [FEW, ENOUGH])
def test_one_forged_figure_of_a_weight_is_found(weeks: int) -> None:
    said = advice(weeks)
    tried = 0
    for place, weight in enumerate(said.weights):
        for wrong in forged(weight):
            weights = (*said.weights[:place], wrong, *said.weights[place + 1 :])
            found = faults(said.model_copy(update={"weights": weights}))
            assert any(f"weight of {weight.name}" in line for line in found), wrong
            tried += 1
    assert tried > 5 * len(said.weights)


def test_a_weight_of_an_agent_that_has_no_row_is_found() -> None:
    said = advice(ENOUGH)
    assert said.scorecard is not None
    rows = tuple(row for row in said.scorecard.rows if row.of != "research_agent_1")
    card = said.scorecard.model_copy(update={"rows": rows})
    assert any(
        "weight of research_agent_1" in line
        for line in faults(said.model_copy(update={"scorecard": card}))
    )


def test_more_leaning_forecasts_than_were_made_are_found() -> None:
    card = Scorecard(as_of=AS_OF, open=2, monitor=StanceMonitor(forecasts=3, up=1))
    said = Advice(as_of=AS_OF, scorecard=card)
    assert any("3 forecasts lean" in line for line in faults(said))
    fewer = card.model_copy(update={"open": 3})
    assert not any("lean" in line for line in faults(Advice(as_of=AS_OF, scorecard=fewer)))
