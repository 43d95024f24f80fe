"""How specialists of a swarm call their tools and read the answers.

This includes the further calls and figures that the form of the objective needs.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Final, TypeVar

from pydantic import JsonValue

from desk.agents.capabilities import usual_route
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.analytics.names.markets import market_in_a_sentence
from desk.analytics.names.periods import SpanNamed
from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, DataSource
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.analysis import Analysis, Signal
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.source_results import DecisionCalendar, SourceResult
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.builtin.evidence import (
    Evidence,
    ask,
    consult,
    is_offered,
    market_of,
    read,
    unanswered,
)
from desk.programs.swarm.conclusion.wording import plain, within
from desk.programs.swarm.objectives.form import ObjectiveForm, first_day
from desk.programs.swarm.objectives.matching import form_of
from desk.programs.swarm.objectives.registry import FORMS
from desk.programs.swarm.run.assignments import BESIDE
from desk.programs.swarm.tasks import SPECIALIST_TASKS
from desk.trust.claims.analysis_claims import analysis_claims, mark_claims
from desk.trust.claims.rate_claims import next_decision_claims

LOOKS_AHEAD: Final = timedelta(days=90)
"""How far ahead a calendar is requested: banks meet every six to thirteen weeks."""


def calls_for_the_form(request: TurnRequest) -> dict[Capability, Mapping[str, JsonValue]]:
    """Returns the further calls that the form of the objective needs; none if they belong to
    another specialist."""
    form = _own_form(request)
    asks = _asks_of(form, request) if form is not None else _asked_for_any_form(request)
    found = ((capability, _arguments(request, capability)) for capability in asks)
    return {capability: arguments for capability, arguments in found if arguments is not None}


def _asks_of(form: ObjectiveForm, request: TurnRequest) -> tuple[Capability, ...]:
    """Returns the calls that a form needs, including those for another span than its own if the
    objective names one."""
    asks = (*form.asks, Capability.STANDING) if _span_asked(request) else form.asks
    return tuple(dict.fromkeys(asks))


def _span_asked(request: TurnRequest) -> SpanNamed | None:
    form, query = _own_form(request), request.assignment.query
    return form.span_asked(query) if form is not None and form.spans and query else None


def _asked_for_any_form(request: TurnRequest) -> tuple[Capability, ...]:
    """Returns the calls for the figures by which most forms decide, if a concluding model may name
    the form."""
    if not _may_be_named(request) or not is_offered(request.assignment, Capability.STANDING):
        return ()
    return (Capability.STANDING,)


def _may_be_named(request: TurnRequest) -> bool:
    """Returns whether a model may say which form the objective has."""
    query = request.assignment.query
    return query is not None and request.model != BUILTIN and form_of(query).form is None


def answers_for_the_form(request: TurnRequest) -> dict[Capability, type[SourceResult]]:
    """Returns the types of the answers to those calls."""
    return {
        capability: DecisionCalendar if capability is Capability.DECISION_CALENDAR else Analysis
        for capability in calls_for_the_form(request)
    }


def figures_of_the_form(
    request: TurnRequest, answer: SourceResult, evidence_id: str
) -> tuple[Claim, ...]:
    """Returns the claims in such an answer; none if it is about another market."""
    market = request.assignment.market
    match answer:
        case DecisionCalendar():
            return next_decision_claims(answer, request.assignment.window, evidence_id)
        case Analysis() if market is not None and answer.symbol in (market.market, *market.areas):
            return analysis_claims(answer, evidence_id)
        case _:
            return ()


def gaps_of(answer: SourceResult) -> tuple[str, ...]:
    """Returns what such an answer reports as missing."""
    if isinstance(answer, DecisionCalendar):
        return tuple(f"decision calendar: {words}" for words in answer.missing.values())
    return answer.missing if isinstance(answer, Analysis) else ()


def marks_of_the_form(request: TurnRequest, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Returns the thresholds by which the form decides, for the available figures; all thresholds
    if a concluding model may name the form."""
    query = request.assignment.query
    form = form_of(query).form if query else None
    if form is None:
        return tuple(mark_claims(claims)) if _may_be_named(request) else ()
    decides = {*form.decides, *(FORMS[form.mirror].decides if form.mirror else ())}
    return tuple(claim for claim in mark_claims(claims) if claim.metric in decides)


