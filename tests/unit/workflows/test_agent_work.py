"""What is told of work that was done in a lesser way than planned."""

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import BUILTIN
from workflows.engine.agent_work import AgentProgress


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
    work.go_on_built_in("claude did not answer", task_type)
    assert work.remarks == [told]
    assert work.model == BUILTIN
