"""The result of a specialist, built from what it has read: findings, views, and what is missing."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final, NamedTuple

from desk.agents.speciality import Speciality
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import Hint, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Finding, Leaning, ResearchResult, View, ViewKind
from desk.programs.swarm.balance import (
    SPECIALISTS_VIEW,
    SignalConsensus,
    judge,
    strongest,
)
from desk.programs.swarm.builtin.reading import SpecialistReading
from desk.programs.swarm.conclusion.wording import sentence, within, words_of
from desk.trust.confidence import NOTHING_FOUND, Weakness, confidence
from desk.trust.prose import clip, references

MOST_SIGNALS: Final = 3
"""The most signals named for each side, strongest first."""

SIGNALS: Final = "signals"
"""The topic of the finding on the signals."""

HALF: Final = 0.5
"""The share of its evidence's confidence that a result has if none of its signals has a
direction."""

_ACTIONS: Final = {
    Leaning.UP: "Buy {name} for the next four weeks.",
    Leaning.DOWN: "Sell {name} for the next four weeks.",
    Leaning.NEUTRAL: "Hold {name}: nothing in {field} is reason enough to act.",
}
_TOO_LITTLE: Final = "too little"
_SAYS: Final = {
    Leaning.UP: "Overall this points up",
    Leaning.DOWN: "Overall this points down",
    Leaning.NEUTRAL: "Overall this points neither way",
    _TOO_LITTLE: "Overall this is too little to point either way",
}


class Note(NamedTuple):
    """One finding: its topic, and a statement with references."""

    topic: str
    statement: str
    evidence: tuple[str, ...] = ()


def noted(told: Iterable[tuple[str, str]], evidence: tuple[str, ...] = ()) -> Iterator[Note]:
    """Yields a note for each topic with a statement."""
    for topic, statement in told:
        if statement:
            yield Note(topic, statement, evidence)


def deliver(
    reading: SpecialistReading,
    speciality: Speciality,
    notes: Iterable[Note],
    rests_on: Sequence[Metric],
) -> ResearchResult:
    """Builds the result of a specialist. Its views rest on the first available of the metrics, and
    its recommendation is limited to its field.

    A result without a figure has no view. One without a signal abstains.
    """
    judgement = judge(
        reading.signals, speciality.reach, len(reading.gaps), any_view=SPECIALISTS_VIEW
    )
    found = findings_of(reading, judgement, notes)
    return found.model_copy(
        update={
            "views": tuple(_views(reading, judgement, rests_on)),
            "recommendations": tuple(_recommendations(reading, speciality, judgement)),
        }
    )


def findings_of(
    reading: SpecialistReading, judgement: SignalConsensus, notes: Iterable[Note]
) -> ResearchResult:
    """Builds the findings, including one on the signals, with their evidence and gaps, without a
    view."""
    certainty = _certainty(reading, judgement)
    assignment = reading.request.assignment
    told = (*notes, *_signal_notes(reading, judgement))
    return ResearchResult(
        result_id=f"{assignment.task_id}/result",
        task_id=assignment.task_id,
        agent=assignment.agent,
        market=reading.market.market,
        claims=tuple(reading.known.values()),
        sources=reading.sources,
        missing=reading.gaps,
        warnings=reading.warnings,
        findings=tuple(_finding(note, certainty) for note in told),
        contradictions=tuple(_contradictions(reading.signals)),
        confidence=certainty,
        ends_on=_newest_price(reading),
    )


def _newest_price(reading: SpecialistReading) -> date | None:
    """Returns the last day of the market's prices, if a tool reports that it is too long ago."""
    told = (r.content for r in reading.request.results if isinstance(r.content, dict))
    days = (each.get("ends_on") for each in told if each.get("symbol") == reading.market.market)
    return next((date.fromisoformat(day) for day in days if isinstance(day, str)), None)


def _finding(note: Note, certainty: float) -> Finding:
    return Finding(
        topic=note.topic,
        statement=clip(note.statement),
        confidence=certainty,
        claims=tuple(dict.fromkeys(references(note.statement)))[:20],
        evidence=note.evidence,
    )


