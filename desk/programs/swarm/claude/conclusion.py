"""The leader of a swarm as a model: the conclusion from its specialists' findings.

It is shown findings, claims, decided conflicts and memories, and no tool answers. It writes the
answer over the surviving claims, gives hypotheses, and says whether another round is worth its
cost.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Annotated, Final

from pydantic import Field, JsonValue, StringConstraints

from desk.agents.program import ModelTask
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.contracts.markets import MarketSpec
from desk.contracts.question.knowledge import Synthesis, YesOrNo
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind
from desk.contracts.swarm.plan import Refinement
from desk.learning.calibration import COIN
from desk.learning.forecasts import HORIZON, PROBABILITY_DIGITS
from desk.programs.claude.answers import schema_of
from desk.programs.claude.findings import checked, nearest_to
from desk.programs.claude.prompts import prompt
from desk.programs.question.builtin.asking import query_of
from desk.programs.question.claude.synthesis import (
    ProposedSection,
    ProposedSynthesis,
    Summary,
    answer_in,
    faults,
    texts,
    written,
)
from desk.programs.swarm.claude.deciding import (
    decided_by_itself,
    decision,
    decision_faults,
    forms_for_model,
)
from desk.programs.swarm.claude.material import (
    conflicts_for_model,
    findings_for_model,
    markets_known,
    memories_for_model,
    objective_for_model,
    results_in,
    surviving,
    surviving_claims_for_model,
    withheld,
)
from desk.programs.swarm.conclusion.wording import plain
from desk.programs.swarm.objectives.matching import form_of
from desk.programs.swarm.tasks import BEHIND, first_asked
from desk.trust.prose import LONGEST_TEXT, clip, found_in, references, side_before

MOST_PROPOSED: Final = 6
MOST_NAMED: Final = 8
"""The limit of `Hypothesis.claims`."""

_NEEDS: Final[Mapping[HypothesisKind, tuple[Metric, ...]]] = {
    HypothesisKind.DIRECTION: (Metric.LAST,),
    HypothesisKind.RANGE: (Metric.LAST, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH),
}
_SIDES: Final = frozenset({Leaning.UP, Leaning.DOWN})

Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class ProposedHypothesis(Contract):
    """A hypothesis of the model. It states no level: the desk takes the market's last price or, for
    a range, the two measured ends."""

    market: ShortText
    kind: HypothesisKind
    leaning: Leaning = Leaning.NEUTRAL
    weeks: Annotated[int, Field(ge=1, le=52)]
    probability: Confidence
    statement: Prose
    refuted_by: Prose


def hypothesis_faults(
    proposed: Iterable[ProposedHypothesis],
    known: Mapping[str, MarketSpec],
    claims: Mapping[str, Claim],
) -> Iterator[str]:
    """Yields what is wrong with a hypothesis and where, without the model's words, which could end
    up in a report."""
    lines = tuple(proposed)
    about = [(line.market, line.kind, line.weeks) for line in lines]
    for place, line in enumerate(lines):
        where = f"hypotheses.{place}"
        if about.index(about[place]) < place:
            yield f"{where}: it is about the same as hypotheses.{about.index(about[place])}"
        if line.market not in known:
            yield (
                f"{where}.market: it is not one of the researched markets;"
                f" {nearest_to(line.market, known)}"
            )
        elif lacking := [m for m in _NEEDS[line.kind] if claim_id(line.market, m) not in claims]:
            yield (
                f"{where}: no claim gives {' and '.join(lacking)} of its market, which a"
                f" {line.kind} is checked against: omit the hypothesis"
            )
        elif not _within(line, claims):
            yield f"{where}: its market's last price is outside the range: omit the hypothesis"
        yield from (f"{where}{fault}" for fault in _of_line(line))


def hypotheses_of(
    request: TurnRequest,
    proposed: Iterable[ProposedHypothesis],
    known: Mapping[str, MarketSpec],
    claims: Mapping[str, Claim],
) -> Iterator[Hypothesis]:
    """Yields the hypotheses without faults, with their levels and the instants at which they are
    due."""
    for line in proposed:
        needed = [claims[claim_id(line.market, metric)] for metric in _NEEDS[line.kind]]
        last, *ends = needed
        low, high = [end.value for end in ends] or (None, None)
        direction = line.kind is HypothesisKind.DIRECTION
        yield Hypothesis(
            hypothesis_id=hypothesis_name(line),
            market=known[line.market],
            kind=line.kind,
            leaning=line.leaning if direction else Leaning.NEUTRAL,
            level=last.value,
            level_on=last.as_of,
            low=low,
            high=high,
            weeks=line.weeks,
            due=request.assignment.window.end + timedelta(weeks=line.weeks),
            probability=round(line.probability, PROBABILITY_DIGITS),
            statement=line.statement,
            refuted_by=line.refuted_by,
            claims=_rests_on(line, needed, claims),
        )


def hypothesis_name(line: ProposedHypothesis) -> str:
    """Returns `usd-jpy-direction-4w`. It becomes part of a workflow's id, and a conclusion has only
    one hypothesis for a market, kind and horizon."""
    return f"{line.market.replace('/', '-').lower()}-{line.kind}-{line.weeks}w"


def _within(line: ProposedHypothesis, claims: Mapping[str, Claim]) -> bool:
    """Returns whether a range contains the price that it starts from."""
    last, *ends = (claims[claim_id(line.market, metric)].value for metric in _NEEDS[line.kind])
    return not ends or ends[0] <= last <= ends[1]


def _of_line(line: ProposedHypothesis) -> Iterator[str]:
    if line.kind is HypothesisKind.DIRECTION and line.leaning not in _SIDES:
        yield ".leaning: a direction is up or down"
    elif line.kind is HypothesisKind.DIRECTION:
        yield from _of_direction(line)
    if line.kind is HypothesisKind.RANGE and line.weeks != HORIZON:
        yield f".weeks: the ends of a range are measured for {HORIZON} weeks ahead"


def _of_direction(line: ProposedHypothesis) -> Iterator[str]:
    """What is wrong with a direction: that it is told as unlikely, or in words of the other
    side."""
    side = 1 if line.leaning is Leaning.UP else -1
    if line.probability < COIN:
        yield ".probability: the opposite direction is likelier: give that, with its leaning"
    if -side in _sides_of_level(line.market, line.statement):
        yield ".statement: it names the side opposite to its leaning"
    if side in _sides_of_level(line.market, line.refuted_by):
        yield ".refuted_by: it names the same side as its leaning"


def _sides_of_level(market: str, prose: str) -> set[int]:
    """The sides of a market's last price that a text names, as `above [[USD/JPY:last]]` does."""
    level = claim_id(market, Metric.LAST)
    return {side_before(prose[: each.start]) for each in found_in(prose) if each.name == level}


