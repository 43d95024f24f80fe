"""The figure gate: which numbers in prose are figures that no claim supports.

A figure that states one known claim gives way to the claim's reference, so that what is printed
is the claim. What is no figure of a market stays. Everything else is rejected with a reason that
its author can act on. The rules are in docs/method.md.
"""

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from contracts.claims import Claim
from contracts.verdicts import RejectedFigure
from domain.claim_choice import close_to, is_about_something_else, is_one_thing, stated_by
from domain.claim_place import Place, place_in
from domain.figures import print_claim
from domain.no_figures import Span, spans_without_figures
from domain.number_reading import LONGEST_LINK, Measure, WrittenNumber, plain, read_numbers
from domain.prose import LONGEST_TEXT, REFERENCE
from domain.sentences import split_sentences
from domain.stated_claims import is_of_its_kind
from domain.streak_words import is_streak, looks_back
from domain.supposed_figures import is_supposed
from domain.trigger_levels import is_trigger
from domain.unreached_levels import is_unreached

LONGEST_NAME: Final = 200
"""The bound of `contracts.base.ShortText`."""

MOST_CANDIDATES: Final = 6
"""How many of the claims that one figure states the reason names."""

MOST_NUMBERS: Final = 60
"""More than these in one sentence are no prose, and are not looked up one by one."""

_MASK: Final = "\ufffc"
_TOO_LONG: Final = "the text has no room for another reference: say less"
_TOO_MANY: Final = "the sentence holds too many numbers: say less, or write references"
_WHAT_TO_DO: Final = "write a reference to a claim in its place, or leave it out"


