"""What an earlier answer lacked for want of packages that have been installed since."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Final

from desk.contracts.question.answers import AnswerReport
from starters.swarm_print import installs_named

PROJECT: Final = "research-desk"
INSTALL: Final = "make install-"

_NEEDED: Final = r"([\w.-]+)[^;]*;.*\bextra *== *[\"']{extra}[\"']"


def installed_since(answer: AnswerReport | None, began: datetime) -> tuple[str, ...]:
    """The commands that an answer names for what it lacks, such as `make install-swarm`, and that
    were carried out since its run `began`: all that one installs is here, some of it came later.

    What was here by then and lacked all the same, as at a worker elsewhere, is not among them: to
    ask anew would bring nothing.
    """
    return tuple(
        command
        for command in installs_named(_untold(answer))
        if _came_since(command.removeprefix(INSTALL), began)
    )


def _untold(answer: AnswerReport | None) -> Iterator[str]:
    if answer is not None:
        yield from answer.missing
        yield from (line.error or "" for line in answer.nodes)


def _came_since(extra: str, began: datetime) -> bool:
    try:
        return max(map(_installed_at, _packages(extra)), default=began) > began
    except PackageNotFoundError:
        return False


def _packages(extra: str) -> Iterable[str]:
    """What an extra of this project asks for."""
    needed = re.compile(_NEEDED.format(extra=re.escape(extra)))
    found = (needed.match(line) for line in requires(PROJECT) or ())
    return tuple(match[1] for match in found if match)


def _installed_at(package: str) -> datetime:
    """When the record of a package's files was written, which every installer does itself.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    files = distribution(package).files or ()
    records = (Path(file.locate()) for file in files if file.name == "RECORD")
    times = [record.stat().st_mtime for record in records if record.exists()]
    return datetime.fromtimestamp(max(times, default=0), UTC)
