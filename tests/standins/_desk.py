"""The desk as a user runs it, led to the stand-ins."""

import json
from pathlib import Path
from typing import Any

from tests.standins.configuration import variables
from tests.standins.serving import Standins
from tests.support.processes.command import answered

ALLOWED_SECONDS = 600.0
"""The most that one command may take."""


class DeskFailed(Exception):
    """A command of the desk did not do what it should; the text is what it said."""


PUBLISHED = (0, 3)
"""Exit status of a command that has done what it should: a week may be below its threshold."""

VERIFIED = (0,)

FETCHED = (0, 1)
"""And of a refresh, where what is packaged may be newer than what a provider had then."""


def desk(standins: Standins, home: Path, *words: str, allowed: tuple[int, ...] = PUBLISHED) -> str:
    """What `desk WORDS` prints, in a home of its own that asks the stand-ins.

    Raises:
        DeskFailed: its exit status is none that is allowed.
    """
    environment = {**variables(standins, home), "DESK_OFFLINE": "0"}
    done = answered(words, environment, ALLOWED_SECONDS)
    if done.code not in allowed:
        raise DeskFailed(f"desk {' '.join(words)}:\n{done.out}{done.err}")
    return done.out


def report_of(standins: Standins, home: Path, week: str) -> dict[str, Any]:
    """The published report of a week, as JSON."""
    told: dict[str, Any] = json.loads(desk(standins, home, "report", "--week", week, "--json"))
    return told
