"""What is told of work that was done with less than planned."""

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.results import AgentError
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn
from workflows.engine.agent_work import AgentProgress, TaskFailed


@pytest.mark.parametrize(
    ("task_type", "told"),
    [
        (TaskType.RESEARCH_FX, "claude did not answer; the built-in analyst delivered instead"),
        (TaskType.COMMENT_WEEK, "claude did not answer; there is no commentary"),
    ],
)
def test_who_stands_in_for_a_model_is_told_where_somebody_does(
    task_type: TaskType, told: str
) -> None:
    work = AgentProgress("claude")
    work.switch_to_builtin("claude did not answer", task_type)
    assert work.remarks == [told]
    assert work.model == BUILTIN


def test_the_reason_of_a_failure_is_told_whole_though_it_holds_a_colon() -> None:
    reason = "ECB: the file of 2026-10-30 is short: 3 of 41 currencies"
    error = AgentError(
        error_type="turn failed",
        error_message=f"USD/JPY/research_fx: {reason}",
        reason=reason,
        agent=AgentId.RESEARCH_AGENT_1,
    )
    assert TaskFailed(error).reason == reason
    assert TaskFailed(error.model_copy(update={"reason": None})).reason == error.error_message


def test_why_an_answer_was_sent_back_is_told_without_the_words_of_the_model() -> None:
    work = AgentProgress("claude")
    work.turns = 3
    work.answer = Turn(feedback="The answer cannot be used: it says: buy", fault="It is no answer")
    assert work.failure_summary == (
        "no result after 3 turns; the last one was sent back: it is no answer"
    )
