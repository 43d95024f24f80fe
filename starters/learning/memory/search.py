"""What `desk memory search` and `desk memory list` do."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import ValidationError

from desk.contracts.learning.memory import (
    MemoryAnswer,
    MemoryEntries,
    MemoryEntry,
    MemoryKind,
    MemoryQuery,
)
from desk.platform.memory import MemoryStore, MemoryUnusable, memory_store
from desk.platform.settings import Settings, load_settings
from desk.trust.prose import nearest
from starters.questions.choice import read_as_of
from starters.session import say
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.tables import folded, table_lines

LINES_OF_TEXT = 4
"""How much of an entry is shown; `--json` has all of it."""


@dataclass(frozen=True)
class SearchOptions:
    """The options of `desk memory search`, as they were written."""

    words: str
    markets: tuple[str, ...]
    as_of: str | None
    kinds: tuple[str, ...]
    most: int
    as_json: bool


def show_search(options: SearchOptions) -> ExitStatus:
    """Print what comes nearest.

    Raises:
        UsageError: an option cannot be used.
        CommandError: the memory cannot be asked.
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
    _say_what_is_lost(store)
    lines = [line for one in answer.recalled for line in entry_lines(one.entry, one.score)]
    sys.stdout.write("".join(f"{line}\n" for line in lines or ["Nothing comes near."]))
    return ExitStatus.COMPLETE


def show_entries(*, as_json: bool) -> ExitStatus:
    """Print everything that is remembered.

    Raises:
        CommandError: the memory cannot be asked.
    """
    store = memory_store(load_settings())
    try:
        entries = store.entries()
        if not as_json:
            _say_what_is_lost(store)
    except MemoryUnusable as error:
        raise CommandError(str(error)) from error
    if as_json:
        # As many as there are: the bound of the contract is that of one run's telling.
        text = MemoryEntries.model_construct(entries=entries).model_dump_json(indent=2)
        sys.stdout.write(f"{text}\n")
        return ExitStatus.COMPLETE
    text = "\n".join(list_lines(entries)) or "Nothing is remembered yet."
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def query_of(options: SearchOptions, settings: Settings, now: datetime) -> MemoryQuery:
    """What is asked of the memory.

    Raises:
        UsageError: an option cannot be used; the message says what can.
    """
    zone = settings.config.schedule.time_zone
    known = settings.config.market_names
    try:
        return MemoryQuery(
            text=options.words,
            markets=tuple(_market(written, known) for written in options.markets),
            kinds=tuple(_kind(written) for written in options.kinds),
            as_of=read_as_of(options.as_of, zone, now) if options.as_of else now,
            most=options.most,
        )
    except ValidationError as error:
        (first, *_) = error.errors()
        place = first["loc"][0] if first["loc"] else "question"
        raise UsageError(f"the {place} cannot be used: {first['msg']}") from None


def entry_lines(entry: MemoryEntry, score: float) -> Iterator[str]:
    """What was recalled, for people, in at most 80 columns."""
    markets = ", ".join(entry.markets)
    yield f"{score:.2f}  {entry.kind}  {entry.as_of:%Y-%m-%d %H:%M}  {markets}".rstrip()
    yield from folded(f"{entry.memory_id}: {entry.objective}", "      ")
    yield from _shortened(folded(entry.text, "      "))
    yield ""


def list_lines(entries: Iterable[MemoryEntry]) -> Iterator[str]:
    """The list of what is remembered."""
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
    """`usdjpy` is `USD/JPY`; what the desk does not cover, such as a stock, is taken as written."""
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


def _say_what_is_lost(store: MemoryStore) -> None:
    lost = store.lost()
    if lost is not None:
        say(f"desk: {lost}")
