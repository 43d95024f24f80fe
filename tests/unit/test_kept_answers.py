"""Answers are kept for their time, and only so many of them."""

from mcp_servers.kept_answers import KeptAnswers


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_an_answer_is_kept_until_its_time_is_over() -> None:
    clock = Clock()
    kept = KeptAnswers[str](300.0, 4, clock)
    kept.keep("question", "answer")
    clock.seconds += 299.9
    assert kept.get("question") == "answer"
    clock.seconds += 0.1
    assert kept.get("question") is None


def test_the_oldest_answer_goes_first() -> None:
    kept = KeptAnswers[int](300.0, 2, Clock())
    for question in (1, 2, 1, 3):
        kept.keep(question, question)
    assert [kept.get(question) for question in (1, 2, 3)] == [1, None, 3]


def test_an_empty_answer_is_an_answer() -> None:
    kept = KeptAnswers[tuple[str, ...]](300.0, 2, Clock())
    kept.keep("nothing of that name", ())
    assert kept.get("nothing of that name") == ()
    assert kept.get("another") is None
