"""`desk graph runs`: how each run ended."""

from datetime import UTC, datetime

import pytest

from desk.contracts.agents.search_attributes import Outcome
from starters.questions.graph_runs import ListedRun, run_lines

BEGAN = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("outcome", "answered", "says"),
    [
        (Outcome.COMPLETE, True, "complete"),
        (Outcome.COMPLETE, False, "complete, not answered"),
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
