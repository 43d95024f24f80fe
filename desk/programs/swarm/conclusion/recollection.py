"""The words of earlier research, without its figures, which may be outdated."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.contracts.learning.memory import MemoryEntry, MemoryKind, Recalled
from desk.programs.swarm.conclusion.wording import MARKS
from desk.trust.prose import clip, printable, split_sentences

MOST_MEMORIES: Final = 4
MOST_SENTENCES: Final = 2
LONGEST_SENTENCE: Final = 300

_KINDS: Final = {
    MemoryKind.FINDINGS: "Findings",
    MemoryKind.HYPOTHESIS: "A hypothesis",
    MemoryKind.OUTCOME: "What came of a hypothesis",
}
_AGES: Final = (
    (timedelta(days=2), "just before"),
    (timedelta(weeks=2), "some days before"),
    (timedelta(weeks=10), "some weeks before"),
    (timedelta(days=365), "some months before"),
)


def memory_lines(recalled: Iterable[Recalled], markets: Iterable[str], as_of: datetime) -> str:
    """Returns a line for each memory about one of the markets that has words to print, nearest
    first; empty without any. Plans are omitted: they say what was looked for and not what was
    found."""
    names = set(markets)
    about = (each.entry for each in recalled if names.intersection(each.entry.markets))
    found = (_line(entry, as_of) for entry in about if entry.kind is not MemoryKind.PLAN)
    lines = dict.fromkeys(filter(None, found))
    return "\n".join(f"- {line}" for line in list(lines)[:MOST_MEMORIES])


def _line(entry: MemoryEntry, as_of: datetime) -> str:
    markets = listed(dict.fromkeys(market_in_a_sentence(market) for market in entry.markets))
    head = f"{_KINDS[entry.kind]} on {markets}, {_age(as_of - entry.as_of)}"
    said = " ".join(list(_sentences(entry.text))[:MOST_SENTENCES])
    return f"{head}: {said}" if said else ""


def _sentences(text: str) -> Iterator[str]:
    """Yields the sentences without a figure and without instructions or links."""
    for piece in split_sentences(text):
        line = printable(piece.strip().removeprefix("- ").translate(MARKS))
        if line and " " in line:
            yield clip(line, LONGEST_SENTENCE)


def _age(ago: timedelta) -> str:
    return next((words for bound, words in _AGES if ago < bound), "more than a year before")
