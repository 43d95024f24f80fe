"""The judges of the desk, each deciding the opposite: what a later version may do."""

import functools
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from desk.agents import capabilities
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.results import ConflictKind, ConflictRecord, Position
from desk.contracts.findings.verdicts import RejectedFigure
from desk.contracts.learning.record import Resolution
from desk.contracts.names import AgentId
from desk.contracts.runs.judgement import (
    JudgedEvaluation,
    JudgedFindings,
    JudgedFixings,
    JudgedHypotheses,
    JudgedPrice,
    JudgedRecommendation,
    PriceVerdict,
)
from desk.learning.forecasts import fixings as forecast_fixings
from desk.learning.hypotheses import prices as hypotheses_prices
from desk.learning.hypotheses import scoring
from desk.programs import turns as judged_turns
from desk.programs.episode import actions as stock_parts
from desk.programs.episode import horizon as stock_horizon
from desk.programs.episode.run import memories as stock_memories
from desk.programs.judging import findings as judged_findings
from desk.programs.judging import outcomes as judged_outcomes
from desk.programs.swarm import findings as swarm_findings
from desk.programs.swarm.document import record as answer_swarm
from desk.runs.boards import market_board
from desk.trust.claims import rejections
from desk.trust.conflicts import detection, voting
from desk.trust.conflicts.surviving_claims import surviving_claims
from desk.trust.prose import gate, prose_review

Judge = Callable[..., Any]

_OF_THE_DESK: Final = ("desk", "workflows", "activities")

_judging = threading.local()

_REJECTED: Final = RejectedFigure(
    place="summary", written="1", sentence="It is 1.", reason="nothing may be said any more"
)


