"""A source that every program needs answers too late, too much, half or not at all."""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from typing import Any, Final

from tests.faults.fault import Fault, Seen
from tests.faults.place import Ended, Place
from tests.faults.programs import DeskFile
from tests.faults.scene import Scene
from tests.support.processes.homes import PROJECT
from tests.support.sources.faulty_source import HUGE, SLOW_SECONDS, Controls, over_http, over_stdio
from tests.support.sources.faulty_source import Fault as Wire
from tests.support.sources.servers import module_of

CALL: Final = "5 s"
"""The deadline of a call here: a quarter of the usual one, so that the campaign is sooner over."""

HELD_UP_SECONDS: Final = 45.0
"""Who asks a source for each market and each try anew takes longer."""

MOST_BYTES: Final = 500_000_000
MEGABYTE: Final = 1_000_000


def with_source(place: Place, name: str, described: Mapping[str, Any]) -> Place:
    """The place with another entry for a source in its `.mcp.json`."""
    config = _shipped()
    config["mcpServers"][name] = described
    path = place.directory / "mcp.json"
    path.write_text(json.dumps(config))
    return place.with_variables(DESK_MCP_CONFIG=str(path))


def as_process(name: str) -> dict[str, Any]:
    """A source's entry, so that it runs in a process of its own whatever the setting."""
    entry = _shipped()["mcpServers"][name]
    return {key: value for key, value in entry.items() if key != "inProcess"}


def _shipped() -> dict[str, Any]:
    config: dict[str, Any] = json.loads((PROJECT / ".mcp.json").read_text())
    return config


async def suffered(scene: Scene, wire: Wire, *, http: bool) -> Seen:
    """The program while its source suffers from a fault, from its first call to the last."""
    place = scene.place(DeskFile(replaced={'tool_call = "20 s"': f'tool_call = "{CALL}"'}))
    source, control = scene.asking.failing, place.directory / "control"
    controls, module = Controls(control), module_of(source)
    controls.suffer(wire)
    described = over_http if http else lambda *given: nullcontext(over_stdio(*given))
    with described(module, control) as entry:
        ended = await with_source(place, source, entry).counted(*scene.asking.line)
    return Seen(
        outcome=scene.outcome(place, ended),
        told=_told(scene, place, ended),
        lost=f"asked {controls.asked} times",
        broken=tuple(_broken(scene, place, ended)),
    )


def _told(scene: Scene, place: Place, ended: Ended) -> str:
    """The line of the terminal that names the source, without what is tried again; else that of the
    report."""
    report, source = scene.asking.report(place.reports), scene.asking.failing
    printed = report.with_suffix(".md").read_text() if report else ""
    lines = f"{ended.out}\n{ended.err}\n{printed}".splitlines()
    telling = [line for line in lines if _named(source, line) and _SAID_BEFORE not in line]
    return min(telling, key=lambda line: line.startswith("|"), default=ended.told())


_SAID_BEFORE: Final = "tried again"


def _broken(scene: Scene, place: Place, ended: Ended) -> list[str]:
    report, source = scene.asking.report(place.reports), scene.asking.failing
    broken = []
    if ended.code not in (0, 3):
        broken.append(f"exit status {ended.code}: {ended.told()}")
    if report is None:
        broken.append("no report was published")
    elif not _named(source, report.with_suffix(".md").read_text()):
        broken.append(f"the report does not name {source}")
    if ended.seconds > HELD_UP_SECONDS:
        broken.append(f"it was held up for more than {HELD_UP_SECONDS:.0f} s")
    if ended.peak > MOST_BYTES:
        broken.append(f"it took {ended.peak / MEGABYTE:.0f} MB of memory")
    return broken


def _named(source: str, text: str) -> bool:
    """Whether a text names a source; a sentence may print it without its underscores."""
    return source in text or source.replace("_", " ") in text


def _play(wire: Wire, *, http: bool) -> Callable[[Scene], Awaitable[Seen]]:
    async def play(scene: Scene) -> Seen:
        return await suffered(scene, wire, http=http)

    return play


def _fault(wire: Wire, done: str, *, http: bool) -> Fault:
    over = "HTTP" if http else "stdio"
    return Fault(
        f"source-{wire}",
        f"a source {done} ({over}; a call's deadline is {CALL})",
        f"the run ends within {HELD_UP_SECONDS:.0f} s, its report names the source, no process"
        f" takes more than {MOST_BYTES / MEGABYTE:.0f} MB",
        _play(wire, http=http),
    )


FAULTS: Final = (
    _fault(Wire.RESET, "resets the connection at every call", http=True),
    _fault(Wire.HALF, "gives half of the body of every answer", http=True),
    _fault(Wire.SILENT, "takes every call and never answers", http=False),
    _fault(Wire.MALFORMED, "answers every call with a line that breaks off", http=False),
    _fault(Wire.SLOW, f"takes {SLOW_SECONDS:.0f} s over every answer", http=False),
    _fault(Wire.HUGE, f"answers every call with {HUGE // 2**20} MB", http=True),
    _fault(Wire.ERROR, "answers every call with an error", http=False),
)
