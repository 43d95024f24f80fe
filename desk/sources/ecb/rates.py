"""Reads the ECB's file of euro reference rates into columns.

The file is a zip with one CSV: a row for each day, newest first, one column for each currency with
the units of it for one euro, `N/A` without a fixing, and a superfluous comma at the end of each
line. Rates remain text, as published, until they are used.
"""

import io
import lzma
import re
import struct
import zipfile
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from threading import Lock

from desk.analytics.prices.fixings import cross_rate
from desk.contracts.findings.source_results import CrossLegs, PublishedRate

MEMBER = "eurofxref-hist.csv"
EURO = "EUR"
LARGEST_CSV = 64 * 1024 * 1024
"""In bytes. The file grows by 270 bytes a day; a larger file is not the ECB's."""

CACHED_PAIRS = 12
"""Pairs whose computed fixings are cached, at about 1.5 MB for all days of one: more than a swarm
or an episode uses."""

_DAMAGED_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""The errors of `zipfile`, depending on which byte of a file is wrong."""

_HEADER = re.compile(r"Date(,[A-Z]{3})+,?")
_RATE = r"(?:N/A|0*+[1-9][0-9]*+(?:\.[0-9]++)?|0++\.0*+[1-9][0-9]*+)?+"
"""Empty, or a number above zero. There are 300,000 in the file, so the pattern never backtracks."""

_DAY_LENGTH = len("2026-10-30")
_NOT_FIXED = ("", "N/A")


class DamagedRatesFile(Exception):
    """A file is not the ECB's history of reference rates. The message names file and reason."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(f"{file} is not usable as the ECB's reference rates: {reason}")
        self.file = file
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Series:
    """Fixings of one pair, oldest first: `values[i]` is the fixing of `days[i]`."""

    days: tuple[date, ...]
    values: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """One currency's fixings: ordinals of the days that have one, and the rates as text."""

    days: Sequence[int]
    rates: Sequence[str]

    def rate_on(self, day: int) -> str | None:
        at = bisect_left(self.days, day)
        return self.rates[at] if at < len(self.days) and self.days[at] == day else None


class EuroRates:
    """Every fixing of one file. Columns are extracted, and fixings computed, at their first use."""

    def __init__(self, file: Path, currencies: tuple[str, ...], rows: list[str]) -> None:
        """`rows` are the lines of the file under its header, oldest first."""
        self.file = file
        self.currencies = currencies
        self._rows = rows
        self._columns: dict[str, _Column] = {}
        self._worked_out: dict[tuple[str, str], dict[int, Decimal]] = {}
        self._keeping = Lock()

    @cached_property
    def first_day(self) -> date:
        """The oldest day in the file."""
        return date.fromisoformat(self._rows[0][:_DAY_LENGTH])

    @cached_property
    def last_day(self) -> date:
        """The newest day in the file."""
        return date.fromisoformat(self._rows[-1][:_DAY_LENGTH])

    @property
    def day_count(self) -> int:
        """The number of days in the file."""
        return len(self._rows)

    def has(self, currency: str) -> bool:
        """Whether the file has ever had the currency. Always True for the euro."""
        return currency == EURO or currency in self.currencies

    def last_day_until(self, day: date) -> date | None:
        """The newest day in the file up to `day`."""
        until = bisect_right(self._ordinals, day.toordinal())
        return date.fromordinal(self._ordinals[until - 1]) if until else None

    def last_fixing(self, base: str, quote: str, until: date) -> tuple[date, Decimal] | None:
        """The newest fixing of a pair up to a day."""
        days = self._common_days(base, quote)
        at = bisect_right(days, until.toordinal())
        return (
            (date.fromordinal(days[at - 1]), self._fixing(base, quote, days[at - 1]))
            if at
            else None
        )

    def days_until(self, base: str, quote: str, until: date) -> tuple[date, date] | None:
        """The first and the newest day, up to a day, on which a pair was fixed. Computes no
        fixing."""
        days = self._common_days(base, quote)
        at = bisect_right(days, until.toordinal())
        return (date.fromordinal(days[0]), date.fromordinal(days[at - 1])) if at else None

    def between(self, base: str, quote: str, first: date, last: date) -> Series:
        """The fixings of a pair from the first day to the last, both included."""
        common = self._common_days(base, quote)
        start, end = bisect_left(common, first.toordinal()), bisect_right(common, last.toordinal())
        days = common[start:end]
        known = self._known_of(base, quote)
        for day in days:
            if day not in known:
                known[day] = self._fixing(base, quote, day)
        return Series(
            days=tuple(map(date.fromordinal, days)),
            values=tuple(map(known.__getitem__, days)),
        )

    def legs(self, base: str, quote: str, day: date) -> CrossLegs | None:
        """The published rates that a pair's fixing is computed from. None for a rate against the
        euro, which is published itself."""
        if base == EURO:
            return None
        of_quote = None if quote == EURO else self._published(quote, day)
        return CrossLegs(day=day, base=self._published(base, day), quote=of_quote)

    def _published(self, currency: str, day: date) -> PublishedRate:
        rate = self._rate(currency, day.toordinal())
        return PublishedRate(symbol=f"{EURO}/{currency}", value=rate)

    def _known_of(self, base: str, quote: str) -> dict[int, Decimal]:
        """The computed fixings of a pair, by day. Only those of the newest pairs are cached."""
        with self._keeping:
            if (base, quote) not in self._worked_out and len(self._worked_out) >= CACHED_PAIRS:
                del self._worked_out[next(iter(self._worked_out))]
            return self._worked_out.setdefault((base, quote), {})

    def by_datum(self) -> dict[str, str]:
        """The fixings of each day against the euro, in the file's form: "2026-10-30" has "USD
        1.1172, JPY 160.10". Currencies without a fixing on the day are omitted."""
        return {row[:_DAY_LENGTH]: ", ".join(self._fixed(row)) for row in self._rows}

    def _fixed(self, row: str) -> list[str]:
        cells = zip(self.currencies, row[_DAY_LENGTH + 1 :].split(","), strict=False)
        return [f"{currency} {rate}" for currency, rate in cells if rate not in _NOT_FIXED]

    def corrected(self, corrections: Mapping[str, str | None]) -> "EuroRates":
        """A copy with other fixings for some days, each in the form of `by_datum`. None removes the
        day."""
        rows = {row[:_DAY_LENGTH]: row for row in self._rows}
        for day, fixings in corrections.items():
            rows.pop(day, None)
            if fixings is not None:
                rows[day] = self._row(day, fixings)
        return EuroRates(self.file, self.currencies, sorted(rows.values()))

    def _row(self, day: str, fixings: str) -> str:
        by_currency = dict(fixing.split(" ", 1) for fixing in fixings.split(", ") if fixing)
        return ",".join((day, *(by_currency.get(currency, "N/A") for currency in self.currencies)))

    @cached_property
    def _ordinals(self) -> list[int]:
        return [date.fromisoformat(row[:_DAY_LENGTH]).toordinal() for row in self._rows]

    def _common_days(self, base: str, quote: str) -> Sequence[int]:
        if EURO in (base, quote):
            return self._column(quote if base == EURO else base).days
        ours, theirs = self._column(base).days, self._column(quote).days
        if ours == theirs:
            return ours
        both = set(theirs)
        return [day for day in ours if day in both]

    def _fixing(self, base: str, quote: str, day: int) -> Decimal:
        # A rate against the euro is shown as the ECB publishes it; a cross is truncated beyond the
        # digits that are shown.
        quote_rate = Decimal(1) if quote == EURO else self._rate(quote, day)
        return quote_rate if base == EURO else cross_rate(self._rate(base, day), quote_rate)

    def _rate(self, currency: str, day: int) -> Decimal:
        rate = self._column(currency).rate_on(day)
        if rate is None:
            raise KeyError(f"{currency} has no fixing on {date.fromordinal(day)}")
        return Decimal(rate)

    def _column(self, currency: str) -> _Column:
        column = self._columns.get(currency)
        if column is None:
            column = self._columns[currency] = self._cut(currency)
        return column

    def _cut(self, currency: str) -> _Column:
        at = self.currencies.index(currency) + 1
        cells = (row.split(",", at + 1)[at] for row in self._rows)
        fixed = [
            (day, rate)
            for day, rate in zip(self._ordinals, cells, strict=True)
            if rate not in _NOT_FIXED
        ]
        return _Column([day for day, _ in fixed], [rate for _, rate in fixed])


