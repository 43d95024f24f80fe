"""A conflict that a person is asked about survives kill -9 of the server and the worker.

Real processes all through: the embedded server, a worker of each role whose second research agent
lies, and `desk escalations` and `temporal` as a person calls them.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from desk.contracts.names import week_run_id
from desk.platform.server.embedded import EmbeddedServer, embedded_server
from desk.platform.settings import load_settings
from desk.platform.temporal.client import ServerUnreachable, connect
from tests.support.processes.command import Answer, DeskCommand, eventually
from tests.support.processes.fleet import start
from tests.support.processes.homes import PROJECT, home_environment
from tests.support.processes.lying_worker import LyingFleet
from workers.hosting import Role

WEEK = "2026-W44"
LIED_ABOUT = ("USD/JPY", "EUR/USD")
USD_JPY = f"{week_run_id(WEEK)}/market/USD/JPY"
EUR_USD = f"{week_run_id(WEEK)}/market/EUR/USD"


class Asked(NamedTuple):
    """A desk at which two markets wait for a person."""

    desk: DeskCommand
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
            await start(await connect(settings), settings, LIED_ABOUT, nobody)
            yield Asked(desk, server, fleet, settings.reports_dir)
    finally:
        fleet.end()


async def run(asked: Asked, *arguments: str) -> Answer:
    """A `desk` command; in a thread, because this process watches over the server meanwhile."""
    return await asyncio.to_thread(asked.desk, *arguments)


async def listed(asked: Asked, count: int) -> list[dict[str, Any]]:
    """The open cases, once there are that many."""

    def look() -> list[dict[str, Any]] | None:
        answer = asked.desk("escalations", "list", "--json")
        return answer.json if answer.code == 0 and len(answer.json) == count else None

    found: list[dict[str, Any]] = await asyncio.to_thread(eventually, look, f"{count} cases")
    return found


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


async def test_the_answer_counts_although_server_and_worker_were_killed(asked: Asked) -> None:
    assert len(await listed(asked, 2)) == 2
    shown = await run(asked, "escalations", "show", USD_JPY)
    for part in ("999.99", "research_agent_2", "ecb.get_", "default", "left", "--choose N"):
        assert part in shown.out, shown.err
    status = await run(asked, "status", "--week", WEEK)
    assert "desk escalations list" in status.out, status.err

    os.kill(asked.server.pid, signal.SIGKILL)
    asked.fleet.kill(Role.ORCHESTRATOR)
    await server_again(asked)
    unanswered = await run(asked, "escalations", "list")
    assert unanswered.code == 1
    assert "desk worker" in unanswered.err and "Traceback" not in unanswered.err
    asked.fleet.start(Role.ORCHESTRATOR)
    assert len(await listed(asked, 2)) == 2

    refused = await run(asked, "escalations", "resolve", USD_JPY, "--choose", "9", "--by", "anna")
    assert (refused.code, refused.out) == (2, "")
    assert "999.99" in refused.err
    case = (await run(asked, "escalations", "show", USD_JPY, "--json")).json
    stated = [p["stated"] for p in case["status"]["request"]["conflict"]["positions"]]
    number = next(n for n, figure in enumerate(stated, start=1) if figure != "999.99")
    decided = await run(
        asked,
        *("escalations", "resolve", USD_JPY, "--choose", str(number)),
        *("--by", "anna", "--note", "nobody published the other"),
    )
    assert decided.code == 0, decided.err
    assert "by anna" in decided.out and "nobody published the other" in decided.out
    again = await run(asked, "escalations", "resolve", USD_JPY, "--choose", "1", "--by", "ben")
    assert again.code == 1
    assert "decided already by anna" in again.err
    withheld = await run(asked, "escalations", "resolve", EUR_USD, "--choose", "none", "--by", "b")
    assert withheld.code == 0, withheld.err

    report = await report_of(asked)
    deciders = {c["market"]: c["decided_by_whom"] for c in report["conflicts"]}
    assert deciders == {"USD/JPY": "anna", "EUR/USD": "b"}
    figures = {claim["claim_id"]: claim for m in report["markets"] for claim in m["claims"]}
    assert figures["USD/JPY:last"]["value"] == "157.25"
    assert "EUR/USD:last" not in figures
    assert (await run(asked, "escalations", "list")).out == "no open conflicts\n"
    every = await run(asked, "escalations", "list", "--all", "--json")
    assert {case["status"]["state"] for case in every.json} == {"answered"}


async def test_the_temporal_command_line_answers_too(asked: Asked) -> None:
    cases = {case["workflow_id"].split("/escalation/")[0]: case for case in await listed(asked, 2)}
    one, other = cases[USD_JPY]["workflow_id"], cases[EUR_USD]["workflow_id"]

    refused = await asyncio.to_thread(
        asked.desk.temporal,
        *("workflow", "update", "execute", "--workflow-id", one, "--name", "resolve_escalation"),
        *("--input", '{"position":9,"by":"anna"}'),
    )
    assert refused.code != 0
    assert "999.99" in refused.err + refused.out
    taken = await asyncio.to_thread(
        asked.desk.temporal,
        *("workflow", "update", "execute", "--workflow-id", one, "--name", "resolve_escalation"),
        *("--input", '{"position":0,"by":"anna"}'),
    )
    assert taken.code == 0, taken.err
    signalled = await asyncio.to_thread(
        asked.desk.temporal,
        *("workflow", "signal", "--workflow-id", other, "--name", "answer_escalation"),
        *("--input", '{"position":null,"by":"ben","note":"look it up first"}'),
    )
    assert signalled.code == 0, signalled.err
    report = await report_of(asked)
    deciders = {c["market"]: c["decided_by_whom"] for c in report["conflicts"]}
    assert deciders == {"USD/JPY": "anna", "EUR/USD": "ben"}


async def test_a_terminated_case_loses_no_market(asked: Asked) -> None:
    cases = await listed(asked, 2)
    for case in cases:
        ended = await asyncio.to_thread(
            asked.desk.temporal, "workflow", "terminate", "--workflow-id", case["workflow_id"]
        )
        assert ended.code == 0, ended.err
    report = await report_of(asked)
    assert {c["decided_by"] for c in report["conflicts"]} == {"default"}
    late = await run(asked, "escalations", "resolve", USD_JPY, "--choose", "1", "--by", "anna")
    assert late.code == 1
    assert "desk rerun USD/JPY" in late.err
