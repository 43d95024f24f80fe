"""How the forms of an answer put a swarm in words: conflicts, hypotheses, rounds and tokens."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.contracts.names import hypothesis_run_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.swarm.swarm import (
    Hypothesis,
    SubagentSpec,
    SwarmRecord,
    SwarmRound,
    TokenRecord,
)
from desk.documents.answer.prose import Known, render_plain
from desk.documents.rendering.trust_words import (
    outcome_words,
    position_words,
    standing_words,
    state_words,
)
from desk.documents.rendering.wording import human, one_line, share_words
from desk.learning.hypotheses import likely, view_words, where
from desk.programs.swarm.graph import node_name
from desk.trust.prose import UnknownReferenceError, split_sentences

CHARACTERS: Final = 4
"""Of these a token is taken to have; `desk.contracts.swarm.swarm.TokenRecord` says so."""

SWARM_METHOD: Final = (
    "The hypotheses' levels are values of claims. Their probabilities are the leader's estimates.",
    "How likely a specialist's view is follows from its confidence alone; it is scored with the "
    "hypothesis that it stands with, against the same price.",
    "What the leader asked of its specialists is told in its own words, which nothing verifies.",
)


class HypothesisLine(NamedTuple):
    """A hypothesis as it is printed. `views` tells whose views come due with it, in a line; empty
    where it carries none."""

    hypothesis: Hypothesis
    title: str
    likely: str
    statement: str
    refuted_by: str
    views: str
    workflow_id: str


class SubagentLine(NamedTuple):
    """What a specialist was to do: the node it worked in, who it was, and what was asked of it. Of
    its boundaries the first sentence: the others are on what the other lines tell."""

    node: str
    agent: str
    market: str
    calls: str
    objective: str
    boundaries: str


def conflicts_of(answer: AnswerReport) -> tuple[ConflictRecord, ...] | None:
    """The conflicts between findings of a swarm or of an episode; None of an answer that tells of
    neither."""
    told = answer.swarm or answer.stock
    return told.conflicts if told else None


def hypothesis_lines(answer: AnswerReport) -> tuple[HypothesisLine, ...]:
    """The hypotheses in the order of the leader."""
    known = {claim.claim_id: claim for claim in answer.claims}
    return tuple(
        HypothesisLine(
            hypothesis=each,
            title=title_of(each),
            likely=likely(each),
            statement=said(each.statement, known),
            refuted_by=said(each.refuted_by, known),
            views="; ".join(f"{human(view.agent)} {view_words(each, view)}" for view in each.views),
            workflow_id=hypothesis_run_id(answer.workflow_id, each.hypothesis_id),
        )
        for each in (answer.swarm.hypotheses if answer.swarm else ())
    )


def title_of(hypothesis: Hypothesis) -> str:
    """`USD/JPY above 157.25 on 30 Nov 2026`."""
    due = print_full_day(hypothesis.due.date())
    return f"{hypothesis.market.market} {where(hypothesis)} on {due}"


def said(prose: str, known: Mapping[str, Claim]) -> str:
    """Prose as it is printed; as it stands where it refers to what is not here."""
    try:
        return render_plain(prose, Known(known, {}))
    except UnknownReferenceError:
        return prose


def disputed_words(conflict: ConflictRecord) -> str:
    """What a conflict is about: `USD/JPY target`."""
    topic = conflict.conflict_id.rpartition("/conflict/")[2].removeprefix(f"{conflict.kind}/")
    subject, _, what = topic.partition("@")[0].rpartition(":")
    return one_line(f"{subject} {human(what)}")


def decided_words(conflict: ConflictRecord) -> str:
    """`decided by vote: 161.4 holds`; with its kind where its topic does not tell it."""
    kind = "" if disputed_words(conflict).endswith(conflict.kind) else f"{conflict.kind}, "
    return f"{kind}{state_words(conflict)}: {outcome_words(conflict)}"


def spread_words(conflict: ConflictRecord) -> str:
    """How far the confidences lie apart."""
    return f"Spread of confidence {share_words(conflict.spread)}."


def position_lines(conflict: ConflictRecord) -> tuple[tuple[str, str], ...]:
    """Each position: what became of it, and what it holds in whose name; of an agent whose target
    says another thing than its view, which of them it is."""
    return tuple(
        (standing_words(conflict, position), position_words(position))
        for position in conflict.positions
    )


def resolution_words(conflict: ConflictRecord) -> str:
    """How it was resolved; empty where the positions tell it already, as after a vote."""
    return "" if conflict.decided_by is DecidedBy.VOTE else conflict.resolution


def subagent_lines(each: SwarmRound, known: Mapping[str, Claim]) -> tuple[SubagentLine, ...]:
    """A round's specialists, in the order of the plan."""
    return tuple(_subagent(spec, each.number, known) for spec in each.plan.subagents)


def recalled_words(each: SwarmRound, swarm: SwarmRecord) -> str:
    """What the leader was shown of earlier research, before the names of it."""
    if each.recalled:
        return "Recalled from memory"
    return f"Memory: {swarm.memory}" if swarm.memory else "Nothing was recalled from memory"


def ended_words(each: SwarmRound, known: Mapping[str, Claim]) -> str:
    """Why there was another round after this one, or none."""
    if each.stopped:
        return f"No further round: {each.stopped}"
    if each.refined is not None:
        return f"Another round: {said(each.refined.reason, known)}"
    return ""


def token_words(tokens: TokenRecord) -> str:
    """What the swarm read and what one agent would have, in a line."""
    ratio = (
        f", {tokens.alone / tokens.read:.1f} times as many" if tokens.read and tokens.alone else ""
    )
    shown = f" ({share_words(tokens.leader / tokens.raw)})" if tokens.raw else ""
    used = f" Models told of {tokens.used:,} used." if tokens.used else ""
    return (
        f"Estimated at {CHARACTERS} characters a token: the swarm's agents read {tokens.read:,},"
        f" one agent doing all of it would have read {tokens.alone:,}{ratio}. The leader saw"
        f" {tokens.leader:,} of the {tokens.raw:,} that the tools answered{shown}.{used}"
    )


def _subagent(spec: SubagentSpec, number: int, known: Mapping[str, Claim]) -> SubagentLine:
    return SubagentLine(
        node=node_name(spec.name, number),
        agent=human(spec.agent),
        market=spec.market.market,
        calls=f"{spec.least_calls} to {spec.most_calls} calls",
        objective=one_line(said(spec.objective, known)),
        boundaries=one_line(next(iter(split_sentences(said(spec.boundaries, known))), "")),
    )
