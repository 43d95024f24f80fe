"""Cases of a market that is cancelled while it tells of them, and cases that never came to be."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import CancelledError
from temporalio.plugin import SimplePlugin

from desk.contracts.findings.results import DecidedBy
from desk.contracts.names import market_run_id, week_run_id
from tests.support.runs.desk import (
    WEEK,
    desk_config,
    desk_workers,
    pair,
    start_week,
)
from tests.support.runs.held import TELLS_OF_A_CASE, TELLS_OF_NO_CASE, held
from tests.support.unopened import Unopened
from tests.workflow.week.test_conflicted_market import CASE, answer, disagreeing, status_once

MARKET = market_run_id(week_run_id(WEEK), "USD/JPY")
TOLD = EventType.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED
CANCELLED = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED
HEARD = EventType.EVENT_TYPE_EXTERNAL_WORKFLOW_EXECUTION_SIGNALED


async def test_a_market_that_is_cancelled_while_it_tells_of_a_case_ends_with_its_case(
    server: Client, tmp_path: Path
) -> None:
    market, case = server.get_workflow_handle(MARKET), server.get_workflow_handle(CASE)
    async with desk_workers(server, tmp_path, analyst=disagreeing()):
        with held(TELLS_OF_A_CASE) as telling:
            week = await start_week(server, desk_config(pair("USD/JPY")))
            await telling.reached.wait()
            await market.cancel()
            telling.let_go.set()
            assert await ends_of(market, case) == [CancelledError, CancelledError]
        await week.cancel()
    kinds = [event.event_type async for event in market.fetch_history_events()]
    assert kinds.index(TOLD) < kinds.index(CANCELLED) < kinds.index(HEARD)


async def test_a_market_that_is_cancelled_while_it_tells_of_the_answer_ends_as_cancelled(
    server: Client, tmp_path: Path
) -> None:
    market = server.get_workflow_handle(MARKET)
    async with desk_workers(server, tmp_path, analyst=disagreeing()):
        with held(TELLS_OF_NO_CASE) as telling:
            week = await start_week(server, desk_config(pair("USD/JPY")))
            await status_once(week, cases=1)
            await answer(server, CASE, 0)
            await telling.reached.wait()
            await market.cancel()
            telling.let_go.set()
            assert await ends_of(market) == [CancelledError]
        await week.cancel()


async def ends_of(*runs: WorkflowHandle[Any, Any]) -> list[type[BaseException | None]]:
    """What kind of failure each has ended with."""
    ends: list[type[BaseException | None]] = []
    for run in runs:
        with pytest.raises(WorkflowFailureError) as ended:
            await asyncio.wait_for(run.result(), 60)
        ends.append(type(ended.value.cause))
    return ends


async def test_nobody_is_told_of_a_case_that_could_not_be_opened(
    client: Client, tmp_path: Path
) -> None:
    config = client.config()
    without = SimplePlugin("unopened cases", interceptors=[Unopened()])
    config["plugins"] = [*config["plugins"], without]
    refusing = Client(**config)
    analyst = disagreeing("USD/JPY", "EUR/USD")
    async with desk_workers(refusing, tmp_path, analyst=analyst):
        week = await start_week(client, desk_config(pair("USD/JPY"), pair("EUR/USD")))
        await answer(client, (await status_once(week, cases=1)).escalations[0], 0)
        result = await week.result()
        other = client.get_workflow_handle(market_run_id(week.id, "EUR/USD"))
        kinds = [event.event_type async for event in other.fetch_history_events()]
    decided = {o.market: o.conflicts[0].decided_by for o in result.record.outcomes}
    assert decided == {"USD/JPY": DecidedBy.PERSON, "EUR/USD": DecidedBy.DEFAULT}
    assert TOLD not in kinds