def _rests_on(
    line: ProposedHypothesis, needed: Iterable[Claim], claims: Collection[str]
) -> tuple[str, ...]:
    said = (*references(line.statement), *references(line.refuted_by))
    named = (*(claim.claim_id for claim in needed), *(name for name in said if name in claims))
    return tuple(dict.fromkeys(named))[:MOST_NAMED]


Objective = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=800)]


class ProposedFurther(Contract):
    """Another round: what it should find out, and why that could change the answer."""

    objective: Objective
    reason: Objective


class ProposedConclusion(Contract):
    """The form of the model's answer. Without `further`, the research ends here."""

    summary: Summary
    sections: Annotated[tuple[ProposedSection, ...], Field(max_length=12)] = ()
    answered: bool = True
    decided: YesOrNo | None = None
    about: ShortText | None = None
    hypotheses: Annotated[tuple[ProposedHypothesis, ...], Field(max_length=MOST_PROPOSED)] = ()
    further: ProposedFurther | None = None


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Returns the objective and the condensed findings, with the desk's own answer, as JSON."""
    own = answer_in(base)
    told_before = {line for result in results_in(request) for line in result.missing}
    return json.dumps(
        {
            **objective_for_model(request),
            "as_of": request.assignment.window.end.isoformat(),
            "forms": forms_for_model(request),
            "your_hypothesis_decides": decided_by_itself(request),
            "findings": findings_for_model(request),
            "claims": surviving_claims_for_model(request),
            "conflicts": conflicts_for_model(request.conflicts),
            "recalled": memories_for_model(request),
            "missing": [line for line in own.missing if line not in told_before],
            "answer_of_the_desk": _answer_for_model(request, own),
        },
        ensure_ascii=False,
    )


