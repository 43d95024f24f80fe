"""Classifies a central bank's text by a short word list: hawkish, dovish or neither.

Phrases come in pairs, one for each side, so that a text and its mirror image get opposite results
of equal confidence. docs/method.md describes the rule. A word list does not understand a text: its
confidence never exceeds `MOST_CONFIDENCE`.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from desk.contracts.findings.results import Leaning

MOST_CONFIDENCE: Final = 0.4
"""The highest confidence that a word list can have."""

LONGEST_READ: Final = 5_000
"""The characters of a text that are read. The rest is ignored."""

_PLAIN: Final = 2
_WEAKENED: Final = 1
_LEAST, _STEP, _BALANCED = 0.1, 0.05, 0.15

_WORD: Final = r"(?!(?:less|no|nor|not|never)\b)[\w'-]+ "
_RATE: Final = (
    r"(?:(?:interest|policy|cash|repo|bank|deposit|lending|overnight|discount|base|call|key|main"
    r"|benchmark|funds|facility|refinancing) rates?|target range(?: for the (?:\w+ ){0,2}rate)?)"
)
_RAISE: Final = (
    r"(?:rais(?:e[sd]?|ing)|increas(?:e[sd]?|ing)|hik(?:e[sd]?|ing)|lift(?:s|ed|ing)?|higher)"
)
_LOWER: Final = (
    r"(?:lower(?:s|ed|ing)?|reduc(?:e[sd]?|ing|tions?)|cut(?:s|ting)?|trim(?:s|med|ming)?)"
)
_PURCHASES: Final = rf"(?:{_WORD}){{0,4}}(?:asset|bond|securities) purchases"
_PRESSURES: Final = rf"(?:inflation(?:ary)?|price|wage|cost) pressures? (?:{_WORD}){{0,3}}"
_INFLATION: Final = rf"inflation (?:{_WORD}){{0,3}}"
_TARGET: Final = r"(?:the |its |our )?(?:\w+ )?target"
_POLICY: Final = r"(?:of )?(?:(?:the|its|our|monetary) ){0,2}policy"
_STAY: Final = (
    rf"(?:more|sufficiently|remain(?:s|ed)?|stay(?:s|ed)?|kept|keep|still) (?:{_WORD}){{0,2}}"
)
_LABOUR: Final = rf"labou?r markets? (?:{_WORD}){{0,3}}"
_RISKS: Final = r"risks? (?:to|for|around) (?:\w+ ){0,2}(?:inflation|prices)"

_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    (
        rf"{_RAISE} (?:{_WORD}){{0,4}}{_RATE}|{_RAISE} (?:the |its |their )?rates?",
        rf"{_LOWER} (?:{_WORD}){{0,4}}{_RATE}|{_LOWER} (?:the |its |their )?rates?",
    ),
    (r"rate (?:hikes?|increases?|rises?)", r"rate (?:cuts?|reductions?|decreases?)"),
    (
        rf"tighten(?:s|ed|ing)? {_POLICY}|tighter (?:\w+ )?policy"
        r"|(?:policy|monetary|quantitative|further) tightening|tightening (?:cycle|bias)",
        rf"eas(?:e[sd]?|ing) {_POLICY}|(?:easier|looser) (?:\w+ )?policy"
        r"|(?:policy|monetary|quantitative|further) easing|easing (?:cycle|bias)",
    ),
    (
        rf"{_STAY}restrictive|less accommodative",
        rf"{_STAY}accommodative|less restrictive",
    ),
    (
        rf"(?:withdraw\w*|remov(?:e[sd]?|al|ing)) (?:{_WORD}){{0,3}}(?:accommodation|stimulus)",
        rf"(?:add(?:s|ed|ing)?|provid(?:e[sd]?|ing)) (?:{_WORD}){{0,3}}(?:accommodation|stimulus)",
    ),
    (
        rf"{_INFLATION}(?:too high|elevated|persistent(?:ly)?|above {_TARGET})",
        rf"{_INFLATION}(?:too low|subdued|muted|below {_TARGET})",
    ),
    (rf"upside {_RISKS}", rf"downside {_RISKS}"),
    (
        rf"{_PRESSURES}(?:risen|rising|increas(?:ed|ing)|intensif\w+|strengthen\w*|strong|elevated)",
        rf"{_PRESSURES}(?:fallen|falling|eas(?:ed|ing)|moderat\w+|weaken\w*|weak|subdued|abat\w+)",
    ),
    (
        rf"{_LABOUR}(?:tight|tightened|tightening|strong|overheat\w*)",
        rf"{_LABOUR}(?:loose|loosened|loosening|weak|weaken\w*|soften\w*|cool\w*)",
    ),
    (
        rf"(?:slow(?:s|ed|ing)?|end(?:s|ed|ing)?|taper(?:s|ed|ing)?) {_PURCHASES}",
        rf"(?:expand(?:s|ed|ing)?|resum(?:e[sd]?|ing)|extend(?:s|ed|ing)?) {_PURCHASES}",
    ),
    (r"overheat(?:s|ed|ing)?", r"(?:spare capacity|economic slack)"),
    (r"higher for longer", r"lower for longer"),
    (r"hawkish", r"dovish"),
)
"""Phrases that suggest higher rates, each with its opposite."""

_NEITHER: Final = re.compile(
    r"\b(?:unchanged|on hold|wait[ -]and[ -]see|data[ -]dependent|meeting[ -]by[ -]meeting"
    r"|broadly balanced|(?:maintain|hold|held|keep|kept|leave|left)(?:s|ed|ing)?"
    rf" (?:{_WORD}){{0,4}}{_RATE})\b"
)
"""Phrases that suggest unchanged rates. They count only if no other phrase is found."""

_LISTED: Final = re.compile(
    r"\b(?:"
    + "|".join(
        f"(?P<up{place}>{up})|(?P<down{place}>{down})" for place, (up, down) in enumerate(_PAIRS)
    )
    + r")\b"
)
_CLAUSE_ENDS: Final = re.compile(
    r"[.,;:!?()\[\]\"\u201c\u201d\u2013\u2014]| - "
    r"|\b(?:but|however|although|though|while|whereas|yet)\b"
)
_NEGATED_BEFORE: Final = re.compile(
    r"\b(?:no longer|not(?! (?:only|just|merely)\b)|no|never|neither|nor|without|cannot|\w+n't"
    r"|unlikely|premature|too (?:early|soon)|rather than|instead of"
    r"|(?:rul(?:e[sd]?|ing) out|(?:refrain|abstain)(?:s|ed|ing)?|paus(?:e[sd]?|ing)"
    r"|(?:reject|avoid|oppos)(?:s|e[sd]?|ed|ing)?))\b"
)
_NEGATED_AFTER: Final = re.compile(
    r" (?:\w+n't|cannot|(?:is|are|was|were|be|been|will|would|has|have|had|remains?|seems?|looks?)"
    r"(?: [\w'-]+){0,2}? (?:not|no longer|never|unlikely|unnecessary|unwarranted|premature|over"
    r"|off the table|ruled out)|(?:not|no longer|unlikely))\b"
)
_HEDGED: Final = re.compile(
    r"\b(?:may|might|could|would|should|if|unless|until|whether|perhaps|possibly|potentially"
    r"|prepared|ready|discuss\w*|consider\w*|some|several|few)\b"
)
_QUOTES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-"})


class TextLeaning(NamedTuple):
    """The direction that a text leans in, and the confidence of the result."""

    leaning: Leaning
    confidence: float


NO_LEANING: Final = TextLeaning(Leaning.ABSTAINS, 0.0)
"""For a text without a listed phrase."""


class _Phrase(NamedTuple):
    """A listed phrase after negation and hedging: its pair, its side, its weight."""

    pair: int
    side: int
    weight: int


def stance_of(text: str) -> TextLeaning:
    """Up for a hawkish text, down for a dovish one, neutral for both or neither.

    Abstains if the text contains no listed phrase. Never fails on any text. Case and white space do
    not matter, and repeating a phrase does not raise the confidence.
    """
    heard: dict[tuple[int, int], int] = {}
    clauses = _clauses(text)
    for phrase in (phrase for clause in clauses for phrase in _phrases_in(clause)):
        key = (phrase.pair, phrase.side)
        heard[key] = max(heard.get(key, 0), phrase.weight)
    if not heard:
        stays = any(_NEITHER.search(clause) for clause in clauses)
        return TextLeaning(Leaning.NEUTRAL, _BALANCED) if stays else NO_LEANING
    total = sum(side * weight for (_, side), weight in heard.items())
    if total == 0:
        return TextLeaning(Leaning.NEUTRAL, _BALANCED)
    sure = min(MOST_CONFIDENCE, round(_LEAST + _STEP * abs(total), 2))
    return TextLeaning(Leaning.UP if total > 0 else Leaning.DOWN, sure)


def _clauses(text: str) -> list[str]:
    """The parts of a text that limit the scope of a negation or a hedge."""
    read = unicodedata.normalize("NFKC", text[:LONGEST_READ])[:LONGEST_READ]
    plain = " ".join(read.translate(_QUOTES).casefold().split())
    return [part.strip() for part in _CLAUSE_ENDS.split(plain)]


def _phrases_in(clause: str) -> Iterator[_Phrase]:
    """The listed phrases of a clause. A negated phrase counts half, for the other side; one that is
    negated twice, for its own. A hedged one counts half."""
    found = list(_LISTED.finditer(clause))
    hedged = bool(found) and _HEDGED.search(clause) is not None
    negations = [phrase.start() for phrase in _NEGATED_BEFORE.finditer(clause)] if found else []
    for number, phrase in enumerate(found):
        until = found[number + 1].start() if number + 1 < len(found) else len(clause)
        before = bisect_left(negations, phrase.start())
        negated = before + (_NEGATED_AFTER.match(clause, phrase.end(), until) is not None)
        name = phrase.lastgroup or ""
        side = 1 if name.startswith("up") else -1
        pair = int(name.removeprefix("up").removeprefix("down"))
        weight = _WEAKENED if hedged or negated else _PLAIN
        yield _Phrase(pair, -side if negated % 2 else side, weight)
