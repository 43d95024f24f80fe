"""A walk forward as plain tables for people, at most 80 columns wide."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.learning.lessons import Scorecard, ScoreRow
from desk.training.walk_forward.intervals import (
    COVERED,
    FEWEST_DATES,
    FEWEST_GROUPS,
    MOST_GROUPS,
    Interval,
)
from desk.training.walk_forward.records import GAINS, PerformanceRow, WalkForward

WIDTH: Final = 80
INDENT: Final = "  "
NOTHING: Final = "–"

_COUNTED: Final = ("made", "rated", "buy", "hold", "sell", "abstain", "right", "price moved, %")
_GAINED: Final = ("over cash, %", "over holding, %", "reward")


def lines(found: WalkForward) -> Iterator[str]:
    """Yields what was measured, with its intervals, and its limits."""
    yield (f"{found.first} to {found.last}, {every(found.weeks)}, cost {found.cost} % each way")
    symbols = f"{counted(len(found.symbols), 'symbol')}: {' '.join(found.symbols)}"
    yield from wrap(symbols, WIDTH, subsequent_indent=INDENT)
    yield from row_tables("policies", found.policies)
    yield from row_tables("built-in, by symbol", found.by_symbol)
    yield from row_tables("built-in, by year", found.by_year)
    yield from _probabilities(found)
    yield ""
    for note in (*interval_notes(found.weeks, found.symbols), *_notes(found)):
        yield from wrap(note, WIDTH, subsequent_indent=INDENT * 2)


def row_tables(title: str, rows: Sequence[PerformanceRow]) -> Iterator[str]:
    """Yields what was recommended and how the price moved, then the results after costs."""
    yield ""
    yield title
    yield from columns(("", *_COUNTED), [_counted(row) for row in rows])
    yield ""
    yield from columns(("", *_GAINED), [_gained(row) for row in rows])


def columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yields a table with its first column left-aligned and the others right-aligned."""
    table = [titles, *rows]
    wide = [max(len(row[at]) for row in table) for at in range(len(titles))]
    for first, *others in table:
        cells = (cell.rjust(wide[at]) for at, cell in enumerate(others, start=1))
        yield f"{INDENT}{first.ljust(wide[0])}  {'  '.join(cells)}".rstrip()


def counted(number: int, word: str) -> str:
    """Formats a count: `1 week`, `4 weeks`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def every(weeks: int) -> str:
    """Formats an interval: `every week`, `every 4 weeks`."""
    return "every week" if weeks == 1 else f"every {weeks} weeks"


def mean_words(mean: Interval | None, digits: int = 2) -> str:
    """Formats a mean as `+0.31 (-0.10..+0.72)`; without the interval if there were too few
    dates."""
    if mean is None:
        return NOTHING
    if mean.low is None or mean.high is None:
        return f"{mean.mean:+.{digits}f}"
    return f"{mean.mean:+.{digits}f} ({mean.low:+.{digits}f}..{mean.high:+.{digits}f})"


def _counted(row: PerformanceRow) -> tuple[str, ...]:
    kinds = (str(row.kinds[kind]) for kind in Recommended)
    moved = mean_words(row.means[Metric.FORWARD_MOVE])
    beside = row.means[Metric.OVER_CASH]
    rated = str(beside.count) if beside else "0"
    right = f"{row.right / row.decided:.0%}" if row.decided else NOTHING
    return row.of, str(row.made), rated, *kinds, right, moved


def _gained(row: PerformanceRow) -> tuple[str, ...]:
    return row.of, *(mean_words(row.means[metric]) for metric in GAINS)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else NOTHING


def _probabilities(found: WalkForward) -> Iterator[str]:
    """Yields the probabilities' scores, and how often the price was higher by stated
    probability."""
    yield ""
    yield "built-in, how likely it called a higher price (Brier: 0 perfect, 0.25 a coin)"
    titles = ("", "scored", "right", "Brier", "a half")
    yield from columns(titles, [_score(row) for row in found.scorecard.rows])
    yield f"{INDENT}better than always saying a half by {mean_words(found.better_than_half, 4)}"
    yield (
        f"{INDENT}always saying {found.base_rate:.1%}, how often it was higher, known only "
        f"afterwards: {found.base_rate_brier:.4f}"
    )
    yield ""
    yield "calibration"
    yield from columns(("said", "mean", "came", "times"), list(_bins(found.scorecard)))


def _score(row: ScoreRow) -> tuple[str, ...]:
    return (
        row.of,
        str(row.scored),
        _share(row.hits, row.decided),
        f"{row.brier:.4f}",
        f"{row.random_walk:.4f}",
    )


def _bins(card: Scorecard) -> Iterator[tuple[str, ...]]:
    for each in card.bins:
        yield (
            f"{each.low:.0%} to {each.high:.0%}",
            f"{each.mean:.1%}",
            f"{each.rose / each.count:.1%}",
            str(each.count),
        )


def interval_notes(weeks: int, symbols: Iterable[str]) -> Iterator[str]:
    """Yields notes on what the tables of rows show."""
    yield (
        f"In brackets, the {COVERED} % confidence interval of the mean: Student's t over "
        f"{FEWEST_GROUPS} to {MOST_GROUPS} groups of dates in a row, about as many figures in each "
        f"and all symbols of a date together. None with under {FEWEST_DATES} dates, which are too "
        "few to tell how far off a mean may be, or where a few of them have nearly all figures."
    )
    yield (
        f"Moves and returns are means in percent of one horizon of {counted(weeks, 'week')}, after "
        "costs, which every position pays; the reward is the return over cash in units of the risk "
        "taken. Returns and rewards are of those `rated`, that have a policy rate and a "
        "volatility: of every policy the same dates. How the price moved, before costs, is of all "
        "that were `made`; `right` is of those that were long or short."
    )
    yield (
        "`holding` buys anew at each date: it pays the costs each time, and misses the way from "
        "an exit to the next entry. Who keeps a stock does neither."
    )
    if unowned := [symbol for symbol in symbols if _is_index_or_spot(symbol)]:
        yield (
            f"{' and '.join(unowned)} cannot be held as such: what a fund, a future or the metal "
            "itself costs to carry or to store is in nothing."
        )


def _is_index_or_spot(symbol: str) -> bool:
    """Returns whether the symbol is an index or a spot price, as Yahoo Finance writes them."""
    return symbol.startswith("^") or symbol.endswith("=X")


def _notes(found: WalkForward) -> Iterator[str]:
    if found.unresolved == 1:
        yield "1 recommendation had no price soon after it, or none at its horizon: it is left out."
    else:
        yield (
            f"{found.unresolved} recommendations had no price soon after them, or none at their "
            "horizon, and are left out."
        )
    yield (
        "The symbols are those that packages ship, chosen by people who knew how they had done. "
        "Dividends and the cost of borrowing are in nothing. This is what was measured in the "
        "past: no promise, and no advice."
    )