def read_rates(file: Path) -> EuroRates:
    """Reads and validates a whole file.

    Raises:
        DamagedRatesFile: the file is missing, is not a zip, or is not the history.
    """
    try:
        return parse_rates(file.read_bytes(), file)
    except OSError as error:
        raise DamagedRatesFile(file, f"it cannot be read ({error.strerror or error})") from error


def parse_rates(content: bytes, file: Path) -> EuroRates:
    """Validates the bytes of a zip and stores its rows. `file` is named in errors.

    Raises:
        DamagedRatesFile: the bytes are not a zip or not the history.
    """
    text = _unpack(content, file)
    header, *rows = text.splitlines() or [""]
    if not _HEADER.fullmatch(header):
        raise DamagedRatesFile(file, f"its first line is {header[:60]!r}, not the currencies")
    currencies = tuple(header.rstrip(",").split(",")[1:])
    if not rows or len(set(currencies)) != len(currencies):
        raise DamagedRatesFile(file, "it has no rows or names a currency twice")
    _check_rows(rows, len(currencies), file)
    return EuroRates(file, currencies, sorted(rows))


def _unpack(content: bytes, file: Path) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if archive.getinfo(MEMBER).file_size > LARGEST_CSV:
                raise DamagedRatesFile(file, f"its {MEMBER} is above {LARGEST_CSV} bytes")
            return archive.read(MEMBER).decode("ascii")
    except KeyError as error:
        raise DamagedRatesFile(file, f"it has no {MEMBER} in it") from error
    except UnicodeDecodeError as error:
        raise DamagedRatesFile(file, f"{MEMBER} is not plain text") from error
    except _DAMAGED_ZIP as error:
        raise DamagedRatesFile(file, f"it is not a whole zip file ({error})") from error


def _check_rows(rows: list[str], currencies: int, file: Path) -> None:
    row_pattern = re.compile(rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:,{_RATE}){{{currencies}}},?")
    days = set()
    for number, row in enumerate(rows, start=2):
        if not row_pattern.fullmatch(row):
            raise DamagedRatesFile(file, f"line {number} of {MEMBER} is {row[:60]!r}")
        days.add(_valid_day(row, number, file))
    if len(days) != len(rows):
        raise DamagedRatesFile(file, f"{len(rows) - len(days)} days stand in it twice")


def _valid_day(row: str, number: int, file: Path) -> date:
    try:
        return date.fromisoformat(row[:_DAY_LENGTH])
    except ValueError as error:
        raise DamagedRatesFile(file, f"line {number} of {MEMBER}: {error}") from error
