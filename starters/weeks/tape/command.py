"""`desk tape`."""

import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from pydantic import JsonValue
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, FailureError
from temporalio.exceptions import TimeoutError as TimedOut

from desk.contracts.agents.tools import ToolRequest
from desk.contracts.findings.escalations import EscalationRequest
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import ActivityName, WorkflowType, activity_id_parts, id_within
from desk.contracts.runs.judgement import FindingsToJudge
from desk.contracts.runs.tape import Effect, Take, TakeFailure, Tape
from desk.contracts.runs.turns import TurnRequest
from desk.contracts.runs.week import PublishRequest, RevisionQuery, WeekRequest
from desk.contracts.week.report import ResearchReport
from desk.platform.settings import load_settings
from desk.platform.temporal.history import (
    ActivityEnded,
    ChildEnded,
    ChildStarted,
    Ending,
    Payloads,
    RunHistory,
)
from desk.runs.tapes import TakeKey, digests_of, to_bytes
from starters.runs.server_runs import earlier_runs, history_of
from starters.runs.week_runs import FoundRun, run_named, week_in
from starters.session import Desk, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.weeks.tape.files import check_place, write_tape
from workflows.engine.options import timeout_words

EXAMPLE = "Example: desk tape save 2026-W44 2026-W44.tape.gz; desk run --tape 2026-W44.tape.gz"

_NOT_PLAYED: Final = frozenset({ActivityName.PUBLISH_REPORT, ActivityName.TELL_LEARNING})
"""Publishing is done anew when a tape is played, and a played run is not learned from."""
DECISION: Final = "decision"
"""The activity id of an escalation's outcome on a tape."""
SIDE_BY_SIDE: Final = 8
MOST_NAMED: Final = 5
_REQUESTS: Final[dict[Effect, type]] = {
    Effect.TURN: TurnRequest,
    Effect.TOOL_CALL: ToolRequest,
    Effect.TOOL_LISTING: str,
    Effect.REVISIONS: RevisionQuery,
    Effect.DECISION: EscalationRequest,
    Effect.ADVICE: RecordQuery,
    Effect.JUDGEMENT: FindingsToJudge,
    Effect.REACH: str,
}
_GIVEN_UP: Final = {
    Ending.TIMED_OUT: "timed out",
    Ending.TERMINATED: "was terminated",
    Ending.CANCELED: "was cancelled",
    Ending.NOT_STARTED: "was open",
}
PACKED: Final = ".gz"
SHORTEST_SECRET: Final = 8
"""In characters. A shorter value could be in a text by chance."""
_SECRET: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_WITHOUT: Final = "played back, its report tells no changes since the week before"
_WORDS: Final = {
    Effect.TURN: "turn",
    Effect.TOOL_CALL: "tool call",
    Effect.TOOL_LISTING: "tool listing",
    Effect.DECISION: "decision",
}

