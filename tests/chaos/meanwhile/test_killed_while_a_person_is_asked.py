"""A conflict that a person is asked about survives kill -9 of the server and the worker.

Real processes all through: the embedded server, a worker of each role whose second research agent
lies, and `desk escalations` and `temporal` as a person calls them.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from temporalio.client import Client

from desk.contracts.names import WorkflowType, market_run_id, week_run_id
from desk.platform.server.embedded import EmbeddedServer, embedded_server
from desk.platform.settings import load_settings
from desk.platform.temporal.client import ServerUnreachable, connect
from tests.support.processes.command import PATIENCE_SECONDS, Answer, DeskCommand, eventually
from tests.support.processes.fleet import start
from tests.support.processes.homes import PROJECT, home_environment
from tests.support.processes.lying_worker import LyingFleet
from workers.hosting import Role

WEEK = "2026-W44"
DECIDED, WITHHELD, UPDATED, SIGNALLED, ENDED = LIED_ABOUT = (
    "USD/JPY",
    "EUR/USD",
    "GBP/USD",
    "AUD/USD",
    "USD/CHF",
)
"""What becomes of each case: two are answered by `desk escalations`, two by `temporal`, and one is
terminated."""


class Asked(NamedTuple):
    """A desk at which markets wait for a person."""

    desk: DeskCommand
    client: Client
    server: EmbeddedServer
    fleet: LyingFleet
    reports: Path


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[Asked]:
    environment = home_environment(tmp_path, LIES_ABOUT=",".join(LIED_ABOUT))
    settings = load_settings(PROJECT, environment)
    desk = DeskCommand(tmp_path)
    desk.variables = {**environment, "TEMPORAL_ADDRESS": settings.server.address}
    fleet = LyingFleet(environment)
    try:
        async with embedded_server(settings.home, settings.server) as server:
            for role in Role:
                if role is not Role.ALL:
                    fleet.start(role)
            # Where nobody is known to publish a fixing, nobody's word on it ends the matter.
            nobody = settings.config.policy.voting.model_copy(update={"publishers": {}})
            client = await connect(settings)
            await start(client, settings, LIED_ABOUT, nobody)
            yield Asked(desk, client, server, fleet, settings.reports_dir)
    finally:
        fleet.end()


async def run(asked: Asked, *arguments: str) -> Answer:
    """A `desk` command; in a thread, because this process watches over the server meanwhile."""
    return await asyncio.to_thread(asked.desk, *arguments)


async def listed(asked: Asked) -> dict[str, str]:
    """The open cases by their markets, once there is one of each."""
    open_ones = f"WorkflowType = '{WorkflowType.ESCALATION}' AND ExecutionStatus = 'Running'"
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await asked.client.count_workflows(open_ones)).count < len(LIED_ABOUT):
            await asyncio.sleep(0.1)
    answer = await run(asked, "escalations", "list", "--json")
    assert answer.code == 0, answer.err
    cases = [case["workflow_id"] for case in answer.json]
    assert len(cases) == len(LIED_ABOUT)
    return {
        market: case
        for market in LIED_ABOUT
        for case in cases
        if case.startswith(f"{market_run_id(week_run_id(WEEK), market)}/")
    }


async def server_again(asked: Asked) -> None:
    """Until the server, which was killed, answers once more."""
    settings = load_settings(PROJECT, asked.desk.variables)
    while True:
        with suppress(ServerUnreachable):
            await connect(settings)
            return
        await asyncio.sleep(0.05)


async def report_of(asked: Asked) -> dict[str, Any]:
    path = asked.reports / "weekly" / f"{WEEK}-asia-g10-fx.json"
    await asyncio.to_thread(eventually, path.exists, "the report")
    report: dict[str, Any] = json.loads(path.read_text())
    return report


async def test_the_answers_count_although_server_and_worker_were_killed(asked: Asked) -> None:
    cases = await listed(asked)
    await a_case_is_shown(asked, cases[DECIDED])
    os.kill(asked.server.pid, signal.SIGKILL)
    asked.fleet.kill(Role.ORCHESTRATOR)
    await server_again(asked)
    # They are read from the server's histories, without a worker.
    assert await listed(asked) == cases
    asked.fleet.start(Role.ORCHESTRATOR)

    await answered_by_the_desk(asked, cases)
    await answered_by_temporal(asked, cases)
    ended = await temporal(asked, "terminate", "--workflow-id", cases[ENDED])
    assert ended.code == 0, ended.err
    await the_report_says_who_decided(asked)
    late = await run(asked, "escalations", "resolve", cases[ENDED], "--choose", "1", "--by", "anna")
    assert late.code == 1
    assert f"desk rerun {ENDED}" in late.err
    assert (await run(asked, "escalations", "list")).out == "no open conflicts\n"
    every = await run(asked, "escalations", "list", "--all", "--json")
    told = {case["workflow_id"]: case["status"]["state"] for case in every.json}
    assert {told[cases[m]] for m in LIED_ABOUT if m != ENDED} == {"answered"}


async def a_case_is_shown(asked: Asked, case: str) -> None:
    shown = await run(asked, "escalations", "show", case)
    for part in ("999.99", "research_agent_2", "ecb.get_", "default", "left", "--choose N"):
        assert part in shown.out, shown.err
    status = await run(asked, "status", "--week", WEEK)
    assert "desk escalations list" in status.out, status.err


async def answered_by_the_desk(asked: Asked, cases: Mapping[str, str]) -> None:
    """One side of a case is chosen, and neither of another's."""
    resolve = ("escalations", "resolve", cases[DECIDED], "--choose")
    refused = await run(asked, *resolve, "9", "--by", "anna")
    assert (refused.code, refused.out) == (2, "")
    assert "999.99" in refused.err
    case = (await run(asked, "escalations", "show", cases[DECIDED], "--json")).json
    stated = [p["stated"] for p in case["status"]["request"]["conflict"]["positions"]]
    number = next(n for n, figure in enumerate(stated, start=1) if figure != "999.99")
    note = "nobody published the other"
    decided = await run(asked, *resolve, str(number), "--by", "anna", "--note", note)
    assert decided.code == 0, decided.err
    assert "by anna" in decided.out and note in decided.out
    again = await run(asked, *resolve, "1", "--by", "ben")
    assert again.code == 1
    assert "decided already by anna" in again.err
    neither = ("escalations", "resolve", cases[WITHHELD], "--choose", "none", "--by", "b")
    withheld = await run(asked, *neither)
    assert withheld.code == 0, withheld.err


