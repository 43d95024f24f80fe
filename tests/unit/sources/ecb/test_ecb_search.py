"""Finding pairs by what people call them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.sources.ecb.server import MAX_MATCHES, EcbTools
from desk.sources.ecb.store import RatesStore

TOOLS = EcbTools(RatesStore())
NOW = datetime(2026, 10, 31, tzinfo=UTC)


def found(query: str, as_of: datetime = NOW) -> tuple[str, ...]:
    return TOOLS.search_symbols(query, as_of).symbols


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("yen", "USD/JPY"),
        ("USD/JPY", "USD/JPY"),
        ("jpyusd", "JPY/USD"),
        ("us dollar yen", "USD/JPY"),
        ("won", "USD/KRW"),
        ("Hong Kong", "USD/HKD"),
        ("sterling", "GBP/USD"),
        ("aussie kiwi", "AUD/NZD"),
        ("rupi", "USD/IDR"),
    ],
)
def test_the_pair_that_is_meant_comes_first(query: str, first: str) -> None:
    assert found(query)[0] == first


@pytest.mark.parametrize("query", ["TWD", "zzz", "yen rupee won", "/", " "])
def test_what_matches_no_pair_gives_none(query: str) -> None:
    assert found(query) == ()


def test_only_pairs_with_a_quote_are_found() -> None:
    assert found("rouble") == ()
    assert found("rouble", datetime(2020, 1, 2, tzinfo=UTC))[0] == "USD/RUB"
    assert found("rupee", datetime(2005, 1, 3, tzinfo=UTC)) == ()
    assert found("yen", datetime(1998, 1, 1, tzinfo=UTC)) == ()


@given(st.text(min_size=1, max_size=40))
def test_any_query_gives_at_most_fifty_different_symbols(query: str) -> None:
    symbols = found(query)
    assert len(symbols) == len(set(symbols)) <= MAX_MATCHES
