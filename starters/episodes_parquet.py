"""Rows as a Parquet file: a row group at a time, whole or not at all."""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from desk.documents.publishing.published_modes import publish_folder, published
from starters.endings import CommandError, UsageError
from starters.episodes_rows import COLUMNS, SCHEMA_VERSION, Cell, Kind

METADATA: Final[Mapping[str, str]] = {
    "research_desk.table": "episode_steps",
    "research_desk.schema_version": SCHEMA_VERSION,
}

Rows = Sequence[Mapping[str, Cell]]


def check_parquet(place: Path) -> None:
    """See to it that a table can be written to a place, before anything is read for it.

    Raises:
        CommandError: the package that writes it is not installed.
        UsageError: nothing can be written there.
    """
    _pyarrow()
    if place.is_dir():
        raise UsageError(f"--out {place} is a directory; name a file, such as episodes.parquet")
    try:
        publish_folder(place.parent)
    except OSError as error:
        raise UsageError(f"--out {place}: {error.strerror}") from None
    if not os.access(place.parent, os.W_OK):
        raise UsageError(f"--out {place.parent} is not writable")


async def write_parquet(place: Path, batches: AsyncIterator[Rows]) -> int:
    """Write batches of rows by `COLUMNS`, each as a row group, and say how many rows there are.

    A reader sees the file that was there before, or all of the new one.

    Raises:
        CommandError: it could not be written, or there is no package for it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    waiting = place.with_name(f".{place.name}.{os.getpid()}.new")
    count = 0
    try:
        with pq.ParquetWriter(waiting, schema, compression="zstd") as writer:
            async for rows in batches:
                if rows:
                    writer.write_table(pa.Table.from_pylist(list(rows), schema=schema))
                    count += len(rows)
        published(waiting)
        waiting.replace(place)
    except OSError as error:
        raise CommandError(f"{place} could not be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
    return count


def _schema() -> Any:
    pa = _pyarrow()
    types = {
        Kind.TEXT: pa.string(),
        Kind.NUMBER: pa.float64(),
        Kind.WHOLE: pa.int32(),
        Kind.TRUTH: pa.bool_(),
        Kind.INSTANT: pa.timestamp("us", tz="UTC"),
        Kind.NAMES: pa.list_(pa.string()),
    }
    fields = [(name, types[kind]) for name, kind in COLUMNS.items()]
    return pa.schema(fields, metadata=dict(METADATA))


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise CommandError(
            "Parquet is written by pyarrow, which is not installed: run `make install-episodes`"
        ) from None
    return pyarrow
