"""A tool call as an activity: what Temporal is told when the source cannot be asked."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import JsonValue
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.tool_calls import ToolActivities
from contracts.names import FailureType
from contracts.tools import ToolCall, ToolRequest
from infra.effect_journal import EffectJournal
from infra.tool_calling import ToolAnswer, ToolUnreachable


class Busy:
    """A source that asks for a pause before the next call."""

    def __init__(self, pause: timedelta | None) -> None:
        self._pause = pause

    async def call(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        key: str,
        timeout_seconds: float,
    ) -> ToolAnswer:
        raise ToolUnreachable("news: it answered 429 Too Many Requests", after=self._pause)


@pytest.mark.parametrize("pause", [timedelta(seconds=7), None])
async def test_a_busy_source_is_asked_again_after_the_pause_it_wants(
    pause: timedelta | None, tmp_path: Path
) -> None:
    journal = EffectJournal(tmp_path / "effects.db")
    call = ToolCall(call_id="1", server="news", tool="search_news")
    request = ToolRequest(call=call, as_of=datetime(2026, 11, 2, 7, tzinfo=UTC))
    activities = ToolActivities(Busy(pause), journal)
    with pytest.raises(ApplicationError, match="429") as caught:
        await ActivityEnvironment().run(activities.call_tool, request)
    journal.close()
    assert caught.value.next_retry_delay == pause
    assert caught.value.type == FailureType.TOOL_UNAVAILABLE
    assert not caught.value.non_retryable
