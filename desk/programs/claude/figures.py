"""The figures that a model may use on a task: the desk's claims, and those of tools' answers.

A model never writes a value. It writes the name of a claim, and is shown with each tool's answer
which claims that answer makes. A claim that it refers to, and that the desk has not made itself, is
adopted together with its inputs, and rests on the answer that gave it.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import Final

from desk.analytics.names.nearest import nearest
from desk.analytics.prices.price_view import LONGEST_WAIT
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric, days_named, names_of_spans
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.findings.source_results import History, RateDecisions
from desk.contracts.markets import MarketSpec
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.trust.claims.rate_claims import differential_areas, differential_claim
from desk.trust.ledger import (
    EvidenceUnusable,
    counted_within,
    given_by,
    of_its_days,
    verified_answer,
)
from desk.trust.ledger.events import news_in
from desk.trust.prose import Form, has_its_day, moves, printed

MOST_TOLD: Final = 80
"""The most claims that a model is shown with one answer."""


_IN_FORCE: Final = frozenset(
    {
        Metric.POLICY_RATE,
        Metric.TARGET_RANGE_LOW,
        Metric.TARGET_RANGE_HIGH,
        Metric.DIFFERENTIAL,
    }
)
"""Figures that hold up to their day; no change after that day is known."""

_RUNS: Final = frozenset({Metric.STREAK, Metric.LONGEST_RISE, Metric.LONGEST_FALL})


class Figures:
    """The claims of a task by name.

    `own` are the desk's claims, which stay unchanged. If two answers give one name different
    values, the first counts, and what the second computes from its own value is not offered.
    """

    def __init__(
        self, request: TurnRequest, own: Iterable[Claim] = (), named: Iterable[str] = ()
    ) -> None:
        self.own: Mapping[str, Claim] = _first_of_each(own)
        self.known: dict[str, Claim] = dict(self.own)
        self._request = request
        self._made: dict[str, dict[str, Claim]] = {}
        by_model = {r.evidence_id for each in request.exchanges if each.said for r in each.results}
        for answer in request.results:
            self._read(answer, counted=answer.evidence_id in by_model)
        for name in named:
            self._compute(name)

    def of(self, answer: ToolResult) -> tuple[Claim, ...]:
        """Returns the claims that an answer makes and that can be used by their names."""
        return tuple(self._made.get(answer.evidence_id, {}).values())

    def taken(self, names: Iterable[str]) -> tuple[Claim, ...]:
        """Returns the claims of these names that are not the desk's own, after the claims that they
        are computed from."""
        found: dict[str, Claim] = {}
        for name in names:
            for claim in self._with_inputs(name):
                if claim.claim_id not in self.own:
                    found.setdefault(claim.claim_id, claim)
        return tuple(found.values())

    def unknown(self, place: str, names: Iterable[str]) -> Iterator[str]:
        """Yields objections to unknown names, each with the nearest known ones."""
        for number, name in enumerate(names):
            if name not in self.known:
                yield f"{place}.{number}: {no_claim(name, self.known)}"

    def _read(self, answer: ToolResult, *, counted: bool) -> None:
        usable = self._usable(self._given(answer, counted=counted))
        for name, claim in usable.items():
            self.known.setdefault(name, claim)
        differential = self._differential()
        if differential is not None:
            self.known[differential.claim_id] = differential
            usable[differential.claim_id] = differential
        self._made[answer.evidence_id] = usable

    def _compute(self, name: str) -> None:
        """Computes a claim of the days in its name from the first answer that covers them."""
        for answer in self._request.results if name not in self.known else ():
            usable = self._usable(self._of_its_days(name, answer))
            told = {c.claim_id for c in reportable_claims((*self.known.values(), *usable.values()))}
            if name in usable and name in told:
                self.known.update({n: c for n, c in usable.items() if n not in self.known})
                return

    def _usable(self, claims: Iterable[Claim]) -> dict[str, Claim]:
        given = _first_of_each(claims)
        return {n: claim for n, claim in given.items() if self._holds(claim, given)}

    def _given(self, answer: ToolResult, *, counted: bool) -> tuple[Claim, ...]:
        """Returns what an answer gives by itself, and what is counted of its days."""
        window, specs = self._request.assignment.window, self._specs
        try:
            read = verified_answer(answer, window)
            if read is None and news_in(answer, window) is not None:
                return ()
            given = given_by(answer, read, specs, window)
            counts = counted_within(read, specs, answer.evidence_id) if counted else ()
        except EvidenceUnusable:
            return ()
        return (*given, *counts)

    def _of_its_days(self, name: str, answer: ToolResult) -> tuple[Claim, ...]:
        try:
            read = verified_answer(answer, self._request.assignment.window)
            if not _covers(answer, read, days_named(name)):
                return ()
            return of_its_days(name, read, self._specs, answer.evidence_id)
        except EvidenceUnusable:
            return ()

    @property
    def _specs(self) -> dict[str, MarketSpec]:
        markets = (*self._request.markets, self._request.assignment.market)
        return {spec.market: spec for spec in markets if spec}

    def _holds(self, claim: Claim, given: Mapping[str, Claim]) -> bool:
        """Returns whether neither the claim nor its inputs have another known value."""
        before = self.known.get(claim.claim_id, claim)
        if (before.value, before.as_of) != (claim.value, claim.as_of):
            return False
        inputs = (given.get(name) or self.known.get(name) for name in claim.inputs)
        return all(each is not None and self._holds(each, given) for each in inputs)

    def _differential(self) -> Claim | None:
        """Computes the differential of the task's market, once both of its rates are known and it
        is not."""
        task = self._request.assignment
        areas = differential_areas(task.market, task.base_area) if task.market else None
        if task.market is None or areas is None:
            return None
        if f"{task.market.market}:{Metric.DIFFERENTIAL}" in self.known:
            return None
        rates = [self.known.get(f"{area}:{Metric.POLICY_RATE}") for area in areas]
        return differential_claim(task.market, task.base_area, [each for each in rates if each])

    def _with_inputs(self, name: str) -> tuple[Claim, ...]:
        claim = self.known.get(name)
        if claim is None:
            return ()
        inputs = (each for part in claim.inputs for each in self._with_inputs(part))
        return tuple(dict.fromkeys((*inputs, claim)))


def figures_of(request: TurnRequest, own: AgentResult | None, said: str = "") -> Figures:
    """Returns what a model may refer to besides what its result contains; for a task without
    claims, nothing. What the model has `said` may name figures over any days that it has prices
    of: they are computed."""
    named = names_of_spans(said)
    if isinstance(own, ResearchResult):
        return Figures(request, own.claims, named)
    if isinstance(own, ValidationResult):
        found = (claim for finding in request.findings for claim in finding.claims)
        return Figures(request, (*found, *own.checks), named)
    return Figures(request.model_copy(update={"exchanges": ()}))


def _covers(result: ToolResult, answer: object, days: tuple[date, date] | None) -> bool:
    """Returns whether an answer has all prices of some days, but those of holidays at either end,
    or all decisions."""
    if days is None:
        return False
    match answer:
        case History(days=[first, *_, last]):
            return first - LONGEST_WAIT <= days[0] and days[1] <= last + LONGEST_WAIT
        case RateDecisions():
            start, end = (str(result.call.arguments.get(each, "")) for each in ("start", "end"))
            return bool(start) and start <= days[0].isoformat() and days[1].isoformat() <= end
        case _:
            return False


def _first_of_each(claims: Iterable[Claim]) -> dict[str, Claim]:
    found: dict[str, Claim] = {}
    for claim in claims:
        found.setdefault(claim.claim_id, claim)
    return found


def claims_for_model(
    claims: Iterable[Claim], months: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Formats claims for a model, the same everywhere: the reference to write, its printed form,
    the form with its verb if it has one, and its day, or the day up to which it is known. `months`
    has the claims, by area and day, of which only the month is known."""
    return {f"[[{claim.claim_id}]]": _figure_with_day(claim, months) for claim in claims}


