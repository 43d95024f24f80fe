"""Tool calls are found again in Temporal's histories, and publishing does without where not."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

from activities.publishing.publishing import with_event_ids
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import CallPlace, ToolResult
from desk.contracts.runs.week import WeekRecord, WeekResult
from desk.contracts.week.report import MarketOutcome
from desk.programs.week.document.publishing import read_published
from tests.support.documents.report_outcomes import made_up_history, pair_outcome
from tests.support.documents.reports import sample_record
from tests.support.runs.desk import desk_config, desk_workers, start_week


async def published_week(client: Client, directory: Path) -> WeekResult:
    async with desk_workers(client, directory):
        return await (await start_week(client, desk_config())).result()


def places(record: WeekRecord) -> list[CallPlace]:
    return [
        result.place
        for outcome in record.outcomes
        for result in outcome.evidence
        if result.place is not None
    ]


async def test_a_published_tool_call_names_the_event_that_scheduled_it(
    client: Client, tmp_path: Path
) -> None:
    week = await published_week(client, tmp_path)
    report = read_published(Path(week.files.json_file))
    assert report is not None
    found = [result.place for result in report.evidence]
    assert found
    for place in found:
        assert place is not None
        handle = client.get_workflow_handle(place.workflow_id, run_id=place.run_id)
        history = await handle.fetch_history()
        event = history.events[(place.event_id or 0) - 1]
        assert event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
        scheduled = event.activity_task_scheduled_event_attributes
        assert scheduled.activity_id == place.activity_id


async def test_a_history_that_is_gone_leaves_the_event_open_and_the_others_found(
    client: Client, tmp_path: Path
) -> None:
    record = (await published_week(client, tmp_path)).record
    lost = outcome_at(CallPlace(workflow_id="gone", run_id="no-such-run", activity_id="a"))
    placed = await with_event_ids(
        record.model_copy(update={"outcomes": (lost, *record.outcomes)}), client
    )
    events = [place.event_id for place in places(placed)]
    assert events[0] is None
    assert len(events) > 1
    assert None not in events[1:]


async def test_a_record_without_places_asks_nobody(client: Client) -> None:
    record = sample_record([outcome_at(None)])
    assert await with_event_ids(record, client) == record


async def test_a_server_that_does_not_answer_holds_the_report_back_no_longer_than_the_budget() -> (
    None
):
    class SilentClient:
        def get_workflow_handle(self, workflow_id: str, run_id: str) -> SimpleNamespace:
            return SimpleNamespace(fetch_history_events=self._fetch)

        async def _fetch(self, page_size: int | None) -> AsyncIterator[HistoryEvent]:
            await asyncio.sleep(60)
            yield HistoryEvent()

    record = sample_record([outcome_at(CallPlace(workflow_id="w", run_id="r", activity_id="a"))])
    placed = await with_event_ids(record, SilentClient(), budget_seconds=0.05)  # type: ignore[arg-type]
    assert placed == record


def outcome_at(place: CallPlace | None) -> MarketOutcome:
    """The outcome of a pair whose only tool call stands at a place."""
    outcome = pair_outcome(made_up_history("USD/JPY", 148.2, 2, 1.9), outcome=Outcome.RESEARCHED)
    found: ToolResult = outcome.evidence[0].model_copy(update={"place": place})
    return outcome.model_copy(update={"evidence": (found,)})
