"""`desk graph runs`: how each run ended."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest
from temporalio.client import WorkflowExecutionDescription
from temporalio.common import TypedSearchAttributes

from desk.contracts.agents.search_attributes import Outcome
from starters.questions.graph_runs import ListedRun, run_lines, run_title
from starters.runs.week_runs import attributes_of

BEGAN = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("outcome", "answered", "says"),
    [
        (Outcome.COMPLETE, True, "complete"),
        (Outcome.COMPLETE, False, "complete, no sure answer"),
        (Outcome.COMPLETE, None, "complete"),
        (None, None, "failed"),
    ],
)
def test_a_run_that_is_complete_says_whether_it_answered(
    outcome: Outcome | None, answered: bool | None, says: str
) -> None:
    run = ListedRun(
        workflow_id="ask-1",
        run_id="1",
        question="What?",
        state="completed" if outcome else "failed",
        outcome=outcome,
        answered=answered,
        started_at=BEGAN,
    )
    (line,) = run_lines([run])
    assert line.split("  ")[1] == says


@pytest.mark.parametrize(
    ("summary", "week", "title"),
    [
        ("Research of the week before", "2026-W38", "Research of 2026-W38"),
        ("Research of the week before", None, "Research of the week before"),
        ("Research of 2026-W44 (us)", "2026-W44", "Research of 2026-W44 (us)"),
        ("What did the yen do?", None, "What did the yen do?"),
    ],
)
async def test_a_run_that_a_schedule_started_is_told_by_its_week(
    summary: str, week: str | None, title: str
) -> None:
    async def static_summary() -> str:
        return summary

    attributes = attributes_of(week) if week else TypedSearchAttributes.empty
    run = SimpleNamespace(static_summary=static_summary, typed_search_attributes=attributes)
    assert await run_title(cast(WorkflowExecutionDescription, run)) == title
