"""What a report says of the desk's own record, and what an audit finds in it."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from activities.deliveries import letter
from desk.contracts.findings.results import Forecast, Leaning
from desk.contracts.learning.lessons import Advice, AdviceKind, Scorecard, SourceRecord, WeightOf
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.drawing.charts import calibration_chart
from desk.learning.calibration import agent_weights, source_weights
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.json_form import from_json, to_json
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.rendering.record_words import (
    BACKTEST,
    CLEAR,
    TITLE,
    counted_words,
    direction_words,
    leaning_line,
)
from desk.trust.seals import sealed
from tests.support.documents.advised import (
    SCORED_MARKETS,
    recommendation,
    sample_advice,
    sample_scorecard,
    scored_forecasts,
    weight,
)
from tests.support.documents.real_reports import disputed_report, real_report
from tests.support.documents.reports import sample_record, sample_report
from tests.unit.documents.rendering.test_reporting_html import Page

FOLLOWS = ("raise_timeout:reuters",)


def advised(advice: Advice | None, follows: tuple[str, ...] = FOLLOWS) -> ResearchReport:
    """The sample report of a run that was told something."""
    record = sample_record()
    plan = record.plan.model_copy(update={"follows": follows})
    return sample_report(record.model_copy(update={"advice": advice, "plan": plan}))


def both(report: ResearchReport) -> tuple[str, str]:
    """The section in Markdown, and the words of the page."""
    markdown = render_markdown(report)
    section = markdown.partition(f"## {TITLE}\n")[2].partition("\n## ")[0]
    return section, " ".join(Page(render_html(report)).words.split()).replace("\xa0", " ")


def test_a_run_that_asked_nothing_of_the_record_has_no_section() -> None:
    section, page = both(advised(None, ()))
    assert section == ""
    assert TITLE not in page and 'id="learned"' not in render_html(advised(None, ()))


def test_what_was_written_afterwards_stands_apart_as_a_back_test() -> None:
    card, late = sample_scorecard(), sample_scorecard(SCORED_MARKETS[0])
    beside = sample_advice(scorecard=card.model_copy(update={"backtest": late}))
    report = advised(beside)
    section, page = both(report)
    record, _, apart = section.partition(BACKTEST)
    rows = [re.search(r"\| all forecasts +\| +(\d+) ", part) for part in (record, apart)]
    assert [row and int(row[1]) for row in rows] == [card.rows[0].scored, late.rows[0].scored]
    assert "no weight follows from them" in apart
    assert BACKTEST.partition(",")[0] in page
    assert "backtest" not in {each.where for each in audit(report)}
    wrong = late.model_copy(update={"as_of": report.as_of + timedelta(days=1)})
    found = audit(advised(sample_advice(scorecard=card.model_copy(update={"backtest": wrong}))))
    assert "backtest" in {each.where for each in found}


@pytest.mark.parametrize(
    ("advice", "says"),
    [
        (
            Advice(
                as_of=sample_advice().as_of,
                scorecard=Scorecard(as_of=sample_advice().as_of, open=0),
            ),
            "no record yet",
        ),
        (
            Advice(as_of=sample_advice().as_of, full=True),
            "Nothing from before 21 Sep 2026 06:00 UTC is kept: the desk's own record is full",
        ),
        (
            Advice(as_of=sample_advice().as_of, unread="nobody answered\nin time"),
            "could not be read: nobody answered in time. The week",
        ),
    ],
    ids=["nothing yet", "full", "unread"],
)
def test_without_a_record_the_section_says_why(advice: Advice, says: str) -> None:
    for text in both(advised(advice, ())):
        assert says in text
        assert "configured rules alone" in text
        assert "come due" not in text


def test_what_was_followed_and_what_was_not_is_told_with_its_reason() -> None:
    report = advised(sample_advice())
    for text in both(report):
        assert "The record rests on 11 earlier runs" in text
        assert "2 recommendations: 1 followed, 1 not followed" in text
        assert "It changes 2 weights in a vote" in text
        assert re.search(r"not followed:? ask reuters after the others for news search", text)
        longer = r"followed:? give every call 45 s, because of reuters\.get\\?_market\\?_news"
        assert re.search(longer, text)
        assert "5 of 8 calls of reuters got no answer: 503 Service Unavailable" in text


def test_weights_and_scores_are_printed_and_say_what_they_follow_from() -> None:
    card = sample_scorecard()
    for text in both(advised(sample_advice())):
        assert "× 1.12" in text and "source ecb" in text and "× 0.91" in text
        for row in card.rows:
            assert f"{row.hits} of {row.decided}" in text and f"{row.brier:.3f}" in text
        assert "on record (workflow learning-system), due by 21 Sep 2026 06:00 UTC" in text
        assert "2 forecasts due, for which no fixing is known yet" in text


def test_a_scorecard_before_the_first_forecast_is_due_says_so() -> None:
    empty = Scorecard(as_of=sample_advice().as_of, open=24)
    for text in both(advised(sample_advice(scorecard=empty))):
        assert "No forecast has an outcome yet" in text
        assert "24 forecasts not due yet" in text
        assert "Brier" not in text


def test_words_of_a_source_are_escaped_and_shortened() -> None:
    hostile = "<script>alert(1)</script> " + "x" * 3_000
    worst = recommendation(AdviceKind.AVOID_SOURCE, reason=hostile, server="<b>")
    heavy = weight(WeightOf.SOURCE, "<img src=x>", 0.8).model_copy(update={"reason": hostile})
    report = advised(sample_advice(recommendations=(worst,), weights=(heavy,)), ())
    page = render_html(report)
    assert "<script>" not in page and "<img" not in page
    assert "x" * 400 not in page
    Page(page)


def test_the_chart_has_a_dot_for_every_bin_and_reads_itself_out() -> None:
    bins = sample_scorecard().bins
    chart = calibration_chart(bins)
    for each in bins:
        assert f"higher {each.rose} of {each.count} times" in chart
        assert re.search(rf"<text[^>]*>{each.count}</text>", chart)
    assert chart == calibration_chart(bins)
    assert "#" not in chart, "every colour is the page's"


def test_the_first_page_says_which_pairs_lean_furthest_from_even() -> None:
    report = real_report("USD/JPY", "EUR/USD", "USD/HKD", "AUD/USD")
    odds = {"USD/JPY": 0.174, "EUR/USD": 0.65, "USD/HKD": 0.9, "AUD/USD": 0.55}

    def leaning(odds: dict[str, float]) -> str | None:
        sections = tuple(
            section.model_copy(
                update={
                    "views": tuple(
                        view.model_copy(
                            update={
                                "forecast": Forecast(
                                    probability=odds[section.market], weeks=4, deviation=0.03
                                )
                            }
                        )
                        for view in section.views
                    )
                }
            )
            for section in report.markets
        )
        held = report.model_copy(update={"markets": sections})
        line = leaning_line(held)
        assert line and line in render_markdown(held) and line in letter(held, "here")
        page = render_html(held)
        assert line in both(held)[1]
        for pair in re.findall(r"(\w+/\w+) \(\d", line):
            target = f"{pair.replace('/', '-')}-direction"
            assert f'href="#{target}"' in page and f'id="{target}"' in page
        return line

    # USD/HKD has a band, and AUD/USD is near to even.
    assert leaning(odds) == (
        "Over the next 4 weeks a higher fixing is likeliest for EUR/USD (65.0 %) and least likely"
        " for USD/JPY (17.4 %). This counts how often a pair stood higher after a move like this"
        " week's; it names no cause."
    )
    assert leaning(dict.fromkeys(odds, 0.52)) == (
        "By their own past, no pair leans clearly either way over the next 4 weeks."
    )
    assert leaning_line(sample_report()) is None


def test_each_probability_of_the_first_page_leads_to_the_weeks_it_counts() -> None:
    report = real_report("USD/JPY")
    (section,) = report.markets
    (view,) = (v for v in section.views if v.subject == "USD/JPY")
    assert view.forecast is not None
    words = counted_words(section, report)
    assert words and words in render_markdown(report) and words in both(report)[1]
    found = re.match(r"counted from ([\d.]+) of (\d+) past weeks", words)
    assert found is not None
    higher, weeks = map(float, found.groups())
    assert round((higher / 4 + 1) / (weeks / 4 + 2), 3) == view.forecast.probability
    page = render_html(report)
    leans = abs(view.forecast.probability - 0.5) >= CLEAR
    assert ('href="#USD-JPY-direction"' in page) == leans
    assert page.count('id="USD-JPY-direction"') == 1
    guessed = view.model_copy(update={"probability": 0.6})
    views = tuple(guessed if each == view else each for each in section.views)
    assert counted_words(section.model_copy(update={"views": views}), report) is None


def test_a_view_with_a_forecast_is_told_with_probability_and_horizon() -> None:
    report = real_report("USD/JPY")
    (section,) = report.markets
    (view,) = (v for v in section.views if v.subject == "USD/JPY")
    forecast = Forecast(probability=0.542, weeks=4, deviation=0.03)
    told = view.model_copy(update={"forecast": forecast})
    views = tuple(told if v == view else v for v in section.views)
    changed = section.model_copy(update={"views": views})
    said = "a higher fixing in 4 weeks is likelier than not: 54.2 %"
    held = report.model_copy(update={"markets": (changed,)})
    assert said in render_markdown(held)
    assert said in both(held)[1]
    assert "a count: how often" in render_markdown(held)
    by_model = told.model_copy(update={"probability": 0.542})
    views = tuple(by_model if v == told else v for v in views)
    held = held.model_copy(update={"markets": (changed.model_copy(update={"views": views}),)})
    assert f"{said}, the estimate of a model" in render_markdown(held)
    for form in (render_markdown(held), both(held)[1]):
        assert "is its own estimate and not a count" in form


@pytest.mark.parametrize(
    ("probability", "odds"),
    [(0.46, "less likely than not: 46.0 %"), (0.51, "about even: 51.0 %")],
)
def test_a_direction_says_which_way_its_probability_points(probability: float, odds: str) -> None:
    report = real_report("USD/JPY")
    (section,) = report.markets
    forecast = Forecast(probability=probability, weeks=4, deviation=0.03)
    views = tuple(
        view.model_copy(update={"forecast": forecast, "leaning": Leaning.UP})
        if view.subject == "USD/JPY"
        else view
        for view in section.views
    )
    words = direction_words(section.model_copy(update={"views": views}), report)
    assert words is not None
    assert words.startswith("rising over the week; ")
    assert words.endswith(odds)


def test_a_report_with_advice_reads_back_and_is_verified() -> None:
    report = with_advice(advice_then())
    assert from_json(to_json(report)) == report
    assert audit(report) == ()


def advice_then(**changed: object) -> Advice:
    """The sample's advice as of the real report, with the weights that follow from its record."""
    as_of, scored = real_report("USD/JPY").as_of, scored_forecasts(SCORED_MARKETS)
    card = sample_scorecard().model_copy(update={"as_of": as_of})
    records = (SourceRecord(server="ecb", verified=190, contested=3),)
    weights = (*agent_weights(scored), *source_weights(records))
    told = {"as_of": as_of, "weeks": 12, "scorecard": card, "weights": weights, **changed}
    return sample_advice(**told)


