"""Views that lean opposite ways, and abstentions."""

from collections.abc import Iterator
from dataclasses import replace

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Leaning, ResearchResult, View, ViewKind
from tests.trust.conflicts.conflict_cases import (
    CLOSE,
    DOUBTFUL,
    SURE,
    Case,
    Expected,
    Voice,
    decisions,
    levels,
    of_level,
    turned,
)

SILENT = Voice("silent", 0.1, origin="nobody")
OPPOSITE = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}


def opposed() -> Iterator[Case]:
    """Directions of moves and stances of banks: the real one is right."""
    for number, level in enumerate(levels()):
        way = Leaning.UP if level.move > 0 else Leaning.DOWN
        claim = of_level(level, level.value)
        for voice, expected in ((CLOSE, Expected.RIGHT), (DOUBTFUL, Expected.PERSON)):
            group = f"opposed directions{_doubt(voice)}"
            yield _of(group, expected, claim, ViewKind.DIRECTION, way, voice, number)
        neutral = _of("neutral beside up or down", Expected.AGREEMENT, claim, ViewKind.DIRECTION,
                      way, CLOSE, number, Leaning.NEUTRAL)  # fmt: skip
        yield neutral._replace(right=frozenset({SURE.name, CLOSE.name}))
    for number, decided in enumerate(decisions()):
        way = Leaning.UP if decided.change > 0 else Leaning.DOWN
        for voice, expected in ((CLOSE, Expected.RIGHT), (DOUBTFUL, Expected.PERSON)):
            group = f"opposed stances{_doubt(voice)}"
            yield _of(group, expected, decided.area, ViewKind.STANCE, way, voice, number)


def recommended() -> Iterator[Case]:
    """Opposite advice with nothing to choose between: no figure decides, so a person must."""
    equal = replace(CLOSE, confidence=SURE.confidence, tier=SURE.tier)
    for number, level in enumerate(levels()):
        claim = of_level(level, level.value)
        for voice in (equal, DOUBTFUL):
            group = f"opposed recommendations{_doubt(voice)}"
            advice = ViewKind.RECOMMENDATION
            yield _of(group, Expected.PERSON, claim, advice, Leaning.UP, voice, number)


def abstained() -> Iterator[Case]:
    """An abstention decides nothing: not that there is a conflict, nor how it ends."""
    for number, level in enumerate(levels()):
        way = Leaning.UP if level.move > 0 else Leaning.DOWN
        claim = of_level(level, level.value)
        case = _of("abstention in a dispute", Expected.RIGHT, claim, ViewKind.DIRECTION,
                   way, CLOSE, number)  # fmt: skip
        silent = turned(SILENT, number).result(
            views=[_view(level.pair, ViewKind.DIRECTION, Leaning.ABSTAINS, SILENT)]
        )
        yield case._replace(results=(*case.results, silent))
        alone = case.results[:1] if number % 4 < 2 else case.results[1:]
        yield Case("abstention alone", Expected.AGREEMENT, (*alone, silent), case.right)


def _of(
    group: str,
    expected: Expected,
    about: Claim | str,
    kind: ViewKind,
    way: Leaning,
    voice: Voice,
    number: int,
    other: Leaning | None = None,
) -> Case:
    sides = ((turned(SURE, number), way), (turned(voice, number + 1), other or OPPOSITE[way]))
    results = tuple(_result(side, about, kind, leaning) for side, leaning in sides)
    ordered = results if number % 4 < 2 else results[::-1]
    return Case(group, expected, ordered, frozenset({SURE.name}))


def _result(voice: Voice, about: Claim | str, kind: ViewKind, way: Leaning) -> ResearchResult:
    """The voice's view; of a pair it rests on the pair's level, on which all agree."""
    if isinstance(about, str):
        return voice.result(views=[_view(about, kind, way, voice)])
    held = _view(about.subject, kind, way, voice, about.claim_id)
    return voice.result(about, views=[held])


def _view(subject: str, kind: ViewKind, way: Leaning, voice: Voice, *claims: str) -> View:
    return View(subject=subject, kind=kind, leaning=way, confidence=voice.confidence, claims=claims)


def _doubt(voice: Voice) -> str:
    return {DOUBTFUL: ", doubtful", CLOSE: ""}.get(voice, ", equal weight")