def _own_form(request: TurnRequest) -> ObjectiveForm | None:
    """Returns the form of the objective, if its figures belong to this specialist or to the one
    that it replaces."""
    query = request.assignment.query
    form = form_of(query).form if query is not None else None
    if form is None or SPECIALIST_TASKS[form.agents[0]] != request.assignment.task_type:
        return None
    return form


def _arguments(request: TurnRequest, capability: Capability) -> Mapping[str, JsonValue] | None:
    task = request.assignment
    market, query = task.market, task.query
    if market is None or query is None:
        return None
    match capability:
        case Capability.CO_MOVEMENT:
            beside = query.parameters.get(BESIDE, "").split(", ")[0]
            return {"symbol": market.market, "other": beside} if beside else None
        case Capability.DECISION_CALENDAR:
            if market.kind is not MarketKind.PAIR or not market.areas:
                return None
            return calendar_asked(market, task.window)
        case Capability.STANDING if (span := _span_asked(request)) is not None:
            since = first_day(span, task.window)
            return {"symbol": market.market, "since": since.isoformat()}
        case _:
            return {"symbol": market.market}


def calendar_asked(market: MarketSpec, window: TimeWindow) -> Mapping[str, JsonValue]:
    """Returns the arguments of the call for the next decisions of the banks of a pair."""
    _, last_day = window_days(window)
    return {
        "areas": [*market.areas],
        "start": last_day.isoformat(),
        "end": (last_day + LOOKS_AHEAD).isoformat(),
    }


UNSAID: Final = "something could not be computed"

_OUT_OF_DATE: Final = re.compile(
    r"\bthe table has the decisions of (?P<bank>.+?) up to (?P<day>\S+) only", re.I
)
_ENDED: Final = re.compile(
    r"the prices of \S+ end on (?P<day>\S+),.* up to (?P<until>[^\s,;]+)", re.I
)
_NOT_LIVE: Final = re.compile(r"without --live", re.I)
_TOLD: Final = (
    (
        re.compile(r"\badx\b.*no highs and lows", re.I),
        "the strength of its trend (ADX), which takes highs and lows; it has closes only.",
    ),
    (
        re.compile(r"no story of .+ holds a listed word", re.I),
        "the tone of its news: none of them has a word that the lists know.",
    ),
    (
        re.compile(r"no story of .+ was found: there is no tone", re.I),
        "the tone of its news: no story of it was found.",
    ),
    (
        re.compile(r"\bfewer than \d+ besides .+ have prices", re.I),
        "how its group has done: too few others of it have prices.",
    ),
    (
        re.compile(r"more patterns are counted", re.I),
        "further chart patterns, which are counted and not listed one by one.",
    ),
)
_TOO_FEW: Final = re.compile(r"\w+: (?:[^:]+: )?it needs \d+ days with prices", re.I)
_BETWEEN_CLAUSES: Final = re.compile(r"[:;,]\s")
_OF_A_METRIC: Final = re.compile(r"(?P<metric>[a-z0-9_]+):")
_METRICS: Final = {
    Metric.SMA_50: "its medium-term average",
    Metric.SMA_200: "its long-term average",
}
"""Metrics whose names contain a figure, as prose writes them."""
_NAMES: Final = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")


def data_gap_words(market: str, words: str) -> str:
    """Describes what a market lacks, from a tool's words. A gap that concerns no single market,
    such as a bank's later decisions, has no market's name, so that it is printed only once."""
    outdated = _OUT_OF_DATE.search(words)
    if outdated:
        bank, day = named_in_a_sentence(outdated["bank"]), outdated["day"]
        return plain(f"Decisions of {bank} after {day} are not known here.", UNSAID)
    if _NOT_LIVE.search(words):
        return "News of the banks and of publishers were not read: the desk ran without live news."
    return f"{market}: {_on_market(words)}"


