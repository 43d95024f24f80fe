"""Judges the sources' answers when a hypothesis, a forecast or an episode is due."""

from desk.contracts.agents.tools import ToolResult
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.runs.judgement import (
    EvaluationToJudge,
    FixingsToJudge,
    JudgedEvaluation,
    JudgedFixings,
    JudgedPrice,
    JudgedRecommendation,
    PriceToJudge,
    PriceVerdict,
    RecommendationToJudge,
)
from desk.learning.forecasts import asked_for, is_refused, resolutions_in
from desk.learning.hypotheses import (
    NoPrice,
    expected_day,
    last_price,
    price_when_due,
    scored,
    too_early,
    unscorable,
)
from desk.programs.episode.actions import values_of
from desk.programs.episode.horizon import Later, had_no_price, later, was_told_no_price
from desk.programs.episode.run.memories import NotScorable, scored_recommendation

NO_PRICE = "there is no price at the end of the horizon"


def judged_price(asked: PriceToJudge) -> JudgedPrice:
    """Scores a hypothesis from an answer about the moment at which it was due."""
    hypothesis = asked.request.hypothesis
    if words := unscorable(hypothesis):
        return JudgedPrice(verdict=PriceVerdict.NEVER, words=words)
    if asked.answer is None:
        return JudgedPrice(verdict=PriceVerdict.LACKING)
    try:
        price = price_when_due(hypothesis, asked.answer)
    except NoPrice as missing:
        verdict = PriceVerdict.NEVER if missing.final else PriceVerdict.LACKING
        return JudgedPrice(verdict=verdict, words=str(missing))
    expected = expected_day(hypothesis.market.kind, hypothesis.due)
    if price.day < expected and not _has_gone_on(asked):
        verdict = PriceVerdict.EARLY if asked.latest is None else PriceVerdict.LACKING
        return JudgedPrice(verdict=verdict, words=too_early(asked.answer, price, expected))
    outcome = scored(asked.request, price, workflow_id=asked.workflow_id, now=asked.now)
    return JudgedPrice(verdict=PriceVerdict.SCORED, scored=outcome)


def judged_fixings(asked: FixingsToJudge) -> JudgedFixings:
    """Returns the fixings in some answers, and the markets that they refuse."""
    return JudgedFixings(
        resolutions=tuple(
            found
            for answer in asked.answers
            for found in resolutions_in(answer, asked.due, asked.now)
        ),
        refused=tuple(
            market
            for answer in asked.answers
            for market in asked_for(answer.call)
            if is_refused(answer, market)
        ),
    )


def judged_evaluation(asked: EvaluationToJudge) -> JudgedEvaluation:
    """Returns whether the stock had no price to begin with, and whether its evaluation, if any, is
    to be retried."""
    known, outcomes = frozenset(asked.known), asked.outcomes
    no_price = had_no_price(known, outcomes) or was_told_no_price(known, outcomes)
    reason = _later(asked, no_price=no_price)
    if reason is None:
        return JudgedEvaluation(no_price=no_price)
    return JudgedEvaluation(
        no_price=no_price, waits_because=reason.words[:4_000], until=reason.until
    )


def judged_recommendation(asked: RecommendationToJudge) -> JudgedRecommendation:
    """Converts an evaluated recommendation into a scored hypothesis."""
    try:
        outcome = scored_recommendation(
            asked.board,
            asked.agents,
            workflow_id=asked.workflow_id,
            written_at=asked.written_at,
            now=asked.now,
        )
    except NotScorable as reason:
        return JudgedRecommendation(untellable=str(reason))
    return JudgedRecommendation(scored=outcome)


def _has_gone_on(asked: PriceToJudge) -> bool:
    """Returns whether the source has prices of later days than the expected one, which it then will
    never have: a holiday."""
    latest: ToolResult | None = asked.latest
    if latest is None:
        return False
    hypothesis = asked.request.hypothesis
    expected = expected_day(hypothesis.market.kind, hypothesis.due)
    try:
        return last_price(hypothesis, latest, asked.now).day > expected
    except NoPrice:
        return False


def _later(asked: EvaluationToJudge, *, no_price: bool) -> Later | None:
    exit_day, reason = None, asked.failed
    if asked.found is not None:
        action = StockAction.EVALUATE_PERFORMANCE
        _, days = values_of(asked.found.claims, action, asked.symbol)
        exit_day = days.get(Metric.EXIT)
        if exit_day is None and no_price:
            return None
        reason = "; ".join(asked.found.missing)
    elif reason is None:
        return None
    due, given_up_after = asked.due, asked.given_up_after
    return later(
        exit_day, reason or NO_PRICE, due=due, now=asked.now, given_up_after=given_up_after
    )
