"""Derives every claim again, only from the evidence and inputs that it names."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from pydantic import JsonValue

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.analytics.figures import print_figure, print_full_day
from desk.analytics.names.markets import pair_by_name
from desk.analytics.prices.series import window_days
from desk.analytics.units import UNITS
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric, claim_id, span_days
from desk.contracts.findings.verdicts import ClaimCheck
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.weeks import TimeWindow
from desk.trust.claims.rate_claims import (
    IN_A_ROW,
    differential_areas,
    differential_claim,
)
from desk.trust.claims.recompute import InputsUnusable, at_precision_of, recompute
from desk.trust.ledger.derivation import FORMULAS, given_by, of_its_days
from desk.trust.ledger.evidence import (
    Answer,
    EvidenceUnusable,
    answers_for,
    is_about,
    verified_answer,
    window_of,
)

_INSTANT: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?|\d{1,2}:\d{2}")

_NUMBER: Final = re.compile(r"(?<![\w.])[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?![\d.]*\d)")

_OF_TWO_AREAS: Final = frozenset(
    {Metric.DIFFERENTIAL, Metric.YIELD_DIFFERENTIAL, Metric.YIELD_DIFFERENTIAL_CHANGE}
)
"""Metrics of a market whose evidence is about areas."""

DATED: Final = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE, *IN_A_ROW.values()})
"""Metrics that can occur several times in a window, so that their ids include the day."""


class FailedCheck(NamedTuple):
    """Why a claim does not follow from its evidence: the failed check, and an explanation."""

    check: ClaimCheck
    words: str


class _EvidenceRead(NamedTuple):
    """A piece of evidence and the claims that it gives, by id. `answer` is None if its shape is not
    one of the desk's own."""

    result: ToolResult
    answer: Answer | None
    gives: Mapping[str, tuple[Claim, ...]]


def _has_own_digits(spec: MarketSpec) -> bool:
    """Returns whether a pair is quoted with other digits than its name implies."""
    return spec.kind is MarketKind.PAIR and pair_by_name(spec.market).digits != spec.digits