async def answered_by_temporal(asked: Asked, cases: Mapping[str, str]) -> None:
    """By an update, which refuses what makes no sense, and by a signal."""
    update = ("update", "execute", "--workflow-id", cases[UPDATED], "--name", "resolve_escalation")
    refused = await temporal(asked, *update, "--input", '{"position":9,"by":"anna"}')
    assert refused.code != 0
    assert "999.99" in refused.err + refused.out
    taken = await temporal(asked, *update, "--input", '{"position":0,"by":"anna"}')
    assert taken.code == 0, taken.err
    signalled = await temporal(
        asked,
        *("signal", "--workflow-id", cases[SIGNALLED], "--name", "answer_escalation"),
        *("--input", '{"position":null,"by":"ben","note":"look it up first"}'),
    )
    assert signalled.code == 0, signalled.err


async def temporal(asked: Asked, *arguments: str) -> Answer:
    """A command of `temporal workflow`."""
    return await asyncio.to_thread(asked.desk.temporal, "workflow", *arguments)


async def the_report_says_who_decided(asked: Asked) -> None:
    report = await report_of(asked)
    conflicts = {conflict["market"]: conflict for conflict in report["conflicts"]}
    assert {market: conflict["decided_by_whom"] for market, conflict in conflicts.items()} == {
        DECIDED: "anna",
        WITHHELD: "b",
        UPDATED: "anna",
        SIGNALLED: "ben",
        ENDED: None,
    }
    assert conflicts[ENDED]["decided_by"] == "default"
    figures = {claim["claim_id"]: claim for m in report["markets"] for claim in m["claims"]}
    assert figures[f"{DECIDED}:last"]["value"] == "157.25"
    assert f"{WITHHELD}:last" not in figures
