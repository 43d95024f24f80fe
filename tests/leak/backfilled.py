"""Past weeks that a desk writes from stand-ins whose data came late and were revised since."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from desk.contracts.findings.sources import RefreshStatus
from desk.contracts.weeks import monday_of, next_week, previous_week
from tests.leak.published import Findings, findings_of
from tests.standins.configuration import write_configuration
from tests.standins.provider import Failure
from tests.standins.serving import EVERYBODY, Standins
from tests.support.processes.command import Answer, answered
from tests.support.processes.homes import home_environment

ALLOWED_SECONDS = 3_600.0
"""The most that a backfill of any length may take."""

TROUBLES = (Failure.LATE, None, Failure.REVISED, Failure.LATE)
"""How the stand-ins stand as the sources are fetched, time after time: the newest data are lacking,
come late, are revised, and are withdrawn."""

TRIES = 5
"""How often a refresh is begun before what could not be fetched ends the comparison."""

NOT_FETCHED = (RefreshStatus.UNREACHABLE, RefreshStatus.NOT_WRITTEN)
"""How a file stands that the desk does not have as the stand-ins told it. One that is rejected was
fetched: what is late has fewer data than what there is."""

_REFRESHED = TypeAdapter(list[dict[str, str | int | None]])


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
        weeks.insert(0, previous_week(weeks[0]))
    return weeks


def environment(standins: Standins, folder: Path, **extra: str) -> dict[str, str]:
    """A home of its own that asks the stand-ins."""
    config = str(write_configuration(standins, folder))
    return {**home_environment(folder, DESK_MCP_CONFIG=config, **extra), "DESK_OFFLINE": "0"}


def backfilled(
    standins: Standins, environment: dict[str, str], weeks: list[str]
) -> Iterator[CheckedWeek]:
    """Fetch from the stand-ins as they change, write the reports of some weeks, compare each.

    Raises:
        BackfillFailed: the desk did not fetch what the stand-ins told, or did not write the
            reports.
    """
    until = monday_of(next_week(weeks[-1]))
    standins.until = until
    for kind in TROUBLES:
        standins.mend()
        if kind is not None:
            standins.fail(EVERYBODY, kind)
        _refresh(environment)
    done = _desk(environment, "backfill", "--from", weeks[0], "--to", weeks[-1])
    if done.code not in (0, 3):
        raise BackfillFailed(f"{done.out}{done.err}")
    for week in weeks:
        yield CheckedWeek(week, _compared(Path(environment["DESK_REPORTS"]), week, until))


def _refresh(environment: dict[str, str]) -> None:
    """Fetch every file. What was known when is compared with what the stand-ins told each time, so
    a file that a loaded machine did not fetch in time is fetched again before they change."""
    missed: list[str] = []
    for _ in range(TRIES):
        # Its exit status says that something could not be had, as what is late cannot.
        done = _desk(environment, "refresh", "--json")
        try:
            told = _REFRESHED.validate_json(done.out)
        except ValidationError as error:
            raise BackfillFailed(f"desk refresh:\n{done.out}{done.err}") from error
        missed = [f"{t['source']}: {t['reason']}" for t in told if t["status"] in NOT_FETCHED]
        if not missed:
            return
    raise BackfillFailed("\n".join((f"not fetched in {TRIES} refreshes:", *missed)))


def _compared(reports: Path, week: str, until: date) -> Findings | None:
    found = sorted(reports.glob(f"weekly/{week}-*.json"))
    latest = [path for path in found if path.suffixes == [".json"]]
    if not latest:
        return None
    return findings_of(json.loads(latest[0].read_bytes()), until)


def _desk(environment: dict[str, str], *words: str) -> Answer:
    return answered(words, environment, ALLOWED_SECONDS)
