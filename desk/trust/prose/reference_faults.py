"""Finds references that do not fit their context: a form that does not fit the claim, or words
before it that contradict the claim.

References name their claims, so little English needs to be known: words of direction, `from … to
…`, `high` and `low`, units. A word of direction directly after a currency's name is compared with
the moves in the sentence, from that currency's side of the pair. A reference that prints the
currency with its verb needs none of this. Whether the sentence names what the claim is about is
checked by `desk.trust.prose.attribution`.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from desk.analytics.figures import WEEKDAYS, print_claim
from desk.analytics.names.currencies import names_of
from desk.analytics.names.markets import AREAS
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.trust.prose.references import (
    COUNTED,
    DOWN,
    PHRASES,
    REFERENCE,
    SIDES,
    UP,
    Form,
    Reference,
    currencies_of,
    found_in,
    has_name,
    has_sides,
    is_change,
    moves,
    side_before,
    side_of,
)
from desk.trust.prose.sentences import split_sentences

_FROM: Final = re.compile(r"\bfrom\s$")
_TO: Final = re.compile(r"\sto\s")
_END: Final = re.compile(r"\b(high|low)\s(?:of|at)\s$")
_LEVELS: Final = frozenset({Metric.LAST, Metric.PREVIOUS, Metric.POLICY_RATE, Metric.DECISION_RATE})
_OTHER_END: Final = {
    "high": frozenset({Metric.WINDOW_LOW, Metric.YEAR_LOW, Metric.BAND_LOW, Metric.EXPECTED_LOW}),
    "low": frozenset(
        {Metric.WINDOW_HIGH, Metric.YEAR_HIGH, Metric.BAND_HIGH, Metric.EXPECTED_HIGH}
    ),
}
_REACHED: Final = frozenset(
    {
        *(Metric.WINDOW_HIGH, Metric.WINDOW_LOW, Metric.YEAR_HIGH, Metric.YEAR_LOW),
        *(Metric.PRIOR_HIGH, Metric.PRIOR_LOW),
    }
)
_DATED: Final = frozenset({"highest", "lowest"})
"""Formulas of claims whose day is the one on which a level was reached. For other claims the day is
the last day of the series."""
_CODES: Final = {
    name.lower(): code for code in sorted(AREAS) for name in names_of(code) if code in AREAS
}
_SUBJECT: Final = re.compile(
    r"(?:^|[,;:(–—]\s?|\b(?:and|but|as|while|though|because|when|that)\s)(?:\w+\s)?(?:the\s)?"
    rf"(?P<name>{'|'.join(sorted(map(re.escape, _CODES), key=len, reverse=True))})"
    r"(?:\s(?:has|had|also|then|again|only|[a-z]+ly)){0,2}"
    rf"\s(?P<word>{'|'.join(f'{UP} {DOWN}'.split())})\b(?P<behind>[^,;.]{{0,40}})",
    re.IGNORECASE,
)
_UNIT_BEHIND: Final = re.compile(
    r"\s?(?:%|‰|(?:per\s?cent|pct|percentage\spoints?|basis[\s-]points?|bps?|pips?|sigmas?"
    r"|standard\sdeviations?)\b)",
    re.IGNORECASE,
)
_OF_A_DAY: Final = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})")


def has_its_day(claim: Claim) -> bool:
    """Returns whether a claim's day is the day of its figure, rather than the last day of the
    series."""
    return claim.metric not in _REACHED or claim.formula in _DATED


def faults(prose: str, claims: Mapping[str, Claim]) -> Iterator[tuple[Reference, str]]:
    """Yields the references that do not fit their context, with the reasons."""
    found = tuple(found_in(prose))
    for each in found:
        claim = claims.get(each.name)
        wrong = _wrong(each, claim, prose[: each.start]) or _unit_twice(each, claim, prose)
        if wrong:
            yield each, wrong
    for first, second in pairwise(found):
        start, end = claims.get(first.name), claims.get(second.name)
        spans = _FROM.search(prose, 0, first.start) and _TO.fullmatch(
            prose, first.end, second.start
        )
        if spans and start and end and _same_level(start, end) and start.as_of > end.as_of:
            yield second, "`from` leads to an earlier day than it comes from: exchange the two"
    start_of = 0
    for piece in split_sentences(prose):
        yield from _of_currencies(piece, start_of, claims)
        start_of += len(piece)


def _of_currencies(
    sentence: str, at: int, claims: Mapping[str, Claim]
) -> Iterator[tuple[Reference, str]]:
    """Yields the currencies whose direction in a sentence contradicts the moves it refers to. A
    word next to a weekday is about that day and is not compared."""
    named = [claims[each.name] for each in found_in(sentence) if each.name in claims]
    moved = [claim for claim in named if has_sides(claim)]
    if not moved:
        return
    text = REFERENCE.sub(lambda found: "\ufffc" * len(found[0]), sentence)
    for found in _SUBJECT.finditer(text):
        code, side = _CODES[found["name"].lower()], side_of(found["word"])
        own = [claim for claim in moved if code in (currencies_of(claim.subject) or ())]
        went = {_went(claim, code) for claim in own}
        if _OF_A_DAY.search(found["behind"]) or went - {-side, 0} or not went:
            continue
        start, end = at + found.start("name"), at + found.end("word")
        meant = own[-1]
        words = f"it goes the other way: {meant.subject} is {print_claim(meant)}"
        reference = Reference(meant.claim_id, Form.PLAIN, start, end)
        yield reference, f"{words}, and [[{meant.claim_id}|{code}]] prints the currency's verb"


def _unit_twice(each: Reference, claim: Claim | None, prose: str) -> str | None:
    """A unit that is written behind a reference, which prints its own."""
    behind = _UNIT_BEHIND.match(prose, each.end)
    if claim is None or behind is None or claim.unit is Unit.NUMBER:
        return None
    return f"it prints {print_claim(claim)}: leave `{behind[0].strip()}` behind it out"


def _went(claim: Claim, code: str) -> int:
    """Returns the direction of a currency, by the move of a pair with it."""
    side = (claim.value > 0) - (claim.value < 0)
    return side if claim.subject.startswith(code) else -side


def _counts_again(claim: Claim, before: str) -> bool:
    """Returns whether the reference before a count is another count of the same currencies."""
    earlier = [found.name for found in found_in(before)][-1:]
    same = {claim_id(claim.subject, metric) for metric in COUNTED}
    return claim.metric in COUNTED and not same.isdisjoint(earlier)


def _wrong(each: Reference, claim: Claim | None, before: str) -> str | None:
    if each.form is None:
        forms = ", ".join(f"|{form}" for form in Form if form)
        return f"there is no such form: the forms are {forms}"
    if claim is None:
        return None
    if each.form is Form.ALSO:
        again = _counts_again(claim, before)
        return None if again else "no count of the same stands before it: leave |also out"
    if each.form is Form.NAMED and not has_name(claim):
        return "it has no pair or bank to name: leave |named out"
    if claim.metric in PHRASES and each.form not in (Form.PLAIN, Form.DAY, Form.NAMED):
        return f"it brings its words along: leave |{each.form} out"
    if each.form is Form.DAY and not has_its_day(claim):
        return "when it was reached is not known: leave |day out"
    if each.form is Form.MOVED and not moves(claim):
        return f"a {claim.metric} does not move: leave |moved out"
    if each.form in SIDES and not has_sides(claim):
        return f"a {claim.metric} has no side of a pair: leave |{each.form} out"
    if each.form in (Form.PLAIN, Form.SIZE, Form.ABOUT) and is_change(claim):
        side = side_before(before, claim)
        if side * claim.value < 0 or (side and claim.value == 0):
            return f"the word before it goes the other way: it is {print_claim(claim)}"
    called = _END.search(before)
    if called and claim.metric in _OTHER_END[called[1]]:
        return f"it is no {called[1]}: it is a {claim.metric}"
    return None


def _same_level(start: Claim, end: Claim) -> bool:
    return start.subject == end.subject and {start.metric, end.metric} <= _LEVELS