def _on_market(words: str) -> str:
    ended = _ENDED.search(words)
    if ended:
        day, until = ended["day"], ended["until"]
        return plain(f"its prices end on {day}; ask as of a day up to {until}.", UNSAID)
    told = next((said for pattern, said in _TOLD if pattern.search(words)), None)
    if told:
        return told
    what = _metric_in(words)
    if what and _TOO_FEW.match(words):
        return f"{what}: it takes more days with prices than are known."
    instead = f"{what} could not be computed." if what else UNSAID
    line = plain(_NAMES.sub(lambda name: name[0].replace("_", " "), words), instead)
    return within(line)


def _metric_in(words: str) -> str | None:
    """Returns the metric that a tool's words start with, as prose names it; None without one."""
    found = _OF_A_METRIC.match(words)
    if found is None or found["metric"] not in set(Metric):
        return None
    metric = Metric(found["metric"])
    return _METRICS.get(metric) or metric.replace("_", " ")


Questions = Mapping[Capability, Mapping[str, JsonValue]]
"""Calls by capability, with their arguments besides the instant."""

Answer = TypeVar("Answer", bound=SourceResult)

MOST_LINES: Final = 20
"""The maximum number of missing items of a result, and of its warnings."""


@dataclass(frozen=True, slots=True)
class SpecialistReading:
    """What a specialist's tools answered about its market.

    `known` holds each claim id once, from the tool that was asked first. `gaps` describe what is
    missing, in words without figures.
    """

    request: TurnRequest
    market: MarketSpec
    known: Mapping[str, Claim] = field(default_factory=dict)
    signals: tuple[Signal, ...] = ()
    sources: tuple[DataSource, ...] = ()
    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The market's name in prose."""
        return market_in_a_sentence(self.market.market)

    def value(self, metric: Metric) -> Decimal | None:
        """Returns the market's figure of a metric; None if no tool stated it."""
        claim = self.known.get(claim_id(self.market.market, metric))
        return claim.value if claim else None

    def reference(self, metric: Metric) -> str:
        """Returns the reference to that figure for prose."""
        return f"[[{claim_id(self.market.market, metric)}]]"

    def has(self, *metrics: Metric) -> bool:
        """Returns whether all of these metrics are stated."""
        return all(self.value(metric) is not None for metric in metrics)

    def named(self, metrics: Iterable[Metric]) -> tuple[str, ...]:
        """Returns the claim ids of those metrics that are stated."""
        names = (claim_id(self.market.market, metric) for metric in metrics)
        return tuple(name for name in names if name in self.known)

    def only(self, metrics: Iterable[Metric]) -> "SpecialistReading":
        """Returns the reading with the market's claims on some metrics only."""
        names = self.named(metrics)
        return replace(self, known={name: self.known[name] for name in names})

    def without_signals(self, names: Collection[str]) -> "SpecialistReading":
        """Returns the reading without the signals with these names."""
        heard = tuple(signal for signal in self.signals if signal.name not in names)
        return replace(self, signals=heard)

    def with_claims(self, claims: Iterable[Claim]) -> "SpecialistReading":
        """Returns the reading with more claims. Existing claims are not replaced."""
        added = {claim.claim_id: claim for claim in claims}
        return replace(self, known={**added, **self.known})

    def with_source(self, evidence: Evidence[Answer]) -> "SpecialistReading":
        """Returns the reading with another source, and a warning if that replaced another one."""
        stand_in = (f"{self.name}: {evidence.stand_in}",) if evidence.stand_in else ()
        return replace(
            self,
            sources=(*self.sources, evidence.source),
            warnings=(*self.warnings, *stand_in),
        )

    def with_warnings(self, warnings: Iterable[str]) -> "SpecialistReading":
        """Returns the reading with more warnings."""
        return replace(self, warnings=(*self.warnings, *warnings)[:MOST_LINES])

    def with_gaps(self, gaps: Iterable[str]) -> "SpecialistReading":
        """Returns the reading with more gaps, without duplicates."""
        lines = (data_gap_words(self.name, words) for words in gaps)
        return replace(self, gaps=tuple(dict.fromkeys((*self.gaps, *lines)))[:MOST_LINES])


