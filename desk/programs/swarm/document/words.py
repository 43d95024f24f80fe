"""The words for a swarm: its hypotheses, rounds and tokens, and their Markdown."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.contracts.findings.claims import Claim
from desk.contracts.names import hypothesis_run_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import SubagentSpec
from desk.contracts.swarm.record import SwarmRecord, SwarmRound, TokenRecord
from desk.documents.answer.words import rendered_if_known
from desk.documents.rendering.markdown import bullets, escaped
from desk.documents.rendering.words.wording import human, one_line, share_words
from desk.learning.hypotheses import likely, view_words, where
from desk.programs.swarm.run.graph import node_name
from desk.trust.prose import split_sentences

CHARACTERS: Final = 4
"""Characters assumed for one token, as `desk.contracts.swarm.record.TokenRecord` states."""

_LEVELS: Final = (
    "The hypotheses' levels are values of claims. Their probabilities are the leader's estimates."
)
_BY_CONFIDENCE: Final = (
    "The probability of a specialist's view follows from its confidence alone; it is scored with "
    "its hypothesis, by the same price."
)
_OF_MODELS: Final = (
    "The probability of a model's view is the model's own; if it gave none, there is none. It is "
    "scored with its hypothesis, by the same price."
)
_VERBATIM: Final = (
    "The leader's requests to its specialists are printed in its own words, which nothing verifies."
)


def method_of(answer: AnswerReport) -> tuple[str, ...]:
    """Says how to read the page of a swarm, including where its probabilities come from."""
    held = [view for each in answer.swarm.hypotheses for view in each.views] if answer.swarm else []
    by_models = any(view.own or view.probability is None for view in held)
    by_rule = any(not view.own and view.probability is not None for view in held)
    views = [_OF_MODELS] * by_models + [_BY_CONFIDENCE] * (by_rule or not by_models)
    return (_LEVELS, *views, _VERBATIM)


class HypothesisLine(NamedTuple):
    """A hypothesis as printed. `views` lists the views that come due with it in a line; empty if it
    carries none."""

    hypothesis: Hypothesis
    title: str
    likely: str
    statement: str
    refuted_by: str
    views: str
    workflow_id: str


class SubagentLine(NamedTuple):
    """A specialist's task: its node, its agent, and its objective. Of its boundaries only the first
    sentence is included; the other lines already say the rest."""

    node: str
    agent: str
    market: str
    calls: str
    objective: str
    boundaries: str


def hypothesis_lines(answer: AnswerReport) -> tuple[HypothesisLine, ...]:
    """Returns the hypotheses in the leader's order."""
    known = {claim.claim_id: claim for claim in answer.claims}
    return tuple(
        HypothesisLine(
            hypothesis=each,
            title=title_of(each),
            likely=likely(each),
            statement=rendered_if_known(each.statement, known),
            refuted_by=rendered_if_known(each.refuted_by, known),
            views="; ".join(f"{human(view.agent)} {view_words(each, view)}" for view in each.views),
            workflow_id=hypothesis_run_id(answer.workflow_id, each.hypothesis_id),
        )
        for each in (answer.swarm.hypotheses if answer.swarm else ())
    )


def title_of(hypothesis: Hypothesis) -> str:
    """`USD/JPY above 157.25 on 30 Nov 2026`."""
    due = print_full_day(hypothesis.due.date())
    return f"{hypothesis.market.market} {where(hypothesis)} on {due}"


def subagent_lines(each: SwarmRound, known: Mapping[str, Claim]) -> tuple[SubagentLine, ...]:
    """Returns a round's specialists, in the order of the plan."""
    return tuple(_subagent(spec, each.number, known) for spec in each.plan.subagents)


def recalled_words(each: SwarmRound, swarm: SwarmRecord) -> str:
    """Returns the words before the names of recalled memories."""
    floor = f" (relevance {each.recall_floor:g} of 1, or more)" if each.recall_floor else ""
    if each.recalled:
        return f"Recalled from memory{floor}"
    if swarm.memory:
        return f"Memory: {swarm.memory}"
    return f"Nothing was recalled from memory{floor}"


def ended_words(each: SwarmRound, known: Mapping[str, Claim]) -> str:
    """Says why there was another round after this one, or why not."""
    if each.stopped:
        return f"No further round: {each.stopped}"
    if each.refined is not None:
        return f"Another round: {rendered_if_known(each.refined.reason, known)}"
    return ""


def token_words(tokens: TokenRecord) -> str:
    """Says in a line how many tokens the swarm read, and how many a single agent would have
    read."""
    ratio = (
        f", {tokens.alone / tokens.read:.1f} times as many" if tokens.read and tokens.alone else ""
    )
    shown = f" ({share_words(tokens.leader / tokens.raw)})" if tokens.raw else ""
    used = f" Models reported {tokens.used:,} used." if tokens.used else ""
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
        objective=one_line(rendered_if_known(spec.objective, known)),
        boundaries=one_line(
            next(iter(split_sentences(rendered_if_known(spec.boundaries, known))), "")
        ),
    )


NO_HYPOTHESIS = "None that rests on surviving claims."


def hypotheses_markdown(answer: AnswerReport) -> str:
    """Lists the leader's hypotheses, and what would refute them."""
    if answer.swarm is None:
        return ""
    lines = [_hypothesis(line) for line in hypothesis_lines(answer)]
    return bullets(lines) if lines else NO_HYPOTHESIS


def rounds_markdown(answer: AnswerReport) -> str:
    """Describes how each round was planned, who worked in it, and why it was the last."""
    if answer.swarm is None:
        return ""
    return "\n\n".join(
        part for each in answer.swarm.rounds for part in _round(each, answer.swarm, answer)
    )


def tokens_markdown(answer: AnswerReport) -> str:
    """Describes the tokens that were read."""
    return token_words(answer.swarm.tokens) if answer.swarm else ""


def _hypothesis(line: HypothesisLine) -> str:
    views = f"\n  - Specialists' views: {escaped(line.views)}" if line.views else ""
    return (
        f"**{escaped(line.title)}**, {line.likely}. {escaped(line.statement)}"
        f"\n  - Refuted by: {escaped(line.refuted_by)}"
        f"{views}"
        f"\n  - Workflow `{escaped(line.workflow_id)}`"
    )


def _round(each: SwarmRound, swarm: SwarmRecord, answer: AnswerReport) -> Iterator[str]:
    known = {claim.claim_id: claim for claim in answer.claims}
    yield f"### Round {each.number}: {escaped(rendered_if_known(each.objective, known))}"
    yield escaped(
        f"A {each.plan.complexity} objective. {rendered_if_known(each.plan.strategy, known)}"
    )
    yield bullets(
        [
            f"**{escaped(line.node)}** ({escaped(line.agent)}, {escaped(line.market)},"
            f" {line.calls}): {escaped(line.objective)} {escaped(line.boundaries)}"
            for line in subagent_lines(each, known)
        ]
    )
    names = ", ".join(f"`{escaped(name)}`" for name in each.recalled)
    yield escaped(recalled_words(each, swarm)) + (f": {names}." if names else ".")
    ended = ended_words(each, known)
    if ended:
        yield f"{escaped(ended.rstrip('.'))}."
