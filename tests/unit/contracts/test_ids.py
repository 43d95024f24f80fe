"""Ids of workflows and activities: what one function makes, another reads."""

import string

from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import (
    ActivityIdParts,
    AgentId,
    WorkflowIdParts,
    activity_id_parts,
    agent_of,
    call_activity_id,
    escalation_run_id,
    hypothesis_run_id,
    id_within,
    market_run_id,
    reassignment_run_id,
    specialist_run_id,
    turn_activity_id,
    without_reassignment,
    workflow_id_parts,
)

RUNS = st.from_regex(r"\A(weekly|ask|swarm|stock)-[A-Za-z0-9.:-]{1,20}\Z")
PAIRS = st.from_regex(r"\A[A-Z]{3}/[A-Z]{3}\Z")
MARKETS = PAIRS | st.from_regex(r"\A[A-Z^][A-Z0-9.^=-]{0,14}\Z")
NODES = st.from_regex(r"\A[A-Za-z][A-Za-z0-9_-]{0,20}(\.(again)?\d)?\Z")
TASKS = NODES | st.from_regex(r"\A[A-Z]{3}/[A-Z]{3}/[a-z]{1,9}/[a-z]{1,9}\Z")
CALLS = st.from_regex(r"\A[a-su-z][a-z_]{0,20}(\.[0-9]{1,2})?\Z")


@st.composite
def workflows(draw: st.DrawFn) -> tuple[str, WorkflowIdParts]:
    """A workflow's id, made as workflows make it, and what it says."""
    run = draw(RUNS)
    parts, made = WorkflowIdParts(run), run
    if draw(st.booleans()):
        parts = parts._replace(market=draw(MARKETS), rerun=draw(st.integers(0, 30)))
        made = market_run_id(run, str(parts.market), parts.rerun)
    match draw(st.sampled_from(["", "escalation", "specialist", "hypothesis"])):
        case "escalation":
            parts = parts._replace(escalation=draw(TASKS))
            made = escalation_run_id(made, str(parts.escalation))
        case "specialist":
            parts = parts._replace(specialist=draw(NODES))
            made = specialist_run_id(made, str(parts.specialist))
        case "hypothesis":
            parts = parts._replace(hypothesis=draw(NODES))
            made = hypothesis_run_id(made, str(parts.hypothesis))
    if draw(st.booleans()):
        parts = parts._replace(reassigned=draw(TASKS))
        made = reassignment_run_id(made, str(parts.reassigned))
    return made, parts


@given(workflows())
def test_a_workflows_id_says_what_it_was_made_of(made: tuple[str, WorkflowIdParts]) -> None:
    workflow_id, parts = made
    assert workflow_id_parts(workflow_id) == parts
    assert f"{parts.run}/{id_within(workflow_id, parts.run)}".rstrip("/") == workflow_id


@given(workflows(), TASKS)
def test_who_handed_a_task_on_is_found_again(made: tuple[str, WorkflowIdParts], task: str) -> None:
    workflow_id, parts = made
    if parts.reassigned is None:
        assert without_reassignment(workflow_id) == workflow_id
        assert without_reassignment(reassignment_run_id(workflow_id, task)) == workflow_id


@given(st.text(string.printable, max_size=40))
def test_the_run_of_a_workflow_id_is_how_the_id_begins(written: str) -> None:
    assert written.startswith(workflow_id_parts(written).run)


def test_only_a_markets_own_workflow_researches_it() -> None:
    market = market_run_id("weekly-2026-W44", "USD/JPY", rerun=2)
    assert workflow_id_parts(market).researches
    assert not workflow_id_parts(reassignment_run_id(market, "research_fx")).researches
    assert not workflow_id_parts(escalation_run_id(market, "spot")).researches
    assert not workflow_id_parts("weekly-2026-W44").researches


@given(
    st.sampled_from(AgentId),
    st.sampled_from(TaskType),
    st.integers(1, 400),
    st.just("") | NODES,
    st.none() | CALLS,
)
def test_an_activitys_id_says_what_it_was_made_of(
    agent: AgentId, task_type: TaskType, turn: int, place: str, call: str | None
) -> None:
    made = turn_activity_id(agent, task_type, turn, place)
    parts = ActivityIdParts(agent, task_type, place, turn, call)
    activity_id = made if call is None else call_activity_id(made, call)
    assert activity_id_parts(activity_id) == parts
    assert activity_id.startswith(f"{parts.task}.t{turn}")
    assert agent_of(activity_id) is agent


def test_a_node_may_be_called_like_a_turn() -> None:
    found = activity_id_parts("doc_agent.read_documents.t1.t2.get_document.1")
    assert found == ActivityIdParts("doc_agent", "read_documents", "t1", 2, "get_document.1")


def test_work_that_no_agent_asked_for_has_none() -> None:
    for activity_id in ("publish.r1", "list_tools.ecb", "deliver.mail.r1", "decision", ""):
        assert activity_id_parts(activity_id) is None
        assert agent_of(activity_id) is AgentId.PRODUCT_MANAGER
