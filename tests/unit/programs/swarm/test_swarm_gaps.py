"""What could not be had, as a strategist reads it."""

import pytest

from desk.programs.swarm.builtin.reading import data_gap_words
from desk.trust.prose.gate import rejected_figures


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "US: the table has the decisions of Federal Reserve up to 2026-09-30 only.",
            "Decisions of the Federal Reserve after 2026-09-30 are not known here.",
        ),
        (
            "The table has the decisions of Federal Reserve up to 2026-09-30 only; a later change"
            " is not in the carry.",
            "Decisions of the Federal Reserve after 2026-09-30 are not known here.",
        ),
        (
            "the prices of USD/JPY end on 2026-10-30, more than fourteen days before"
            " 2026-11-20T23:59:00+00:00; ask as of a day up to 2026-11-13, or refresh the file.",
            "USD/JPY: its prices end on 2026-10-30; ask as of a day up to 2026-11-13.",
        ),
        (
            "There is no news of companies here: this server was started without --live.",
            "News of the banks and of publishers were not read: the desk ran without live news.",
        ),
        (
            "adx: there are no highs and lows of USD/JPY, one price a day.",
            "USD/JPY: the strength of its trend (ADX), which takes highs and lows; it has closes"
            " only.",
        ),
        (
            "No story of USD/JPY holds a listed word: there is no tone to tell.",
            "USD/JPY: the tone of its news: none of them has a word that the lists know.",
        ),
        (
            "No story of USD/JPY was found: there is no tone to tell.",
            "USD/JPY: the tone of its news: no story of it was found.",
        ),
        (
            "No price of FB from 2025-01-27 on was known: its prices end on 2013-03-01.",
            "USD/JPY: no price of FB from 2025-01-27 on was known: its prices end on 2013-03-01.",
        ),
        (
            "of the large companies fewer than 2 besides NVDA have prices over three months.",
            "USD/JPY: how its group has done: too few others of it have prices.",
        ),
        (
            "carry_to_volatility: no rate is known.",
            "USD/JPY: carry to volatility: no rate is known.",
        ),
        (
            "sma_200: it needs 200 days with prices, and 59 are known without a hole.",
            "USD/JPY: its long-term average: it takes more days with prices than are known.",
        ),
        (
            "risk: volatility at made_at: it needs 64 days with prices, and 59 are known.",
            "USD/JPY: risk: it takes more days with prices than are known.",
        ),
        ("rsi: it rose 12.5 % in all", "USD/JPY: rsi could not be computed."),
        ("it rose 12.5 % in all", "USD/JPY: something could not be computed"),
    ],
)
def test_a_gap_is_told_in_words_and_the_same_by_whichever_tool(words: str, told: str) -> None:
    assert data_gap_words("USD/JPY", words) == told
    assert not rejected_figures(told, {})