def with_advice(advice: Advice, follows: tuple[str, ...] = FOLLOWS) -> ResearchReport:
    """A real report with what the record said, and its seal."""
    return sealed(real_report("USD/JPY").model_copy(update={"advice": advice, "follows": follows}))


def found(change: Callable[[Scorecard], dict[str, Any]]) -> list[str]:
    """What an audit finds in a report whose scorecard was changed."""
    card = advice_then().scorecard
    assert card is not None
    changed = card.model_copy(update=change(card))
    return words_of(with_advice(advice_then(scorecard=changed)))


def words_of(report: ResearchReport) -> list[str]:
    return [f"{finding.where}: {finding.words}" for finding in audit(report)]


def first_row(**changed: object) -> Callable[[Scorecard], dict[str, Any]]:
    def change(card: Scorecard) -> dict[str, Any]:
        first, *others = card.rows
        return {"rows": (first.model_copy(update=changed), *others)}

    return change


def first_bin(**changed: object) -> Callable[[Scorecard], dict[str, Any]]:
    def change(card: Scorecard) -> dict[str, Any]:
        first, *others = card.bins
        return {"bins": (first.model_copy(update=changed), *others)}

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (first_row(hits=999), "scorecard, row all: 999 hits of"),
        (first_row(scored=35), "rows of agents: scored is 35 of all, and 36 added up"),
        (first_row(brier=0.1), "their Brier scores do not come to 0.1"),
        (first_row(carried=0), "what is scored against carry"),
        (first_bin(rose=99), "calibration: 99 of"),
        (first_bin(mean=0.99), "calibration: the mean 0.99 lies outside"),
        (lambda card: {"bins": card.bins[1:]}, "calibration: its bins do not come to the 36"),
        (lambda card: {"rows": card.rows[1:]}, "there is no row all"),
        (lambda card: {"rows": (*card.rows, card.rows[-1])}, "has more than one row"),
        (lambda card: {"as_of": card.as_of.replace(year=2030)}, "which is after the report"),
    ],
)
def test_a_scorecard_that_does_not_add_up_is_found(
    change: Callable[[Scorecard], dict[str, Any]], says: str
) -> None:
    assert [line for line in found(change) if says in line]


