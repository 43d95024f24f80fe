"""A week whose sources all go down after half of what it asks them: see `--help`."""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desk.contracts.weeks import monday_of, next_week
from tests.standins._desk import VERIFIED, DeskFailed, desk
from tests.standins.provider import Failure
from tests.standins.serving import EVERYBODY, Standins, serving

WEEK = "2026-W44"


@dataclass(frozen=True)
class Halfway:
    """A week with all sources up beside the same week whose sources went down half-way. Seconds are
    those from the start of a run to its report.

    `lines` are those of the report that say what could not be reached; `held_up` are markets that
    were researched with the sources up and were not without; `invented` are figures of a day that
    the other report has otherwise.
    """

    asked: int
    seconds: float
    seconds_halved: float
    researched: int
    lines: tuple[str, ...]
    held_up: tuple[str, ...]
    invented: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no market was held up, no figure was invented, and the reader was told."""
        return bool(self.lines) and not self.held_up and not self.invented


def compared(standins: Standins, folder: Path, week: str, *options: str) -> Halfway:
    """Run a week twice, each time in a home of its own: with all sources up, and with all of them
    closing every connection once half as many requests were answered.

    Raises:
        DeskFailed: a run failed, or its report does not follow from its evidence.
    """
    standins.until = monday_of(next_week(week))
    standins.mend()
    standins.asked.clear()
    whole, seconds = _run(standins, folder / "whole", week, options)
    asked = standins.asked.total()
    standins.fail(EVERYBODY, Failure.CLOSED, after=asked // 2)
    halved, seconds_halved = _run(standins, folder / "halved", week, options)
    standins.mend()
    return Halfway(
        asked,
        seconds,
        seconds_halved,
        halved["coverage"]["researched"],
        tuple(lines_of(halved)),
        tuple(sorted(_researched(whole) - _researched(halved))),
        tuple(_invented(whole, halved)),
    )


def _run(
    standins: Standins, home: Path, week: str, options: tuple[str, ...]
) -> tuple[dict[str, Any], float]:
    told = json.loads(desk(standins, home, "run", "--week", week, *options, "--json"))
    file = told["files"]["json_file"]
    # It says with its exit status whether every figure follows from the evidence in the report.
    desk(standins, home, "audit", file, allowed=VERIFIED)
    report: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8"))
    return report, told["seconds"] or 0.0


def lines_of(report: dict[str, Any]) -> list[str]:
    """What the report says of sources that could not be reached."""
    return [
        f"{source['server']}: {source['reason']}" for source in report["coverage"]["unreachable"]
    ]


def _researched(report: dict[str, Any]) -> set[str]:
    return {each["market"] for each in report["markets"] if each["outcome"] == "researched"}


def _invented(whole: dict[str, Any], halved: dict[str, Any]) -> list[str]:
    """Figures of the second report that the first has of the same day with another value."""
    known = _figures(whole)
    return [
        f"{name} of {day}: {value}, not {known[name, day]}"
        for (name, day), value in _figures(halved).items()
        if known.get((name, day), value) != value
    ]


def _figures(report: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Each figure by its name and its day. One that follows from others bears its oldest one's day,
    so it goes by the days of all that it follows from: two of one day may rest on others."""
    figures: dict[tuple[str, str], str] = {}
    for market in report["markets"]:
        days = {claim["claim_id"]: claim["as_of"] for claim in market["claims"]}
        for claim in market["claims"]:
            of = (claim["as_of"], *(days.get(each, "") for each in claim["inputs"]))
            figures[f"{market['market']} {claim['claim_id']}", " ".join(of)] = claim["value"]
    return figures


def main(argv: list[str] | None = None) -> int:
    """Print what became of the week; gives the exit status, 1 where it does not hold."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.standins.halfway",
        description="Runs a week with the stand-ins up, and again with all of them down after half "
        "as many requests. The second has to complete with every market, say what could not be "
        "reached, and have no figure that the first has otherwise; both have to pass `desk audit`.",
    )
    parser.add_argument("--week", default=WEEK, help="default: %(default)s")
    parser.add_argument("--markets", help="only these, such as USD/JPY,JP")
    arguments = parser.parse_args(argv)
    options = ("--markets", arguments.markets) if arguments.markets else ()
    with tempfile.TemporaryDirectory() as folder, serving() as standins:
        try:
            found = compared(standins, Path(folder), arguments.week, *options)
        except DeskFailed as failed:
            sys.stderr.write(f"{failed}\n")
            return 1
    sys.stdout.write("".join(f"{line}\n" for line in words_of(found)))
    return 0 if found.holds else 1


def words_of(found: Halfway) -> list[str]:
    """The comparison, for a reader."""
    lost = found.seconds_halved - found.seconds
    return [
        f"{found.asked} requests with all sources up, {found.seconds:.1f} s; down after "
        f"{found.asked // 2}: {found.researched} markets in {found.seconds_halved:.1f} s, "
        f"{max(lost, 0):.1f} s lost",
        *(f"not reached: {line}" for line in found.lines),
        *(f"held up: {market}" for market in found.held_up),
        *(f"invented: {figure}" for figure in found.invented),
    ]


if __name__ == "__main__":
    sys.exit(main())
