"""Finds the contradictions between findings, within each market or across markets, and the
hypotheses that can be scored."""

from desk.contracts.runs.judgement import (
    FindingsToJudge,
    HypothesesToJudge,
    JudgedFindings,
    JudgedHypotheses,
    Scope,
)
from desk.contracts.week.report import MarketOutcome
from desk.programs.swarm.document.record import why_left_out
from desk.programs.swarm.findings import contradictions
from desk.programs.swarm.hypotheses import with_views
from desk.trust.claims.rejections import without_rejected
from desk.trust.conflicts import (
    settled_before,
    surviving_claims,
    target_ranges,
    week_conflicts,
    within_markets,
)


def judged_findings(asked: FindingsToJudge) -> JudgedFindings:
    """Returns the conflicts between the findings."""
    ranges = target_ranges(each for outcome in asked.outcomes for each in outcome.evidence)
    if asked.scope is Scope.ACROSS_MARKETS:
        across = week_conflicts(within_markets(asked.outcomes), asked.voting, ranges)
        return JudgedFindings(conflicts=settled_before(across, asked.outcomes))
    outcomes = tuple(map(_without_rejected, asked.outcomes))
    return JudgedFindings(conflicts=contradictions(outcomes, asked.voting, ranges))


def judged_hypotheses(asked: HypothesesToJudge) -> JudgedHypotheses:
    """Returns the hypotheses that rest on surviving claims and can be scored."""
    claims = surviving_claims(asked.results, asked.conflicts)
    sound = [each for each in asked.hypotheses if not why_left_out(each, claims, asked.as_of)]
    return JudgedHypotheses(sound=with_views(sound, asked.results, asked.conflicts))


def _without_rejected(outcome: MarketOutcome) -> MarketOutcome:
    kept = without_rejected(outcome.results, outcome.validation)
    return outcome.model_copy(update={"results": kept})