def decide_the_opposite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every judge decide the opposite, by whatever name a module of the desk knows it."""
    opposites = {judge: functools.wraps(judge)(opposite_of(judge)) for judge in OPPOSITES}
    for name, module in [*sys.modules.items()]:
        if name.split(".")[0] not in _OF_THE_DESK:
            continue
        for attribute, value in [*vars(module).items()]:
            if is_judge(value):
                monkeypatch.setattr(module, attribute, opposites[value])


def opposite_of(judge: Judge) -> Judge:
    """A judge that decides the opposite. Those that it asks decide as ever: an opposite of an
    opposite would be none."""
    turned = OPPOSITES[judge]

    def opposite(*asked: Any, **named: Any) -> Any:
        if getattr(_judging, "now", False):
            return judge(*asked, **named)
        _judging.now = True
        try:
            return turned(judge(*asked, **named), *asked)
        finally:
            _judging.now = False

    return opposite


def is_judge(value: Any) -> bool:
    """Whether something is a judge that decides as ever."""
    try:
        return value in OPPOSITES
    except TypeError:  # it cannot be hashed
        return False


def _not(decided: bool, *_: object) -> bool:
    return not decided


def _no_words(decided: str | None, *_: object) -> str | None:
    return "it can no more" if decided is None else None


def _rejected(decided: tuple[RejectedFigure, ...], *_: object) -> tuple[RejectedFigure, ...]:
    return () if decided else (_REJECTED,)


def _turn(decided: Any, *_: object) -> Any:
    if decided.result is None:
        return decided
    if decided.rejected:
        return decided.model_copy(update={"rejected": (), "without": None})
    return decided.model_copy(update={"rejected": (_REJECTED,), "without": decided.result})


def _conflicts(decided: tuple[ConflictRecord, ...], *_: object) -> tuple[ConflictRecord, ...]:
    return () if decided else (_open("USD/JPY"),)


def _open(market: str) -> ConflictRecord:
    positions = tuple(
        Position(
            agent=AgentId.RESEARCH_AGENT_1,
            claim_id=f"{market}:last",
            stated=stated,
            source="a source",
            confidence=0.5,
        )
        for stated in ("1", "2")
    )
    return ConflictRecord(
        conflict_id=f"{market}/conflict/found-later",
        market=market,
        kind=ConflictKind.LEVEL,
        positions=positions,
        resolution="not settled",
        resolved=False,
    )


def _found(decided: JudgedFindings, *_: object) -> JudgedFindings:
    return JudgedFindings(conflicts=_conflicts(decided.conflicts))


def _rejected_figures(decided: Iterable[RejectedFigure], *_: object) -> Iterable[RejectedFigure]:
    return iter(_rejected(tuple(decided)))


def _no_resolutions(decided: Iterable[Resolution], *_: object) -> Iterable[Resolution]:
    return iter(())


def _settled(decided: ConflictRecord, *_: object) -> ConflictRecord:
    return decided.model_copy(update={"resolved": not decided.resolved, "chosen": None})


def _sound(decided: JudgedHypotheses, asked: Any, *_: object) -> JudgedHypotheses:
    kept = {each.hypothesis_id for each in decided.sound}
    others = tuple(each for each in asked.hypotheses if each.hypothesis_id not in kept)
    return JudgedHypotheses(sound=others)


def _price(decided: JudgedPrice, *_: object) -> JudgedPrice:
    never = JudgedPrice(verdict=PriceVerdict.NEVER, words="it can no more")
    lacking = JudgedPrice(verdict=PriceVerdict.LACKING, words="it has none")
    return lacking if decided.verdict is PriceVerdict.NEVER else never


def _fixings(decided: JudgedFixings, asked: Any, *_: object) -> JudgedFixings:
    if decided.resolutions:
        return JudgedFixings()
    return JudgedFixings(refused=("USD/JPY",) if not decided.refused else ())


def _evaluation(decided: JudgedEvaluation, asked: Any, *_: object) -> JudgedEvaluation:
    waits = decided.until is None
    return JudgedEvaluation(
        no_price=not decided.no_price,
        waits_because="it may come still" if waits else None,
        until=asked.now + timedelta(days=1) if waits else None,
    )


def _later(decided: Any, *_: object) -> Any:
    until = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
    return stock_horizon.Later("it may come still", until) if decided is None else None


def _recommendation(decided: JudgedRecommendation, *_: object) -> JudgedRecommendation:
    return JudgedRecommendation(untellable="it can no more")


def _withheld(decided: Any, *_: object) -> Any:
    """Nothing of what was kept; where nothing was, there is nothing to turn."""
    return type(decided)()


def _values(decided: tuple[Any, Any], *_: object) -> tuple[Any, Any]:
    return ({}, {}) if decided[0] else decided


def _outcome(decided: Outcome, *_: object) -> Outcome:
    return Outcome.RESEARCHED if decided is Outcome.MISSING else Outcome.MISSING


def _default(decided: int | None, *_: object) -> int | None:
    return 0 if decided is None else None


def _told_now(decided: Any, *_: object) -> Any:
    raise stock_memories.NotScorable("it can no more")


def _no_price(decided: Any, *_: object) -> Any:
    raise hypotheses_prices.NoPrice("it can no more", final=True)


OPPOSITES: Final[Mapping[Judge, Callable[..., Any]]] = {
    # what an agent delivered
    judged_turns.judged: _turn,
    prose_review.review: _rejected,
    gate.rejected_figures: _rejected_figures,
    rejections.without_rejected: _withheld,
    market_board.decide_outcome: _outcome,
    # what findings contradict each other in, and what is held then
    judged_findings.judged_findings: _found,
    judged_findings.judged_hypotheses: _sound,
    swarm_findings.contradictions: _conflicts,
    detection.detect_conflicts: _conflicts,
    detection.week_conflicts: _conflicts,
    voting.settle: _settled,
    voting.new_conflict: _settled,
    voting.default_position: _default,
    surviving_claims: _withheld,
    answer_swarm.why_left_out: _no_words,
    # what a source said
    capabilities.is_answered: _not,
    scoring.unscorable: _no_words,
    hypotheses_prices.last_price: _no_price,
    hypotheses_prices.price_when_due: _no_price,
    forecast_fixings.resolutions_in: _no_resolutions,
    forecast_fixings.is_refused: _not,
    stock_horizon.had_no_price: _not,
    stock_horizon.was_told_no_price: _not,
    stock_horizon.later: _later,
    stock_parts.values_of: _values,
    stock_memories.scored_recommendation: _told_now,
    judged_outcomes.judged_price: _price,
    judged_outcomes.judged_fixings: _fixings,
    judged_outcomes.judged_evaluation: _evaluation,
    judged_outcomes.judged_recommendation: _recommendation,
}
"""What judges content, each with what makes the opposite of its decision."""
