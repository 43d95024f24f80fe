"""The answer to a question along a graph of agents: who does which task."""

from typing import Final

from desk.agents.capabilities import NEWS
from desk.agents.program import AgentProfile, Program, TaskKind
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId
from desk.programs.week.program import PRODUCT_MANAGER

SYNTHESIS_AGENT: Final = AgentProfile(
    agent=AgentId.SYNTHESIS_AGENT, title="Synthesis agent", short="SY"
)

PROGRAM: Final = Program(
    name="question",
    workflows=("workflows.question:ResearchGraphWorkflow",),
    tasks=(
        TaskKind(
            task=TaskType.PLAN_QUESTION,
            agent=PRODUCT_MANAGER,
            delivers="question_plan",
            analyst="desk.programs.question.builtin.planning:take_turn",
            model="desk.programs.question.claude.planning:TASK",
        ),
        TaskKind(
            task=TaskType.FETCH_TICKETS,
            agent=AgentProfile(
                agent=AgentId.JIRA_AGENT,
                title="JIRA agent",
                short="JI",
                capabilities=(Capability.TICKET, Capability.WEB_SEARCH),
            ),
            delivers="tickets",
            analyst="desk.programs.question.builtin.lookups:fetch_tickets",
            model="desk.programs.question.claude.knowledge:TICKETS",
            in_graphs=True,
        ),
        TaskKind(
            task=TaskType.READ_DOCUMENTS,
            agent=AgentProfile(
                agent=AgentId.DOC_AGENT,
                title="Doc agent",
                short="DO",
                capabilities=(Capability.DOCUMENT, Capability.WEB_SEARCH),
            ),
            delivers="documents",
            analyst="desk.programs.question.builtin.reading:read_documents",
            model="desk.programs.question.claude.knowledge:DOCUMENTS",
            in_graphs=True,
        ),
        TaskKind(
            task=TaskType.READ_PDFS,
            agent=AgentProfile(
                agent=AgentId.PDF_AGENT,
                title="PDF agent",
                short="PD",
                capabilities=(Capability.PDF, Capability.WEB_SEARCH),
            ),
            delivers="pdfs",
            analyst="desk.programs.question.builtin.reading:read_pdfs",
            model="desk.programs.question.claude.knowledge:PDFS",
            in_graphs=True,
        ),
        TaskKind(
            task=TaskType.SEARCH_WEB,
            agent=AgentProfile(
                agent=AgentId.SEARCH_AGENT,
                title="Search agent",
                short="SE",
                capabilities=(Capability.WEB_SEARCH, *NEWS),
            ),
            delivers="search",
            analyst="desk.programs.question.builtin.lookups:search_web",
            model="desk.programs.question.claude.knowledge:SEARCH",
            in_graphs=True,
        ),
        TaskKind(
            task=TaskType.SYNTHESISE,
            agent=SYNTHESIS_AGENT,
            delivers="synthesis",
            analyst="desk.programs.question.builtin.synthesis:take_turn",
            model="desk.programs.question.claude.synthesis:TASK",
            in_graphs=True,
            is_fact_checked=True,
        ),
        TaskKind(
            task=TaskType.CHECK_FACTS,
            agent=SYNTHESIS_AGENT,
            delivers="fact_check",
            analyst="desk.programs.builtin.fact_check:take_turn",
            model="desk.programs.claude.fact_check:TASK",
        ),
    ),
)
