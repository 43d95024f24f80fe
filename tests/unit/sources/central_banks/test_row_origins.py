"""Who published the level in a row of the table of decisions, read from the row's own words."""

from collections import Counter

import pytest

from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.serving.origins import BIS, level_origin

RBA = ("Reserve Bank of Australia", "RBA")
FED = ("Federal Reserve", "Fed")


@pytest.mark.parametrize(
    ("source", "bank", "origin"),
    [
        ("FOMC statement 2019-07-31; BIS CBPOL 2019-08", FED, "Federal Reserve"),
        ("FOMC calendar (cme-fedwatch 0.2.1); BIS CBPOL 2026-06", FED, BIS),
        ("announcement day: RBA list of decisions; BIS CBPOL 2015-02", RBA, BIS),
        (
            "announcement day: RBA press release; level: RBA cash rate; BIS CBPOL 2015-02",
            RBA,
            RBA[0],
        ),
        ("announcement day: Reserve Bank of Australia list of decisions", RBA, RBA[0]),
        ("effective day: RBA circular; BIS CBPOL 2016-06; not a cut", RBA, BIS),
        ("BIS CBPOL 2014-12 (level in force, not a decision)", RBA, BIS),
        ("announcement day: press reports of the RBA decision of 5 May 2026", RBA, RBA[0]),
        ("announcement day: Antara report of 9 June 2026", RBA, "Antara"),
        ("announcement day and rate: news.gov.hk report of 16 March 2020", RBA, "news.gov.hk"),
        ("announcement day: RBA list of decisions; BIS carries it from 2016-09", RBA, RBA[0]),
        ("level at the start", RBA, None),
        ("announcement day: Federal Reserve", RBA, None),
    ],
)
def test_the_level_is_whose_the_words_say(
    source: str, bank: tuple[str, str], origin: str | None
) -> None:
    assert level_origin(source, *bank) == origin


def test_every_row_of_our_table_has_an_origin() -> None:
    rows = [row for own in read_facts().decisions.values() for row in own]
    assert len(rows) == 1_176
    others = Counter(row.origin for row in rows if row.origin not in (BIS, row.area.bank))
    assert others == {"Antara": 1, "news.gov.hk": 1}
    assert {row.origin for row in rows if row.area.code == "GB"} == {"Bank of England"}


def test_a_row_is_the_banks_own_only_where_it_says_more_than_the_bis_did() -> None:
    """A bank's list that gave the day is no second origin of a level that the BIS gave."""
    for own in read_facts().decisions.values():
        for row in own:
            if row.origin == BIS:
                assert "BIS CBPOL" in row.source
                assert "level: " not in row.source
            elif "BIS CBPOL" in row.source:
                first = row.source.split("; ")[0]
                assert "level: " in row.source or not first.startswith("announcement day: ")


def test_how_many_levels_are_the_banks_own() -> None:
    own = Counter(
        row.area.code
        for rows in read_facts().decisions.values()
        for row in rows
        if row.origin == row.area.bank
    )
    assert own == {
        "GB": 104,
        "US": 88,
        "XM": 88,
        "JP": 20,
        "CA": 2,
        "AU": 1,
        "HK": 1,
        "ID": 1,
        "NO": 1,
    }
