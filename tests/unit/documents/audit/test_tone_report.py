"""Tones in a published report: printed as data, and verified from their evidence."""

from collections.abc import Callable
from functools import cache

import pytest

from desk.analytics.news.stance_words import TextLeaning
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import JudgedBy, Leaning, Tone, ToneKind, ViewKind
from desk.contracts.findings.source_results import NewsItem
from desk.contracts.week.report import MarketOutcome, MarketReport, ResearchReport
from desk.programs.week.builtin.rates_analyst import with_tone
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.json_form import from_json, to_json
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.sections.tone import tone_by_model
from desk.programs.week.document.sections.views import standing_views
from desk.trust.claims.banks import BANKS
from desk.trust.conflicts.detection import view_conflicts
from desk.trust.seals import content_hash, sealed
from tests.support.builders import finding, pair_market, request, view
from tests.support.documents.news import FED, LINK, bank_news, headlines, item, statement
from tests.support.documents.report_outcomes import WEEK, WINDOW
from tests.support.documents.reports import sample_outcomes, sample_record, sample_report
from tests.unit.documents.audit.test_tone import HOSTILE
from tests.unit.documents.rendering.test_reporting_html import Page

PAIR, AREA = "EUR/USD", "KR"
KOREA = "Bank of Korea"
HAWKISH = "The Board decided to raise the policy rate"
GLOOM = "Stocks crash as recession fear grows"


def told(outcome: MarketOutcome, *answers: ToolResult) -> MarketOutcome:
    """The outcome with news among what its last agent was answered."""
    asked = request(TaskType.RESEARCH_RATES, pair_market(PAIR), WEEK, results=answers)
    week = asked.assignment.model_copy(update={"window": WINDOW})
    *others, last = outcome.results
    toned = with_tone(asked.model_copy(update={"assignment": week}), last)
    return outcome.model_copy(
        update={"results": (*others, toned), "evidence": (*outcome.evidence, *answers)}
    )


def report_with(*, market: str = PAIR, answers: tuple[ToolResult, ...]) -> ResearchReport:
    outcomes = [
        told(line, *answers) if line.market == market else line for line in sample_outcomes()
    ]
    return sample_report(sample_record(outcomes))


@cache
def toned() -> ResearchReport:
    """A report with what a bank has said, and a headline."""
    korean = statement(HAWKISH, KOREA, summary="Inflation remains too high.")
    fed = statement("Policy easing", FED, url=f"{LINK}/fed")
    return report_with(
        market=AREA, answers=(bank_news(korean, fed), headlines(item(GLOOM, url=f"{LINK}/wire")))
    )


def section(report: ResearchReport, market: str = AREA) -> MarketReport:
    return next(section for section in report.markets if section.market == market)


def changed(change: Callable[[MarketReport], dict[str, object]]) -> list[str]:
    """What an audit finds with the section changed and the seal made anew."""
    held = toned()
    sections = tuple(
        line.model_copy(update=change(line)) if line.market == AREA else line
        for line in held.markets
    )
    assert sections != held.markets
    found = audit(sealed(held.model_copy(update={"markets": sections})))
    return [f"{line.where}: {line.words}" for line in found]


def first_tone(**update: object) -> list[str]:
    def change(line: MarketReport) -> dict[str, object]:
        first, *others = line.tones
        return {"tones": (first.model_copy(update=update), *others)}

    return changed(change)


def test_a_report_carries_tones_with_their_evidence_and_is_verified() -> None:
    report = toned()
    kinds = [tone.kind for tone in section(report).tones]
    assert kinds == [ToneKind.STATEMENT, ToneKind.STATEMENT, ToneKind.HEADLINE]
    named = {tone.evidence_id for tone in section(report).tones}
    assert named <= {result.evidence_id for result in report.evidence}
    assert named <= {source.evidence_id for source in report.sources}
    assert audit(report) == ()
    assert audit(from_json(to_json(report))) == ()


def test_without_news_a_report_says_nothing_of_tone() -> None:
    plain = sample_report()
    assert all(line.tones == () for line in plain.markets)
    assert "Tone" not in render_markdown(plain)
    assert "Tone" not in render_html(plain)


