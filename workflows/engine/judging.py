"""Has findings and answers judged.

Judging is an activity, so each verdict is recorded in the run's history and a later version of the
judge cannot change it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final, NamedTuple, TypeVar

from temporalio import workflow

from activities.judging import JudgeActivities
from desk.contracts.agents.config import RetryConfig, RunPolicy
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.markets import MarketSpec
from desk.contracts.names import Queue
from desk.contracts.runs.judgement import (
    EvaluationToJudge,
    FindingsToJudge,
    FixingsToJudge,
    HypothesesToJudge,
    JudgedEvaluation,
    JudgedFixings,
    JudgedPrice,
    JudgedRecommendation,
    PriceToJudge,
    RecommendationToJudge,
    Scope,
)
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import TimeWindow
from desk.programs.judging.findings import judged_findings, judged_hypotheses
from desk.programs.judging.outcomes import judged_price
from desk.trust.conflicts import is_of_rates
from workflows.engine.options import HEARTBEAT_TIMEOUT, patient_retry_policy, priority

Asked = TypeVar("Asked")
Judged = TypeVar("Judged")

ONE_VERDICT: Final = RunPolicy().deadlines.turn
"""Timeout of one attempt at a judgement."""

JUDGED_WITHIN: Final = timedelta(days=30)
"""How long a judgement waits for a desk that is down."""

FINDINGS_JUDGED_IN_ACTIVITY = "judged-apart"
"""The patch for runs that judged findings in the workflow."""

PRICES_JUDGED_IN_ACTIVITY = "prices-judged-apart"
"""The patch for hypotheses whose prices were judged in the workflow."""


class MarketReading(NamedTuple):
    """A market and its window, needed to read the evidence of the findings again before they are
    judged."""

    market: MarketSpec
    window: TimeWindow


async def judged_conflicts(
    scope: Scope,
    outcomes: Sequence[MarketOutcome],
    policy: RunPolicy,
    place: str,
    reading: MarketReading | None = None,
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts between the findings, settled where the rules or an earlier decision
    can settle them.

    `place` distinguishes judgements within one workflow. With a `reading` the evidence is read
    again first, for findings that no validator has read.
    """
    if not workflow.patched(FINDINGS_JUDGED_IN_ACTIVITY):
        findings = tuple(outcome.model_copy(update={"evidence": ()}) for outcome in outcomes)
        asked = FindingsToJudge(scope=scope, outcomes=findings, voting=policy.voting)
        return judged_findings(asked).conflicts
    asked = FindingsToJudge(
        scope=scope,
        outcomes=tuple(_to_judge(outcome, whole=reading is not None) for outcome in outcomes),
        voting=policy.voting,
        markets=(reading.market,) if reading else (),
        base_area=policy.base_area if reading else None,
        window=reading.window if reading else None,
    )
    words = "What the findings contradict each other in"
    found = await _judged(
        JudgeActivities.judge_findings, asked, f"{scope}.{place}", words, policy.retries
    )
    return found.conflicts


def _to_judge(outcome: MarketOutcome, *, whole: bool) -> MarketOutcome:
    """Returns the outcome with only the evidence that judging needs. Evidence is the largest part
    of a history."""
    evidence = tuple(result for result in outcome.evidence if whole or is_of_rates(result))
    return outcome.model_copy(update={"evidence": evidence})


async def sound_hypotheses(asked: HypothesesToJudge, policy: RunPolicy) -> tuple[Hypothesis, ...]:
    """Returns the hypotheses that a later price can decide, with the views that come due with
    them."""
    if not asked.hypotheses:
        return ()
    if not workflow.patched(FINDINGS_JUDGED_IN_ACTIVITY):
        return judged_hypotheses(asked).sound
    words, judge = "Which hypotheses can be held against a price", JudgeActivities.judge_hypotheses
    found = await _judged(judge, asked, "hypotheses", words, policy.retries)
    return found.sound


async def price_judged(asked: PriceToJudge, place: str, policy: RunPolicy) -> JudgedPrice:
    """Returns the score of a hypothesis that follows from a source's answer, or why there is none.
    `place` distinguishes judgements within one workflow."""
    if not workflow.patched(PRICES_JUDGED_IN_ACTIVITY):
        return judged_price(asked)
    words = "What follows from the price"
    return await _judged(JudgeActivities.judge_price, asked, place, words, policy.retries)


async def fixings_judged(asked: FixingsToJudge, place: str) -> JudgedFixings:
    """Returns the fixings found in a source's answers, checked."""
    words = "Which fixings the answers hold"
    return await _judged(JudgeActivities.judge_fixings, asked, place, words, RetryConfig())


async def evaluation_judged(
    asked: EvaluationToJudge, place: str, policy: RunPolicy
) -> JudgedEvaluation:
    """Judges whether an episode waits for its evaluation, or tries it again."""
    words = "Whether there is a price to wait for"
    return await _judged(JudgeActivities.judge_evaluation, asked, place, words, policy.retries)


async def recommendation_judged(
    asked: RecommendationToJudge, policy: RunPolicy
) -> JudgedRecommendation:
    """Returns the score of a recommendation whose horizon is over, in the form of a scored
    hypothesis."""
    words, judge = "What came of the recommendation", JudgeActivities.judge_recommendation
    return await _judged(judge, asked, "recommendation", words, policy.retries)


async def _judged(
    judge: Callable[[JudgeActivities, Asked], Awaitable[Judged]],
    asked: Asked,
    place: str,
    summary: str,
    retries: RetryConfig,
) -> Judged:
    """Returns the verdict. Waits while the desk is down, because the work it judges was paid for or
    took days."""
    return await workflow.execute_activity_method(
        judge,
        asked,
        task_queue=Queue.DESK,
        activity_id=f"judge.{place}",
        summary=summary,
        start_to_close_timeout=ONE_VERDICT,
        schedule_to_close_timeout=JUDGED_WITHIN,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=patient_retry_policy(retries),
        priority=priority(1),
    )