def questions(request: TurnRequest, asked: Questions, what: str) -> Turn:
    """Makes all calls of a specialist, up to the number that it may make, the first ones first."""
    limit = min(request.assignment.limits.max_calls or MAX_CALLS_A_TURN, MAX_CALLS_A_TURN)
    every = {**calls_for_the_form(request), **asked}
    calls = [ask(request.assignment, capability, **args) for capability, args in every.items()]
    return Turn(calls=tuple(calls[:limit]), note=f"Ask for {what} of {market_of(request).market}")


def about(
    market: MarketSpec, *capabilities: Capability
) -> dict[Capability, Mapping[str, JsonValue]]:
    """Returns calls that need no argument but the market."""
    return {capability: {"symbol": market.market} for capability in capabilities}


def read_analyses(
    request: TurnRequest,
    kinds: Mapping[Capability, type[Analysis]],
    *,
    figures_only: Collection[Capability] = (),
    elsewhere: Collection[Metric] = (),
) -> SpecialistReading:
    """Reads the answers of the tools that compute something. A tool that could not be called is a
    gap, and so is an answer about another market.

    With `figures_only`, signals are omitted, because they belong to another specialist. Gaps of
    metrics that are reported `elsewhere` are omitted as well.
    """
    reading = SpecialistReading(request, market_of(request))
    for capability, kind in kinds.items():
        evidence, reading = consulted(reading, capability, kind)
        if evidence is None:
            continue
        if evidence.answer.symbol != reading.market.market:
            reading = reading.with_gaps([f"{name_of(capability)}: the answer is of another market"])
            continue
        reading = _with_figures(reading, evidence, elsewhere)
        if capability not in figures_only:
            reading = replace(reading, signals=(*reading.signals, *evidence.answer.signals))
    return with_figures_of_the_form(reading)


def with_figures_of_the_form(reading: SpecialistReading) -> SpecialistReading:
    """Adds what was asked for the form of the objective, and the thresholds for its figures."""
    for capability, kind in answers_for_the_form(reading.request).items():
        evidence, reading = consulted(reading, capability, kind)
        if evidence is not None:
            reading = reading.with_source(evidence)
            claims = figures_of_the_form(reading.request, evidence.answer, evidence.evidence_id)
            reading = reading.with_claims(claims).with_gaps(gaps_of(evidence.answer))
    return reading.with_claims(marks_of_the_form(reading.request, reading.known.values()))


def consulted(
    reading: SpecialistReading, capability: Capability, kind: type[Answer]
) -> tuple[Evidence[Answer] | None, SpecialistReading]:
    """Returns an answer that the task can do without; otherwise None and the reading with the
    gap."""
    evidence, _ = consult(reading.request, capability, kind)
    if evidence is None:
        server, why = unanswered(reading.request, capability)
        bare = f"{name_of(capability)} was not available from {server}"
        clause = _clause_without_figures(why)
        shorter = plain(f"{bare}: {clause}", bare) if clause else bare
        return None, reading.with_gaps([plain(f"{bare}: {why}", shorter)])
    return evidence, reading


def _clause_without_figures(words: str) -> str:
    """Returns the longest clause of a reason without a digit, for reasons that cannot be printed
    whole, such as one that counts failures and dates."""
    clauses = (part.strip(" .") for part in _BETWEEN_CLAUSES.split(words))
    told = (c for c in clauses if " " in c and not any(sign.isdigit() for sign in c))
    return max(told, key=len, default="")


def stop_if_nobody_answered(reading: SpecialistReading, first: Capability) -> None:
    """Returns if at least one tool answered.

    Raises:
        TaskNotPossible: none did, in the words of the one that was asked first.
    """
    if not reading.sources:
        read(reading.request, first, SourceResult)


def name_of(capability: Capability) -> str:
    """Returns a capability's name in prose: the tool that usually has it."""
    return usual_route(capability).tool.replace("_", " ")


def _with_figures(
    reading: SpecialistReading, evidence: Evidence[Analysis], elsewhere: Collection[Metric]
) -> SpecialistReading:
    answer = evidence.answer
    reading = reading.with_claims(analysis_claims(answer, evidence.evidence_id))
    missing = (words for words in answer.missing if words.partition(":")[0] not in elsewhere)
    return reading.with_source(evidence).with_gaps(missing)
