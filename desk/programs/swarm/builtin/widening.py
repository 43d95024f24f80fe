"""How a specialist uses the calls that its tier allows: broad first, then narrow.

| turn | asks |
| --- | --- |
| 1 | its own market, and what the form of the objective needs |
| 2, broad | the same of the markets that share a currency or a group with it |
| 3, narrow | what a figure of the first two calls for, such as the levels near a price |

The broad turn leaves a quarter of the calls to the narrow one. No call is repeated, none is made
that no source of the run can answer, and none about other markets if the specialist's own market
had no such figure. One finding describes the other markets: by currency the lowest and the highest
figure, and the markets without a figure. The share of them that point up, less the share that point
down, is a signal for the market: its sign is the direction, its size the strength.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from desk.agents.speciality import Speciality
from desk.analytics.names.listing import listed
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolCall, ToolResult
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.analysis import Analysis, Hint, Signal
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.contracts.findings.source_results import DecisionCalendar
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.programs.builtin.evidence import Evidence, ask, consult, is_offered, market_of
from desk.programs.swarm.balance import LEANS, judge
from desk.programs.swarm.builtin.delivery import Note, deliver
from desk.programs.swarm.builtin.reading import (
    Questions,
    SpecialistReading,
    consulted,
    figures_of_the_form,
    gaps_of,
)
from desk.programs.swarm.builtin.related import related_markets, turned
from desk.programs.swarm.conclusion.wording import joined
from desk.trust.claims.analysis_claims import analysis_claims

USUAL_CALLS: Final = 10
"""The number of calls of a specialist whose task sets no limit: that of the simplest tier."""

LEFT_TO_THE_NARROW: Final = 4
"""One in this many calls is reserved for the narrow turn."""

LEFT_TO_A_MODEL: Final = 3
"""One in this many calls is reserved for a model, if the specialist is one."""

BROAD: Final = "crosses"
"""The topic of the finding on other markets, and the name of its signal."""


def nothing_more(_: SpecialistReading) -> Questions:
    """Returns no calls for a closer look."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Widening:
    """Defines what a specialist asks about other markets, and when it looks closer at its own.

    `capability` is called for each of them. `metric` is the figure that is reported, after `lead`
    and in `form`. With `votes` their directions are a signal. `narrow` returns the calls that its
    own figures need.
    """

    capability: Capability
    metric: Metric
    lead: str
    form: str = ""
    votes: bool = True
    narrow: Callable[[SpecialistReading], Questions] = nothing_more


@dataclass(frozen=True, slots=True)
class OtherMarketAnswer:
    """The answer about one of the other markets: its figure, or None, and its direction."""

    market: str
    claim: Claim | None
    leaning: Leaning


def opening(request: TurnRequest, widening: Widening) -> TurnRequest:
    """Returns the request with only the answers about the specialist's own market."""
    beside = _ids(request, widening)
    exchanges = tuple(
        exchange.model_copy(update={"results": own})
        for exchange in request.exchanges
        if (own := tuple(r for r in exchange.results if r.call.call_id not in beside))
    )
    return request.model_copy(update={"exchanges": exchanges})


def ask_on_or_deliver(
    request: TurnRequest,
    reading: SpecialistReading,
    widening: Widening,
    speciality: Speciality,
    notes: Callable[[SpecialistReading], Iterable[Note]],
    rests_on: Sequence[Metric],
) -> Turn:
    """Returns the turn of a specialist that has the answers about its own market: further calls, or
    without any, its result with the notes on everything that it read."""
    reading, beside = _widened(request, reading, widening)
    calls = _further(request, reading, widening)
    if calls is not None:
        return calls
    told = (*notes(reading), *beside)
    return Turn(result=deliver(reading, speciality, told, rests_on))


