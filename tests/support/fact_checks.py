"""The request of a fact check for any text and claims, and a model that writes and checks.

python -m tests.support.fact_checks ANSWER.json [TEXT] prints the system prompt and the messages for
an answer that `desk ask` published, or for another text with references to its claims.
"""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from desk.contracts.agents.config import AgentConfig
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import DataSource
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.verdicts import FactCheck, FactObjection
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Section, Synthesis
from desk.contracts.runs.graph import GraphRequest
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.claude.turns import model_call
from desk.runs.assignments import week_before
from tests.support.models.spending import MODEL, priced
from tests.support.runs.graphs import fork, knowing_turn, put_together, question


def fact_check(
    text: str | Synthesis,
    claims: Iterable[Claim],
    window: TimeWindow,
    question: str = "How did it go?",
    sources: Iterable[DataSource] = (),
) -> TurnRequest:
    """A fact check of a text with references to the claims."""
    by = {"task_id": "synthesis", "agent": AgentId.SYNTHESIS_AGENT}
    written = text if isinstance(text, Synthesis) else Synthesis(summary=text, **by)
    found = ResearchResult(
        result_id="research",
        task_id="research",
        agent=AgentId.RESEARCH_AGENT_1,
        market=next(iter({claim.subject for claim in claims}), "USD/JPY"),
        claims=tuple(claims),
        sources=tuple(sources),
        confidence=1.0,
    )
    return TurnRequest(
        assignment=TaskAssignment(
            **by,
            task_type=TaskType.CHECK_FACTS,
            week=week_before(window.end),
            window=window,
            deadline=window.end + timedelta(hours=1),
            query=Query(question=question),
        ),
        state=(StateEntry(key="research", node="research", result=found),),
        text=written,
        model=MODEL,
        last=True,
    )


def fact_check_of(answer: AnswerReport, text: str | None = None) -> TurnRequest:
    """A fact check of a published answer, or of another text with references to its claims."""
    sections = (Section(title=each.title, content=each.prose) for each in answer.sections)
    written = Synthesis(
        task_id="synthesis",
        agent=AgentId.SYNTHESIS_AGENT,
        summary=text or answer.summary_prose,
        sections=() if text else tuple(sections),
        quotations=answer.quotations,
    )
    return fact_check(written, answer.claims[:200], answer.window, answer.question, answer.sources)


TRUE = "It was found."
FALSE = "It has been so since January."
CORRECTED = "It has been so for a while."
SAID = ({"type": "text", "text": "{}"},)
Checks = Callable[[TurnRequest], Turn]


@dataclass
class Writer:
    """A model that writes and checks its answer as the test says."""

    checks: Checks
    corrects: bool = True
    writes: str = f"{TRUE} {FALSE}"
    read: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def __call__(self, request: TurnRequest) -> Turn | None:
        """The next turn."""
        task = request.assignment.task_type
        if task is TaskType.CHECK_FACTS:
            assert isinstance(request.text, Synthesis)
            self.read.append(request.text.summary)
            return priced(self.checks(request), "0.01")
        if task is not TaskType.SYNTHESISE:
            return knowing_turn(request)
        if request.model == BUILTIN:
            return Turn(result=put_together(request, "The desk's own words."))
        self.told += (each.reason for each in request.rejected)
        words = self.writes
        if request.rejected and self.corrects:
            words = words.replace(FALSE, CORRECTED)
        turn = Turn(result=put_together(request, words), said=SAID)
        return priced(turn, "0.02")


def objecting(*sentences: str) -> Checks:
    """A check that objects to these sentences wherever they stand."""

    def check(request: TurnRequest) -> Turn:
        assert isinstance(request.text, Synthesis)
        pieces = request.text.summary.replace(". ", ".|").split("|")
        objections = (
            FactObjection(sentence=n, reason="no source says since when")
            for n, piece in enumerate(pieces, start=1)
            if piece in sentences
        )
        found = FactCheck(task_id=request.assignment.task_id, objections=tuple(objections))
        return Turn(result=found, said=SAID)

    return check


def written_by_model() -> GraphRequest:
    """A question whose answer is written by a model."""
    request = question(fork())
    agents = (AgentConfig(agent=AgentId.SYNTHESIS_AGENT, model=MODEL),)
    policy = request.policy.model_copy(update={"agents": agents})
    return request.model_copy(update={"policy": policy})


if __name__ == "__main__":
    published = AnswerReport.model_validate_json(Path(sys.argv[1]).read_text())
    call = model_call(fact_check_of(published, " ".join(sys.argv[2:]) or None))
    print(json.dumps({"system": call.system, "messages": call.messages}, ensure_ascii=False))