def test_the_rest_of_a_report_does_not_change_with_its_tones() -> None:
    tones, plain = toned(), sample_report()
    apart = {"markets", "evidence", "sources", "seal"}
    assert tones.model_dump(exclude=apart) == plain.model_dump(exclude=apart)
    for one, other in zip(tones.markets, plain.markets, strict=True):
        update = {"tones": (), "views": other.views, "reported": ()}
        assert one.model_copy(update=update) == other


def test_a_tone_is_printed_with_its_caution_and_its_link() -> None:
    text = render_markdown(toned())
    line = next(line for line in text.splitlines() if "**hawkish**" in line)
    assert line.startswith("- Tone (low confidence, by word list): ")
    assert f"KR: statement by {KOREA}, 18 Sep 2026, confidence 30 %" in line
    assert f"“{HAWKISH}” [Source](<{LINK}>)" in line
    assert "**negative**, KR: headline, The Wire" in text
    page = Page(render_html(toned()))
    assert page.open == []
    assert {LINK, f"{LINK}/wire"} <= set(page.links)
    assert "low confidence, by word list" in page.words
    assert HAWKISH in page.words


def test_a_statement_is_told_in_the_section_of_its_area_only() -> None:
    news = bank_news(statement(HAWKISH, FED))
    outcomes = [
        told(line, news.model_copy(update={"call": news.call.model_copy(update={"call_id": name})}))
        if (name := f"{line.market}/news") in ("US/news", f"{PAIR}/news")
        else line
        for line in sample_outcomes()
    ]
    report = sample_report(sample_record(outcomes))
    assert section(report, "US").tones
    assert section(report, PAIR).tones
    assert render_markdown(report).count("**hawkish**") == 1
    assert audit(report) == ()


def test_a_figure_in_a_title_stands_in_a_quotation_with_its_publisher_and_nowhere_else() -> None:
    headline = "Bank of Korea will raise its policy rate to 9.99 %"
    report = report_with(market=AREA, answers=(bank_news(statement(headline, KOREA)),))
    (tone,) = section(report).tones
    assert tone.title is None
    text, html = render_markdown(report), render_html(report)
    assert text.count("9.99") == text.count(f"Reported: “{headline}” ({KOREA}, ") == 1
    assert html.count(f"<q>{headline}</q>") == Page(html).words.count("9.99") == 1
    assert "title withheld" in text and "title withheld" in Page(html).words
    assert LINK in render_markdown(report)
    assert audit(report) == ()


HOSTILE_LINES = [
    *((title, f"{LINK}/{place}") for place, title in enumerate(HOSTILE)),
    (HOSTILE[1], "javascript:alert(1)"),
    (HOSTILE[8], f"{LINK}?a=<b>"),
    (HOSTILE[5], "data:text/html,x"),
]
"""Titles and addresses. Of those that one report tells, every other, each has another title: it
leaves out what it has told."""


@pytest.mark.parametrize("every_other", [0, 1])
def test_what_a_headline_holds_stays_data(every_other: int) -> None:
    lines = HOSTILE_LINES[every_other::2]
    hostile = [statement(f"{title} raise rates", KOREA, url=url) for title, url in lines]
    report = report_with(market=AREA, answers=(bank_news(*hostile),))
    assert len(section(report).tones) == len(lines)
    page, text = Page(render_html(report)), render_markdown(report)
    assert page.loads == []
    assert not {"script", "img", "iframe"} & set(page.tags)
    assert {link.split(":")[0] for link in page.links if not link.startswith("#")} == {"https"}
    assert "<script" not in text.replace("\\<", "")
    assert not any(bad in text for bad in ("](javascript", "](data", "](<javascript", "](<data"))
    assert "evil.example" not in text
    assert "ceo@bank.example" not in text
    assert "\u202e" not in text
    assert audit(report) == ()


@pytest.mark.parametrize(
    ("update", "named"),
    [
        ({"leaning": Leaning.DOWN}, "leaning"),
        ({"confidence": 0.9}, "confidence"),
        ({"url": "https://evil.example/"}, "url"),
        ({"title": "Buy yen"}, "title"),
        ({"title": None}, "title"),
        ({"publisher": "Another Bank"}, "publisher"),
        ({"subject": "JP"}, "subject"),
        ({"kind": ToneKind.HEADLINE}, "kind"),
        ({"evidence_id": "nobody/asked"}, "no tool result"),
        ({"by": JudgedBy.MODEL, "title": "Buy yen"}, "title"),
    ],
)
def test_a_tone_that_was_changed_is_found(update: dict[str, object], named: str) -> None:
    assert any(f"{AREA}, tone 1" in line and named in line for line in first_tone(**update))


