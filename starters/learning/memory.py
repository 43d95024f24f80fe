"""`desk memory`: searches and lists what is remembered, and rebuilds it from histories."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from pydantic import Field, ValidationError
from temporalio.client import Client

from desk.analytics.names.nearest import nearest
from desk.contracts.base import Contract, Text
from desk.contracts.learning.memory import (
    RELEVANCE_FLOOR,
    MemoryAnswer,
    MemoryEntries,
    MemoryEntry,
    MemoryKind,
    MemoryQuery,
    Recalled,
)
from desk.contracts.names import ActivityName, WorkflowType
from desk.platform.memory import MemoryStore, MemoryUnusable, memory_store
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.history import HistoryGone, RunHistory, fetch_history
from starters.questions.choice import read_as_of
from starters.session import Desk, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson, AsOf
from starters.terminal.tables import folded, table_lines

EXAMPLE = 'Example: desk memory search "yen carry trade" --market USD/JPY --as-of 2026-10-30'

LINES_OF_TEXT = 4
"""The most lines of an entry's text; `--json` has all of it."""

memory = typer.Typer(
    help="Search, list or rebuild the memory of plans, findings, recommendations and hypotheses.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@memory.command(epilog=EXAMPLE)
def search(
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help="What it is about, in any words.")
    ],
    market: Annotated[
        list[str] | None,
        typer.Option(
            "--market",
            metavar="MARKET",
            help="Entries about it go first; may be given again.",
            show_default=False,
        ),
    ] = None,
    as_of: AsOf = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only plan, findings, hypothesis or outcome; may be given again.",
            show_default=False,
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=1, max=40, help="How many at most.")
    ] = 8,
    as_json: AsJson = False,
) -> ExitStatus:
    """Show what comes nearest to some words, nearest first, with how near from 0 to 1."""
    options = SearchOptions(
        " ".join(words), tuple(market or ()), as_of, tuple(kind or ()), most, as_json
    )
    return show_search(options)


@memory.command(name="list", epilog="Example: desk memory list")
def list_them(as_json: AsJson = False) -> ExitStatus:
    """List everything that is remembered, in the order in which it was known."""
    return show_entries(as_json=as_json)


@memory.command(epilog="Example: desk memory rebuild")
def rebuild(as_json: AsJson = False) -> ExitStatus:
    """Remember again what the histories of swarms, hypotheses and episodes have had remembered.

    For a store that was damaged, one that is new, or one that was filled before there was a model
    of meaning. What is in the store and in no history any more stays.
    """
    return rebuild_memory(as_json=as_json)


@dataclass(frozen=True)
class SearchOptions:
    """The options of `desk memory search`, as written."""

    words: str
    markets: tuple[str, ...]
    as_of: str | None
    kinds: tuple[str, ...]
    most: int
    as_json: bool