def reportable_claims(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Yields the claims that are worth writing about: a run of one day is omitted, and so is a
    count of decisions without a hold, because of some banks the sources list changes only."""
    claims = tuple(claims)
    changes = (claim for claim in claims if claim.metric is Metric.DECISION_CHANGE)
    held = {claim.claim_id for claim in changes if not claim.value}
    for claim in claims:
        of_changes = claim.metric is Metric.DECISIONS_WITHIN and held.isdisjoint(claim.inputs)
        if not of_changes and (claim.metric not in _RUNS or abs(claim.value) > 1):
            yield claim


def _figure_with_day(claim: Claim, months: Mapping[str, str]) -> str:
    forms = [printed(claim, Form.PLAIN)]
    if moves(claim):
        forms.append(f"|moved: {printed(claim, Form.MOVED)}")
    day = claim.as_of.isoformat()
    if month := months.get(f"{claim.subject}@{day}"):
        day = f"{month}, on a day that is not known"
    elif not has_its_day(claim) or claim.metric in _IN_FORCE:
        day = f"up to {day}"
    return "; ".join((*forms, day))


def no_claim(name: str, known: Iterable[str]) -> str:
    """Says that a name is unknown, with the nearest known ones."""
    near = ", ".join(f"[[{each}]]" for each in nearest(name, tuple(known)))
    return f"unknown name{f'; the nearest are {near}' if near else ''}"
