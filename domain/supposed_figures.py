"""Whether a written figure is only supposed: `if inflation falls to 2.7 %`, `a cut of 50 bp would`.

Such a figure is nobody's finding. One of an event that is known is none of these, however it is
told: `if the fall to 2.7 % lasts`, `if inflation at 2.7 % persists`.
"""

import re
from typing import Final

from domain.number_reading import WrittenNumber
from domain.trigger_levels import LATELY, last_clause, suppositions

_WORDS: Final = r"(?:(?!(?:that|which|who|whose|with|at|of|by|after|since)\b)[\w'’./&-]+\s)"
_ROOTS: Final = (
    r"(?:fall|drop|slip|slide|decline|sink|dip|ease|slow|cool|rise|climb|jump|pick\sup|accelerate"
    r"|move|go|get|come\sin|print|land|surge|spike|widen|narrow|shrink|grow|gain|lose|weaken"
    r"|strengthen|recover|rebound|retreat|cut|hike|raise|lower|tighten|increase|reduce|close|settle"
    r"|trade|head|break|exceed|top|reach|hit|surpass|cross|touch|deliver)"
)
_THIRD: Final = (
    r"(?:falls|drops|slips|slides|declines|sinks|dips|eases|slows|cools|rises|climbs|jumps"
    r"|picks\sup|accelerates|moves|goes|gets|comes\sin|prints|lands|surges|spikes|widens|narrows"
    r"|shrinks|grows|gains|loses|weakens|strengthens|recovers|rebounds|retreats|cuts|hikes|raises"
    r"|lowers|tightens|increases|reduces|closes|settles|trades|heads|breaks|exceeds|tops|reaches"
    r"|hits|surpasses|crosses|touches|delivers)"
)
_PAST: Final = (
    r"(?:fell|dropped|slipped|slid|declined|sank|dipped|eased|slowed|cooled|rose|climbed|jumped"
    r"|picked\sup|accelerated|moved|went|came\sin|printed|landed|surged|spiked|widened|narrowed"
    r"|shrank|grew|gained|lost|weakened|strengthened|recovered|cut|hiked|raised|lowered|tightened"
    r"|increased|reduced|closed|settled|traded|broke|exceeded|topped|reached|hit|crossed|delivered)"
)
_PLURAL: Final = r"(?:[a-z]{2,}(?<!s)s|they|we|you)\s"
"""Whose verb has the form of the root: `if yields fall to`, but not `if the rate cut to`."""

_WAY: Final = (
    r"(?:\s(?:its|the|their|key|policy|interest|bank|cash|target|rates?|back|again|further|sharply"
    r"|down|up|only|even|out|\w+ly)){0,5}"
    r"(?:\s(?:to|by|at|above|below|over|under|through|past|beyond|beneath|as\s(?:low|high)\sas"
    r"|(?:north|south)\sof|more\sthan|less\sthan|at\sleast))?"
    r"(?:\s(?:to|by|above|below|another|about|around|some|only|just|a|an|the|full|over|under)){0,2}"
    r"\s(?:[A-Z]{0,2}[$€£¥₩₹])?(?:[+-]?\d[\d.,]*\s?(?:%|bps?)?\s?(?:-|–|to|or)\s?)?$"
)
_COMES: Final = re.compile(
    rf"\s{_WORDS}{{0,8}}?(?:{_THIRD}|{_PLURAL}{_ROOTS}|(?:were|was|is|are)\sto\s{_ROOTS}"
    rf"|(?:is|are|gets?)\s(?:cut|raised|lowered|reduced|increased|hiked|lifted|pushed|revised)){_WAY}",
    re.IGNORECASE,
)
_SHOULD_COME: Final = re.compile(rf"\s{_WORDS}{{1,8}}?{_ROOTS}{_WAY}", re.IGNORECASE)
_CAME: Final = re.compile(rf"\s{_WORDS}{{1,8}}?{_PAST}{_WAY}", re.IGNORECASE)
_WOULD: Final = re.compile(r"\b(?:would|could|might)\b", re.IGNORECASE)
_TOLD: Final = re.compile(
    r"\s(?:was|were|is|are|has|have|had|holds?|lasts?|persists?|fades?|proves?|proved|sticks?|stuck"
    r"|matters?|stands?|stays?|remains?)\b",
    re.IGNORECASE,
)
"""A verb behind a figure, which makes what stood before it a known event."""

