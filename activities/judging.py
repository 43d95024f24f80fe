"""Judges agents' findings, as activities.

The verdict of an activity is part of a run's history. A later version may judge differently; runs
in progress continue with the verdicts that they have.
"""

from collections.abc import Callable

from temporalio import activity

from activities.effects import heartbeating
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
    """Judges findings, hypotheses and prices. None of its activities calls a source or a model."""

    @property
    def all(self) -> tuple[Callable[..., object], ...]:
        """All activities of this class, to register with a worker."""
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
        """Returns the conflicts between the findings, by their evidence. The same findings give the
        same conflicts."""
        async with heartbeating():
            return judged_findings(read_again(asked))

    @activity.defn
    async def judge_hypotheses(self, asked: HypothesesToJudge) -> JudgedHypotheses:
        """Returns the hypotheses that a later price can decide."""
        async with heartbeating():
            return judged_hypotheses(asked)

    @activity.defn
    async def judge_price(self, asked: PriceToJudge) -> JudgedPrice:
        """Returns the score that follows from a source's answer, or why there is none."""
        async with heartbeating():
            return judged_price(asked)

    @activity.defn
    async def judge_fixings(self, asked: FixingsToJudge) -> JudgedFixings:
        """Returns the fixings found in a source's answers."""
        async with heartbeating():
            return judged_fixings(asked)

    @activity.defn
    async def judge_evaluation(self, asked: EvaluationToJudge) -> JudgedEvaluation:
        """Judges whether an episode waits for its evaluation, or tries it again."""
        async with heartbeating():
            return judged_evaluation(asked)

    @activity.defn
    async def judge_recommendation(self, asked: RecommendationToJudge) -> JudgedRecommendation:
        """Returns the score of an evaluated recommendation, in the form of a scored hypothesis."""
        async with heartbeating():
            return judged_recommendation(asked)
