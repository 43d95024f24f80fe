"""What Temporal's own doors answer: its command line, its pages, its HTTP interface."""

import http.client
import json
from typing import Any, Final

import psutil

from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.place import Place, Running
from tests.faults.programs import workflow_of
from tests.faults.scene import Scene
from tests.support.processes.homes import PROJECT

FOREIGN: Final = "desk.evil.example"
REFUSED: Final = 400
_WORKFLOWS: Final = "/api/v1/namespaces/default/workflows"


async def plain_queries(scene: Scene) -> Seen:
    """A finished run of the whole desk is queried with Temporal's command line."""
    place = scene.place(DESK_CONFIG=str(PROJECT / "desk.toml"))
    up = await _up(place)
    ended = await place.desk(*scene.asking.line)
    report = scene.asking.report(place.reports)
    broken = [] if ended.code == 0 else [f"exit status {ended.code}: {ended.told()}"]
    workflow = workflow_of(report) if report else ""
    queries = await _queries(place, workflow)
    answers = {name: await _query(place, workflow, name) for name in queries}
    broken += [f"query {name}: {fault}" for name, fault in answers.items() if fault]
    if not queries:
        broken.append("`temporal workflow metadata` names no query")
    names = ", ".join(queries)
    seen = Seen(scene.outcome(place, ended), told=f"queries {names}", broken=tuple(broken))
    return seen.and_(*(["`desk up` has ended"] if up.over else []))


async def _up(place: Place) -> Running:
    up = place.start("up")
    await up.says("workers")
    return up


async def _queries(place: Place, workflow: str) -> list[str]:
    """The run's own queries, by its metadata."""
    told = await place.temporal("workflow", "metadata", "--workflow-id", workflow, "-o", "json")
    if told.code != 0:
        return []
    names = [each["name"] for each in _defined(json.loads(told.out))]
    return [name for name in names if not name.startswith("__")]


def _defined(told: Any) -> list[dict[str, Any]]:
    """The definitions of queries, wherever they stand in an answer."""
    if isinstance(told, list):
        return [each for part in told for each in _defined(part)]
    if not isinstance(told, dict):
        return []
    own: list[dict[str, Any]] = told.get("queryDefinitions", [])
    return own or [each for part in told.values() for each in _defined(part)]


async def _query(place: Place, workflow: str, name: str) -> str | None:
    """What is wrong with the answer to a query; None where it is JSON that anyone can read."""
    asked = ("workflow", "query", "--workflow-id", workflow, "--type", name, "-o", "json")
    told = await place.temporal(*asked)
    if told.code != 0:
        return told.told()
    results = json.loads(told.out)
    return None if _plain(results) else f"it is no plain JSON: {told.out[:120]}"


def _plain(told: Any) -> bool:
    """Whether an answer of the command line is the value and not a payload in an encoding."""
    text = json.dumps(told)
    return '"metadata"' not in text or '"encoding"' not in text


async def foreign_hosts(scene: Scene) -> Seen:
    """A page of another name, which leads to this machine, asks every port of a desk."""
    place = scene.place()
    up = await _up(place)
    ports = [port for port in _listening(up) if _status(port, f"127.0.0.1:{port}") is not None]
    pages = int(place.variables["DESK_UI_PORT"])
    answered = {port: _status(port, FOREIGN) for port in ports}
    let_in = [port for port, status in answered.items() if status is not None and status < REFUSED]
    broken = [f"{len(let_in)} of {len(ports)} ports answer the host {FOREIGN}"] if let_in else []
    if pages not in ports:
        broken.append("the pages do not answer their own name")
    statuses = sorted({str(status or "hung up") for status in answered.values()})
    return Seen(
        outcome=f"{len(ports)} ports speak HTTP",
        told=f"a foreign host: {', '.join(statuses)}",
        broken=tuple(broken),
    )


def _listening(running: Running) -> list[int]:
    """The ports of this machine that a process, or one below it, listens on."""
    found: set[int] = set()
    for process in (psutil.Process(running.pid), *running.children()):
        found |= {
            connection.laddr.port
            for connection in process.net_connections(kind="tcp4")
            if connection.status == psutil.CONN_LISTEN
        }
    return sorted(found)


def _status(port: int, host: str) -> int | None:
    """The status with which a port answers a request for a host; None where it speaks no HTTP, or
    hangs up."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", _WORKFLOWS, headers={"Host": host})
        return connection.getresponse().status
    except (http.client.HTTPException, OSError):
        return None
    finally:
        connection.close()


FAULTS: Final = (
    Fault(
        "plain-queries",
        "a run of all markets queried with `temporal workflow query` and `metadata`",
        "every answer is plain JSON",
        plain_queries,
    ),
    Fault(
        "foreign-host",
        "every port of a `desk up` asked for the workflows under a foreign `Host`",
        "no port that speaks HTTP answers it",
        foreign_hosts,
        WEEK_ONLY,
    ),
)
