"""What a report says of its cost, and of work that was done with less than planned."""

from decimal import Decimal

from desk.contracts.agents.budget import BudgetConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.names import AgentId
from desk.contracts.week.report import Contribution, ResearchReport
from desk.programs.week.document.rendering.objections import trust_line
from desk.programs.week.document.rendering.wording import spent_words
from tests.support.documents.traced_report import area_section, traced_report

SPENT = Usage(input_tokens=1_000, output_tokens=234, cost_usd=Decimal("0.1234"), model="claude")


def costing(usage: Usage, budget: BudgetConfig) -> ResearchReport:
    """A report of a run with this budget that took this much of it."""
    report = traced_report(usage=usage)
    policy = report.config.policy.model_copy(update={"budget": budget})
    config = report.config.model_copy(update={"policy": policy})
    return report.model_copy(update={"config": config})


def test_what_models_cost_stands_beside_what_they_might() -> None:
    limited = costing(SPENT, BudgetConfig(usd=Decimal(20), tokens=20_000_000))
    words = "1,234 tokens, $0.1234 of at most $20.00 and 20,000,000 tokens"
    assert spent_words(limited) == words
    assert spent_words(costing(SPENT, BudgetConfig())) == "1,234 tokens, $0.1234"


def test_a_budget_is_not_named_where_no_model_was_asked() -> None:
    assert spent_words(costing(Usage(), BudgetConfig(usd=Decimal(20)))) == "0 tokens"


def test_tasks_done_with_less_than_planned_are_counted_with_the_first_reason() -> None:
    line = Contribution(
        agent=AgentId.RESEARCH_AGENT_2,
        task_type=TaskType.RESEARCH_RATES,
        delivered=True,
        remark="the built-in analyst, for the model did not answer",
    )
    section = area_section().model_copy(update={"agents": (line,)})
    report = traced_report(markets=(section,), conflicts=())
    why = "(the built-in analyst, for the model did not answer)"
    assert trust_line(report) == f"1 task done with less than planned {why}"
    twice = report.model_copy(update={"planning": line})
    assert trust_line(twice) == f"2 tasks done with less than planned {why}"
