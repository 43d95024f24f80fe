"""The contents of tool results are read once, and never one for another."""

from typing import Any

import pytest
from pydantic import ValidationError

from desk.contracts.findings.source_results import PolicyRates, Quote
from desk.trust.contents import LARGEST, packed, read_as
from desk.trust.seals import content_hash


def quote(**changed: object) -> dict[str, Any]:
    return {
        "as_of": "2026-11-02T07:00:00+00:00",
        "source": {"name": "ECB", "tier": "authoritative"},
        "symbol": "EUR/USD",
        "value": "1.1045",
        "fixed_on": "2026-10-30",
        **changed,
    }


def test_equal_contents_are_read_once() -> None:
    assert read_as(Quote, quote()) is read_as(Quote, quote())


def test_a_content_that_was_changed_is_read_anew() -> None:
    content = quote()
    first = read_as(Quote, content)
    content["value"] = "1.1046"
    assert str(read_as(Quote, content).value) == "1.1046"
    assert str(first.value) == "1.1045"
    content["source"]["name"] = "another"
    assert read_as(Quote, content).source.name == "another"


def test_a_content_is_of_one_shape_however_it_was_read_before() -> None:
    read_as(Quote, quote())
    for _ in range(2):
        with pytest.raises(ValidationError):
            read_as(PolicyRates, quote())


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), ("1", 1), ([], {}), (None, "")])
def test_values_that_python_calls_equal_have_digests_of_their_own(one: Any, other: Any) -> None:
    assert content_hash({"a": one}) != content_hash({"a": other})


def test_the_order_of_keys_changes_no_digest() -> None:
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})


def test_a_content_that_is_too_large_is_read_and_not_kept() -> None:
    content = quote(note="x" * LARGEST)
    assert packed(content) is None
    assert read_as(Quote, content) is not read_as(Quote, content)
    assert content_hash(content) == content_hash(dict(content))
