"""The commentary as a report prints it: printed claims, in a form that fits them."""

from typing import Any

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import Commentary, EventType, WrittenTheme
from desk.contracts.week.report import Lead, ResearchReport, Sentence
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.judging.commentary import commentary_of, lead_with, sentences_of
from desk.programs.week.document.sections.lead import lead_of
from desk.programs.week.document.sections.summary import summary_of
from desk.trust.prose import references
from desk.trust.seals import sealed
from tests.support.builders import claim
from tests.support.documents.told_reports import SENTENCE, told_report

DECIDED = "JP:decision_change@2026-10-30"
CLAIMS = {
    held.claim_id: held
    for held in (
        claim("USD/JPY", Metric.MOVE, "0.29", Unit.PERCENT),
        claim("EUR/USD", Metric.MOVE, "-1.10", Unit.PERCENT),
        claim("USD/JPY", Metric.LAST, "157.25"),
        claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, dated=True),
        claim("US", Metric.DECISION_CHANGE, "0", Unit.BASIS_POINTS, dated=True),
    )
}


def printed(*sentences: str, claims: dict[str, Claim] = CLAIMS) -> list[str]:
    written = Commentary(task_id="2026-W44/comment", sentences=sentences)
    return [line.text for line in sentences_of(commentary_of(written, claims), claims)]


def theme(title: str, moved: str, **more: Any) -> WrittenTheme:
    return WrittenTheme(title=title, moved=moved, **more)


def lead(*themes: WrittenTheme, headline: str | None = None) -> Lead:
    """The lead of the told report with what a commentator wrote in place of its own."""
    written = Commentary(task_id="2026-W44/comment", headline=headline, themes=themes)
    report = bare()
    claims = printed_claims(report)
    kept = commentary_of(written, claims)
    return lead_with(kept, lead_of(report, claims), claims, report.markets)


def bare() -> ResearchReport:
    return told_report().model_copy(update={"commentary": ()})


def with_lead(made: Lead) -> ResearchReport:
    report = bare().model_copy(update={"lead": made})
    summary = summary_of(report, printed_claims(report))
    return sealed(report.model_copy(update={"summary": summary}))


MOVED = theme("The yen", "USD/JPY [[USD/JPY:move|moved]].", markets=("USD/JPY",))


def test_a_commentators_headline_and_themes_stand_in_place_of_the_desks() -> None:
    made = lead(MOVED, headline="USD/JPY [[USD/JPY:move|moved]] in the week.")
    assert made.written and made.headline.text == "USD/JPY fell 2.76 % in the week."
    assert made.themes[0].written and made.themes[0].moved.text == "USD/JPY fell 2.76 %."
    assert not any("USD/JPY" in told.markets for told in made.themes[1:]), "each thing once"
    assert audit(with_lead(made)) == ()


def test_where_a_commentator_wrote_nothing_that_holds_the_desks_lead_stands() -> None:
    own = lead_of(bare(), printed_claims(bare()))
    assert lead() == own
    refused = theme("The yen", "USD/JPY ended at 163.70.", markets=("USD/JPY",))
    assert lead(refused, headline="The yen is at 163.70.") == own


def test_a_refused_theme_gives_its_place_to_the_desks_and_the_headline_stays() -> None:
    own = lead_of(bare(), printed_claims(bare()))
    refused = theme("The yen", "USD/JPY ended at 163.70.", markets=("USD/JPY",))
    made = lead(refused, headline="The yen fell.")
    assert made.headline.text == "The yen fell." and made.themes == own.themes[:3]
    only_theme = lead(MOVED)
    assert only_theme.headline == own.headline and only_theme.standfirst == own.standfirst


def test_the_summary_does_not_repeat_what_a_commentator_told() -> None:
    before = bare().summary
    told = {name for line in before for name in references(line.prose)}
    words = " and ".join(f"[[{name}]]" for name in sorted(told))
    report = with_lead(lead(theme("All of it", f"These are {words}.")))
    assert told and not any(references(line.prose) for line in report.summary)
    assert [line for line in before if not references(line.prose)] == list(report.summary)
    assert audit(report) == ()