def _answer_for_model(request: TurnRequest, own: Synthesis) -> JsonValue:
    """Returns the desk's own answer by rule. If the desk did not recognise the question, its advice
    on how to ask is omitted, as that is for a desk without a model; what it measured is in the
    findings."""
    each = {"kind", "leaning", "weeks", "probability", "statement", "refuted_by"}
    told: dict[str, JsonValue] = own.model_dump(
        mode="json",
        include={
            "summary": True,
            "hypotheses": {"__all__": each},
            "further": True,
            "answered": True,
            "decided": True,
        },
    )
    if form_of(query_of(request)).form is None:
        del told["summary"]
    if decided_by_itself(request) is not None:
        del told["decided"]
    return told


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Synthesis:
    """Returns the answer in the model's words, its hypotheses with the measured levels, and what
    another round should find out. What is missing is the desk's list.

    Raises:
        ValidationError: the answer does not match its schema.
        ValueError: the answer has no evidence, refers to a claim that did not survive, contradicts
            its claim or the deciding figure, or a hypothesis has no level that could decide it.
    """
    own, proposed = answer_in(base), ProposedConclusion.model_validate_json(text)
    prose = ProposedSynthesis(
        summary=proposed.summary, sections=proposed.sections, answered=proposed.answered
    )
    claims, looked_at = surviving(request), _looked_at(request)
    found = (
        *faults(request, prose),
        *withheld(request, texts(prose)),
        *hypothesis_faults(proposed.hypotheses, looked_at, claims),
        *decision_faults(request, own, proposed.about, proposed.decided, _sound(request, proposed)),
    )
    return checked(found, lambda: _concluded(request, own, proposed, prose))


def _concluded(
    request: TurnRequest, own: Synthesis, proposed: ProposedConclusion, prose: ProposedSynthesis
) -> Synthesis:
    """Builds an answer without faults. The desk's words on a yes or no come first."""
    further, hypotheses = proposed.further, _sound(request, proposed)
    told = decision(request, own, proposed.about, proposed.decided, hypotheses)
    return written(request, own, prose).model_copy(
        update={
            "summary": clip(f"{told.first} {prose.summary}".strip(), LONGEST_TEXT),
            "hypotheses": hypotheses,
            "decided": told.decided,
            "further": _further(request, further) if further else None,
        }
    )


def _sound(request: TurnRequest, proposed: ProposedConclusion) -> tuple[Hypothesis, ...]:
    """Returns the hypotheses that a later price can decide."""
    claims, looked_at = surviving(request), _looked_at(request)
    sound = (
        line
        for line in proposed.hypotheses
        if not any(hypothesis_faults((line,), looked_at, claims))
    )
    return tuple(hypotheses_of(request, sound, looked_at, claims))


def _further(request: TurnRequest, wanted: ProposedFurther) -> Refinement:
    """Returns the next round, with its question."""
    first = plain(first_asked(query_of(request).question), "")
    objective = clip(f"{wanted.objective}{BEHIND}{first}") if first else wanted.objective
    return Refinement(objective=objective, reason=wanted.reason)


def _looked_at(request: TurnRequest) -> dict[str, MarketSpec]:
    """Returns the markets with a specialist's result."""
    known = markets_known(request)
    names = dict.fromkeys(result.market for result in results_in(request))
    return {name: known[name] for name in names if name in known}


def _schema(request: TurnRequest) -> dict[str, JsonValue]:
    """Returns the schema. It has a field for the objective's form only if there are forms to choose
    from."""
    schema = schema_of(ProposedConclusion)
    if not forms_for_model(request):
        schema["properties"].pop("about")
    return schema


TASK: Final = ModelTask(
    (prompt("swarm_conclusion"),),
    ProposedConclusion,
    material,
    result,
    schema=_schema,
    without_tools=True,
)
