"""Past weeks that a desk writes from stand-ins whose data came late and were revised since."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from desk.contracts.weeks import monday_of, next_week, week_of
from tests.leak.published import Findings, findings_of
from tests.standins.configuration import write_configuration
from tests.standins.provider import Failure
from tests.standins.serving import EVERYBODY, Standins
from tests.support.command import BINARIES
from tests.support.homes import PROJECT, home_environment

ALLOWED_SECONDS = 3_600.0
"""The most that a backfill of any length may take."""

TROUBLES = (Failure.LATE, None, Failure.REVISED, Failure.LATE)
"""How the stand-ins stand as the sources are fetched, time after time: the newest data are lacking,
come late, are revised, and are withdrawn."""


@dataclass(frozen=True)
class CheckedWeek:
    """A week, and what became of its report: None where there is none."""

    week: str
    findings: Findings | None

    @property
    def holds(self) -> bool:
        """Whether there is a report that shows all that it may and nothing else."""
        found = self.findings
        return found is not None and not found.leaks and not found.missing


class BackfillFailed(Exception):
    """A command of the desk did not do what it should; the text is what it said."""


def weeks_up_to(last: str, count: int) -> list[str]:
    """So many weeks in order, of which the last is given."""
    weeks = [last]
    while len(weeks) < count:
        weeks.insert(0, week_of(monday_of(weeks[0]) - timedelta(days=7)))
    return weeks


def environment(standins: Standins, folder: Path, **extra: str) -> dict[str, str]:
    """A home of its own that asks the stand-ins."""
    config = str(write_configuration(standins, folder))
    variables = home_environment(folder, DESK_MCP_CONFIG=config, **extra)
    return {**os.environ, **variables, "DESK_OFFLINE": "0"}


def backfilled(
    standins: Standins, environment: dict[str, str], weeks: list[str]
) -> Iterator[CheckedWeek]:
    """Fetch from the stand-ins as they change, write the reports of some weeks, compare each.

    Raises:
        BackfillFailed: the desk did not write the reports.
    """
    until = monday_of(next_week(weeks[-1]))
    standins.until = until
    for kind in TROUBLES:
        standins.mend()
        if kind is not None:
            standins.fail(EVERYBODY, kind)
        # Its exit status says that something could not be had, as what is late cannot.
        _desk(environment, "refresh", "--json")
    done = _desk(environment, "backfill", "--from", weeks[0], "--to", weeks[-1])
    if done.returncode not in (0, 3):
        raise BackfillFailed(f"{done.stdout}{done.stderr}")
    for week in weeks:
        yield CheckedWeek(week, _compared(Path(environment["DESK_REPORTS"]), week, until))


def _compared(reports: Path, week: str, until: date) -> Findings | None:
    found = sorted(reports.glob(f"weekly/{week}-*.json"))
    latest = [path for path in found if path.suffixes == [".json"]]
    if not latest:
        return None
    return findings_of(json.loads(latest[0].read_bytes()), until)


def _desk(environment: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [BINARIES / "desk", *words],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=ALLOWED_SECONDS,
    )
