"""A tool call as an activity: what Temporal is told when the source cannot be asked."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep

import pytest
from pydantic import JsonValue
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolSpec, ToolStatus
from desk.contracts.names import CallFault, FailureType
from desk.platform.effects.journal import EffectJournal
from desk.platform.mcp.tool_calling import ToolAnswer, ToolUnreachable
from tests.support.runs.opened import FirstUnanswered
from tests.support.runs.scripted import ScriptedTools


def busy(pause: timedelta | None) -> ScriptedTools:
    """A source that asks for a pause before the next call."""

    def script(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer | None:
        raise ToolUnreachable("news: it answered 429 Too Many Requests", after=pause)

    return ScriptedTools(script)


@pytest.mark.parametrize("pause", [timedelta(seconds=7), None])
async def test_a_busy_source_is_asked_again_after_the_pause_it_wants(
    pause: timedelta | None, tmp_path: Path
) -> None:
    journal = EffectJournal(tmp_path / "effects.db")
    call = ToolCall(call_id="1", server="news", tool="search_news")
    request = ToolRequest(call=call, as_of=datetime(2026, 11, 2, 7, tzinfo=UTC))
    activities = ToolActivities(busy(pause), journal)
    with pytest.raises(ApplicationError, match="429") as caught:
        await ActivityEnvironment().run(activities.call_tool, request)
    journal.close()
    assert caught.value.next_retry_delay == pause
    assert caught.value.type == FailureType.TOOL_UNAVAILABLE
    assert not caught.value.non_retryable


@pytest.mark.parametrize("pause", [timedelta(seconds=7), None])
async def test_a_busy_source_lists_its_tools_after_the_pause_it_wants(
    pause: timedelta | None, tmp_path: Path
) -> None:
    journal = EffectJournal(tmp_path / "effects.db")
    activities = ToolActivities(busy(pause), journal)
    with pytest.raises(ApplicationError, match="429") as caught:
        await ActivityEnvironment().run(activities.list_tools, "news")
    journal.close()
    assert caught.value.next_retry_delay == pause
    assert caught.value.type == FailureType.TOOL_UNAVAILABLE


def failing(fault: CallFault, pause: timedelta | None = None) -> ScriptedTools:
    """A source that gives no answer, for a reason."""

    def script(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer | None:
        raise ToolUnreachable("news: no answer", fault=fault, after=pause)

    return ScriptedTools(script)


async def refusal_of(
    tools: ScriptedTools, directory: Path, *, before: float = 0.0
) -> ApplicationError:
    """What Temporal is told of a call for which a minute is allowed, after as many seconds."""
    journal = EffectJournal(directory / "effects.db")
    call = ToolCall(call_id="1", server="news", tool="search_news")
    as_of = datetime(2026, 11, 2, 7, tzinfo=UTC)
    request = ToolRequest(call=call, as_of=as_of, within=timedelta(minutes=1))
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, heartbeat_details=[before])
    with pytest.raises(ApplicationError) as caught:
        await environment.run(ToolActivities(tools, journal).call_tool, request)
    journal.close()
    return caught.value


@pytest.mark.parametrize("fault", list(CallFault))
async def test_a_call_without_an_answer_says_why_and_is_not_made_again_in_vain(
    fault: CallFault, tmp_path: Path
) -> None:
    told = await refusal_of(failing(fault), tmp_path)
    assert told.type == FailureType.TOOL_UNAVAILABLE
    assert told.details[0] == fault
    lasting = {CallFault.TOO_LARGE, CallFault.CIRCUIT_OPEN, CallFault.MISCONFIGURED}
    assert told.non_retryable == (fault in lasting)


@pytest.mark.parametrize(
    ("before", "pause", "again"),
    [(0, None, True), (0, 50, True), (59.5, None, False), (0, 90, False)],
)
async def test_all_tries_together_have_their_time(
    before: float, pause: float | None, again: bool, tmp_path: Path
) -> None:
    after = timedelta(seconds=pause) if pause else None
    told = await refusal_of(failing(CallFault.TIMEOUT, after), tmp_path, before=before)
    assert told.non_retryable is not again


async def test_what_a_source_offers_is_told_as_it_is_now(tmp_path: Path) -> None:
    journal = EffectJournal(tmp_path / "effects.db")
    tools = ScriptedTools(offered={"news": (ToolSpec(server="news", tool="search_news"),)})
    activities = ToolActivities(tools, journal)
    first = await ActivityEnvironment().run(activities.list_tools, "news")
    tools.offered = {"news": ()}
    second = await ActivityEnvironment().run(activities.list_tools, "news")
    journal.close()
    assert [spec.tool for spec in first.tools] == ["search_news"]
    assert second.tools == ()


async def test_an_answer_says_how_long_it_took_and_whether_it_was_kept(tmp_path: Path) -> None:
    def script(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
        sleep(0.02)
        return ToolAnswer(content={}, kept=True)

    journal = EffectJournal(tmp_path / "effects.db")
    call = ToolCall(call_id="1", server="news", tool="search_news")
    request = ToolRequest(call=call, as_of=datetime(2026, 11, 2, 7, tzinfo=UTC))
    activities = ToolActivities(ScriptedTools(script), journal)
    first = await ActivityEnvironment().run(activities.call_tool, request)
    second = await ActivityEnvironment().run(activities.call_tool, request)
    journal.close()
    assert first.took is not None and 0.02 <= first.took < 10
    assert first.kept
    assert second == first, "a repeated attempt has the first one's times"


@pytest.mark.parametrize(
    ("changed", "status"), [("2026-11-01", ToolStatus.OK), ("2026-11-03", ToolStatus.REFUSED)]
)
async def test_what_a_foreign_source_dates_after_the_question_is_refused(
    changed: str, status: ToolStatus, tmp_path: Path
) -> None:
    def script(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
        return ToolAnswer(content={"key": "DESK-1", "changed": f"{changed}T00:00:00Z"})

    journal = EffectJournal(tmp_path / "effects.db")
    form = {"id": "key", "updated_at": "changed"}
    call = ToolCall(call_id="1", server="jira", tool="get_issue", answer=form)
    request = ToolRequest(call=call, as_of=datetime(2026, 11, 2, 7, tzinfo=UTC))
    result = await ActivityEnvironment().run(
        ToolActivities(ScriptedTools(script), journal).call_tool, request
    )
    journal.close()
    assert result.status is status
    assert (result.content is None) is (status is ToolStatus.REFUSED)


async def test_calls_that_are_made_together_are_kept_one_by_one(tmp_path: Path) -> None:
    """As when a worker dies between them: what was answered is not asked again, in the next attempt
    or alone."""
    tools = ScriptedTools(FirstUnanswered("get_history"))
    calls = [
        ToolCall(call_id=f"task/{tool}", server="ecb", tool=tool)
        for tool in ("get_quote", "get_history")
    ]
    as_of = datetime(2026, 11, 2, 7, tzinfo=UTC)
    request = ToolRequest(call=calls[0], as_of=as_of, together=(calls[1],))
    environment = ActivityEnvironment()
    with closing(EffectJournal(tmp_path / "effects.db")) as journal:
        activities = ToolActivities(tools, journal)

        async def done(activity_id: str, asked: ToolRequest) -> list[ToolStatus]:
            environment.info = replace(environment.info, activity_id=activity_id)
            result = await environment.run(activities.call_tool, asked)
            return [each.status for each in result.each]

        turn = "research_agent_1.research_fx.t0"
        first = await done(f"{turn}.2x.ecb", request)
        assert first == [ToolStatus.OK, ToolStatus.UNAVAILABLE]
        assert await done(f"{turn}.2x.ecb", request) == [ToolStatus.OK, ToolStatus.OK]
        for call in calls:
            assert await done(f"{turn}.{call.tool}", ToolRequest(call=call, as_of=as_of)) == [
                ToolStatus.OK
            ]
    assert tools.calls == {"ecb.get_quote": 1, "ecb.get_history": 2}