def _further(request: TurnRequest, reading: SpecialistReading, widening: Widening) -> Turn | None:
    """Returns the next calls: about other markets first, then those that the figures need; None
    without any. Some calls are reserved for a model."""
    if request.last:
        return None
    asked = {result.call.call_id for result in request.results}
    left = _most_calls(request) - len(asked) - _reserved_for_model(request)
    if len(request.exchanges) == 1 and reading.has(widening.metric):
        broad = _broad(request, widening, left - _most_calls(request) // LEFT_TO_THE_NARROW)
        if broad:
            return Turn(calls=broad, note=f"Ask the same beside {reading.market.market}")
    narrow = tuple(
        call
        for capability, arguments in widening.narrow(reading).items()
        if is_offered(request.assignment, capability)
        and (call := ask(request.assignment, capability, **arguments)).call_id not in asked
    )[: max(0, left)]
    note = f"Look closer at {reading.market.market}, where its figures call for it"
    return Turn(calls=narrow, note=note) if narrow else None


def _widened(
    request: TurnRequest, reading: SpecialistReading, widening: Widening
) -> tuple[SpecialistReading, tuple[Note, ...]]:
    """Adds the answers about other markets and the closer look, and returns the finding on the
    other markets."""
    beside: list[OtherMarketAnswer] = []
    for other, result in _answers(request, widening):
        evidence = _of(request, result, widening)
        beside.append(_read(reading, widening, other, evidence))
        if evidence is not None and beside[-1].claim is not None:
            reading = reading.with_claims((beside[-1].claim,)).with_source(evidence)
    if widening.votes and beside:
        reading = replace(reading, signals=(*reading.signals, *_signal(reading, beside)))
    told = _sentences_on_others(reading, widening, beside)
    return _closer(reading, widening), (Note(BROAD, told),) if told else ()


def _closer(reading: SpecialistReading, widening: Widening) -> SpecialistReading:
    """Adds the answers of the narrow turns. One answer may lead to another call."""
    asked = {result.call.call_id for result in reading.request.results}
    done: set[Capability] = set()
    while fresh := [
        capability
        for capability, arguments in widening.narrow(reading).items()
        if capability not in done
        and ask(reading.request.assignment, capability, **arguments).call_id in asked
    ]:
        for capability in fresh:
            reading = _looked_at(reading, capability)
        done.update(fresh)
    return reading


def _looked_at(reading: SpecialistReading, capability: Capability) -> SpecialistReading:
    kind = DecisionCalendar if capability is Capability.DECISION_CALENDAR else Analysis
    evidence, reading = consulted(reading, capability, kind)
    if evidence is None:
        return reading
    claims = figures_of_the_form(reading.request, evidence.answer, evidence.evidence_id)
    found = reading.with_source(evidence).with_claims(claims)
    return found.with_gaps(gaps_of(evidence.answer))


def _most_calls(request: TurnRequest) -> int:
    return request.assignment.limits.max_calls or USUAL_CALLS


def _reserved_for_model(request: TurnRequest) -> int:
    return 0 if request.model == BUILTIN else _most_calls(request) // LEFT_TO_A_MODEL


def _broad(request: TurnRequest, widening: Widening, most: int) -> tuple[ToolCall, ...]:
    if not is_offered(request.assignment, widening.capability):
        return ()
    related = related_markets(market_of(request))
    return tuple(
        _call(request, widening, other) for other in related[: max(0, min(most, MAX_CALLS_A_TURN))]
    )


def _call(request: TurnRequest, widening: Widening, other: str) -> ToolCall:
    call = ask(request.assignment, widening.capability, symbol=other)
    return call.model_copy(update={"call_id": f"{call.call_id}_{other.replace('/', '-')}"})


def _ids(request: TurnRequest, widening: Widening) -> dict[str, str]:
    """Returns the calls about other markets, by id, with each one's market."""
    related = related_markets(market_of(request))
    return {_call(request, widening, other).call_id: other for other in related}


def _answers(request: TurnRequest, widening: Widening) -> Iterator[tuple[str, ToolResult]]:
    beside = _ids(request, widening)
    for result in request.results:
        if result.call.call_id in beside:
            yield beside[result.call.call_id], result


def _of(request: TurnRequest, result: ToolResult, widening: Widening) -> Evidence[Analysis] | None:
    alone = request.model_copy(update={"exchanges": (Exchange(results=(result,)),)})
    return consult(alone, widening.capability, Analysis)[0]


def _read(
    reading: SpecialistReading, widening: Widening, other: str, evidence: Evidence[Analysis] | None
) -> OtherMarketAnswer:
    if evidence is None or evidence.answer.symbol != other:
        return OtherMarketAnswer(other, None, Leaning.ABSTAINS)
    named = claim_id(other, widening.metric)
    claims = analysis_claims(evidence.answer, evidence.evidence_id)
    claim = next((each for each in claims if each.claim_id == named), None)
    leaning = judge(evidence.answer.signals, 1.0, 0).leaning
    if turned(reading.market.market, other) < 0:
        leaning = _TURNED.get(leaning, leaning)
    return OtherMarketAnswer(other, claim, leaning)


_TURNED: Final = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}
_HINTS: Final = {True: (Hint.UP, "up"), False: (Hint.DOWN, "down")}


