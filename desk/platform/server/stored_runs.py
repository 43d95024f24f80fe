"""Compares what the stopped server's database stores of runs, without starting the server."""

import contextlib
import hashlib
import sqlite3
from pathlib import Path

from desk.platform.server.record import ServerRecord

# Each change of a run increments its record's version. Temporal's own workflows, such as the one of
# the worker deployment, also change when a server starts and only answers.
_RUNS = """
select workflow_id, hex(run_id), next_event_id, db_record_version from executions
where workflow_id not like 'temporal-sys-%' order by workflow_id, run_id
"""


def runs_digest(home: Path) -> str | None:
    """Returns a digest of the state of every run in the home's database.

    Two equal digests mean that no run has changed, started or been deleted in between. Returns None
    while a server runs, after one was killed (its last writes are not in the database yet), and if
    the database is absent or not as expected.
    """
    log = home / "temporal.db-wal"
    with contextlib.suppress(OSError, sqlite3.Error):
        if ServerRecord.path(home).exists() or (log.exists() and log.stat().st_size):
            return None
        # `immutable`, because a reader would otherwise leave a write-ahead log beside the database.
        database = f"{(home / 'temporal.db').resolve().as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(database, uri=True)) as opened:
            digest = hashlib.sha256()
            for run in opened.execute(_RUNS):
                digest.update(f"{run}\n".encode())
            return digest.hexdigest()
    return None
