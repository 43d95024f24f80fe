"""What `desk tape save` does."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from desk.contracts.agents.tape import Effect, Tape
from desk.contracts.week.report import ResearchReport
from desk.contracts.week.run import PublishRequest
from desk.platform.settings import load_settings
from desk.runs.tapes import to_bytes
from starters.runs.named import run_named, week_in
from starters.session import Desk, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.weeks.tape.files import check_place, write_tape
from starters.weeks.tape.history import Recording, recording_of

PACKED: Final = ".gz"
SHORTEST_SECRET: Final = 8
"""Characters. What is shorter stands in texts by chance."""

_SECRET: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")


def save_tape(run: str, file: Path, *, force: bool) -> ExitStatus:
    """Write the tape of a published run, and say what is on it.

    Raises:
        UsageError, CommandError: with what to do next; nothing was written.
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


def tape_of(recording: Recording, previous: ResearchReport | None) -> Tape:
    """The tape that a recording is, with the report that the run's was compared with."""
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


def _revision(published: PublishRequest) -> int:
    return max((line.revision for line in published.record.revisions), default=1)


class _Previous(NamedTuple):
    report: ResearchReport | None = None
    remark: str | None = None


def _previous(published: PublishRequest, reports_dir: Path) -> _Previous:
    """The report that the run's was compared with, by what the run's own report says of it."""
    from desk.documents.publishing.publish import DEFAULT_SLUG, FOLDER, read_published

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


_WITHOUT: Final = "played back, it will tell no changes since the week before"


def _refuse_secrets(text: bytes, variables: Mapping[str, str]) -> None:
    """Nothing that a run keeps holds a secret; should one do so, it goes no further.

    Raises:
        CommandError: the value of a secret variable stands in the text.
    """
    for name, value in variables.items():
        if not _SECRET.search(name.upper()) or len(value) < SHORTEST_SECRET:
            continue
        if json.dumps(value, ensure_ascii=False)[1:-1].encode() in text:
            raise CommandError(f"the run's history holds the value of {name}; no tape was written")


def _counted(tape: Tape) -> str:
    return ", ".join(_counts(Counter(take.effect for take in tape.takes)))


def _counts(found: Counter[Effect]) -> Iterator[str]:
    for effect, words in _WORDS.items():
        if found[effect]:
            yield f"{found[effect]:,} {words}{'s' if found[effect] > 1 else ''}"


_WORDS: Final = {
    Effect.TURN: "turn",
    Effect.TOOL_CALL: "tool call",
    Effect.TOOL_LISTING: "tool listing",
    Effect.DECISION: "decision",
}