tape = typer.Typer(
    help="Record a run as a tape, which `desk run --tape` plays without network or key.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@tape.callback()
def _group() -> None:
    """Keeps `save` a subcommand: Typer merges a group of one command into that command."""


@tape.command(epilog=EXAMPLE)
def save(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A week such as 2026-W44, or a run's workflow id.")
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The tape; packed where it ends in .gz.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> ExitStatus:
    """Save every turn, tool result and decision of a published run, read from its history."""
    return save_tape(run, file, force=force)


def save_tape(run: str, file: Path, *, force: bool) -> ExitStatus:
    """Writes the tape of a published run, and prints what is on it.

    Raises:
        UsageError, CommandError: nothing was written; the message says what to do next.
    """
    settings = load_settings()
    check_place(file, force=force)
    week = week_in(run)
    log_to_file(settings)

    async def work(desk: Desk) -> Tape:
        found = await run_named(desk.client, run, week)
        recording = await recording_of(found)
        previous = _previous(recording.published, settings.reports_dir)
        if previous.remark is not None:
            say(f"desk: {previous.remark}")
        return tape_of(recording, previous.report)

    tape = interruptible(with_desk(settings, work, server_only=True))
    _refuse_secrets(to_bytes(tape, packed=False), settings.variables)
    content = to_bytes(tape, packed=file.suffix == PACKED)
    write_tape(file, content)
    sys.stdout.write(f"{file}: {tape.workflow_id}, revision {tape.revision}: {_counted(tape)}; ")
    sys.stdout.write(f"{len(content) / 1000:,.0f} kB\n")
    return ExitStatus.COMPLETE


class Recording(NamedTuple):
    """A run up to its first publication: the publishing request, and every effect before it."""

    published: PublishRequest
    takes: tuple[Take, ...]


def tape_of(recording: Recording, previous: ResearchReport | None) -> Tape:
    """Builds the tape of a recording, with the report that the run's report was compared with."""
    published = recording.published
    return Tape(
        week=published.record.week,
        window=published.record.window,
        config=published.config,
        subset=published.subset,
        workflow_id=published.workflow_id,
        revision=_revision(published),
        takes=recording.takes,
        previous=previous,
    )


async def recording_of(found: FoundRun) -> Recording:
    """Reads the recording of a run of a whole week. Omits later reruns.

    If the run only took a rerun, reads the run of the same id that it continued.

    Raises:
        UsageError: it is not a run of a week.
        CommandError: it has not published yet, never published, or was cut off while it worked.
    """
    history = await _whole_run(found)
    first = next(
        (
            scheduled
            for scheduled, end in history.ended_activities()
            if scheduled.name == ActivityName.PUBLISH_REPORT and end.ending is Ending.COMPLETED
        ),
        None,
    )
    if first is None:
        raise CommandError(_unpublished(found))
    reader = _TakeReader(found.client, found.workflow_id)
    await reader.read(history.before(first.event_id))
    if reader.cut_off:
        raise CommandError(
            f"{found.workflow_id} was cut off while it worked and cannot be played back: there is "
            f"no outcome of {_some(reader.cut_off)}"
        )
    published = await history.decode(first.input, PublishRequest)
    return Recording(published, tuple(sorted(reader.takes, key=_order)))


def _unpublished(found: FoundRun) -> str:
    if found.open:
        return f"{found.workflow_id} is still under way; save it once it has published"
    return f"{found.workflow_id} ended without a report; there is nothing to play back"


async def _whole_run(found: FoundRun) -> RunHistory:
    """Returns the history of the newest run of an id that researched its week from the
    beginning."""
    async for run_id in _run_ids(found):
        history = await history_of(found.client, found.workflow_id, run_id)
        if history.started.workflow_type != WorkflowType.WEEKLY_RESEARCH:
            raise UsageError(
                f"{found.workflow_id} is a {history.started.workflow_type}; a tape holds the run "
                "of a week, such as weekly-2026-W44"
            )
        request = await history.decode(history.started.input, WeekRequest)
        if request.resume is None:
            return history
    raise CommandError(
        f"{found.workflow_id} only took reruns, and the history of the run before it is gone"
    )


async def _run_ids(found: FoundRun) -> AsyncIterator[str]:
    yield found.run_id
    for run in await earlier_runs(found):
        yield run.run_id


class _TakeReader:
    """Reads takes from the histories of a run's workflows, several at a time."""

    def __init__(self, client: Client, run_id: str) -> None:
        self._client = client
        self._run_id = run_id
        self._turns = asyncio.Semaphore(SIDE_BY_SIDE)
        self.takes: list[Take] = []
        self.cut_off: list[str] = []

    async def read(self, history: RunHistory) -> None:
        """Reads every effect in the history of a workflow and of its children. A person's decision
        counts as an effect.

        Raises:
            CommandError: it has an effect of a kind that tapes cannot have.
        """
        path = id_within(history.workflow_id, self._run_id)
        for asked, _, end in history.activities:
            if asked.name in _NOT_PLAYED:
                continue
            if asked.name not in set(Effect):
                raise CommandError(
                    f"{history.workflow_id} asks for {asked.name}, which a tape does not hold"
                )
            place = TakeKey(path, asked.activity_id, Effect(asked.name))
            await self._keep(history, place, asked.input, end)
        for case in history.children:
            if case.initiated.workflow_type == WorkflowType.ESCALATION:
                path = id_within(case.initiated.workflow_id, self._run_id)
                place = TakeKey(path, DECISION, Effect.DECISION)
                await self._keep(history, place, case.initiated.input, case.ended)
        await asyncio.gather(
            *(
                self._read_child(child.started, child.ended)
                for child in history.children
                if child.started and child.initiated.workflow_type != WorkflowType.ESCALATION
            )
        )

    async def _read_child(self, child: ChildStarted, end: ChildEnded | None) -> None:
        if end is None or end.ending not in (Ending.COMPLETED, Ending.FAILED):
            self.cut_off.append(id_within(child.workflow_id, self._run_id))
            return
        async with self._turns:
            history = await history_of(self._client, child.workflow_id, child.run_id)
        await self.read(history)

    async def _keep(
        self,
        history: RunHistory,
        place: TakeKey,
        asked: Payloads,
        end: ActivityEnded | ChildEnded | None,
    ) -> None:
        if end is None or (isinstance(end, ActivityEnded) and end.ending is Ending.CANCELED):
            # A cancelled activity has no outcome: its workflow was given up.
            self.cut_off.append(str(place))
            return
        (request,) = await history.converter.decode(asked, [_REQUESTS[place.effect]])
        result: JsonValue = None
        failure: TakeFailure | None = None
        if end.ending is Ending.COMPLETED:
            (result,) = await history.converter.decode(end.result)
        elif end.failure is not None:
            failure = _failure_of(await history.error(end.failure))
        else:
            # An escalation that was ended from outside counts as failed, however it ended.
            failure = TakeFailure(message=f"the case {_GIVEN_UP[end.ending]}")
        self.takes.append(
            Take(
                workflow=place.workflow,
                activity_id=place.activity_id,
                effect=place.effect,
                asked=digests_of(place.effect, request),
                result=result,
                failure=failure,
            )
        )


def _failure_of(error: BaseException) -> TakeFailure:
    cause = _failure_of(error.__cause__) if error.__cause__ is not None else None
    message = error.message if isinstance(error, FailureError) else str(error)
    if isinstance(error, TimedOut):
        # Played, it is another error, and the report must give the same reason.
        message = timeout_words(error)
    if not isinstance(error, ApplicationError):
        return TakeFailure(message=message, cause=cause)
    return TakeFailure(
        message=message, error_type=error.type, details=tuple(error.details), cause=cause
    )


def _order(take: Take) -> tuple[str, str, str]:
    return take.workflow, take.activity_id, take.effect


def _some(names: Iterable[str]) -> str:
    return ", ".join(_first(sorted(names)))


def _first(names: Sequence[str]) -> Iterator[str]:
    yield from names[:MOST_NAMED]
    if len(names) > MOST_NAMED:
        yield f"{len(names) - MOST_NAMED} more"


def _revision(published: PublishRequest) -> int:
    return max((line.revision for line in published.record.revisions), default=1)


class _Previous(NamedTuple):
    report: ResearchReport | None = None
    remark: str | None = None


def _previous(published: PublishRequest, reports_dir: Path) -> _Previous:
    """Returns the report that the run's report was compared with, as the run's own report names
    it."""
    from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER, read_published

    slug = published.subset or DEFAULT_SLUG

    def revision(week: str, number: int) -> ResearchReport | None:
        return read_published(reports_dir / FOLDER / f"{week}-{slug}.r{number}.json")

    own = revision(published.record.week, _revision(published))
    if own is None or own.timings.run_id != published.run_id:
        return _Previous(remark=f"the run's report is not in {reports_dir}: {_WITHOUT}")
    against, number = own.changes.against, own.changes.against_revision
    if against is None or number is None:
        return _Previous()
    before = revision(against, number)
    if before is None:
        return _Previous(
            remark=f"revision {number} of {against} is not in {reports_dir}: {_WITHOUT}"
        )
    return _Previous(before)


def _refuse_secrets(text: bytes, variables: Mapping[str, str]) -> None:
    """Refuses to write a tape that has a secret. A run should never store one.

    Raises:
        CommandError: the text has the value of a secret variable.
    """
    for name, value in variables.items():
        if not _SECRET.search(name.upper()) or len(value) < SHORTEST_SECRET:
            continue
        if json.dumps(value, ensure_ascii=False)[1:-1].encode() in text:
            raise CommandError(f"the run's history holds the value of {name}; no tape was written")


def _counted(tape: Tape) -> str:
    found: Counter[Effect] = Counter()
    for take in tape.takes:
        parts = activity_id_parts(take.activity_id)
        found[take.effect] += parts.calls if parts and take.effect is Effect.TOOL_CALL else 1
    return ", ".join(_counts(found))


def _counts(found: Counter[Effect]) -> Iterator[str]:
    for effect, words in _WORDS.items():
        if found[effect]:
            yield f"{found[effect]:,} {words}{'s' if found[effect] > 1 else ''}"
