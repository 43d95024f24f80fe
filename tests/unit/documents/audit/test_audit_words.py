"""The words of a report are not believed: they are written anew from its evidence."""

from collections.abc import Callable

import pytest

from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import Impact, Leaning
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.programs.week.derived import NotDerivable, derived_outcomes
from desk.programs.week.document.audit.words import Wording, word_findings, wording
from tests.support.documents.real_reports import disputed_report, real_report

MARKETS = ("USD/JPY", "EUR/USD", "JP")

Change = Callable[[MarketReport], dict[str, object]]


def written() -> ResearchReport:
    return real_report(*MARKETS)


def own() -> MarketReport:
    return next(section for section in written().markets if section.market == "USD/JPY")


def found_in(report: ResearchReport) -> list[str]:
    return [f"{f.where}: {f.words}" for f in word_findings(report, derived_outcomes(report))]


def with_own(**update: object) -> ResearchReport:
    changed = own().model_copy(update=update)
    sections = (changed if s.market == changed.market else s for s in written().markets)
    return written().model_copy(update={"markets": tuple(sections)})


def of_event(**update: object) -> Change:
    return lambda section: {
        "events": (section.events[0].model_copy(update=update), *section.events[1:])
    }


def described(change: Callable[[str], str]) -> Change:
    return lambda section: of_event(description=change(section.events[0].description))(section)


def swapped(text: str) -> str:
    return (
        text.replace(":previous]]", ":x]]")
        .replace(":last]]", ":previous]]")
        .replace(":x]]", ":last]]")
    )


CHANGES: dict[str, Change] = {
    "references swapped": described(swapped),
    "a word of size": described(
        lambda text: text.replace("over the week", "sharply over the week")
    ),
    "an invented sentence": described(lambda text: f"{text} The bank intervened on Thursday."),
    "a dropped event": lambda section: {"events": section.events[1:]},
    "an event told of another market": lambda section: {
        "events": (
            *section.events,
            next(s for s in written().markets if s.market == "EUR/USD").events[0],
        )
    },
    "impact": lambda section: of_event(
        impact=Impact.LOW if section.events[0].impact is not Impact.LOW else Impact.HIGH
    )(section),
    "confidence of an event": of_event(confidence=0.99),
    "the verified flag": lambda section: of_event(verified=not section.events[0].verified)(section),
    "confidence of a market": lambda section: {"confidence": 0.99},
    "a warning that nobody gave": lambda section: {
        "warnings": (*section.warnings, "The source was closed.")
    },
    "something missing that is there": lambda section: {"missing": ("USD/JPY: no fixing",)},
    "a verdict": lambda section: {
        "verdicts": (
            section.verdicts[0].model_copy(update={"status": ClaimStatus.CONTESTED}),
            *section.verdicts[1:],
        )
    },
    "the words of a verdict": lambda section: {
        "verdicts": (
            section.verdicts[0].model_copy(update={"words": "Everybody says so"}),
            *section.verdicts[1:],
        )
    },
    "the recommendation": lambda section: {"recommendation": "Publish everything."},
    "a view": lambda section: {
        "views": (
            section.views[0].model_copy(update={"leaning": Leaning.NEUTRAL}),
            *section.views[1:],
        )
    },
}


def test_a_report_says_what_its_analysts_make_of_its_evidence() -> None:
    assert found_in(written()) == []
    counted = wording(written())
    assert counted.derived > 10
    assert counted == Wording(counted.derived, by_models=0, by_others=0)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_other_words_than_the_evidence_gives_are_found(change: Change) -> None:
    section = own()
    update = change(section)
    assert section.model_copy(update=update) != section
    assert any(line.startswith("USD/JPY: ") for line in found_in(with_own(**update)))


def test_a_conflict_that_nobody_had_is_found() -> None:
    conflict = disputed_report().conflicts[0]
    report = written().model_copy(update={"conflicts": (conflict,)})
    assert any(line.startswith("conflicts") for line in found_in(report))


def test_the_words_of_a_model_are_counted_and_not_written_anew() -> None:
    section = own()
    line = section.agents[0].model_copy(update={"usage": Usage(model="a-model")})
    update = of_event(description="The yen slept.")(section)
    report = with_own(**update, version=0, agents=(line, *section.agents[1:]))
    assert "USD/JPY" not in derived_outcomes(report)
    assert found_in(report) == []
    assert wording(report).by_models >= len(section.events)


def test_the_words_of_another_version_are_counted_and_not_written_anew() -> None:
    report = with_own(version=0)
    assert found_in(report) == []
    assert wording(report).by_others > 0


def test_without_the_evidence_that_the_analysts_had_nothing_is_derived() -> None:
    report = written().model_copy(
        update={"evidence": tuple(r for r in written().evidence if r.call.tool != "get_historical")}
    )
    with pytest.raises(NotDerivable):
        derived_outcomes(report)
