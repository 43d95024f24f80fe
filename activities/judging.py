"""Judging what agents found, as an activity: what is held of it may be held otherwise one day, and
a run that is at work then goes on with what was held when it asked."""

from collections.abc import Callable

from temporalio import activity

from activities.effects import beating
from desk.contracts.runs.judgement import (
    EvaluationToJudge,
    FindingsToJudge,
    FixingsToJudge,
    HypothesesToJudge,
    JudgedEvaluation,
    JudgedFindings,
    JudgedFixings,
    JudgedHypotheses,
    JudgedPrice,
    JudgedRecommendation,
    PriceToJudge,
    RecommendationToJudge,
)
from desk.programs.judging.findings import judged_findings, judged_hypotheses
from desk.programs.judging.outcomes import (
    judged_evaluation,
    judged_fixings,
    judged_price,
    judged_recommendation,
)
from desk.programs.week.document.judging.surviving import read_again


class JudgeActivities:
    """What findings contradict each other in, which hypotheses can wait for their day, and what
    sources say of it then. None of them asks anybody."""

    @property
    def all(self) -> tuple[Callable[..., object], ...]:
        """All of them, for a worker."""
        return (
            self.judge_findings,
            self.judge_hypotheses,
            self.judge_price,
            self.judge_fixings,
            self.judge_evaluation,
            self.judge_recommendation,
        )

    @activity.defn
    async def judge_findings(self, asked: FindingsToJudge) -> JudgedFindings:
        """The conflicts between the findings that follow from their evidence. The same findings
        give the same conflicts."""
        async with beating():
            return judged_findings(read_again(asked))

    @activity.defn
    async def judge_hypotheses(self, asked: HypothesesToJudge) -> JudgedHypotheses:
        """The hypotheses that can be held against a price."""
        async with beating():
            return judged_hypotheses(asked)

    @activity.defn
    async def judge_price(self, asked: PriceToJudge) -> JudgedPrice:
        """The score that follows from a source's answer, or why there is none."""
        async with beating():
            return judged_price(asked)

    @activity.defn
    async def judge_fixings(self, asked: FixingsToJudge) -> JudgedFixings:
        """The fixings that a source's answers hold."""
        async with beating():
            return judged_fixings(asked)

    @activity.defn
    async def judge_evaluation(self, asked: EvaluationToJudge) -> JudgedEvaluation:
        """Whether an episode's evaluation is to be waited for, or tried again."""
        async with beating():
            return judged_evaluation(asked)

    @activity.defn
    async def judge_recommendation(self, asked: RecommendationToJudge) -> JudgedRecommendation:
        """An evaluated recommendation as a hypothesis that was scored."""
        async with beating():
            return judged_recommendation(asked)