class Ledger:
    """The evidence of some markets, and the claims that follow from it.

    Each tool result is parsed once. `base_area` is the area that rate differentials are computed
    against. If two different results share an id, neither is evidence.

    `due` is the end of the horizon of a stock's recommendation. Claims about its outcome rest on
    answers for that instant, and no other claims do.
    """

    def __init__(
        self,
        specs: Iterable[MarketSpec],
        window: TimeWindow,
        base_area: str,
        evidence: Iterable[ToolResult],
        due: datetime | None = None,
    ) -> None:
        self._due = due
        self._specs = {spec.market: spec for spec in specs}
        self._own_digits = [name for name, spec in self._specs.items() if _has_own_digits(spec)]
        self._window = window
        self._base_area = base_area
        self._results: dict[str, ToolResult] = {}
        self._ambiguous: set[str] = set()
        self._readings: dict[str, _EvidenceRead | str] = {}
        for result in evidence:
            held = self._results.setdefault(result.evidence_id, result)
            if (held.content_hash, held.call) != (result.content_hash, result.call):
                self._ambiguous.add(result.evidence_id)

    def failed_check(self, claim: Claim, claims: Mapping[str, Claim]) -> FailedCheck | None:
        """Returns the first check that a claim fails, or None if it follows from its evidence.

        `claims` are those that it may name as inputs, by id. A derived claim is recomputed from
        them and from the evidence. It fails with an input that fails.
        """
        try:
            self._check_identity(claim)
            readings = [self._reading(evidence_id) for evidence_id in claim.evidence]
            self._check_subject(claim, readings)
            if claim.metric is Metric.DIFFERENTIAL:
                self._check_differential(claim, claims)
            else:
                self._check_figure(claim, readings)
            self._check_inputs(claim, claims)
        except _FailsCheck as failed:
            return FailedCheck(failed.check, f"{claim.claim_id}: {failed}"[:4_000])
        return None

    def _check_identity(self, claim: Claim) -> None:
        day = claim.as_of if claim.metric in DATED else None
        expected = claim_id(claim.subject, claim.metric, day)
        if claim.claim_id != expected and not _is_named_by_evidence(claim):
            same = claim.claim_id.partition("@")[0] == expected.partition("@")[0]
            check = ClaimCheck.DATE if same else ClaimCheck.EVIDENCE
            raise _FailsCheck(check, f"what it states is {expected}")
        if claim.unit is not UNITS[claim.metric]:
            counted = f"{claim.metric} is counted in {UNITS[claim.metric]}, not in {claim.unit}"
            raise _FailsCheck(ClaimCheck.UNIT, counted)
        if not claim.evidence:
            raise _FailsCheck(ClaimCheck.EVIDENCE, "it names no evidence")

    def _reading(self, evidence_id: str) -> _EvidenceRead:
        reading = self._readings.get(evidence_id)
        if reading is None:
            reading = self._readings[evidence_id] = self._read(evidence_id)
        if isinstance(reading, str):
            raise _FailsCheck(ClaimCheck.EVIDENCE, f"{evidence_id}: {reading}")
        return reading

    def _read(self, evidence_id: str) -> _EvidenceRead | str:
        """Returns the evidence with an id, or why it is unusable."""
        result = self._results.get(evidence_id)
        if result is None:
            return "there is no such tool result"
        if evidence_id in self._ambiguous:
            return "two different tool results go by this id"
        try:
            answer = verified_answer(result, self._window, self._due)
            window = window_of(result, self._window, self._due)
            derived = given_by(result, answer, self._specs, window)
            others = [pair for pair in self._own_digits if not evidence_id.startswith(f"{pair}/")]
            if answer and any(is_about(answer, pair) for pair in others):
                # An agent on another market does not know that this pair has digits of its own.
                derived += given_by(result, answer, {}, window)
        except EvidenceUnusable as unusable:
            return str(unusable)
        gives: dict[str, tuple[Claim, ...]] = {}
        for claim in derived:
            if not self._is_of_its_time(claim, result):
                continue
            gives[claim.claim_id] = (*gives.get(claim.claim_id, ()), claim)
        return _EvidenceRead(result, answer, gives)

    def _is_of_its_time(self, claim: Claim, result: ToolResult) -> bool:
        """Returns whether a figure of a recommendation's outcome comes from an answer for the
        horizon, and any other figure from an answer for the as-of instant."""
        evaluates = self._due is not None and claim.metric in EVALUATION_METRICS
        return evaluates is answers_for(result, self._due)

    def _check_subject(self, claim: Claim, readings: Iterable[_EvidenceRead]) -> None:
        wanted = {claim.subject}
        if claim.metric is Metric.STATED:
            return
        if claim.metric in _OF_TWO_AREAS:
            wanted = set(self._areas_of(claim))
        for reading in readings:
            if reading.answer is not None:
                about = any(is_about(reading.answer, subject) for subject in wanted)
            else:
                about = any(_is_about(reading.result, subject) for subject in wanted)
            if not about:
                words = f"{reading.result.evidence_id} is not about {' or '.join(sorted(wanted))}"
                raise _FailsCheck(ClaimCheck.EVIDENCE, words)

    def _areas_of(self, claim: Claim) -> tuple[str, str]:
        spec = self._specs.get(claim.subject)
        areas = differential_areas(spec, self._base_area) if spec else None
        if areas is None:
            raise _FailsCheck(
                ClaimCheck.FORMULA, f"{claim.subject} has no pair of rates to compare"
            )
        return areas

    def _check_figure(self, claim: Claim, readings: Iterable[_EvidenceRead]) -> None:
        """Accepts a claim that one piece of its evidence gives, and none gives differently."""
        given = 0
        for reading in readings:
            if reading.answer is None and not _is_named_by_evidence(claim):
                self._check_literally(claim, reading)
                given += 1
            elif derived := self._given(reading, claim):
                _compare_with_any(claim, derived)
                given += 1
        if not given:
            words = f"{', '.join(claim.evidence)} gives no {claim.metric} of {claim.subject}"
            dated = claim.metric in DATED
            raise _FailsCheck(ClaimCheck.DATE if dated else ClaimCheck.VALUE, words)

    def _given(self, reading: _EvidenceRead, claim: Claim) -> tuple[Claim, ...]:
        """Returns what a piece of evidence gives under a claim's name, including totals and moves
        within the days in the name."""
        if given := reading.gives.get(claim.claim_id):
            return given
        try:
            asked = of_its_days(
                claim.claim_id, reading.answer, self._specs, reading.result.evidence_id
            )
        except EvidenceUnusable as unusable:
            raise _FailsCheck(ClaimCheck.EVIDENCE, str(unusable)) from unusable
        return tuple(each for each in asked if each.claim_id == claim.claim_id)

    def _check_literally(self, claim: Claim, reading: _EvidenceRead) -> None:
        """Accepts a figure that a third-party answer contains, or that follows from such claims."""
        if not self._is_of_its_time(claim, reading.result):
            words = f"{reading.result.evidence_id} answers for another instant"
            raise _FailsCheck(ClaimCheck.DATE, words)
        _, last_day = window_days(window_of(reading.result, self._window, self._due))
        if claim.as_of > last_day:
            raise _FailsCheck(ClaimCheck.DATE, "its day is after the as-of instant")
        formula, metrics = FORMULAS.get(claim.metric, (None, ()))
        inputs = tuple(claim_id(claim.subject, metric) for metric in metrics)
        if formula and (claim.formula, claim.inputs) == (formula, inputs):
            return
        if claim.formula in {None, "highest", "lowest"} and not claim.inputs:
            if claim.value.as_tuple().exponent in range(-24, 1) and _states(
                reading.result.content, claim.value
            ):
                return
            words = f"{_printed(claim)} does not stand in {reading.result.evidence_id}"
            raise _FailsCheck(ClaimCheck.VALUE, words)
        raise _FailsCheck(ClaimCheck.FORMULA, f"{claim.formula} cannot be followed in its evidence")

    def _check_differential(self, claim: Claim, claims: Mapping[str, Claim]) -> None:
        """Compares a claim with the differential of the rates that it names, which must be accepted
        themselves."""
        expected = tuple(claim_id(area, Metric.POLICY_RATE) for area in self._areas_of(claim))
        if claim.inputs != expected:
            raise _FailsCheck(ClaimCheck.FORMULA, f"its inputs are {' and '.join(expected)}")
        rates = [claims[name] for name in expected if name in claims]
        derived = differential_claim(self._specs[claim.subject], self._base_area, rates)
        if derived is None:
            raise _FailsCheck(ClaimCheck.FORMULA, "one of its rates is no claim")
        for rate in rates:
            fallen = self.failed_check(rate, claims)
            if fallen:
                raise _FailsCheck(fallen.check, f"it rests on a rate that fails: {fallen.words}")
        if not all(self._rests_on(rate, claim) for rate in rates):
            raise _FailsCheck(ClaimCheck.EVIDENCE, "it does not name the evidence of its rates")
        _compare_with_any(claim, (derived,))

    def _rests_on(self, rate: Claim, claim: Claim) -> bool:
        """Returns whether a claim names a rate's evidence, or other evidence with the same rate:
        two agents may each have called for it."""
        if set(rate.evidence) <= set(claim.evidence):
            return True
        readings = (self._reading(evidence_id) for evidence_id in claim.evidence)
        given = (each for reading in readings for each in reading.gives.get(rate.claim_id, ()))
        return any(_difference(rate, each) is None for each in given)

    def _check_inputs(self, claim: Claim, claims: Mapping[str, Claim]) -> None:
        spec = self._specs.get(claim.subject)
        try:
            expected = recompute(claim, claims, spec.band if spec else None)
        except InputsUnusable as unusable:
            raise _FailsCheck(ClaimCheck.FORMULA, str(unusable)) from unusable
        if expected is not None and expected != claim.value:
            words = f"{claim.formula} of its inputs gives {_written(expected, claim)}"
            raise _FailsCheck(ClaimCheck.FORMULA, f"{words}, not {_printed(claim)}")


