"""What a desk writes down of a source that fails: its messages, and what it learns."""

import json
from typing import Any, Final

from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.kinds.sources import with_source
from tests.faults.place import Place
from tests.faults.programs import WEEK, DeskFile
from tests.faults.scene import Scene
from tests.support.sources.faulty_source import Controls, over_stdio
from tests.support.sources.faulty_source import Fault as Wire
from tests.support.sources.servers import module_of

SOURCE: Final = "ecb"
WEEKS: Final = ("2026-W39", "2026-W44")
TASK: Final = "40 s"
TASK_TYPE: Final = "research_fx"
AGENTS: Final = ("research_agent_1", "research_agent_2")
FIELDS: Final = ("context", "occurred_at", "recovery_action")


async def errors_as_messages(scene: Scene) -> Seen:
    """A source fails through a whole week; then its errors are read as messages."""
    place = _failing(scene.place(), Wire.ERROR)
    up = place.start("up")
    await up.says("workers")
    ended = await place.desk(*scene.asking.line)
    told = await place.desk("messages", WEEK, "--type", "error_report", "--json")
    reports = [json.loads(line) for line in told.out.splitlines() if line.strip()]
    lacking = {name for name in FIELDS for each in reports if not _has(each, name)}
    broken = [f"an error_report has no {name}" for name in sorted(lacking)]
    if not reports:
        broken.append(f"there is no error_report: {told.told()}")
    return Seen(
        outcome=scene.outcome(place, ended),
        told=f"{len(reports)} error reports",
        broken=tuple(broken),
    )


def _has(told: Any, name: str) -> bool:
    """Whether a field has something in it, at any depth."""
    if isinstance(told, dict):
        return bool(told.get(name)) or any(_has(each, name) for each in told.values())
    return isinstance(told, list) and any(_has(each, name) for each in told)


async def learned_from_errors(scene: Scene) -> Seen:
    """A source fails through the weeks of a backfill."""
    return await _learned(scene, Wire.ERROR, ("avoid_source", "prefer_fallback", "add_source"))


async def learned_from_timeouts(scene: Scene) -> Seen:
    """A source is silent through the weeks of a backfill."""
    return await _learned(scene, Wire.SILENT, ("raise_timeout", "avoid_source"))


async def _learned(scene: Scene, wire: Wire, kinds: tuple[str, ...]) -> Seen:
    place = scene.place(DeskFile(replaced={'tool_call = "20 s"': 'tool_call = "1 s"'}))
    place = _failing(place, wire)
    ended = await place.counted("backfill", "--from", WEEKS[0], "--to", WEEKS[1], within=200)
    learned = await place.desk("learn", "--json")
    view = json.loads(learned.out)
    tools = [line for line in view["tools"] if line["server"] == SOURCE]
    failed = sum(line["failed"] for line in tools)
    advice = [line for line in view["advice"]["recommendations"] if line["server"] == SOURCE]
    broken = [] if ended.code in (0, 3) else [f"exit status {ended.code}: {ended.told()}"]
    if not failed:
        broken.append(f"no call of {SOURCE} counts as failed")
    if not any(line["kind"] in kinds for line in advice):
        broken.append(f"nothing is advised about {SOURCE}")
    told = next((f"{line['kind']}: {line['reason']}" for line in advice), "")
    return Seen(
        outcome=f"backfill, exit {ended.code}",
        told=told,
        lost=f"{failed} failed calls counted" if failed else "",
        broken=tuple(broken),
    )


async def handed_over_in_time(scene: Scene) -> Seen:
    """A source is silent, and a task has little time."""
    place = scene.place(DeskFile(replaced={'task = "10 minutes"': f'task = "{TASK}"'}))
    place = _failing(place, Wire.SILENT)
    ended = await place.counted(*scene.asking.line)
    first, second = (place.effects.begun(f"{agent}.{TASK_TYPE}.") for agent in AGENTS)
    broken = [] if ended.code in (0, 3) else [f"exit status {ended.code}: {ended.told()}"]
    letters = [line for line in ended.out.splitlines() if "dead letter" in line]
    if letters and not second:
        broken.append(f"{AGENTS[1]} was handed the task and had no time to begin")
    return Seen(
        outcome=scene.outcome(place, ended),
        told=next(iter(letters), ended.told("complete:")),
        lost=f"turns and calls begun: {first} by the first agent, {second} by the second",
        broken=tuple(broken),
    )


def _failing(place: Place, wire: Wire) -> Place:
    control = place.directory / "control"
    Controls(control).suffer(wire)
    return with_source(place, SOURCE, over_stdio(module_of(SOURCE), control))


FAULTS: Final = (
    Fault(
        "errors-as-messages",
        "a source that fails through a week, read with `desk messages --type error_report`",
        f"an error report has {', '.join(FIELDS)}",
        errors_as_messages,
        WEEK_ONLY,
    ),
    Fault(
        "handed-over-in-time",
        f"a silent source, and {TASK} for an agent's task",
        "an agent that takes over a task has time to work on it",
        handed_over_in_time,
        WEEK_ONLY,
    ),
    Fault(
        "learned-from-errors",
        "a source that answers every call of six weeks with an error",
        "`desk learn` counts the calls as failed and advises about the source",
        learned_from_errors,
        WEEK_ONLY,
        240.0,
    ),
    Fault(
        "learned-from-timeouts",
        "a source that is silent through six weeks",
        "`desk learn` counts the calls as failed and advises about the source",
        learned_from_timeouts,
        WEEK_ONLY,
        240.0,
    ),
)