_DATED: Final = re.compile(
    r"[,\s]*(?:last\s|yesterday|earlier|overnight|on\s[A-Z]|in\s[A-Z]|as\s|this\s(?:week|morning))"
)
_LONGEST_CLAUSE: Final = 160
_MOVE: Final = (
    r"[\s-](?:rate\s|policy\s|further\s)?"
    r"(?:cut|hike|move|step|rise|fall|increase|drop|gain|loss|slide|rally)"
)
_A: Final = (
    r"^\W*(?:(?:and|but|then|yet|only|even|while|as|because|so|though|although)\s)?"
    r"(?:an?|any|another)\s"
)
_IMAGINED: Final = re.compile(
    rf"{_A}(?:[\w'’./&-]+\s){{1,5}}?(?:of|to|above|below|over|under|beyond)\s"
    r"(?:(?:about|around|another|some)\s)?$",
    re.IGNORECASE,
)
_WOULD_NEXT: Final = re.compile(r"\s(?:(?:\w+ly|also|then|probably|surely)\s)?would\b")
_A_SIZE: Final = re.compile(rf"{_A}(?:[a-z]+\s)?$", re.IGNORECASE)
_MOVE_NEXT: Final = re.compile(
    rf"{_MOVE}(?:\s(?:by|from|at)\s(?:the\s)?[A-Za-z]+)?\s(?:would|cannot\sbe|is\sunlikely)\b"
)
_EACH: Final = re.compile(r"\b(?:every|each)\s(?:[A-Z]{0,2}[$€£¥₩₹])?$", re.IGNORECASE)
_MOVE_OF_EACH: Final = re.compile(rf"{_MOVE}\b")
_ONCE: Final = re.compile(
    r"\b(?:until|once(?!\s(?:again|more)\b)|when(?:ever)?|as\ssoon\sas|provided|assuming)\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"\s(?:and|or)\s")
_COMMA: Final = re.compile(r",(?!\d)|[;:()—]|\s[–-]\s")


def is_supposed(text: str, number: WrittenNumber, start: int, end: int) -> bool:
    """Whether a number within the sentence from `start` to `end` is what something would come to
    or change by, and says nothing of what it did.

    It stands after an `if`, `unless` or `should` with a verb of change of its own before it; one in
    the past tense needs a would beside it. Or it belongs to `a` or `any` event that would do
    something.
    """
    before = text[max(start, number.written_at - _LONGEST_CLAUSE) : number.written_at]
    after = text[number.end : end]
    if _TOLD.match(after) or LATELY.match(after):
        return False
    if _is_imagined(last_clause(before), text[number.written_at : number.end], after):
        return True
    unreal = _WOULD.search(text, start, end) is not None and not _DATED.match(after)
    clause = _COMMA.split(before)[-1]
    if any(_COMES.fullmatch(_last_part(clause, found)) for found in _ONCE.finditer(clause)):
        return True
    return any(
        _comes(_last_part(clause, found), found[0], unreal=unreal) for found in suppositions(clause)
    )


def _last_part(clause: str, found: re.Match[str]) -> str:
    """What follows the word of a condition, or the last of what is joined there: `if growth slows
    and inflation falls to`."""
    return f" {_PART.split(clause[found.end() :].strip())[-1]} "


def _is_imagined(clause: str, written: str, after: str) -> bool:
    """Whether a figure belongs to an event that nobody has seen: `a 50 bp cut would`."""
    if _IMAGINED.match(clause) and _WOULD_NEXT.match(after):
        return True
    if _EACH.search(clause) and _MOVE_OF_EACH.match(after):
        return True
    sized = _A_SIZE.match(clause) or (not clause.strip() and written.lower().startswith("a "))
    return bool(sized and _MOVE_NEXT.match(after))


def _comes(rest: str, word: str, *, unreal: bool) -> bool:
    """Whether what follows an `if` reaches the figure by a verb of change."""
    if _COMES.fullmatch(rest):
        return True
    if "should" in word.lower() or word.lower().endswith("to"):
        return any(_SHOULD_COME.fullmatch(whole) for whole in (rest, f" it{rest}"))
    return unreal and _CAME.fullmatch(rest) is not None