def _is_named_by_evidence(claim: Claim) -> bool:
    """Returns whether a claim's name contains more than subject, metric and day: the path of a
    stated number, or the days of a span. Then only the evidence determines whether the name is
    right."""
    if claim.metric is Metric.STATED:
        return True
    named = claim.claim_id.startswith(f"{claim_id(claim.subject, claim.metric)}.")
    return named and span_days(claim) is not None


def _states(content: JsonValue, value: Decimal) -> bool:
    """Returns whether a number in the content equals the value, at the value's precision.

    Numbers are read from JSON numbers and from strings. Days and times of day do not count.
    """
    return any(_is(number, value) for number in _numbers(content))


def _is_about(result: ToolResult, subject: str) -> bool:
    """Returns whether the call's arguments or its content name a pair or an area.

    A pair may also be named by its letters alone, or by its two currencies in order.
    """
    words = [*_strings(dict(result.call.arguments)), *_strings(result.content)]
    spellings = {subject, subject.replace("/", ""), subject.replace("/", "-")}
    found = any(_has_word(word, spelling) for word in words for spelling in spellings)
    return found or all(any(_has_word(w, code) for w in words) for code in subject.split("/"))


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![A-Z]){re.escape(word)}(?![A-Z])", text) is not None


def _is(number: Decimal, value: Decimal) -> bool:
    try:
        return at_precision_of(value, number) == value
    except InvalidOperation:
        return False


