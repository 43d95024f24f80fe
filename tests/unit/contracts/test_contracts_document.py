"""docs/contracts.md leaves no field of the specifications out and names nothing that is not."""

import importlib
import re
from functools import cache

import pytest

from desk.contracts.runs.messages import MessageType
from tests.support.processes.homes import PROJECT

DOCUMENT = (PROJECT / "docs/contracts.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`desk\.contracts\.(\w+(?:\.\w+){1,4})`", DOCUMENT)))
FILES = sorted(set(re.findall(r"`?((?:desk|docs|tests)/[\w/]+\.(?:py|md))", DOCUMENT)))

_ENVELOPE = "message_id timestamp from_agent to_agent message_type priority correlation_id payload"

SPECIFIED = {
    "AgentMessage (A)": _ENVELOPE,
    "TaskAssignmentMessage (A)": _ENVELOPE,
    "ResearchResultMessage (A)": _ENVELOPE,
    "TaskAssignment": "task_id task_type target_market time_window mcp_tools deadline retry_count"
    " context",
    "ResearchResult": "result_id task_id agent_id market_data sources confidence_score"
    " processing_time errors_encountered",
    "MarketEvent": "event_type currency_pair central_bank event_date description impact source_url"
    " raw_data",
    "ValidationResult": "validation_id research_results conflicts verified_events"
    " authoritative_sources recommendation",
    "AgentError": "error_id timestamp agent_id error_type error_message mcp_tool recovery_action"
    " impact context",
    "Named without fields": "TimeWindow DataSource ConflictRecord",
    "BaseMessage (B)": "message_id from to type timestamp content priority reply_to timeout",
    "TaskAssignmentContent": "task_type focus_area target_pairs timeframe data_sources deadline"
    " output_format special_instructions",
    "TaskAcceptanceContent": "task_id status estimated_completion agent_capacity rejection_reason",
    "ResearchResultContent": "task_id status execution_time_minutes data_points_collected"
    " sources_accessed key_findings raw_data confidence_score data_freshness_hours warnings",
    "ValidationRequestContent": "research_results_to_validate validation_type validation_sources"
    " priority_areas deadline",
    "ValidationIssue": "issue_type severity description affected_data recommendation confidence",
    "ValidationResultContent": "validation_id research_results_validated overall_confidence"
    " issues_found validated_findings execution_time_minutes sources_consulted",
    "ErrorReportContent": "error_type error_message context stack_trace recovery_action"
    " impact_level related_task_id",
    "SystemStatusContent": "agent_status cpu_usage_percent memory_usage_mb active_tasks"
    " completed_tasks_today error_count_today last_successful_operation performance_metrics",
    "Results of its agents": "id status assignee summary doc_id markdown html url pages text"
    " page_number title snippet url sections title content summary",
    "Its tools": 'FETCH_TICKET GET_DOC GET_DOC(tool="PDF") SEARCH_WEB mcp_protocol.json'
    " mcp_client.get_doc mcp_client.fetch_ticket mcp_client.search_web session IDs over HTTP/2"
    " response latency",
    "TaskRequest, TaskResult and Heartbeat (C)": "task_id intent payload status output agent_id"
    " timestamp",
    "Nodes of a graph": "name agent next fork shared state",
    "What a specialist delivers": "findings confidence sources contradictions recommendations",
    "What a specialist is given": "objective output format tools boundaries tool calls name",
    "Specialists and their tools": "Market Research Technical Analysis Fundamental Analysis"
    " Sentiment Analysis Pattern Mining",
    "The loop of a swarm": "objective user_config strategy subagent_weight confidence_spread"
    " success_rate needs_more_research refined_objective partial_findings hypotheses"
    " research_findings",
    "The blackboard": "news_data fundamentals_data sentiment_data ta_basic_data ta_advanced_data"
    " insights recommendation confidence",
    "The actions": "FETCH_NEWS FETCH_FUNDAMENTALS FETCH_SENTIMENT RUN_TA_BASIC RUN_TA_ADVANCED"
    " GENERATE_INSIGHT GENERATE_RECOMMENDATION EVALUATE_PERFORMANCE",
    "Context that is passed": "existing_insights stock_symbol current date/index Historical price"
    " data",
    "The episode and its environment": "ControllerAgent agent_sequence reset step next_state reward"
    " done info validation",
    "ApiError (A)": "code message details timestamp agent_id correlation_id",
}
"""The models of the specifications, field by field, by their headings in the document."""


@cache
def rows(heading: str) -> dict[str, str]:
    """The table under a heading: first column without its marks, to the rest."""
    section = re.search(rf"(?ms)^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", DOCUMENT)
    assert section, f"docs/contracts.md has no section '{heading}'"
    found = re.findall(r"(?m)^\| `([^`|]+)` \| (.+) \|$", section[1])
    return dict(found)


def test_what_the_document_names_exists() -> None:
    assert [name for name in NAMED if not _exists(name)] == []


def _exists(name: str) -> bool:
    module_name, symbol, *field = _parts(name)
    holder = getattr(importlib.import_module(module_name), symbol, None)
    if holder is None or not field:
        return holder is not None
    known = getattr(holder, "model_fields", vars(holder))
    return all(part in known for part in field)


def _parts(name: str) -> list[str]:
    """The module, and the names in it."""
    first, *rest = name.split(".")
    module = f"desk.contracts.{first}"
    while (PROJECT / module.replace(".", "/")).is_dir():
        module = f"{module}.{rest.pop(0)}"
    return [module, *rest]


def test_the_document_names_many_things() -> None:
    assert len(NAMED) > 100


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_the_document_names_exists(path: str) -> None:
    assert (PROJECT / path).is_file()


@pytest.mark.parametrize("heading", SPECIFIED)
def test_no_field_of_the_specifications_is_left_out(heading: str) -> None:
    named = " ".join(rows(heading)).split()
    assert sorted(named) == sorted(SPECIFIED[heading].split())


@pytest.mark.parametrize("heading", SPECIFIED)
def test_every_field_has_a_place_or_a_reason(heading: str) -> None:
    bare = [field for field, where in rows(heading).items() if len(where) < 12]
    assert bare == []


def test_every_message_type_has_its_event_and_its_content() -> None:
    table = rows("Messages")
    assert list(table) == list(MessageType)
    for kind, where in table.items():
        name = "".join(word.title() for word in kind.split("_"))
        assert f"`desk.contracts.runs.messages.{name}Content`" in where


def test_every_promise_of_messages_has_what_holds_it_and_a_figure() -> None:
    section = DOCUMENT.split("## What is promised of messages", 1)[1].split("\n## ", 1)[0]
    table = re.findall(r"(?m)^\| ([^|-][^|]+) \| ([^|]+) \| ([^|]+) \|$", section)[1:]
    promises = [promise for promise, _, _ in table]
    wanted = ("1 s", "100 ms", "order", "timeout", "3 tries", "10 MB", "1,000")
    assert [word in promise for word, promise in zip(wanted, promises, strict=True)] == [True] * 7
    assert all(re.search(r"\d", measured) for _, _, measured in table)
