"""How a text is cut to what there is room for."""

from desk.contracts.base import MOST_SHORT, shortened


def test_a_text_that_fits_stays_on_one_line() -> None:
    assert shortened("get_rate_decisions\nfor JP") == "get_rate_decisions for JP"


def test_a_longer_one_ends_at_a_word_and_says_that_more_followed() -> None:
    cut = shortened("central_banks: not asked " * 20)
    assert len(cut) <= MOST_SHORT
    assert cut.endswith(("central_banks: …", "not …", "asked …"))
    assert shortened("one two three", 9) == "one two …"