class ReadProse(NamedTuple):
    """A text whose figures are references as far as they state a claim, and those that do not."""

    prose: str
    rejected: tuple[RejectedFigure, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    """What was decided about a number: it passes, states a claim, or is rejected."""

    number: WrittenNumber
    claim_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Reader:
    """A text with what is needed to decide about its numbers."""

    prose: str
    text: str
    claims: Mapping[str, Claim]
    rests_on: Collection[str]
    passing: bytes
    """One byte for each character: 1 where there is no figure."""

    def passes(self, number: WrittenNumber) -> bool:
        """Whether a number stands in a phrase without figures, with every digit of it."""
        digits = (at for at in range(number.digits_at, number.end) if self.text[at].isdigit())
        return self.passing[number.digits_at] == 1 and all(self.passing[at] for at in digits)

    def place(self, start: int, end: int) -> Place:
        """A sentence of the text, read for the subjects that it names."""
        return place_in(self.text, start, end, {claim.subject for claim in self.claims.values()})

    def find(self, number: WrittenNumber, place: Place) -> _Finding:
        """What a number is that no rule lets pass."""
        if self._is_condition(number, place):
            return _Finding(number)
        alike = [claim for claim in self.claims.values() if is_of_its_kind(claim, number)]
        stated = stated_by(number, place, alike, self.rests_on)
        if self._is_span(number, place):
            if looks_back(self.text, number.start):
                return _Finding(number)
            stated = tuple(c for c in stated if c.subject in place.named or self._rests_on(c))
            return _Finding(number, claim_id=stated[0].claim_id if stated else None)
        if is_one_thing(stated):
            return _Finding(number, claim_id=stated[0].claim_id)
        return _Finding(number, reason=self._reason(number, place, stated))

    def _is_condition(self, number: WrittenNumber, place: Place) -> bool:
        """Whether a number is what something may come to, and not what it came to."""
        return (
            is_trigger(self.text, number, place.start, place.end)
            or is_supposed(self.text, number, place.start, place.end)
            or is_unreached(number, place, self.claims.values())
        )

    def _rests_on(self, claim: Claim) -> bool:
        return claim.claim_id in self.rests_on

    def _is_span(self, number: WrittenNumber, place: Place) -> bool:
        """Whether a count of days is a length of time and no claim's business, unless it states
        one. The days of a streak are a figure."""
        if number.measure is not Measure.DAYS:
            return False
        return not is_streak(self.text[: place.end], number.start, number.end)

    def _reason(self, number: WrittenNumber, place: Place, stated: tuple[Claim, ...]) -> str:
        if stated:
            names = ", ".join(f"[[{claim.claim_id}]]" for claim in stated[:MOST_CANDIDATES])
            return f"several claims state it: write the reference that is meant, of {names}"
        if is_about_something_else(number, place):
            return "it is about something that no claim is about: leave it out"
        close = close_to(number, place, self.claims.values(), self.rests_on)
        if not close:
            return f"no claim states it: {_WHAT_TO_DO}"
        known = ", ".join(f"[[{claim.claim_id}]] is {print_claim(claim)}" for claim in close)
        return f"no claim states it as written, but {known}: {_WHAT_TO_DO}"


def read_prose(
    prose: str, claims: Mapping[str, Claim], *, rests_on: Collection[str] = (), place: str = ""
) -> ReadProse:
    """Reads a text for figures.

    Args:
        prose: The text, with references in place of figures where its author put them.
        claims: The known claims by id.
        rests_on: The ids of the claims that the text is about; they go before all others.
        place: Where the text stands, for the rejections.

    Returns:
        The text with every figure that states exactly one claim replaced by its reference, and
        the figures that state none or several. Reading the result again changes nothing.
    """
    text = plain(REFERENCE.sub(lambda found: _MASK * len(found[0]), prose))
    numbers = read_numbers(text)
    if not numbers:
        return ReadProse(prose, ())
    reader = _Reader(prose, text, claims, frozenset(rests_on), _passing(text))
    numbers = tuple(number for number in numbers if not reader.passes(number))
    if not numbers:
        return ReadProse(prose, ())
    bound: list[str] = []
    rejected: list[RejectedFigure] = []
    room = max(LONGEST_TEXT - len(prose), 0)
    for (start, end), within in _by_sentence(prose, numbers):
        piece = _read_sentence(reader, start, end, within, room)
        room -= len(piece.prose) - (end - start)
        bound.append(piece.prose)
        rejected += _rejections(reader, piece, place)
    return ReadProse("".join(bound), tuple(rejected))


def drop_sentences(prose: str, rejected: Collection[RejectedFigure]) -> str:
    """The text without the sentences that hold the rejected figures.

    A sentence that stands in the text in another form than in the rejection, because figures in
    it have become references since, is known by the figure.
    """
    gone = {figure.sentence for figure in rejected}
    pieces = split_sentences(prose)
    whole = {piece.strip() for piece in pieces}
    loose = [figure for figure in rejected if figure.sentence not in whole]
    kept = (
        piece
        for piece in pieces
        if piece.strip() not in gone and not any(_holds(piece, figure) for figure in loose)
    )
    return "".join(kept).strip()


def _holds(piece: str, figure: RejectedFigure) -> bool:
    alone = rf"(?<![\d.,]){re.escape(figure.written)}(?!\d|[.,]\d)"
    return re.search(alone, REFERENCE.sub(_MASK, piece)) is not None


class _Piece(NamedTuple):
    prose: str
    refused: tuple[_Finding, ...]


def _passing(text: str) -> bytes:
    passing = bytearray(len(text))
    for start, end in spans_without_figures(text):
        passing[start:end] = b"\1" * (end - start)
    return bytes(passing)


def _by_sentence(
    prose: str, numbers: Sequence[WrittenNumber]
) -> Iterator[tuple[Span, list[WrittenNumber]]]:
    start, left = 0, deque(numbers)
    for piece in split_sentences(prose):
        end, within = start + len(piece), []
        while left and left[0].digits_at < end:
            within.append(left.popleft())
        yield (start, end), within
        start = end


def _read_sentence(
    reader: _Reader, start: int, end: int, numbers: list[WrittenNumber], room: int
) -> _Piece:
    """A sentence with its figures bound, as far as there is room, and what was refused."""
    if not numbers:
        return _Piece(reader.prose[start:end], ())
    place = reader.place(start, end)
    findings = [reader.find(number, place) for number in numbers[:MOST_NUMBERS]]
    findings += [_Finding(number, reason=_TOO_MANY) for number in numbers[MOST_NUMBERS:]]
    parts, reached, refused = [], start, []
    for finding, binds in zip(findings, _binding(findings), strict=True):
        reference = f"[[{finding.claim_id}]]"
        longer = len(reference) - (finding.number.end - finding.number.start)
        if binds and longer > room:
            refused.append(_Finding(finding.number, reason=_TOO_LONG))
        elif binds:
            parts += [reader.prose[reached : finding.number.start], reference]
            reached, room = finding.number.end, room - longer
        elif finding.reason:
            refused.append(finding)
    parts.append(reader.prose[reached:end])
    return _Piece("".join(parts), tuple(refused))


def _binding(findings: list[_Finding]) -> list[bool]:
    """Which figures become references: the ends of a range both or neither, because one of them
    may owe its unit to the other."""
    binding = [finding.claim_id is not None for finding in findings]
    for first, second in pairwise(range(len(findings))):
        one, other = findings[first].number, findings[second].number
        joined = one.linked and other.written_at - one.end <= LONGEST_LINK
        if joined and binding[first] is not binding[second]:
            binding[first] = binding[second] = False
    return binding


def _rejections(reader: _Reader, piece: _Piece, place: str) -> Iterator[RejectedFigure]:
    for finding in piece.refused:
        yield RejectedFigure(
            place=place[:LONGEST_NAME],
            written=reader.prose[finding.number.written_at : finding.number.end][:LONGEST_NAME],
            sentence=piece.prose.strip()[:LONGEST_TEXT],
            reason=finding.reason or _WHAT_TO_DO,
        )
