"""What is wrong with a reference at its place: a form that does not fit its claim, and words right
before it that say another thing than the claim.

References carry what they are, so little English has to be known: the words of direction, `from …
to …`, and `high` and `low`.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from desk.analytics.figures import print_claim
from desk.contracts.findings.claims import Claim, Metric
from desk.trust.prose.references import (
    PHRASES,
    Form,
    Reference,
    found_in,
    is_change,
    moves,
    side_before,
)

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


def faults(prose: str, claims: Mapping[str, Claim]) -> Iterator[tuple[Reference, str]]:
    """The references that do not fit their place, with the reasons."""
    found = tuple(found_in(prose))
    for each in found:
        if wrong := _wrong(each, claims.get(each.name), prose[: each.start]):
            yield each, wrong
    for first, second in pairwise(found):
        start, end = claims.get(first.name), claims.get(second.name)
        spans = _FROM.search(prose, 0, first.start) and _TO.fullmatch(
            prose, first.end, second.start
        )
        if spans and start and end and _same_level(start, end) and start.as_of > end.as_of:
            yield second, "`from` leads to an earlier day than it comes from: exchange the two"


def _wrong(each: Reference, claim: Claim | None, before: str) -> str | None:
    if each.form is None:
        forms = ", ".join(f"|{form}" for form in Form if form)
        return f"there is no such form: the forms are {forms}"
    if claim is None:
        return None
    if claim.metric in PHRASES and each.form not in (Form.PLAIN, Form.DAY):
        return f"it brings its words along: leave |{each.form} out"
    if each.form is Form.MOVED and not moves(claim):
        return f"a {claim.metric} does not move: leave |moved out"
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
