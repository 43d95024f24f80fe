"""Judging what agents found, as an activity: what is held of it may be held otherwise one day, and
a run that is at work then goes on with what was held when it asked."""

from temporalio import activity

from activities.heartbeats import beating
from contracts.judgement import (
    FindingsToJudge,
    HypothesesToJudge,
    JudgedFindings,
    JudgedHypotheses,
)
from domain.judged_findings import judged_findings, judged_hypotheses


class JudgeActivities:
    """What findings contradict each other in, and which hypotheses can wait for their day."""

    @activity.defn
    async def judge_findings(self, asked: FindingsToJudge) -> JudgedFindings:
        """The conflicts between the findings. It asks nobody, and the same findings give the same
        conflicts."""
        async with beating():
            return judged_findings(asked)

    @activity.defn
    async def judge_hypotheses(self, asked: HypothesesToJudge) -> JudgedHypotheses:
        """The hypotheses that can be held against a price. It asks nobody."""
        async with beating():
            return judged_hypotheses(asked)
