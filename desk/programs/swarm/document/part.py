"""The swarm's part of an answer."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Claim
from desk.contracts.question.answers import AnswerReport
from desk.contracts.swarm.hypotheses import HeldView
from desk.contracts.swarm.record import SwarmRecord
from desk.documents.answer.parts import Part, PartOfPage, PartRecord, RunMaterial
from desk.documents.audit.conflicts import conflict_findings, prose_findings
from desk.documents.audit.findings import AuditFinding
from desk.documents.rendering.conflict_words import conflicts_markdown
from desk.documents.rendering.markdown import Titled
from desk.learning.hypotheses import SIDES
from desk.programs.swarm.document import words
from desk.programs.swarm.document.record import (
    named_in_swarm,
    printable_swarm,
    texts_of_swarm,
    why_left_out,
)
from desk.programs.swarm.hypotheses import is_by_rule, probability_alone
from desk.programs.swarm.run.graph import node_name


def swarm_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that rounds, conflicts and hypotheses agree with the graph and the claims of the
    answer, that conflicts are decided as stated, and that every printed figure is a claim's. Yields
    a finding for each fault.

    Only the seal protects the weights of positions, what a person chose, and the specialists'
    objectives.
    """
    if answer.swarm is None:
        return
    claims = {claim.claim_id: claim for claim in answer.claims}
    yield from _of_rounds(answer, answer.swarm)
    yield from _of_hypotheses(answer, answer.swarm, claims)
    yield from prose_findings(texts_of_swarm(answer.swarm), claims, answer.rules)
    yield from conflict_findings(answer.swarm.conflicts, claims)


def _of_rounds(answer: AnswerReport, swarm: SwarmRecord) -> Iterator[AuditFinding]:
    numbers = [each.number for each in swarm.rounds]
    if numbers != list(range(1, len(numbers) + 1)):
        yield AuditFinding("rounds", "they are not numbered from 1 on")
    if swarm.rounds[0].objective != answer.question:
        yield AuditFinding("round 1", "its objective is not what was asked")
    agents = {node.name: node.agent for node in answer.graph.nodes}
    markets = {spec.market for spec in swarm.markets}
    for each in swarm.rounds:
        for subagent in each.plan.subagents:
            name = node_name(subagent.name, each.number)
            if agents.get(name) is not subagent.agent:
                words = f"{subagent.name} of the plan is no node {name} of its agent"
                yield AuditFinding(f"round {each.number}", words)
            if subagent.market.market not in markets:
                words = f"{subagent.market.market} is none of the swarm's markets"
                yield AuditFinding(f"round {each.number}", words)


def _of_hypotheses(
    answer: AnswerReport, swarm: SwarmRecord, claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    counts = Counter(hypothesis.hypothesis_id for hypothesis in swarm.hypotheses)
    markets = {spec.market for spec in swarm.markets}
    asked = any(node.usage.asked for node in answer.nodes)
    led = {node.name for node in answer.graph.nodes if node.task is TaskType.CONCLUDE_SWARM}
    by_model = any(node.usage.asked for node in answer.nodes if node.node in led)
    for hypothesis in swarm.hypotheses:
        where = f"hypothesis {hypothesis.hypothesis_id}"
        if counts[hypothesis.hypothesis_id] > 1:
            yield AuditFinding(where, "there are two of this id")
        if hypothesis.market.market not in markets:
            yield AuditFinding(where, "its market is none of the swarm's")
        for view in hypothesis.views:
            of_model = asked and (view.own or view.probability is None)
            if view.leaning not in SIDES or not (of_model or _is_by_rule(view)):
                words = f"the view of {view.agent} is not as likely as its confidence makes it"
                yield AuditFinding(where, words)
        if not by_model and not is_by_rule(hypothesis, swarm.conflicts):
            yield AuditFinding(where, "it is not as likely as its views or its range make it")
        why = why_left_out(hypothesis, claims, answer.as_of)
        if why is not None:
            yield AuditFinding(where, why)


def _is_by_rule(view: HeldView) -> bool:
    return not view.own and view.probability == probability_alone(view.confidence)


class _SwarmPart(Part):
    name = "swarm"
    templates = "desk.programs.swarm.document"

    def method_of(self, answer: AnswerReport) -> tuple[str, ...]:
        return words.method_of(answer)

    def addition(self, run: RunMaterial) -> PartRecord:
        return printable_swarm(run.record, run.known)

    def named(self, answer: AnswerReport) -> tuple[str, ...]:
        return named_in_swarm(answer.swarm) if answer.swarm else ()

    def texts(self, answer: AnswerReport) -> Iterator[tuple[str, str]]:
        if answer.swarm is not None:
            yield from texts_of_swarm(answer.swarm)

    def findings(self, answer: AnswerReport) -> Iterator[AuditFinding]:
        yield from swarm_findings(answer)

    def facts(self, answer: AnswerReport) -> tuple[str, ...]:
        """Nothing: an objective's form and its nearest questions are in the answer itself."""
        return ()

    def answered(self, answer: AnswerReport) -> Iterator[Titled]:
        yield "Conflicts", conflicts_markdown(answer.conflicts)
        yield "Hypotheses", words.hypotheses_markdown(answer)

    def worked(self, answer: AnswerReport) -> Iterator[Titled]:
        yield "How it was researched", words.rounds_markdown(answer)
        yield "Tokens", words.tokens_markdown(answer)

    def page(self, answer: AnswerReport) -> PartOfPage:
        return PartOfPage(
            names={"swarm": words},
            body=("answer_swarm.html.j2", "answer_rounds.html.j2"),
            links=(
                ("conflicts", "Conflicts"),
                ("hypotheses", "Hypotheses"),
                ("rounds", "How it was researched"),
            ),
        )


PART: Final[Part] = _SwarmPart()
