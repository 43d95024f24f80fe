"""The JSON form."""

import json
from datetime import timedelta

import pytest

from desk.contracts.week.report import ResearchReport
from desk.programs.week.document.json_form import apart_from_the_run, from_json, to_json
from desk.trust.seals import seal_of
from tests.support.documents.reports import sample_report
from tests.support.documents.traced_report import (
    ASKED_AT,
    all_evidence,
    pair_section,
    traced_report,
)


def test_it_reads_back_to_an_equal_report() -> None:
    report = sample_report()
    assert from_json(to_json(report)) == report


def test_it_has_the_keys_that_readers_rely_on() -> None:
    form = json.loads(to_json(sample_report()))
    assert {
        "week",
        "as_of",
        "window",
        "revision",
        "coverage",
        "markets",
        "movers",
        "conflicts",
        "dead_letters",
        "sources",
        "timings",
    } <= form.keys()
    assert {"expected", "researched", "missing"} <= form["coverage"].keys()
    assert {"market", "outcome", "events", "agents", "confidence"} <= form["markets"][0].keys()


def test_missing_markets_stand_in_its_coverage() -> None:
    missing = json.loads(to_json(sample_report()))["coverage"]["missing"]
    assert {line["market"] for line in missing} == {"USD/KRW", "USD/TWD"}
    assert all(line["reason"] for line in missing)


def test_a_figure_keeps_the_precision_it_is_printed_with() -> None:
    form = json.loads(to_json(sample_report()))
    previous = next(
        claim["value"]
        for market in form["markets"]
        for claim in market["claims"]
        if claim["claim_id"] == "EUR/USD:previous"
    )
    assert previous == "1.1760"


def test_writing_twice_gives_the_same_text() -> None:
    assert to_json(sample_report()) == to_json(sample_report())


def test_evidence_and_its_seal_survive_writing_and_reading() -> None:
    report = traced_report()
    again = from_json(to_json(report))
    assert again == report
    assert seal_of(again) == report.seal


def test_what_a_source_answered_stands_on_one_line_and_the_rest_is_indented() -> None:
    text = to_json(traced_report())
    contents = [line for line in text.splitlines() if line.lstrip().startswith('"content":')]
    assert len(contents) == len(all_evidence())
    others = [line for line in text.splitlines() if line not in contents]
    assert max(len(line) for line in others) < 200
    assert json.loads(text) == traced_report().model_dump(mode="json")


def another_run() -> ResearchReport:
    """The same week by another run, a minute later."""
    later = ASKED_AT + timedelta(minutes=1)
    report = traced_report()
    moved = tuple(
        result.model_copy(
            update={
                "retrieved_at": later,
                "place": result.place
                and result.place.model_copy(update={"run_id": "another", "event_id": None}),
            }
        )
        for result in report.evidence
    )
    return traced_report(
        evidence=moved,
        sources=tuple(s.model_copy(update={"retrieved_at": later}) for s in report.sources),
        revisions=tuple(r.model_copy(update={"published_at": later}) for r in report.revisions),
        timings=report.timings.model_copy(update={"finished_at": later, "run_id": "another"}),
    )


def test_two_runs_of_a_week_are_the_same_apart_from_the_run() -> None:
    assert another_run().seal != traced_report().seal
    assert apart_from_the_run(another_run()) == apart_from_the_run(traced_report())


@pytest.mark.parametrize("field", ["claims", "days", "confidence", "dropped", "verdicts"])
def test_a_difference_in_what_is_reported_is_one_apart_from_the_run_too(field: str) -> None:
    empty = {"claims": (), "days": (), "confidence": 0.1, "dropped": (), "verdicts": ()}
    section = pair_section().model_copy(update={field: empty[field]})
    changed = traced_report(markets=(section, *traced_report().markets[1:]))
    assert apart_from_the_run(changed) != apart_from_the_run(traced_report())


def test_a_difference_in_the_evidence_is_one_apart_from_the_run_too() -> None:
    first, *others = all_evidence()
    other = first.model_copy(update={"content_hash": "0" * 64})
    changed = traced_report(evidence=(other, *others))
    assert apart_from_the_run(changed) != apart_from_the_run(traced_report())