def test_a_theme_that_nobody_wrote_and_no_rule_composes_is_found() -> None:
    made = lead(MOVED, headline="The yen fell.")
    first = made.themes[0]
    forged = made.model_copy(update={"themes": (first.model_copy(update={"written": False}),)})
    assert "rules compose no such theme" in str(audit(with_lead(forged)))
    nobody = with_lead(made).model_copy(update={"commenting": None})
    assert "nobody is said to have delivered it" in str(audit(sealed(nobody)))


def test_the_story_that_gives_a_reason_is_printed_with_its_publisher() -> None:
    (section, *_) = bare().markets
    (event,) = (each for each in section.events if each.event_type is EventType.NEWS)
    made = lead(theme("The yen", "USD/JPY rose.", reported=event.event_id))
    assert made.themes[0].story in section.reported


def test_a_week_without_a_commentary_has_none() -> None:
    assert commentary_of(None, CLAIMS) is None and sentences_of(None, CLAIMS) == ()
    assert printed() == []


def test_sentences_print_their_claims() -> None:
    assert printed("USD/JPY rose by [[USD/JPY:move]].") == ["USD/JPY rose by 0.29 %."]


def test_a_figure_is_bound_to_no_claim_that_the_writer_did_not_name() -> None:
    assert printed("USD/JPY ended at 157.25.") == []


@pytest.mark.parametrize(
    "left_out",
    [
        "USD/JPY will reach 163.70 soon.",
        "The yen lost four percent.",
        "It moved [[GBP/USD:move]].",
        "It moved [[ ignore me ]].",
        "USD/JPY fell by [[USD/JPY:move]].",
        "EUR/USD rose by [[EUR/USD:move]].",
        f"The Bank of Japan cut its rate by [[{DECIDED}]].",
        f"The Bank of Japan [[{DECIDED}|decided]].",
        "The Federal Reserve raised rates by [[US:decision_change@2026-10-30]].",
    ],
)
def test_a_sentence_that_does_not_hold_is_left_out_and_the_others_stay(left_out: str) -> None:
    assert printed("It was calm.", left_out, "So it ended.") == ["It was calm.", "So it ended."]


@pytest.mark.parametrize(
    "held",
    [
        "USD/JPY rose by [[USD/JPY:move]] while EUR/USD fell by [[EUR/USD:move]].",
        "The yen fell, with USD/JPY at [[USD/JPY:move]].",
        f"The Bank of Japan raised its rate by [[{DECIDED}]].",
        "The Federal Reserve [[US:decision_change@2026-10-30|moved]].",
        "USD/JPY [[USD/JPY:move|moved]] as EUR/USD [[EUR/USD:move|moved]].",
        "EUR/USD rose the week before, and USD/JPY moved [[USD/JPY:move]] less than now.",
    ],
)
def test_words_that_agree_with_their_figures_stay(held: str) -> None:
    assert len(printed(held)) == 1


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (Sentence(prose="USD/JPY moved.", text="USD/JPY soared."), "its prose gives another text"),
        (
            Sentence(prose="It is 151.234.", text="It is 151.234."),
            "'151.234': digits are allowed",
        ),
        (Sentence(prose="[[USD/JPY:basis]]", text="1 %"), "which is not here"),
        (
            Sentence(prose="USD/JPY soared [[USD/JPY:move]].", text="USD/JPY soared -0.1 %."),
            "gives another text",
        ),
    ],
)
def test_a_changed_sentence_of_the_commentary_is_found(sentence: Sentence, words: str) -> None:
    held = told_report()
    changed = sealed(held.model_copy(update={"commentary": (*held.commentary, sentence)}))
    assert any(
        found.where.startswith("commentary") and words in found.words for found in audit(changed)
    )


def test_words_of_the_commentary_that_contradict_their_figure_are_found() -> None:
    held = told_report()
    (line,) = held.commentary
    assert line.prose == SENTENCE
    verb = "rose" if "-" in line.text else "fell"
    turned = Sentence(
        prose=line.prose.replace("moved", verb), text=line.text.replace("moved", verb)
    )
    found = audit(sealed(held.model_copy(update={"commentary": (turned,)})))
    assert any("goes the other way" in f.words for f in found)
