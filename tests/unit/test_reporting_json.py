"""The JSON form."""

import json

from reporting.json_form import from_json, to_json
from tests.support.reports import sample_report


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
