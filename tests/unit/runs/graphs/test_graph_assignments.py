"""The task that a node's agent is given: until when, and with what before its eyes."""

from datetime import UTC, datetime, timedelta

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import StateEntry
from desk.runs.assignments.deadlines import node_deadline
from desk.runs.assignments.tasks import shown_to, week_before
from tests.support.runs.graphs import graph, node, synthesis

NOW = datetime(2026, 10, 30, 12, tzinfo=UTC)
LIMITS = DeadlineConfig()


def test_a_node_has_its_own_time_and_at_most_until_the_run_ends() -> None:
    brief = node("docs", AgentId.DOC_AGENT, timeout=timedelta(seconds=3))
    soon = NOW + timedelta(minutes=7)
    assert node_deadline(NOW, soon, brief, LIMITS) == NOW + timedelta(seconds=3)
    assert node_deadline(NOW, soon, synthesis(), LIMITS) == soon


def test_after_the_runs_time_a_node_still_has_that_of_a_turn() -> None:
    past = NOW - timedelta(days=1)
    brief = node("docs", AgentId.DOC_AGENT, timeout=timedelta(seconds=3))
    assert node_deadline(NOW, past, synthesis(), LIMITS) == NOW + LIMITS.turn
    assert node_deadline(NOW, past, brief, LIMITS) == NOW + timedelta(seconds=3)


def test_who_looks_for_something_is_shown_what_came_right_before() -> None:
    spec = graph(
        node("tickets", AgentId.JIRA_AGENT, "docs"),
        node("docs", AgentId.DOC_AGENT, "search"),
        node("search", AgentId.SEARCH_AGENT, "synthesis"),
        synthesis(),
    )
    state = tuple(StateEntry(key=name, node=name) for name in ("tickets", "docs", "search"))
    assert [e.node for e in shown_to(spec.node("search"), spec, state[:2])] == ["docs"]
    assert shown_to(spec.node("synthesis"), spec, state) == state
    choosy = spec.node("search").model_copy(update={"reads": ("tickets",)})
    assert shown_to(choosy, spec, state[:1]) == state[:1]


def test_on_a_monday_the_week_is_the_one_that_has_ended() -> None:
    assert week_before(datetime(2026, 11, 2, 7, tzinfo=UTC)) == "2026-W44"
    assert week_before(datetime(2026, 11, 3, 7, tzinfo=UTC)) == "2026-W45"