@pytest.mark.parametrize(
    ("changed", "follows", "says"),
    [
        ({}, ("buy:dollars",), "buy:dollars is followed, and nobody recommended it"),
        ({"as_of": sample_advice().as_of.replace(year=2031)}, (), "and not of the report"),
        ({"weights": (weight(WeightOf.SOURCE, "ecb", 0.9),) * 2}, (), "more than once"),
        (
            {"weights": (weight(WeightOf.SOURCE, "ecb", 0.9).model_copy(update={"factor": 3.0}),)},
            (),
            "it is 3.0, and not from 0.5 to 1.5",
        ),
        (
            {"recommendations": (recommendation(AdviceKind.AVOID_SOURCE, occurrences=9),)},
            (),
            "it rests on 9 of 8",
        ),
        ({"unread": "away"}, (), "could not be read, and says something all the same"),
    ],
)
def test_advice_that_cannot_be_is_found(
    changed: dict[str, object], follows: tuple[str, ...], says: str
) -> None:
    lines = words_of(with_advice(advice_then(**changed), follows))
    assert [line for line in lines if says in line]


def test_a_report_counts_its_votes_with_the_weights_of_the_record() -> None:
    held = [position for conflict in advised(None, ()).conflicts for position in conflict.positions]
    agents = {position.agent for position in held}
    halved = tuple(weight(WeightOf.AGENT, agent, 0.5) for agent in sorted(agents))
    report = advised(sample_advice(weights=halved), ())
    weights = [p.weight for conflict in report.conflicts for p in conflict.positions]
    assert weights == [round(position.weight / 2, 6) for position in held] != []


def test_weights_that_were_not_counted_in_the_votes_are_found() -> None:
    report = disputed_report()
    (agent, *_) = (p.agent for p in report.conflicts[0].positions)
    advice = Advice(as_of=report.as_of, weeks=9, weights=(weight(WeightOf.AGENT, agent, 0.6),))
    changed = sealed(report.model_copy(update={"advice": advice}))
    assert audit(report) == ()
    assert any("conflict" in line for line in words_of(changed))


def test_a_forecast_that_no_history_gives_is_found() -> None:
    report = real_report("USD/JPY")
    (section,) = report.markets
    views = tuple(
        view.model_copy(update={"forecast": Forecast(probability=0.9, weeks=4, deviation=0.5)})
        for view in section.views
    )
    changed = report.model_copy(update={"markets": (section.model_copy(update={"views": views}),)})
    assert any("no history of the pair gives it" in line for line in words_of(sealed(changed)))
