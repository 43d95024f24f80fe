"""What the report of a week has where every source can be reached: outcomes of decisions, second
origins of figures, news of events. See `--help`."""

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desk.contracts.weeks import monday_of, next_week
from tests.standins._desk import FETCHED, DeskFailed, desk, report_of
from tests.standins.serving import serving

WEEK = "2026-W44"


def main(argv: list[str] | None = None) -> int:
    """Print the share of each week; gives the exit status, 1 where one is below `--least`."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.standins.share",
        description="Runs weeks in a home of its own with all sources answered by the stand-ins, "
        "and prints how many decisions have an outcome, how many of the printed figures have a "
        "second origin and what the others lack by kind, and how many events have news beside "
        "them of those whose market had any. A figure counts as `desk report --origins` says. Each "
        "week is written on its own Monday, when nothing later was published yet; with --today it "
        "is written now, as a past week is.",
    )
    parser.add_argument(
        "--week", nargs="+", default=[WEEK], metavar="WEEK", help=f"default: {WEEK}"
    )
    parser.add_argument("--today", action="store_true", help="with all that is published by now")
    parser.add_argument("--least", type=float, default=0.0, help="a share, such as 0.9")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="exit status 1 also where a decision has no outcome, or an event no news beside it",
    )
    parser.add_argument("--home", type=Path, help="a folder that is kept; else none is")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary, serving() as standins:
        lowest, whole = 1.0, True
        for week in arguments.week:
            home = (arguments.home or Path(temporary)).absolute() / week
            standins.until = None if arguments.today else monday_of(next_week(week))
            try:
                # All that there is, however long it takes: a run waits for two seconds only.
                desk(standins, home, "refresh", allowed=FETCHED)
                desk(standins, home, "run", "--week", week)
                told = json.loads(
                    desk(standins, home, "report", "--week", week, "--origins", "--json")
                )
                counts = counts_of(report_of(standins, home, week))
            except DeskFailed as failed:
                sys.stderr.write(f"{failed}\n")
                return 1
            lowest, whole = min(lowest, told["share"]), whole and counts.whole
            sys.stdout.write("".join(f"{line}\n" for line in lines_of(told, counts)))
            sys.stdout.flush()
    return 0 if lowest >= arguments.least and (whole or not arguments.whole) else 1


@dataclass(frozen=True)
class Counts:
    """How many decisions of a report's week have an outcome, and how many of its events have news
    beside them, of those whose market had news of the week."""

    decided: int
    decisions: int
    explained: int
    with_news: int
    events: int

    @property
    def whole(self) -> bool:
        """Whether nothing is lacking."""
        return self.decided == self.decisions and self.explained == self.with_news


def counts_of(report: dict[str, Any]) -> Counts:
    """What a report has and lacks."""
    freshness = report["coverage"]["freshness"]
    news = {
        each["call"]["call_id"] for each in report["evidence"] if _has_news(each, report["window"])
    }
    events = [(market, event) for market in report["markets"] for event in market["events"]]
    told = [market for market, _ in events if any(_is_of(market, place) for place in news)]
    return Counts(
        freshness["decisions"] - freshness["open_decisions"],
        freshness["decisions"],
        sum(bool(market["reported"]) for market in told),
        len(told),
        len(events),
    )


def _has_news(evidence: dict[str, Any], window: dict[str, str]) -> bool:
    """Whether a tool's answer has an item of news from within the window."""
    content = evidence["content"]
    items = content.get("items", ()) if isinstance(content, dict) else ()
    return any(window["start"] <= item["published_at"] <= window["end"] for item in items)


def _is_of(market: dict[str, Any], place: str) -> bool:
    return place.startswith(f"{market['market']}/")


def lines_of(told: dict[str, Any], counts: Counts) -> list[str]:
    """A line for the week, and one for each kind of figure that has one origin."""
    return [
        f"{told['week']}  {counts.decided} of {counts.decisions} decisions have an outcome; "
        f"{told['verified']} of {told['figures']} figures have a second origin "
        f"({told['share'] * 100:.1f} %), {told['contested']} contested; "
        f"{counts.explained} of {counts.with_news} events have news beside them where there is "
        f"some, of {counts.events} in all",
        *_kinds(told["without"]),
    ]


def _kinds(groups: list[dict[str, Any]]) -> Iterator[str]:
    """Figures of one origin by what they are and why, the most first."""
    figures, subjects = Counter[tuple[str, str]](), defaultdict[tuple[str, str], list[str]](list)
    for group in groups:
        kind = ", ".join(group["metrics"]).replace("_", " "), group["reason"]
        figures[kind] += group["figures"]
        subjects[kind].append(group["rests_on"].partition(":")[0])
    for (metrics, reason), number in figures.most_common():
        whose = ", ".join(dict.fromkeys(subjects[metrics, reason]))
        yield f"  {number:4}  {metrics} of {whose}: {reason}"


if __name__ == "__main__":
    sys.exit(main())
