"""Small files in the format of the ECB's history of reference rates."""

import io
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from desk.sources.ecb.rates import MEMBER


def rates_csv(rows: Mapping[date, Mapping[str, str]]) -> str:
    """The text of a history, newest day first, with the ECB's `N/A` and its trailing commas."""
    currencies = sorted({code for rates in rows.values() for code in rates})
    lines = [",".join(("Date", *currencies, ""))]
    for day in sorted(rows, reverse=True):
        cells = (rows[day].get(code, "N/A") for code in currencies)
        lines.append(",".join((day.isoformat(), *cells, "")))
    return "\n".join(lines) + "\n"


def zipped(text: str, member: str = MEMBER) -> bytes:
    """A zip that holds one text."""
    content = io.BytesIO()
    # Nothing that reads it notices how well it is packed, and that is three quarters of the time.
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(member, text)
    return content.getvalue()


def write_rates(file: Path, rows: Mapping[date, Mapping[str, str]]) -> Path:
    """Write a history where a server looks for it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(zipped(rates_csv(rows)))
    return file


def with_a_later_day(content: bytes, day: date) -> bytes:
    """A whole file with one more day at its top, on which every rate is that of the day before."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        header, newest, *older = archive.read(MEMBER).decode().splitlines()
    added = day.isoformat() + newest[len("2026-10-30") :]
    return zipped("\n".join((header, added, newest, *older)) + "\n")
