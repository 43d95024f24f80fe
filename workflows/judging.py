"""Having findings judged. What is held of them is data of the run, and not its code's."""

from collections.abc import Sequence

from temporalio import workflow

from activities.judging import JudgeActivities
from contracts.config import RunPolicy
from contracts.judgement import FindingsToJudge, HypothesesToJudge, Scope
from contracts.names import Queue
from contracts.report import MarketOutcome
from contracts.results import ConflictRecord
from contracts.swarm import Hypothesis
from domain.judged_findings import judged_findings, judged_hypotheses
from workflows.options import desk_bounds

JUDGED_APART = "judged-apart"
"""Runs that were at work before this change judge their findings in the workflow."""


async def judged_conflicts(
    scope: Scope, outcomes: Sequence[MarketOutcome], policy: RunPolicy, place: str
) -> tuple[ConflictRecord, ...]:
    """What the findings contradict each other in, settled as far as a vote or an earlier decision
    can. `place` tells one judgement from another within a workflow."""
    findings = tuple(outcome.model_copy(update={"evidence": ()}) for outcome in outcomes)
    asked = FindingsToJudge(scope=scope, outcomes=findings, voting=policy.voting)
    if not workflow.patched(JUDGED_APART):
        return judged_findings(asked).conflicts
    found = await workflow.execute_activity_method(
        JudgeActivities.judge_findings,
        asked,
        task_queue=Queue.DESK,
        activity_id=f"judge.{scope}.{place}",
        summary="What the findings contradict each other in",
        **desk_bounds(policy),
    )
    return found.conflicts


async def sound_hypotheses(asked: HypothesesToJudge, policy: RunPolicy) -> tuple[Hypothesis, ...]:
    """The hypotheses that can be held against a price, with the views that come due with them."""
    if not asked.hypotheses:
        return ()
    if not workflow.patched(JUDGED_APART):
        return judged_hypotheses(asked).sound
    found = await workflow.execute_activity_method(
        JudgeActivities.judge_hypotheses,
        asked,
        task_queue=Queue.DESK,
        activity_id="judge.hypotheses",
        summary="Which hypotheses can be held against a price",
        **desk_bounds(policy),
    )
    return found.sound
