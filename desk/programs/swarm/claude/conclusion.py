"""The leader of a swarm, asked of Claude: what its specialists' findings come to.

It is shown findings, claims, decided conflicts and memories, and no tool's answer. It writes the
answer over the claims that stand, says what it takes to be likely, and whether another round is
worth its price.
"""

import json
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from desk.contracts.agents.turns import AgentResult, TurnRequest
from desk.contracts.base import Contract
from desk.contracts.markets import MarketSpec
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.swarm.swarm import Refinement
from desk.programs.question.claude.synthesis import (
    ProposedSection,
    ProposedSynthesis,
    Summary,
    answer_in,
    faults,
    texts,
    written,
)
from desk.programs.swarm.claude.findings import (
    results_in,
    standing,
    told_claims,
    told_conflicts,
    told_findings,
    withheld,
)
from desk.programs.swarm.claude.hypotheses import (
    MOST_PROPOSED,
    ProposedHypothesis,
    hypotheses_of,
    hypothesis_faults,
)
from desk.programs.swarm.claude.markets import markets_known
from desk.programs.swarm.claude.memory import told_memories
from desk.programs.week.claude.research import refuse

PROMPT: Final = "swarm_conclusion"

Objective = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=800)]


class ProposedFurther(Contract):
    """Another round: what it is to find out, and why that could change the answer."""

    objective: Objective
    reason: Objective


class ProposedConclusion(Contract):
    """The form of the model's answer. Without `further`, the research ends here."""

    summary: Summary
    sections: Annotated[tuple[ProposedSection, ...], Field(max_length=12)] = ()
    answered: bool = True
    hypotheses: Annotated[tuple[ProposedHypothesis, ...], Field(max_length=MOST_PROPOSED)] = ()
    further: ProposedFurther | None = None


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """The objective and what was found for it, condensed, with the desk's own answer, as JSON."""
    task, own = request.assignment, answer_in(base)
    return json.dumps(
        {
            "objective": task.query.question if task.query else None,
            "parameters": task.query.parameters if task.query else {},
            "as_of": task.window.end.isoformat(),
            "asked_for": task.instructions,
            "findings": told_findings(request),
            "claims": told_claims(request),
            "conflicts": told_conflicts(request.conflicts),
            "recalled": told_memories(request),
            "missing": own.missing,
            "answer_of_the_desk": own.model_dump(
                mode="json",
                include={
                    "summary": True,
                    "sections": True,
                    "hypotheses": {
                        "__all__": {
                            *("kind", "leaning", "weeks", "probability"),
                            *("statement", "refuted_by"),
                        }
                    },
                    "further": True,
                    "answered": True,
                },
            ),
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Synthesis:
    """The answer in the model's words, its hypotheses with the levels that were measured, and what
    it wants to know still. What is missing is the desk's.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: the answer rests on nothing, refers to what does not stand, says otherwise than
            its claim, or a hypothesis has no level that it could be held against.
    """
    own, proposed = answer_in(base), ProposedConclusion.model_validate_json(text)
    prose = ProposedSynthesis(
        summary=proposed.summary, sections=proposed.sections, answered=proposed.answered
    )
    claims, looked_at = standing(request), _looked_at(request)
    refuse(
        (
            *faults(request, prose),
            *withheld(request, texts(prose)),
            *hypothesis_faults(proposed.hypotheses, looked_at, claims),
        )
    )
    further = proposed.further
    return written(request, own, prose).model_copy(
        update={
            "hypotheses": tuple(hypotheses_of(request, proposed.hypotheses, looked_at, claims)),
            "further": Refinement(**further.model_dump()) if further else None,
        }
    )


def _looked_at(request: TurnRequest) -> dict[str, MarketSpec]:
    """The markets that somebody delivered on."""
    known = markets_known(request)
    names = dict.fromkeys(result.market for result in results_in(request))
    return {name: known[name] for name in names if name in known}