def _net(beside: list[OtherMarketAnswer]) -> float:
    """Returns how far the other markets point one way, from -1 (all down) to 1, in terms of the
    specialist's market."""
    heard = [each.leaning for each in beside if each.claim is not None]
    if not heard:
        return 0.0
    return (heard.count(Leaning.UP) - heard.count(Leaning.DOWN)) / len(heard)


def _signal(reading: SpecialistReading, beside: list[OtherMarketAnswer]) -> Iterator[Signal]:
    if not any(each.claim for each in beside):
        return
    net = _net(beside)
    who = f"the markets beside {reading.name}"
    if abs(net) < LEANS:
        words = f"Read for {reading.name}, {who} point both ways."
        yield Signal(name=BROAD, hint=Hint.NEUTRAL, strength=round(1 - abs(net), 2), words=words)
        return
    hint, way = _HINTS[net > 0]
    words = f"Read for {reading.name}, most of the markets beside it point {way}."
    yield Signal(name=BROAD, hint=hint, strength=round(abs(net), 2), words=words)


def _sentences_on_others(
    reading: SpecialistReading, widening: Widening, beside: list[OtherMarketAnswer]
) -> str:
    """Lists for each currency the lowest and the highest figure, and the markets between; then the
    markets without a figure."""
    told: list[str] = []
    for shared, pairs in _by_currency(reading.market.market, beside).items():
        whose = f"of the pairs with {shared}" if shared else "of the others of its group"
        told.append(f"{widening.lead} {whose} {_from_to(pairs, widening.form)}.")
    nothing = [each.market for each in beside if each.claim is None]
    told += [f"No such figure is known of {listed(nothing)}."] if nothing else []
    return joined(told)


def _by_currency(
    market: str, beside: list[OtherMarketAnswer]
) -> dict[str, list[OtherMarketAnswer]]:
    """Groups the markets with a figure by the currency that they share with the pair."""
    own = market.split("/") if "/" in market else []
    found: dict[str, list[OtherMarketAnswer]] = {}
    for each in beside:
        if each.claim is not None:
            shared = next((code for code in reversed(own) if code in each.market.split("/")), "")
            found.setdefault(shared, []).append(each)
    return found


def _from_to(pairs: list[OtherMarketAnswer], form: str) -> str:
    ordered = sorted(pairs, key=lambda each: each.claim.value if each.claim else 0)
    low, high = ordered[0], ordered[-1]
    if low is high:
        return f"is {_figure(low, form)}"
    between = [each.market for each in ordered[1:-1]]
    besides = f", with {listed(between)} between them" if between else ""
    return f"ranges from {_figure(low, form)} to {_figure(high, form)}{besides}"


def _figure(beside: OtherMarketAnswer, form: str) -> str:
    name = claim_id(beside.market, beside.claim.metric) if beside.claim else ""
    return f"[[{name}{f'|{form}' if form else ''}]] ({beside.market})"