def _numbers(content: JsonValue) -> Iterator[Decimal]:
    for leaf in _leaves(content):
        if isinstance(leaf, str):
            for match in _NUMBER.finditer(_INSTANT.sub(" ", leaf)):
                yield Decimal(match.group().replace(",", "").replace("−", "-"))
        elif isinstance(leaf, int | float) and not isinstance(leaf, bool):
            yield Decimal(str(leaf))


def _strings(content: JsonValue) -> list[str]:
    keys = [key for part in _parts(content) if isinstance(part, Mapping) for key in part]
    return [*keys, *(leaf for leaf in _leaves(content) if isinstance(leaf, str))]


def _leaves(content: JsonValue) -> Iterator[JsonValue]:
    return (part for part in _parts(content) if not isinstance(part, dict | list))


def _parts(content: JsonValue) -> Iterator[JsonValue]:
    """Yields the content and everything in it. Not recursive, because a server may send deeply
    nested data."""
    waiting: list[JsonValue] = [content]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


class _FailsCheck(Exception):
    def __init__(self, check: ClaimCheck, words: str) -> None:
        super().__init__(words)
        self.check = check


def _compare_with_any(claim: Claim, derived: tuple[Claim, ...]) -> None:
    """Accepts a claim on any of several decisions that a source records for one day."""
    failures = [_difference(claim, candidate) for candidate in derived]
    if None not in failures:
        first = next(failed for failed in failures if failed)
        raise _FailsCheck(*first)


def _difference(claim: Claim, derived: Claim) -> FailedCheck | None:
    if claim.as_of != derived.as_of:
        days = f"{print_full_day(derived.as_of)}, not {print_full_day(claim.as_of)}"
        return FailedCheck(ClaimCheck.DATE, f"the evidence gives the day {days}")
    if (claim.formula, claim.inputs) != (derived.formula, derived.inputs):
        words = f"{_recipe(derived)}, not {_recipe(claim)}"
        return FailedCheck(ClaimCheck.FORMULA, f"it is computed as {words}")
    if _exactly(claim.value) != _exactly(derived.value):
        words = f"{_printed(derived)}, not {_printed(claim)}"
        return FailedCheck(ClaimCheck.VALUE, f"the evidence gives {words}")
    return None


def _exactly(value: Decimal) -> tuple[Decimal, int | str]:
    return value, value.as_tuple().exponent


def _recipe(claim: Claim) -> str:
    return f"{claim.formula or 'read'} of {', '.join(claim.inputs) or 'the evidence'}"


def _printed(claim: Claim) -> str:
    return _written(claim.value, claim)


def _written(value: Decimal, claim: Claim) -> str:
    if claim.metric is Metric.STREAK:
        return f"{value:+f} days"
    return print_figure(value, claim.unit)