def _certainty(reading: SpecialistReading, judgement: SignalConsensus) -> float:
    """Returns the mean of the evidence's confidence and the confidence in the direction."""
    if not reading.known:
        return NOTHING_FOUND
    worth = confidence(_weaknesses(reading))
    if judgement.leaning is Leaning.ABSTAINS:
        return round(worth * HALF, 3)
    return round((worth + judgement.confidence) / 2, 3)


def _weaknesses(reading: SpecialistReading) -> list[Weakness]:
    tiers = {source.tier for source in reading.sources}
    present = {
        Weakness.SINGLE_SOURCE: len({s.origin or s.name for s in reading.sources}) < 2,
        Weakness.SECONDARY_SOURCE: SourceTier.SECONDARY in tiers or SourceTier.DERIVED in tiers,
        Weakness.SHORT_HISTORY: bool(reading.gaps),
    }
    return [weakness for weakness, applies in present.items() if applies]


def direction(
    reading: SpecialistReading, judgement: SignalConsensus, rests_on: Sequence[Metric]
) -> View | None:
    """Returns the view of a market's direction; None without a figure to rest on."""
    names = (*reading.named(rests_on), *reading.known)
    claims = tuple(dict.fromkeys(names))[:8]
    if not claims:
        return None
    return View(
        subject=reading.market.market,
        kind=ViewKind.DIRECTION,
        leaning=judgement.leaning,
        confidence=judgement.confidence,
        claims=claims,
    )


def _views(
    reading: SpecialistReading, judgement: SignalConsensus, rests_on: Sequence[Metric]
) -> Iterator[View]:
    """Yields the views of the direction and of the action."""
    view = direction(reading, judgement, rests_on)
    if view is None:
        return
    yield view
    acts = {"leaning": judgement.action, "confidence": judgement.action_confidence}
    yield view.model_copy(update={"kind": ViewKind.RECOMMENDATION, **acts})


def _signal_notes(reading: SpecialistReading, judgement: SignalConsensus) -> Iterator[Note]:
    """Yields the note on the signals, grouped by side, and on their overall direction."""
    if judgement.leaning is Leaning.ABSTAINS:
        return
    told = [
        f"Pointing {way}: {'; '.join(map(within, words))}."
        for way, hint in (("up", Hint.UP), ("down", Hint.DOWN))
        if (words := _loudest(reading.signals, hint))
    ]
    says = _TOO_LITTLE if told and judgement.leaning is Leaning.NEUTRAL else judgement.leaning
    told.append(f"{_SAYS[says]} for {reading.name}.")
    yield Note(SIGNALS, " ".join(told))


def _loudest(signals: Sequence[Signal], hint: Hint) -> list[str]:
    pointing = [signal for signal in signals if signal.hint is hint and signal.strength > 0]
    ranked = sorted(pointing, key=lambda signal: -signal.strength)
    words = (words_of(signal) for signal in ranked)
    return list(dict.fromkeys(word for word in words if word))[:MOST_SIGNALS]


def _contradictions(signals: Sequence[Signal]) -> Iterator[str]:
    """Yields the strongest signal of each side, if there are signals on both."""
    up, down = strongest(signals, Hint.UP), strongest(signals, Hint.DOWN)
    if up is None or down is None:
        return
    first, second = words_of(up) or "one signal", words_of(down) or "another signal"
    if first != second:
        told = f"{_pointing(first, 'up')}, while {within(_pointing(second, 'down'))}"
        yield clip(sentence(told))


def _pointing(words: str, way: str) -> str:
    """Returns the words of a signal, with its direction if they do not say it."""
    points = f"which points {way}"
    return words if words.endswith(points) else f"{words}, {points}"


def _recommendations(
    reading: SpecialistReading, speciality: Speciality, judgement: SignalConsensus
) -> Iterator[str]:
    if judgement.leaning is Leaning.ABSTAINS or not reading.known:
        return
    words = _ACTIONS[judgement.action]
    yield words.format(name=reading.name, field=speciality.field_on(reading.market.kind))
