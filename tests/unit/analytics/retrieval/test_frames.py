"""A polite frame is none of what is asked."""

import pytest

from desk.analytics.retrieval.frames import without_frame


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Kindly advise whether the yen is cheap", "the yen is cheap"),
        ("Hello all, could you please tell me when the Fed meets, thanks", "when the Fed meets"),
        ("give me a number for the cash rate", "the cash rate"),
        ("give the low of the week", "give the low of the week"),
        ("what do its averages say", "what do its averages say"),
        ("is the yen cheap?", "is the yen cheap?"),
        ("please", "please"),
        ("", ""),
    ],
)
def test_a_frame_before_and_after_a_question_is_left_out(written: str, asked: str) -> None:
    assert without_frame(written) == asked
