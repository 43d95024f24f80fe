"""Wording shared by the specialists and their leader. No sentence holds a digit or another agent's
figure."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from desk.analytics.names.listing import listed
from desk.contracts.episode.analysis import KnownSymbol, Signal
from desk.trust.prose import REFERENCE, clip, printable, unbacked

LONGEST_LINE: Final = 400

MARKS: Final = str.maketrans("", "", '“”„‟«»"')
"""Quotation marks. In a report they enclose a source's own words."""


def plain(words: str, instead: str) -> str:
    """Returns a tool's words on one line, without references and figures; `instead` if nothing
    printable is left."""
    line = " ".join(REFERENCE.sub("", words).translate(MARKS).split())
    if not line or "[[" in line or "]]" in line or unbacked(line):
        return instead
    return clip(line, LONGEST_LINE)


def words_of(signal: Signal) -> str | None:
    """Returns the words of a signal without the full stop; its name if its words cannot be printed;
    None if the name cannot either."""
    for words in (signal.words, signal.name.replace("_", " ")):
        line = printable(words.translate(MARKS))
        if line:
            return clip(line, LONGEST_LINE).rstrip(". ;")
    return None


def line_on_missing(words: str, instead: str, *, figures_pass: bool) -> str:
    """Returns what `plain` returns for words on what an answer lacks. If nothing was found and
    figures are not allowed, returns `instead` for words with any digit, because there is no claim
    that a day or a span could refer to."""
    bare = not figures_pass and any(sign.isnumeric() for sign in words)
    return instead if bare else plain(words, instead)


def nearest_symbols_words(symbols: Iterable[KnownSymbol]) -> str:
    """Returns ` The nearest are NVDA (Nvidia), …`, to follow a sentence; empty without any."""
    names = ", ".join(f"{symbol.symbol} ({symbol.name})" for symbol in symbols)
    return f" The nearest are {names}." if names else ""


def sentence(words: str) -> str:
    """Returns the words with a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}"


def within(words: str) -> str:
    """Returns the words for the middle of a sentence: without the capital, unless they start with
    an abbreviation."""
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words


def joined(sentences: Iterable[str | None]) -> str:
    """Joins the non-empty sentences with spaces."""
    return " ".join(each for each in sentences if each)


def rose(move: Decimal) -> str:
    """Returns the verb for a move."""
    if move == 0:
        return "did not move"
    return "rose" if move > 0 else "fell"


def above(value: Decimal, other: Decimal) -> str:
    """Returns the words for a level relative to another."""
    if value == other:
        return "at"
    return "above" if value > other else "below"


def phrases(found: Sequence[tuple[str, str]]) -> str:
    """Lists figures with their spans: `[[a]] on the week, [[b]] on the month and [[c]] on the
    year`."""
    return listed(f"{reference} {over}" for reference, over in found)
