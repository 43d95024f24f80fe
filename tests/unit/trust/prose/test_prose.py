"""Sentences that refer to claims."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.trust.prose.references import (
    UnknownReferenceError,
    clip,
    reference,
    references,
    render,
    sentence,
)

MOVE = Claim(
    claim_id=claim_id("USD/JPY", Metric.MOVE),
    subject="USD/JPY",
    metric=Metric.MOVE,
    value=Decimal("-1.02"),
    unit=Unit.PERCENT,
    as_of=date(2026, 9, 18),
    evidence=("prices",),
)
CHANGE = MOVE.model_copy(
    update={
        "claim_id": "JP:decision_change@2026-09-18",
        "metric": Metric.DECISION_CHANGE,
        "value": Decimal(25),
        "unit": Unit.BASIS_POINTS,
    }
)
CLAIMS = {claim.claim_id: claim for claim in (MOVE, CHANGE)}


def test_a_reference_becomes_the_printed_figure() -> None:
    text = "It fell [[USD/JPY:move]] after [[JP:decision_change@2026-09-18]]."
    assert render(text, CLAIMS) == "It fell 1.02 % after +25 bp."


def test_spaces_within_a_reference_do_not_matter() -> None:
    assert render("[[ USD/JPY:move ]]", CLAIMS) == "-1.02 %"


def test_references_are_listed_in_the_order_written() -> None:
    text = "[[USD/JPY:move]] [[USD/JPY:last]] [[USD/JPY:move]]"
    assert references(text) == ("USD/JPY:move", "USD/JPY:last", "USD/JPY:move")


def test_a_reference_to_no_claim_is_refused_and_named_once() -> None:
    with pytest.raises(UnknownReferenceError, match="USD/JPY:last") as refused:
        render("[[USD/JPY:last]], [[USD/JPY:move]], [[USD/JPY:last]]", CLAIMS)
    assert refused.value.references == ("USD/JPY:last",)


def test_an_empty_reference_is_refused() -> None:
    with pytest.raises(UnknownReferenceError):
        render("It rose [[]].", CLAIMS)


def test_single_brackets_are_no_reference() -> None:
    assert render("as quoted [sic]", {}) == "as quoted [sic]"


def test_a_sentence_keeps_its_prose_beside_what_it_prints() -> None:
    told = sentence(f"It fell {reference(MOVE)}.", CLAIMS)
    assert (told.prose, told.text) == ("It fell [[USD/JPY:move]].", "It fell 1.02 %.")


def test_a_sentence_about_no_claim_is_refused() -> None:
    with pytest.raises(UnknownReferenceError):
        sentence("It stands at [[USD/JPY:last]].", CLAIMS)


@given(st.integers(min_value=3_900, max_value=4_000))
def test_a_reference_is_never_cut_in_two(length: int) -> None:
    told = sentence("a" * length + " [[USD/JPY:move]]" * 20, CLAIMS)
    assert len(told.prose) <= 4_000
    assert told.prose.endswith("…")
    assert render(told.prose, CLAIMS) == told.text


def test_a_text_that_is_too_long_for_a_report_ends_in_an_ellipsis() -> None:
    assert clip("a" * 4_001) == "a" * 3_999 + "…"
    assert clip("a" * 4_000) == "a" * 4_000
