"""Agreements, and figures that cannot all be right."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

from contracts.claims import Claim, Metric
from contracts.tools import SourceTier
from tests.support.builders import real_fixings
from tests.trust.conflict_cases import (
    CLOSE,
    DOUBTFUL,
    SURE,
    Case,
    Expected,
    Voice,
    all_decisions,
    decisions,
    levels,
    of_decision,
    of_level,
    stale,
    two,
)

OTHERS = tuple(Voice(name, 0.8, SourceTier.SECONDARY, f"source {name}") for name in ("B", "C", "D"))
READER = replace(CLOSE, origin=SURE.origin, tier=SURE.tier)
LESSER = Voice("lesser", 0.8, SourceTier.SECONDARY, "source E")


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


def misinformed() -> Iterator[Case]:
    """The authoritative source was read wrongly, and a lesser one has it right."""
    for number, level in enumerate(levels()):
        true, wrong = of_level(level, level.value), of_level(level, stale(level))
        yield _against("the sounder source misread", [LESSER], [SURE], number, true, wrong)


def doubted() -> Iterator[Case]:
    """The same disputes between a confident and a doubtful voice, or between equals."""
    person = Expected.PERSON
    for number, level in enumerate(levels()):
        true, wrong = of_level(level, level.value), of_level(level, stale(level))
        yield two("stale level, doubtful", person, true, wrong, number, DOUBTFUL)
        equal = replace(CLOSE, confidence=SURE.confidence, tier=SURE.tier)
        yield two("stale level, equal weight", person, true, wrong, number, equal)
        move, other = (of_level(level, m, metric=Metric.MOVE) for m in _moves(level.move))
        yield two("opposed moves, doubtful", person, move, other, number, DOUBTFUL)
    for number, decided in enumerate(decisions()):
        told, opposite = (of_decision(decided, c) for c in (decided.change, -decided.change))
        yield two("raised against cut, doubtful", person, told, opposite, number, DOUBTFUL)


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
