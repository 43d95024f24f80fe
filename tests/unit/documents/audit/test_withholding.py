"""What was computed from a withheld figure is withheld with it, in every place of a report."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.judging.claims import printed_claims
from desk.trust.claims.dependence import without_dependents
from tests.support.builders import claim
from tests.trust.in_process import Tools
from tests.trust.real_weeks import Desk, real_config
from tests.trust.seeded_errors import SEED
from tests.trust.withholding import How, Week, leaks, researched, to_be_read


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Week]:
    folder: Path = tmp_path_factory.mktemp("cache")
    with Tools(folder) as tools:
        yield researched(Desk(tools, real_config(tools)))


EVERY = 8
"""Of so many claims one is withheld, each time the same: `python -m tests.trust` withholds all."""


@pytest.mark.parametrize("how", list(How))
def test_no_withheld_claim_of_a_real_week_is_to_be_read_anywhere(week: Week, how: How) -> None:
    names = sorted(week.delivered)
    sampled = Random(SEED).sample(names, len(names) // EVERY)
    assert len(sampled) > 5
    assert to_be_read(week, {*sampled, *OF_EVERY_KIND}, how) == []


OF_EVERY_KIND = (
    "USD/JPY:last",
    "USD/JPY:previous",
    "USD/HKD:last",
    "EUR/USD:move",
    "US:policy_rate",
    "CA:decision_change@2022-10-26",
    "XM:decision_rate@2022-10-27",
)


@pytest.mark.parametrize("name", OF_EVERY_KIND)
def test_a_withheld_figure_is_not_on_the_page(week: Week, name: str) -> None:
    assert leaks(week, name, week.withholding(name, How.REJECTED)) == []


@pytest.mark.parametrize("name", [name for name in OF_EVERY_KIND if name.endswith(":last")])
@pytest.mark.parametrize("how", list(How))
def test_a_chart_does_not_show_the_fixing_that_is_withheld(week: Week, name: str, how: How) -> None:
    claim = week.claims[name]
    series = {section.market: section.days for section in week.report.markets}
    (section,) = (s for s in week.withholding(name, how).markets if s.market == claim.subject)
    assert claim.as_of in series[claim.subject]
    assert claim.as_of not in section.days
    assert section.days


@pytest.mark.parametrize("how", list(How))
def test_a_report_that_withholds_is_as_sound_as_one_that_does_not(week: Week, how: How) -> None:
    found = {name: audit(week.withholding(name, how)) for name in OF_EVERY_KIND}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize("how", list(How))
def test_a_withheld_move_is_counted_nowhere(week: Week, how: How) -> None:
    counts = week.withholding("EUR/USD:move", how).counts
    assert counts
    assert not [count for count in counts if "EUR/USD:move" in count.inputs]


def test_what_does_not_rest_on_it_stays(week: Week) -> None:
    left = printed_claims(week.withholding("USD/JPY:year_high", How.REJECTED))
    gone = week.claims.keys() - left.keys()
    assert gone == {"USD/JPY:year_high", "USD/JPY:range_position"}


def test_the_count_of_meetings_goes_with_the_decision_that_it_ends_in() -> None:
    cut = claim("CH", Metric.DECISION_CHANGE, "-25", Unit.BASIS_POINTS)
    count = claim("CH", Metric.CUTS_IN_A_ROW, "5", Unit.COUNT)
    assert without_dependents([count], [cut]) == ()
    other = cut.model_copy(update={"as_of": cut.as_of - timedelta(days=90)})
    assert without_dependents([count], [other]) == (count,)


def asked_apart(metric: Metric, value: str) -> Claim:
    """A level of USD/JPY on the day of the last price, from an answer of its own."""
    return claim("USD/JPY", metric, value).model_copy(update={"evidence": ("test/of its own",)})


@pytest.mark.parametrize("metric", [Metric.SPAN_END, Metric.SPAN_HIGH, Metric.SPAN_LOW])
def test_the_end_of_a_span_that_was_asked_for_apart_goes_with_the_fixing_that_it_is(
    metric: Metric,
) -> None:
    last, end = claim("USD/JPY", Metric.LAST, "153.20"), asked_apart(metric, "153.20")
    move = asked_apart(Metric.SPAN_MOVE, "1.20").model_copy(update={"inputs": (end.claim_id,)})
    assert without_dependents([end, move], [last]) == ()
    other = asked_apart(metric, "153.90")
    assert without_dependents([other], [last]) == (other,)
    earlier = last.model_copy(update={"as_of": last.as_of - timedelta(days=1)})
    assert without_dependents([end], [earlier]) == (end,)
