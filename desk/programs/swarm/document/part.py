"""The part of a swarm in the answer to its objective."""

from collections.abc import Iterator
from typing import Final

from desk.contracts.question.answers import AnswerReport
from desk.documents.audit.findings import AuditFinding
from desk.documents.parts import Part, PartOfPage, Run, Titled, Told
from desk.documents.rendering.answer.conflicts import conflicts_markdown
from desk.programs.swarm.document import words
from desk.programs.swarm.document.audit import swarm_findings
from desk.programs.swarm.document.record import named_in_swarm, texts_of_swarm, told_swarm


class _SwarmPart(Part):
    name = "swarm"
    templates = "desk.programs.swarm.document"
    method = words.METHOD

    def told(self, run: Run) -> Told:
        return told_swarm(run.record, run.known)

    def named(self, answer: AnswerReport) -> tuple[str, ...]:
        return named_in_swarm(answer.swarm) if answer.swarm else ()

    def texts(self, answer: AnswerReport) -> Iterator[tuple[str, str]]:
        if answer.swarm is not None:
            yield from texts_of_swarm(answer.swarm)

    def findings(self, answer: AnswerReport) -> Iterator[AuditFinding]:
        yield from swarm_findings(answer)

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