def show_search(options: SearchOptions) -> ExitStatus:
    """Prints the nearest entries.

    Raises:
        UsageError: an option cannot be used.
        CommandError: the memory cannot be read.
    """
    settings = load_settings()
    query = query_of(options, settings, datetime.now(UTC))
    store = memory_store(settings)
    try:
        answer = MemoryAnswer(recalled=store.search(query), missing=store.lost())
    except MemoryUnusable as error:
        raise CommandError(str(error)) from error
    if options.as_json:
        sys.stdout.write(f"{answer.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    _warn_of_lost_entries(store)
    lines = [line for one in answer.recalled for line in entry_lines(one)]
    floor = f"what is less relevant than {RELEVANCE_FLOOR:.2f} is not recalled"
    lines = [*lines, f"({floor})"] if lines else [f"Nothing comes near: {floor}."]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE


def show_entries(*, as_json: bool) -> ExitStatus:
    """Prints everything that is remembered.

    Raises:
        CommandError: the memory cannot be read.
    """
    store = memory_store(load_settings())
    try:
        entries = store.entries()
        if not as_json:
            _warn_of_lost_entries(store)
    except MemoryUnusable as error:
        raise CommandError(str(error)) from error
    if as_json:
        # Not validated: the contract's limit is that of the entries of one run.
        text = MemoryEntries.model_construct(entries=entries).model_dump_json(indent=2)
        sys.stdout.write(f"{text}\n")
        return ExitStatus.COMPLETE
    text = "\n".join(list_lines(entries)) or "Nothing is remembered yet."
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def query_of(options: SearchOptions, settings: Settings, now: datetime) -> MemoryQuery:
    """Builds the query from the options.

    Raises:
        UsageError: an option is invalid; the message says what is allowed.
    """
    zone = settings.config.schedule.time_zone
    known = settings.config.market_names
    try:
        return MemoryQuery(
            text=options.words,
            markets=tuple(_market(written, known) for written in options.markets),
            kinds=tuple(_kind(written) for written in options.kinds),
            as_of=(read_as_of(options.as_of, zone, now) if options.as_of else None) or now,
            most=options.most,
        )
    except ValidationError as error:
        (first, *_) = error.errors()
        place = first["loc"][0] if first["loc"] else "question"
        raise UsageError(f"the {place} cannot be used: {first['msg']}") from None


def entry_lines(one: Recalled) -> Iterator[str]:
    """Formats a recalled entry, in at most 80 columns."""
    entry, markets = one.entry, ", ".join(one.entry.markets)
    relevant = f"  relevance {one.relevance:.2f}" if one.relevance is not None else ""
    head = f"{one.score:.2f}{relevant}  {entry.kind}  {entry.as_of:%Y-%m-%d %H:%M}"
    yield f"{head}  {markets}".rstrip()
    yield from folded(f"{entry.memory_id}: {entry.objective}", "      ")
    yield from _shortened(folded(entry.text, "      "))
    yield ""


def list_lines(entries: Iterable[MemoryEntry]) -> Iterator[str]:
    """Formats the list of what is remembered."""
    rows = (
        (f"{each.as_of:%Y-%m-%d %H:%M}", each.kind, ", ".join(each.markets), each.objective)
        for each in entries
    )
    return table_lines(("", "", "", ""), rows)


def _shortened(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if number > LINES_OF_TEXT:
            yield "      …"
            return
        yield line


def _market(written: str, known: tuple[str, ...]) -> str:
    """Normalises a market: `usdjpy` is `USD/JPY`. A market that the desk does not cover, such as a
    stock, stays as written."""
    keys = {name.replace("/", "").upper(): name for name in known}
    plain = written.strip().upper()
    return keys.get(plain.replace("/", "").replace("-", ""), plain)


def _kind(written: str) -> MemoryKind:
    try:
        return MemoryKind(written.strip().lower())
    except ValueError:
        names = [str(kind) for kind in MemoryKind]
        near = nearest(written, names, 1)[0]
        raise UsageError(
            f"no kind '{written}'; kinds: {', '.join(names)}; nearest: {near}"
        ) from None


def _warn_of_lost_entries(store: MemoryStore) -> None:
    lost = store.lost()
    if lost is not None:
        say(f"desk: {lost}")


MEMORY_WORKFLOWS: Final = (
    WorkflowType.RESEARCH_SWARM,
    WorkflowType.HYPOTHESIS,
    WorkflowType.STOCK_RESEARCH,
)
"""The workflow types that store entries."""

LONGEST_REASON: Final = 1_000

_ELSEWHERE: Final = "large payloads are in the home of the desk that did the work"

AT_A_TIME = 100
"""The number of entries stored at once. They stay stored if the next ones fail."""


class Rebuilt(Contract):
    """The result of `desk memory rebuild`; `--json` prints this model. `told` entries were found in
    the histories of `runs`; `kept` are in the memory now."""

    runs: int
    told: int
    kept: int
    unreadable: Annotated[tuple[Text, ...], Field(max_length=10_000)] = ()
    lost: Text | None = None


@dataclass(frozen=True)
class StoredEntries:
    """The entries that a run stored at once. `order` is the position in the history."""

    at: datetime
    order: int
    entries: tuple[MemoryEntry, ...]


@dataclass
class FoundEntries:
    """The entries found in histories, by id, each in its last version. `unreadable` says for each
    unreadable history which run it is of, and why."""

    entries: dict[str, MemoryEntry] = field(default_factory=dict)
    runs: int = 0
    unreadable: list[str] = field(default_factory=list)


def rebuild_memory(*, as_json: bool) -> ExitStatus:
    """Stores the entries of all histories in the memory, and prints the result.

    The exit status is 3 if a history could not be read.

    Raises:
        CommandError: the memory cannot be written.
    """
    settings = load_settings()
    log_to_file(settings)

    async def work(desk: Desk) -> FoundEntries:
        return await entries_in_histories(desk.client)

    found = interruptible(with_desk(settings, work, server_only=True))
    try:
        done = rebuilt(memory_store(settings), found)
    except MemoryUnusable as error:
        raise CommandError(str(error)) from error
    text = done.model_dump_json(indent=2) if as_json else "\n".join(rebuilt_lines(done))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.INCOMPLETE if done.unreadable else ExitStatus.COMPLETE


def rebuilt(store: MemoryStore, found: FoundEntries) -> Rebuilt:
    """Stores the entries, and returns the result. Deletes nothing from the store: it may have
    entries whose histories are gone.

    Raises:
        MemoryUnusable: the memory cannot be written.
    """
    worth = (entry for entry in found.entries.values() if entry.is_worth_keeping)
    entries = sorted(worth, key=lambda entry: (entry.as_of, entry.memory_id))
    lost = store.lost()
    for start in range(0, len(entries), AT_A_TIME):
        store.put(entries[start : start + AT_A_TIME])
    if not found.unreadable:
        store.restored()
    return Rebuilt(
        runs=found.runs,
        told=len(entries),
        kept=len(store.entries()),
        unreadable=tuple(found.unreadable),
        lost=lost,
    )


def rebuilt_lines(done: Rebuilt) -> Iterator[str]:
    """Formats the result for people, in at most 80 columns."""
    if done.lost is not None:
        yield from folded(done.lost)
    yield f"{done.told} entries in the histories of {done.runs} runs; {done.kept} are remembered"
    for reason in done.unreadable:
        yield from folded(f"not read: {reason}")


async def entries_in_histories(client: Client) -> FoundEntries:
    """Reads the entries that the runs on the server stored, or were about to store."""
    found = FoundEntries()
    tellings: list[StoredEntries] = []
    async for run in client.list_workflows(_memory_workflows()):
        found.runs += 1
        try:
            history = await fetch_history(client, run.id, run.run_id)
        except HistoryGone as gone:
            found.unreadable.append(str(gone))
        else:
            tellings += await _readable(history, found.unreadable)
    for telling in sorted(tellings, key=lambda one: (one.at, one.order)):
        found.entries |= {entry.memory_id: entry for entry in telling.entries}
    return found


async def _readable(history: RunHistory, unreadable: list[str]) -> list[StoredEntries]:
    """Reads the entries in a history, including those whose activity never ran."""
    tellings: list[StoredEntries] = []
    for scheduled, *_ in history.activities:
        if scheduled.name != ActivityName.REMEMBER:
            continue
        try:
            told = await history.decode(scheduled.input, MemoryEntries)
        except (OSError, ValueError, RuntimeError) as error:
            words = f"{history.workflow_id}: {error}; {_ELSEWHERE}"
            unreadable.append(words[:LONGEST_REASON])
        else:
            tellings.append(StoredEntries(scheduled.at, scheduled.event_id, tuple(told.entries)))
    return tellings


def _memory_workflows() -> str:
    return " OR ".join(f"WorkflowType = '{kind}'" for kind in MEMORY_WORKFLOWS)
