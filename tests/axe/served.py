"""A desk in a browser on which every page has something to show."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

import httpx2
import uvicorn
from pydantic import SecretStr

from desk.contracts.names import Queue
from desk.platform.settings import ServeSettings, load_settings
from desk.platform.temporal.client import connect
from starters.operations.serve.application import application
from starters.operations.serve.command import hosts_of
from starters.operations.serve.serving.guard import Admission
from starters.operations.serve.serving.hosting import DeskKeeper, listening
from starters.operations.serve.serving.site import Site
from tests.support.processes.command import DeskCommand, eventually
from tests.support.processes.homes import PROJECT, free_port, home_settings
from tests.support.runs.cases import WORKFLOW_ID, case
from tests.support.sources.faulty_source import Controls, Fault, over_stdio
from workflows.escalation import EscalationWorkflow

PARTIAL_WEEK: Final = "2026-W37"
LIVE_WEEK: Final = "2026-W38"
QUESTION: Final = "What holds up DESK-101?"
DECIDED: Final = f"{WORKFLOW_ID}:decided"
TOKEN: Final = "a token that nobody guesses"

_EVERYWHERE: Final = {
    "runs": "/",
    "no run": "/runs/weekly-2026-W99",
    "ask": "/ask",
    "swarm": "/swarm",
    "stock": "/stock",
    "week": "/week",
    "decide": "/decide?all=1",
    "case": f"/decide/{quote(WORKFLOW_ID)}",
    "case decided": f"/decide/{quote(DECIDED)}",
    "no case": "/decide/nobody",
    "reports": "/reports",
    "no report": "/reports/weekly/nothing.html",
    "scorecard": "/scorecard",
    "scorecard refused": "/scorecard?week=W99",
    "agents": "/agents",
    "no page": "/nowhere",
}


@contextmanager
def served_pages(folder: Path) -> Iterator[dict[str, str]]:
    """The addresses of the pages by their names: a week at work first, which it stays for a while.

    A source of prices falls silent, one of policy rates cannot be started, and two agents do not
    agree.
    """
    control = folder / "fault"
    controls = Controls(control)
    desk = DeskCommand(folder, DESK_MCP_CONFIG=str(_sources(folder, control)))
    with desk.serving(free_port()) as at, _apart(folder) as (closed, away):
        answered = desk("ask", QUESTION, "--json").json
        desk("run", "--week", PARTIAL_WEEK, "--markets", "USD/JPY,JP")
        asyncio.run(_put_cases(desk))
        desk("escalations", "resolve", DECIDED, "--choose", "1", "--by", "anna")
        controls.suffer(Fault.SILENT)
        live = _asked_for(at, LIVE_WEEK)
        yield {
            "run at work": live,
            **{name: f"{at}{path}" for name, path in _EVERYWHERE.items()},
            "run published": f"{at}/runs/{_run_of(at, PARTIAL_WEEK)}",
            "run of a question": f"{at}/runs/{answered['workflow_id']}",
            "login": f"{closed}/login",
            "away": f"{away}/",
        }


def _sources(folder: Path, control: Path) -> Path:
    servers = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    faulty = over_stdio("desk.sources.ecb.server", control)
    made = {**servers, "ecb": faulty, "central_banks": {"command": "no-such-program"}}
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": made}))
    return file


async def _put_cases(desk: DeskCommand) -> None:
    client = await connect(load_settings(PROJECT, desk.variables))
    for identity in (WORKFLOW_ID, DECIDED):
        await client.start_workflow(
            EscalationWorkflow.run, case(datetime.now(UTC)), id=identity, task_queue=Queue.DESK
        )


def _asked_for(at: str, week: str) -> str:
    """The page of a week that was just begun, once agents are at work for it."""
    form = {"week": week, "markets": "USD/JPY,EUR/USD,JP"}
    sent = httpx2.post(f"{at}/week", data=form, headers={"Origin": at}, timeout=60)
    page = f"{at}{sent.headers['location']}"
    at_work = ("before its first turn", "turn 1")
    eventually(lambda: any(told in httpx2.get(page).text for told in at_work), "agents at work")
    return page


def _run_of(at: str, week: str) -> str:
    listed = httpx2.get(f"{at}/").text
    paths = [part.partition('"')[0] for part in listed.split('"/runs/')[1:]]
    return next(path for path in paths if week in path)


@contextmanager
def _apart(folder: Path) -> Iterator[tuple[str, str]]:
    """Pages that want a token, and pages whose desk is away."""
    settings = home_settings(folder / "apart")
    with (
        _hosted(Site(settings, DeskKeeper(), Admission(SecretStr(TOKEN)))) as closed,
        _hosted(Site(settings, DeskKeeper(), Admission())) as away,
    ):
        yield closed, away


@contextmanager
def _hosted(site: Site) -> Iterator[str]:
    opened = listening("127.0.0.1", 0, "")
    app = application(site, hosts_of(ServeSettings()))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    serving = threading.Thread(target=server.run, args=([opened],), daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{opened.getsockname()[1]}"
    finally:
        server.should_exit = True
        serving.join()
