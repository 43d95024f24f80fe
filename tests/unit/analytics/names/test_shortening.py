"""A text that is too long for its place ends with a word and an ellipsis."""

import pytest

from desk.analytics.names.shortening import on_one_line, shortened


@pytest.mark.parametrize(
    ("longest", "told"),
    [
        (40, "the bank held its rate"),
        (22, "the bank held its rate"),
        (21, "the bank held its…"),
        (19, "the bank held its…"),
        (18, "the bank held its…"),
        (17, "the bank held…"),
    ],
)
def test_it_is_cut_at_the_end_of_a_word(longest: int, told: str) -> None:
    assert shortened("the bank held its rate", longest) == told
    assert len(told) <= longest


def test_what_has_no_words_is_cut_where_the_place_ends() -> None:
    assert shortened("x" * 30, 10) == "x" * 9 + "…"
    assert shortened("a " + "x" * 30, 10) == "a " + "x" * 7 + "…"


def test_a_text_is_brought_to_one_line_before_it_is_cut() -> None:
    assert on_one_line("get_rate_decisions\nfor JP", 40) == "get_rate_decisions for JP"
    assert on_one_line("one\ntwo three", 10) == "one two…"