def test_a_tone_of_an_instant_that_no_item_has_is_found() -> None:
    day = section(toned()).tones[0].published_at.replace(day=17)
    assert first_tone(published_at=day, url=None)


def test_a_view_by_words_that_its_tones_do_not_give_is_found() -> None:
    def change(line: MarketReport) -> dict[str, object]:
        turned = (v.model_copy(update={"leaning": Leaning.NEUTRAL}) for v in line.views)
        return {"views": tuple(turned)}

    assert any("views by words" in line for line in changed(change))
    assert any("views by words" in line for line in changed(lambda line: {"views": ()}))


def test_a_tone_that_is_printed_twice_is_found() -> None:
    assert any("each once" in line for line in changed(lambda s: {"tones": (*s.tones, *s.tones)}))


def test_news_that_was_changed_in_the_evidence_gives_no_tone() -> None:
    held = toned()
    other = bank_news(statement("Policy easing", KOREA))
    evidence = tuple(
        result.model_copy(
            update={"content": other.content, "content_hash": content_hash(other.content)}
        )
        if result.evidence_id == "test/banks"
        else result
        for result in held.evidence
    )
    found = audit(sealed(held.model_copy(update={"evidence": evidence})))
    assert any("tone 1" in line.where for line in found)


def with_model(leaning: Leaning, **update: object) -> ResearchReport:
    """The report with a model's judgement of the Korean statement beside that of the words."""
    found: NewsItem = statement(HAWKISH, KOREA)
    news = bank_news(found)
    made = tone_by_model(news, found, TextLeaning(leaning, 0.8), AREA, BANKS, WINDOW)
    assert made is not None
    outcomes = []
    for line in sample_outcomes():
        if line.market == AREA:
            line = told(line, news)
            first, *others = line.results
            more = first.model_copy(
                update={"tones": (*first.tones, made.model_copy(update=update))}
            )
            line = line.model_copy(update={"results": (more, *others)})
        outcomes.append(line)
    return sample_report(sample_record(outcomes))


def test_a_models_judgement_stands_in_the_place_of_the_words() -> None:
    report = with_model(Leaning.DOWN)
    (tone,) = section(report).tones
    assert (tone.by, tone.leaning, tone.confidence) == (JudgedBy.MODEL, Leaning.DOWN, 0.8)
    assert not any(view.by_words for view in section(report).views)
    assert "Tone (as a model read it): **dovish**" in render_markdown(report)
    assert audit(report) == ()


def test_an_item_on_which_a_model_abstains_is_left_out() -> None:
    report = with_model(Leaning.ABSTAINS)
    assert section(report).tones == ()
    assert audit(report) == ()


@pytest.mark.parametrize("update", [{"url": "https://evil.example/"}, {"title": "Buy won"}])
def test_a_models_tone_of_no_item_is_dropped_and_the_words_stand(update: dict[str, object]) -> None:
    report = with_model(Leaning.DOWN, **update)
    (tone,) = section(report).tones
    assert tone.by is JudgedBy.WORDS
    assert any(line.place == "tone of KR" for line in section(report).dropped)
    assert audit(report) == ()


def test_a_view_by_words_contradicts_nobody_and_holds_nothing() -> None:
    one = view("KR", ViewKind.STANCE, Leaning.UP)
    words = view("KR", ViewKind.STANCE, Leaning.DOWN, confidence=0.3).model_copy(
        update={"by_words": True}
    )
    other = words.model_copy(update={"by_words": False})
    first = finding(market="KR", views=(one,))
    for against, conflicts in ((words, 0), (other, 1)):
        second = finding(market="KR", views=(against,)).model_copy(update={"result_id": "second"})
        found = list(view_conflicts("KR", (first, second), VotingConfig()))
        assert len(found) == conflicts
    assert any(v.by_words for v in section(toned()).views)
    assert standing_views(section(toned()), ()) == standing_views(section(sample_report()), ())


def test_tones_are_judged_without_confidence_in_anything() -> None:
    tones: tuple[Tone, ...] = section(toned()).tones
    assert section(toned()).confidence == section(sample_report()).confidence
    assert all(tone.confidence <= 0.4 for tone in tones)
