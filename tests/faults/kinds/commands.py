"""Many commands at once, many reruns, and commands at a run that was ended."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Final

from temporalio.client import Client, WorkflowHandle

from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.place import Ended
from tests.faults.programs import WEEK, DeskFile, read_json
from tests.faults.scene import Scene

AT_ONCE: Final = 50
RERUNS: Final = 200
RERUN_SECONDS: Final = 300.0
MOST_EVENTS: Final = 5_000
MOST_BYTES: Final = 5_000_000
RUN: Final = f"weekly-{WEEK}"
MARKET: Final = "JP"

MIXED: Final = (
    ("status",),
    ("report",),
    ("agents",),
    ("doctor",),
    ("messages", WEEK),
    ("learn",),
    ("tools",),
    ("audit", WEEK),
    ("watch", "--week", WEEK, "--json"),
    ("graph", "runs"),
    ("ask", "What moved USD/JPY last week?", "--as-of", "2026-10-30"),
    ("ask", "What moved EUR/USD last week?", "--as-of", "2026-10-30"),
)


async def fifty_at_once(scene: Scene) -> Seen:
    """Fifty commands of all kinds at one moment, at a desk that is up and has a report."""
    place = scene.place()
    up = place.start("up")
    await up.says("workers")
    first = await place.counted(*scene.asking.line)
    running = [place.start(*MIXED[number % len(MIXED)]) for number in range(AT_ONCE)]
    ended = await asyncio.gather(*(each.ended(240) for each in running))
    failed = [
        f"`desk {MIXED[number % len(MIXED)][0]}` ended with {each.code}: {each.told()}"
        for number, each in enumerate(ended)
        if each.code not in _MAY_END.get(MIXED[number % len(MIXED)][0], (0,))
    ]
    audit = await scene.compared(place, first)
    told = f"{AT_ONCE - len(failed)} of {AT_ONCE} ended well"
    gone = ["`desk up` has ended"] if up.over else []
    return audit.and_(*failed[:5], *gone).telling(told)


_MAY_END: Final = {"ask": (0, 3)}
"""Where so much is asked at once, a source may be too late for a question, which says so."""


async def reruns_by_signal(scene: Scene) -> Seen:
    """So many reruns of one market are asked for by signals to the open run of a week."""
    place = scene.place(DeskFile(markets=(MARKET,)))
    async with scene.apart(place) as desk:
        first = await desk.place.desk(*scene.asking.line)
        client = await desk.client()
        for number in range(RERUNS):
            asked = {"market": MARKET, "reason": f"correction {number + 1}"}
            await client.get_workflow_handle(RUN).signal("rerun_market", asked)
        history = await _all_answered(client)
        report = scene.asking.report(desk.place.reports)
        revisions = read_json(report)["revisions"] if report else []
        audit = await desk.place.desk("audit", str(report))
        broken = [*_wrong(first, revisions), *history.broken()]
        if audit.code != 0:
            broken.append(f"the last revision does not stand up: {audit.told()}")
        return Seen(
            outcome=f"{len(revisions) - 1} of {RERUNS} reruns answered",
            again=len(desk.place.effects.repeated),
            lost=f"{history.runs} runs in a row",
            told=f"open run at most {history.events:,} events, {history.bytes / 1e6:.1f} MB",
            broken=tuple(broken),
        )


class History:
    """How large the open run's history was at most, and how many runs followed each other."""

    def __init__(self) -> None:
        self.events = 0
        self.bytes = 0
        self.seen: set[str] = set()

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return len(self.seen)

    def note(self, described: Any) -> None:
        """Look at the open run."""
        info = described.raw_description.workflow_execution_info
        self.events = max(self.events, info.history_length)
        self.bytes = max(self.bytes, info.history_size_bytes)
        self.seen.add(described.run_id)

    def broken(self) -> list[str]:
        """What is wrong with it."""
        broken = []
        if self.events > MOST_EVENTS:
            broken.append(f"the open run had {self.events:,} events, more than {MOST_EVENTS:,}")
        if self.bytes > MOST_BYTES:
            broken.append(f"the open run had {self.bytes / 1e6:.1f} MB")
        return broken


async def _all_answered(client: Client) -> History:
    """Follow the open run until its last rerun is published, or time is up."""
    history, handle = History(), client.get_workflow_handle(RUN)
    async with asyncio.timeout(RERUN_SECONDS):
        while await _revision(handle) <= RERUNS:
            history.note(await handle.describe())
            await asyncio.sleep(0.5)
    history.note(await handle.describe())
    return history


async def _revision(handle: "WorkflowHandle[Any, Any]") -> int:
    """The revision that is out."""
    status = await handle.query("status")
    revisions = status["revisions"] if status else []
    return max((int(line["revision"]) for line in revisions), default=0)


def _wrong(first: Ended, revisions: Sequence[dict[str, Any]]) -> list[str]:
    broken = [] if first.code == 0 else [f"exit status {first.code}: {first.told()}"]
    if [line["revision"] for line in revisions] != list(range(1, len(revisions) + 1)):
        broken.append("the revisions are not numbered one after another")
    wanted = {f"correction {number + 1}" for number in range(RERUNS)}
    reasons = json.dumps(revisions)
    missing = [reason for reason in wanted if f'"{reason}"' not in reasons]
    if missing:
        broken.append(f"{len(missing)} reruns are in no revision")
    return broken


async def rerun_of_a_cancelled_week(scene: Scene) -> Seen:
    """The run of a week is cancelled before it has published; then a rerun is asked for."""
    async with scene.apart(EFFECT_PAUSE="0.5") as desk:
        asked = desk.place.start(*scene.asking.line)
        await desk.place.begun(2, asked)
        await desk.place.temporal("workflow", "cancel", "--workflow-id", RUN)
        ended = await asked.ended()
        rerun = await desk.place.desk("rerun", "USD/JPY", "--week", WEEK, "--reason", "again")
        told = rerun.told("desk:")
        broken = [] if rerun.code == 1 else [f"`desk rerun` ended with {rerun.code}"]
        if "desk run" not in told:
            broken.append("it does not say what to do next")
        return Seen(f"cancelled, exit {ended.code}", told=told, broken=tuple(broken))


FAULTS: Final = (
    Fault(
        "fifty-at-once",
        f"{AT_ONCE} commands at one moment: {', '.join(dict.fromkeys(line[0] for line in MIXED))}",
        "each ends well (a question may lack a source that was too late, and says so); the week's"
        " report is as in peace",
        fifty_at_once,
        WEEK_ONLY,
        300.0,
    ),
    Fault(
        "reruns-by-signal",
        f"{RERUNS} reruns of one market by signal to an open week",
        f"each is answered by a revision that says why; the open run never has more than"
        f" {MOST_EVENTS:,} events or {MOST_BYTES / 1e6:.0f} MB",
        reruns_by_signal,
        WEEK_ONLY,
        RERUN_SECONDS + 60,
    ),
    Fault(
        "rerun-of-cancelled",
        "`desk rerun` of a week whose run was cancelled before it had published",
        "it says what to do next",
        rerun_of_a_cancelled_week,
        WEEK_ONLY,
    ),
)
