"""How stories sound for a market."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.findings.source_results import NewsItem
from desk.sources.sentiment.stories import Story, mean_tone, tone_of

AT = datetime(2026, 9, 16, 8, tzinfo=UTC)
SYMBOLS = st.sampled_from(["USD/JPY", "EUR/DKK", "NVDA", "JP"])


def told(headline: str, area: str | None = None) -> Story:
    return Story(NewsItem(headline=headline, publisher="P", published_at=AT), area)


@pytest.mark.parametrize(
    ("area", "symbol", "sign"),
    [("US", "USD/JPY", 1), ("JP", "USD/JPY", -1), ("JP", "JP", 1), ("GB", "USD/JPY", 0)],
)
def test_a_higher_rate_speaks_for_the_currency_that_it_is_paid_in(
    area: str, symbol: str, sign: int
) -> None:
    raised = tone_of(told("The bank raises its policy rate", area), symbol)
    lowered = tone_of(told("The bank lowers its policy rate", area), symbol)
    if sign == 0:
        assert raised is lowered is None
    else:
        assert raised is not None
        assert lowered is not None
        assert raised * sign > 0 > lowered * sign


@pytest.mark.parametrize(
    ("headline", "sign"),
    [
        ("Dollar suffers a terrible loss", -1),
        ("Yen suffers a terrible loss", 1),
        ("USD/JPY suffers a terrible loss", -1),
        ("Yen suffers a terrible loss against the dollar", 1),
        ("Terrible loss in Japan", 1),
    ],
)
def test_what_is_bad_for_the_second_currency_is_good_for_the_pair(headline: str, sign: int) -> None:
    tone = tone_of(told(headline), "USD/JPY")
    assert tone is not None
    assert tone * sign > 0


@pytest.mark.parametrize(
    "headline", ["A terrible loss", "Dollar and yen suffer a terrible loss", "Minutes published"]
)
def test_a_headline_that_names_no_side_or_has_no_listed_word_says_nothing(headline: str) -> None:
    assert tone_of(told(headline), "USD/JPY") is None


def test_a_stock_and_a_rate_have_one_side() -> None:
    assert (tone_of(told("A terrible loss"), "NVDA") or 0) < 0
    assert (tone_of(told("Bank seen raising the policy rate"), "JP") or 0) > 0


@given(st.text(min_size=1, max_size=500), st.sampled_from([None, "US", "JP"]), SYMBOLS)
def test_any_text_has_a_tone_within_bounds_or_none(
    headline: str, area: str | None, symbol: str
) -> None:
    tone = tone_of(told(headline, area), symbol)
    assert tone is None or -1 <= tone <= 1


def test_what_says_nothing_counts_as_even() -> None:
    assert mean_tone([0.5, None, None, 0.5]) == 25
    assert mean_tone([-1.0]) == -100
