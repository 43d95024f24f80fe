"""The record of the swarm in an answer, limited to what rests on surviving claims."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.runs.graph import GraphRecord
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import Refinement, SubagentSpec, SwarmPlan
from desk.contracts.swarm.record import SwarmRecord, SwarmRound
from desk.documents.answer.parts import PartRecord
from desk.documents.rendering.words.prose import Known, printable_prose
from desk.learning.hypotheses import unscorable
from desk.programs.swarm.hypotheses import uncarried
from desk.trust.prose import NOTHING_LEFT, references


def printable_swarm(record: GraphRecord, known: Known) -> PartRecord:
    """Returns the record of a run's swarm, without hypotheses that rest on withheld claims, and
    without sentences that hold a figure that is not a claim's."""
    if record.swarm is None:
        return PartRecord({})
    writer = _SwarmWriter(known)
    missing: list[str] = []
    hypotheses: list[Hypothesis] = []
    for number, hypothesis in enumerate(record.swarm.hypotheses, start=1):
        fault = why_left_out(hypothesis, known.claims, record.window.end)
        read = hypothesis if fault else writer.hypothesis(hypothesis, number)
        if fault is None and read is not None:
            hypotheses.append(read)
        else:
            why = fault or "nothing is left of its statement without what is no claim"
            missing.append(f"the hypothesis {hypothesis.hypothesis_id} is left out: {why}")
    results = (outcome.entry.result for outcome in record.nodes)
    found = tuple(result for result in results if isinstance(result, ResearchResult))
    missing += [
        f"{market}: nothing scores the specialists' views of its direction, because the leader"
        " makes no hypothesis on it over the same time"
        for market in uncarried(hypotheses, found)
    ]
    told = record.swarm.model_copy(
        update={
            "rounds": tuple(map(writer.round, record.swarm.rounds)),
            "hypotheses": tuple(hypotheses),
        }
    )
    return PartRecord(
        {"swarm": told},
        missing=tuple(missing),
        dropped=tuple(writer.dropped),
        named=named_in_swarm(told),
    )


def why_left_out(
    hypothesis: Hypothesis, claims: Mapping[str, Claim], as_of: datetime
) -> str | None:
    """Returns why a hypothesis cannot be printed or decided; None if it can.

    Its figures must be those of surviving claims on its market that it names, and its level must be
    of the claim's day. It must be due as many weeks after the as-of instant as it says.
    """
    fallen = [name for name in hypothesis.claims if name not in claims]
    if fallen:
        return f"it rests on {', '.join(fallen)}, which does not stand"
    market = hypothesis.market.market
    named = [c for name in hypothesis.claims if (c := claims[name]).subject == market]
    if (hypothesis.level, hypothesis.level_on) not in {(c.value, c.as_of) for c in named}:
        return "its level is of no claim that it names, or not of its day"
    if not {hypothesis.low, hypothesis.high} - {None} <= {claim.value for claim in named}:
        return "a bound of it is the value of no claim that it names"
    if hypothesis.due.date() != (as_of + timedelta(weeks=hypothesis.weeks)).date():
        return "the day on which it is due is not as many weeks off as it says"
    if _crossed(hypothesis):
        return "its lower bound is above its upper one"
    return unscorable(hypothesis)


def named_in_swarm(swarm: SwarmRecord) -> tuple[str, ...]:
    """Returns the claims that its hypotheses, its conflicts and its prose refer to, without
    duplicates."""
    names = [name for hypothesis in swarm.hypotheses for name in hypothesis.claims]
    names += [p.claim_id for c in swarm.conflicts for p in c.positions if p.claim_id]
    names += [name for _, prose in texts_of_swarm(swarm) for name in references(prose)]
    return tuple(dict.fromkeys(names))


def texts_of_swarm(swarm: SwarmRecord) -> Iterator[tuple[str, str]]:
    """Yields each text that is printed about a swarm, with its place."""
    for each in swarm.rounds:
        place = f"round {each.number}"
        if each.number > 1:
            yield f"{place}, objective", each.objective
        yield f"{place}, strategy", each.plan.strategy
        for subagent in each.plan.subagents:
            yield f"{place}, {subagent.name}, objective", subagent.objective
            yield f"{place}, {subagent.name}, boundaries", subagent.boundaries
        if each.refined is not None:
            yield f"{place}, refined objective", each.refined.objective
            yield f"{place}, reason", each.refined.reason
    for number, hypothesis in enumerate(swarm.hypotheses, start=1):
        yield f"hypothesis {number}", hypothesis.statement
        yield f"hypothesis {number}, refuted by", hypothesis.refuted_by


class _SwarmWriter:
    """Checks the prose of a swarm again, and records what it omitted."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self.dropped: list[DroppedSentence] = []

    def hypothesis(self, hypothesis: Hypothesis, number: int) -> Hypothesis | None:
        statement = self._kept(hypothesis.statement, f"hypothesis {number}")
        refuted_by = self._kept(hypothesis.refuted_by, f"hypothesis {number}, refuted by")
        if not statement or not refuted_by:
            return None
        return hypothesis.model_copy(update={"statement": statement, "refuted_by": refuted_by})

    def round(self, each: SwarmRound) -> SwarmRound:
        place = f"round {each.number}"
        update: dict[str, object] = {"plan": self._plan(each.plan, place)}
        if each.number > 1:
            update["objective"] = self._kept(each.objective, f"{place}, objective") or NOTHING_LEFT
        if each.refined is not None:
            update["refined"] = Refinement(
                objective=self._kept(each.refined.objective, f"{place}, refined objective")
                or NOTHING_LEFT,
                reason=self._kept(each.refined.reason, f"{place}, reason") or NOTHING_LEFT,
            )
        return each.model_copy(update=update)

    def _plan(self, plan: SwarmPlan, place: str) -> SwarmPlan:
        subagents = tuple(self._subagent(each, f"{place}, {each.name}") for each in plan.subagents)
        strategy = self._kept(plan.strategy, f"{place}, strategy") or NOTHING_LEFT
        return plan.model_copy(update={"strategy": strategy, "subagents": subagents})

    def _subagent(self, subagent: SubagentSpec, place: str) -> SubagentSpec:
        update = {
            field: self._kept(getattr(subagent, field), f"{place}, {field}") or NOTHING_LEFT
            for field in ("objective", "boundaries")
        }
        return subagent.model_copy(update=update)

    def _kept(self, prose: str, place: str) -> str:
        kept = printable_prose(prose, self._known, place)
        self.dropped += kept.dropped
        return kept.prose


def _crossed(hypothesis: Hypothesis) -> bool:
    low, high = hypothesis.low, hypothesis.high
    return low is not None and high is not None and low > high
