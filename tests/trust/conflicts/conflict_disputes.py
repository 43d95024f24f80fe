"""Agreements, and figures that cannot all be right."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.claims import Claim, Metric
from desk.trust.claims.banks import BANKS
from tests.support.builders import HKD_BAND, real_fixings
from tests.trust.conflicts.conflict_cases import (
    CLOSE,
    DOUBTFUL,
    SURE,
    Case,
    Expected,
    Level,
    Voice,
    all_decisions,
    both_right,
    decisions,
    levels,
    of_decision,
    of_level,
    stale,
    two,
)

OTHERS = tuple(Voice(name, 0.8, SourceTier.SECONDARY, f"source {name}") for name in ("B", "C", "D"))
READER = replace(CLOSE, origin=SURE.origin, tier=SURE.tier)
DOUBTED = replace(DOUBTFUL, origin="source B")
RELAYED = replace(SURE, origin="source A")
PEGGED = "USD/HKD"


def agreements() -> Iterator[Case]:
    """The same figure twice, other days, other decisions, and moves too small for a direction."""
    fine = Expected.AGREEMENT
    for number, level in enumerate(levels()):
        claim = of_level(level, level.value)
        yield two("the same figure", fine, claim, claim, number)
        days = sorted(real_fixings(level.pair))
        day, value = days[[d for d, _ in days].index(level.day) - 1]
        earlier = of_level(level._replace(day=day), value)
        yield two("levels of two days", fine, claim, earlier, number)
        up, down = (of_level(level, Decimal(m), metric=Metric.MOVE) for m in ("0.02", "-0.02"))
        yield two("moves that are none", fine, up, down, number, READER)
    by_area = pairwise(sorted(all_decisions(), key=lambda d: (d.area, d.day)))
    apart = ((a, b) for a, b in by_area if a.area == b.area and (b.day - a.day).days in (28, 42))
    for number, (one, other) in zip(range(18), apart, strict=False):
        claims = of_decision(one, one.change), of_decision(other, other.change)
        yield two("two decisions", fine, *claims, number)


def outweighed() -> Iterator[Case]:
    """A figure of another day, sign or date from a lesser source: the sounder source is right."""
    right = Expected.RIGHT
    for number, level in enumerate(levels()):
        wrong = of_level(level, stale(level))
        yield two("stale level", right, of_level(level, level.value), wrong, number)
        move, turned_move = (of_level(level, m, metric=Metric.MOVE) for m in _moves(level.move))
        yield two("opposed moves", right, move, turned_move, number)
    for number, decided in enumerate(decisions()):
        told = of_decision(decided, decided.change)
        opposite = of_decision(decided, -decided.change)
        yield two("raised against cut", right, told, opposite, number)
        held = of_decision(decided, Decimal(0))
        yield two("changed against held", right, told, held, number)
        moved = of_decision(
            decided, decided.change, day=decided.day + timedelta(days=1 + number % 6)
        )
        yield two("decision on another day", right, told, moved, number)


def outnumbered() -> Iterator[Case]:
    """The wrong figure more often: copied from one origin, or by lesser sources of their own."""
    for number, level in enumerate(levels()):
        true, wrong = of_level(level, level.value), of_level(level, stale(level))
        copies = [replace(voice, origin="source B") for voice in OTHERS]
        yield _against("one origin, three copies", [SURE], copies, number, true, wrong)
        yield _against("two lesser origins", [SURE], list(OTHERS[:2]), number, true, wrong)
        yield _against("three lesser origins", [SURE], list(OTHERS), number, true, wrong)
        silent = "three lesser origins, the publisher silent"
        yield _against(silent, [RELAYED], list(OTHERS), number, true, wrong)


def published() -> Iterator[Case]:
    """The figure's own publisher against others, however sure or many these are."""
    right = Expected.RIGHT
    equal = replace(CLOSE, confidence=SURE.confidence, tier=SURE.tier)
    surer = replace(CLOSE, confidence=1.0, tier=SURE.tier)
    hesitant = replace(SURE, confidence=0.3)
    for number, level in enumerate(levels()):
        true, wrong = of_level(level, level.value), of_level(level, stale(level))
        yield two("its publisher against a doubtful source", right, true, wrong, number, DOUBTFUL)
        yield two("its publisher against an equal source", right, true, wrong, number, equal)
        yield _against(
            "its publisher, read by an agent in doubt", [hesitant], [surer], number, true, wrong
        )
        move, other = (of_level(level, m, metric=Metric.MOVE) for m in _moves(level.move))
        yield two("its publisher's move against another", right, move, other, number, DOUBTFUL)
    for number, decided in enumerate(decisions()):
        bank = replace(SURE, origin=BANKS[decided.area])
        told, opposite = (of_decision(decided, c) for c in (decided.change, -decided.change))
        others = list(OTHERS)
        yield _against("a bank against three sources", [bank], others, number, told, opposite)


def pegged() -> Iterator[Case]:
    """Levels of a pair in its band: what is far for such a pair is near for any other."""
    series = real_fixings(PEGGED)
    for number, place in enumerate(range(len(series) - 40, len(series) - 1700, -100)):
        day, value = series[place]
        level = Level(PEGGED, day, series[place - 1][1], value, series[place + 1][1])
        across = HKD_BAND.low + HKD_BAND.high - value
        wrong = across if abs(across - value) > Decimal("0.02") else value + Decimal("0.04")
        claim, other = of_level(level, value), of_level(level, wrong)
        yield two("another level within the band", Expected.RIGHT, claim, other, number)
        later = (value + (level.after - value) / 4).quantize(value)
        if later != value:
            noon = of_level(level, later)
            case = two("another hour within the band", Expected.ARTEFACT, claim, noon, number)
            yield both_right(case)


def doubted() -> Iterator[Case]:
    """Disputes of which no side is the publisher: between a confident and a doubtful voice, or
    between equals."""
    person = Expected.PERSON
    equal = replace(CLOSE, confidence=SURE.confidence, tier=SURE.tier, origin="source B")
    for number, level in enumerate(levels()):
        true, wrong = of_level(level, level.value), of_level(level, stale(level))
        yield _relayed("stale level, doubtful", person, true, wrong, number, DOUBTED)
        yield _relayed("stale level, equal weight", person, true, wrong, number, equal)
        move, other = (of_level(level, m, metric=Metric.MOVE) for m in _moves(level.move))
        yield _relayed("opposed moves, doubtful", person, move, other, number, DOUBTED)
    for number, decided in enumerate(decisions()):
        told, opposite = (of_decision(decided, c) for c in (decided.change, -decided.change))
        yield _relayed("raised against cut, doubtful", person, told, opposite, number, DOUBTED)


def _relayed(
    group: str, expected: Expected, right: Claim, wrong: Claim, number: int, other: Voice
) -> Case:
    """As `two`, with the right figure from a source that only passes it on."""
    return two(group, expected, right, wrong, number, other, RELAYED)


def _against(
    group: str, right: list[Voice], wrong: list[Voice], number: int, true: Claim, false: Claim
) -> Case:
    """A case of several voices on either side; who speaks first and last alternates."""
    sides = [(voice, true) for voice in right] + [(voice, false) for voice in wrong]
    ordered = sides if number % 2 else sides[::-1]
    results = tuple(
        replace(voice, turn=place).result(claim) for place, (voice, claim) in enumerate(ordered)
    )
    return Case(group, Expected.RIGHT, results, frozenset(voice.name for voice in right))


def _moves(move: Decimal) -> tuple[Decimal, Decimal]:
    return move, -move
