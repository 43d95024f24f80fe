"""Answers are kept for their time, only so many of them, and are known to be kept."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from desk.platform.mcp.answers import answer_of
from desk.sources.serving.kept_answers import KeptAnswers, KeptNotes, recording_lookups


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


@pytest.mark.parametrize(
    ("questions", "is_kept"),
    [((), False), (("old",), True), (("old", "new"), False), (("new", "old"), False)],
)
def test_an_answer_is_kept_only_where_every_question_was(
    questions: tuple[str, ...], is_kept: bool
) -> None:
    kept = KeptAnswers[int](300.0, 4, Clock())
    kept.keep("old", 1)
    with recording_lookups() as seen:
        for question in questions:
            kept.get(question)
    assert seen.all_kept is is_kept


def test_what_another_question_brought_meanwhile_is_kept() -> None:
    kept = KeptAnswers[int](300.0, 4, Clock())
    with recording_lookups() as seen:
        kept.get("question")
        kept.keep("question", 1)
        kept.get("question")
    assert seen.all_kept


def test_questions_of_threads_count_for_the_call_whose_context_they_have() -> None:
    kept = KeptAnswers[int](300.0, 4, Clock())
    with recording_lookups() as seen, ThreadPoolExecutor(1) as threads:
        threads.submit(kept.get, "another's").result()
        kept.keep("own", 1)
        threads.submit(copy_context().run, kept.get, "own").result()
    assert seen.all_kept


def server_that_keeps() -> MCPServer:
    kept = KeptAnswers[str](300.0, 4, Clock())
    server = MCPServer("keeper", log_level="WARNING", extensions=[KeptNotes()])

    def ask(question: str) -> dict[str, str]:
        found = kept.get(question)
        if found is None:
            found = question.upper()
            kept.keep(question, found)
        if question == "no":
            raise ToolError("no")
        return {"answer": found}

    server.add_tool(ask, structured_output=True)
    return server


@pytest.mark.parametrize(("question", "kept"), [("yes", [False, True]), ("no", [False, False])])
async def test_a_server_says_of_an_answer_that_it_was_kept(question: str, kept: list[bool]) -> None:
    async with Client(server_that_keeps()) as client:
        answers = [
            answer_of(await client.call_tool("ask", {"question": question})) for _ in range(2)
        ]
    assert [answer.kept for answer in answers] == kept
    assert answers[0].content == answers[1].content
