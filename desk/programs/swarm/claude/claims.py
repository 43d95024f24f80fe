"""Claims that a model takes up by name: which measured figure of which tool's answer.

A model types no value. What an answer gives is derived from it by the rules that the ledger checks
claims by, so that a figure that is taken up here follows from its evidence there.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from pydantic import ValidationError

from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.source_results import Provenance, SourceResult
from desk.programs.claude.news import short_id
from desk.trust.ledger import EvidenceUnusable, attributed, check_result, derive, verified_answer

NO_FIGURE: Final = "there is no such figure in the evidence it names"
OTHERWISE: Final = (
    "the claims have it, or what it is computed from, out of another answer that gives it otherwise"
)


class ProposedFigure(Contract):
    """A measured figure that is to be a claim: the answer that gives it, and its name, which is the
    symbol and the metric with a colon between."""

    evidence: ShortText
    claim: ShortText


class Taken(NamedTuple):
    """What became of the figures that a model named: claims, and what is wrong with the others."""

    claims: tuple[Claim, ...]
    faults: tuple[str, ...]


def taken_up(
    request: TurnRequest, proposed: Iterable[ProposedFigure], known: Mapping[str, Claim]
) -> Taken:
    """The figures that are named, as claims that rest on the answers they are named in, with those
    that they are computed from. One that is `known` already stays as it is."""
    given = {name: _given(request, answer) for name, answer in usable(request).items()}
    claims: dict[str, Claim] = {}
    faults: list[str] = []
    for place, line in enumerate(proposed):
        named = _with_inputs(line.claim, given.get(line.evidence, {}))
        if not named:
            faults.append(f"figures.{place}: {NO_FIGURE}")
        elif all(_agrees(claim, {**claims, **known}) for claim in named):
            claims |= {claim.claim_id: claim for claim in named if claim.claim_id not in known}
        else:
            faults.append(f"figures.{place}: {OTHERWISE}")
    return Taken(tuple(claims.values()), tuple(faults))


def _with_inputs(name: str, given: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """A figure of an answer behind those that it is computed from; nothing where it is not there.

    An input that the answer does not give is not taken: the ledger looks for it elsewhere.
    """
    if name not in given:
        return ()
    inputs = (claim for each in given[name].inputs for claim in _with_inputs(each, given))
    return tuple(dict.fromkeys((*inputs, given[name])))


def _agrees(claim: Claim, others: Mapping[str, Claim]) -> bool:
    """Whether no claim of the same name has another value or another day."""
    before = others.get(claim.claim_id, claim)
    return (before.value, before.as_of) == (claim.value, claim.as_of)


def usable(request: TurnRequest) -> dict[str, ToolResult]:
    """The answers that something can rest on, by the names that a model knows them by: unchanged,
    and of the task's as-of instant."""
    return {short_id(answer): answer for answer in request.results if _is_usable(request, answer)}


def sources_with(
    sources: Iterable[DataSource], evidence: Iterable[str], request: TurnRequest
) -> Iterator[DataSource]:
    """The sources, and those of further answers that something rests on, by their full names."""
    listed = tuple(sources)
    yield from listed
    wanted = set(evidence) - {source.evidence_id for source in listed}
    for answer in request.results:
        if answer.evidence_id in wanted:
            yield attributed(answer, _published_by(answer))


def _is_usable(request: TurnRequest, answer: ToolResult) -> bool:
    try:
        check_result(answer, request.assignment.window)
    except EvidenceUnusable:
        return False
    return True


def _given(request: TurnRequest, answer: ToolResult) -> dict[str, Claim]:
    """The figures of an answer by name; none where it has another form or was not asked for."""
    task = request.assignment
    specs = {market.market: market for market in (*request.markets, task.market) if market}
    try:
        read = verified_answer(answer, task.window)
        claims = derive(read, specs, task.window, answer.evidence_id) if read else ()
    except EvidenceUnusable:
        return {}
    return {claim.claim_id: claim for claim in reversed(claims)}


def _published_by(answer: ToolResult) -> Provenance:
    """Who published an answer; the tool itself where it does not say."""
    try:
        return SourceResult.model_validate(answer.content).source
    except ValidationError:
        name = f"{answer.call.server}.{answer.call.tool}"
        return Provenance(name=name[:200], tier=SourceTier.SECONDARY)
