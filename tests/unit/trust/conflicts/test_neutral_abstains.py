"""Views at a vote: a neutral one abstains, and a faint one against a clear one asks a person."""

import pytest

from desk.contracts.agents.config import VotingConfig
from desk.contracts.episode.analysis import Hint, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictRecord, Leaning, ResearchResult, ViewKind
from desk.contracts.names import AgentId
from desk.documents.audit.conflicts import conflict_findings
from desk.programs.swarm.balance import SPECIALISTS_VIEW, SignalConsensus, judge
from desk.trust.conflicts import resolution_in_old_wording
from desk.trust.conflicts.detection import view_conflicts
from tests.support.builders import claim, finding, source, view

LAST = claim("USD/JPY", Metric.LAST, "153.20")
AGENTS = (
    AgentId.FUNDAMENTAL_SPECIALIST,
    AgentId.TECHNICAL_SPECIALIST,
    AgentId.MARKET_SPECIALIST,
    AgentId.PATTERN_SPECIALIST,
)


def conflicts(*views: tuple[Leaning, float]) -> list[ConflictRecord]:
    """What specialists' views come to at a vote."""
    results: list[ResearchResult] = [
        finding(
            LAST,
            agent=agent,
            sources=(source(f"publisher {agent}"),),
            views=(view("USD/JPY", ViewKind.DIRECTION, way, LAST.claim_id, confidence=sure),),
        )
        for agent, (way, sure) in zip(AGENTS, views, strict=False)
    ]
    return list(view_conflicts("USD/JPY", results, VotingConfig()))


def test_a_neutral_view_weighs_nothing_and_spreads_nothing() -> None:
    (found,) = conflicts(
        (Leaning.UP, 0.7), (Leaning.DOWN, 0.4), (Leaning.NEUTRAL, 0.9), (Leaning.NEUTRAL, 0.1)
    )
    assert found.resolved
    assert found.chosen == Leaning.UP.value
    assert found.spread == pytest.approx(0.3)
    neutral = [each for each in found.positions if each.stated == Leaning.NEUTRAL]
    assert all(each.abstains and each.weight == 0 for each in neutral)


def test_whoever_abstains_is_named_apart_from_the_dissent() -> None:
    (found,) = conflicts((Leaning.UP, 0.7), (Leaning.DOWN, 0.4), (Leaning.NEUTRAL, 0.9))
    assert found.resolution.endswith(
        " Dissent: down (technical_specialist, publisher technical_specialist table)."
        " Abstaining: neutral (market_specialist, publisher market_specialist table)."
    )
    assert list(conflict_findings([found], {})) == []


def test_the_words_of_earlier_documents_verify_and_others_do_not() -> None:
    (found,) = conflicts((Leaning.UP, 0.7), (Leaning.DOWN, 0.4), (Leaning.NEUTRAL, 0.9))
    earlier = found.model_copy(update={"resolution": resolution_in_old_wording(found)})
    assert earlier.resolution.endswith(
        " Dissent: neutral (market_specialist, publisher market_specialist table);"
        " down (technical_specialist, publisher technical_specialist table)."
    )
    assert list(conflict_findings([earlier], {})) == []
    silent = found.resolution.partition(" Abstaining:")[0]
    hidden = found.model_copy(update={"resolution": silent})
    (told,) = conflict_findings([hidden], {})
    assert "does not follow from its positions" in told.words


def test_neutral_against_a_side_is_no_conflict() -> None:
    assert conflicts((Leaning.UP, 0.7), (Leaning.NEUTRAL, 0.9)) == []


def signal(hint: Hint, strength: float) -> Signal:
    return Signal(name="a signal", hint=hint, strength=strength, words="It points.")


def judged(reach: float, *signals: Signal) -> SignalConsensus:
    return judge(signals, reach, 0, any_view=SPECIALISTS_VIEW)


def test_a_clear_view_against_a_faint_one_goes_to_a_person() -> None:
    clear = judged(0.85, signal(Hint.UP, 1.0))
    faint = judged(0.65, signal(Hint.DOWN, 0.3), signal(Hint.NEUTRAL, 0.3))
    assert (clear.leaning, faint.leaning) == (Leaning.UP, Leaning.DOWN)
    (found,) = conflicts((clear.leaning, clear.confidence), (faint.leaning, faint.confidence))
    assert found.spread > VotingConfig().widest_spread
    assert not found.resolved
    middling = judged(0.75, signal(Hint.DOWN, 0.6))
    (voted,) = conflicts((clear.leaning, clear.confidence), (middling.leaning, middling.confidence))
    assert voted.resolved
