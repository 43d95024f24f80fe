"""The faults, a file for each kind."""

from typing import Final

from tests.faults.fault import Fault
from tests.faults.kinds import (
    answers,
    backfills,
    clocks,
    commands,
    disks,
    files,
    hosts,
    kills,
    money,
    records,
    sources,
    words_of_sources,
)

FAULTS: Final[tuple[Fault, ...]] = (
    *money.FAULTS,
    *kills.FAULTS,
    *backfills.FAULTS,
    *hosts.FAULTS,
    *disks.FAULTS,
    *sources.FAULTS,
    *words_of_sources.FAULTS,
    *records.FAULTS,
    *answers.FAULTS,
    *files.FAULTS,
    *commands.FAULTS,
    *clocks.FAULTS,
)
