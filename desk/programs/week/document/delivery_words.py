"""A published report in the words of an e-mail or of a message to a room."""

from collections.abc import Iterator
from typing import Final

from desk.contracts.week.report import Mover, ResearchReport
from desk.documents.rendering.words.wording import instant, one_line
from desk.programs.week.document.rendering.objections import trust_line
from desk.programs.week.document.rendering.wording import (
    change_words,
    changes_title,
    coverage_words,
    decision_line,
)

MOVERS: Final = 5
CHANGES: Final = 5
MISSING: Final = 5
LONGEST_LINE: Final = 400
"""Characters of a line: text from outside can be long."""


def subject_line(report: ResearchReport) -> str:
    """`Asia and G10 currencies and policy rates, 2026-W44: 36 of 38 markets, revision 2`."""
    coverage = report.coverage
    revision = f", revision {report.revision}" if report.revision > 1 else ""
    state = ", incomplete" if not coverage.complete else "" if coverage.current else ", not current"
    covered = f"{coverage.researched} of {coverage.expected} markets"
    return _told(f"{report.title}: {covered}{state}{revision}")


def letter(report: ResearchReport, where: str) -> str:
    """The summary as plain text; `where` is the report's link or path."""
    blocks = (
        [subject_line(report), f"As of {instant(report.as_of, report.window.time_zone)}"],
        [_told(sentence.text) for sentence in (*report.commentary, *report.summary)],
        [coverage_words(report), *_trust(report), *_missing(report)],
        _titled("Biggest moves", [mover_words(mover) for mover in biggest(report)]),
        _titled("Decisions", [_told(decision_line(r)) for r in report.calendar if not r.ahead]),
        _titled(changes_title(report.changes), _changes(report)),
        [f"Report: {where}"],
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def room_message(report: ResearchReport, where: str) -> str:
    """Headline, coverage, biggest moves and where the report is, in Slack's markup."""
    lines = [
        f"*{escaped(subject_line(report))}*",
        *(escaped(_told(said.text)) for said in report.summary[:1]),
        escaped(coverage_words(report)),
        *(f"• {escaped(mover_words(mover))}" for mover in biggest(report)),
        f"<{where}|Open the report>" if where.startswith("http") else f"`{escaped(where)}`",
    ]
    return "\n".join(lines)


def biggest(report: ResearchReport) -> list[Mover]:
    """The movers that moved most, by size."""
    return sorted(report.movers, key=lambda row: abs(row.move), reverse=True)[:MOVERS]


def mover_words(mover: Mover) -> str:
    """`USD/JPY +1.20 % to 156.80 (z +2.1)`."""
    score = f" (z {mover.z_score:+f})" if mover.z_score is not None else ""
    return f"{mover.market} {mover.move:+f} % to {mover.last:,f}{score}"


def escaped(text: str) -> str:
    """Text that cannot be taken for markup, a mention or a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _trust(report: ResearchReport) -> Iterator[str]:
    told = trust_line(report)
    if told:
        yield _told(told)


def _missing(report: ResearchReport) -> Iterator[str]:
    missing = report.coverage.missing
    for entry in missing[:MISSING]:
        yield _told(f"Missing: {entry.market}: {entry.reason}")
    if len(missing) > MISSING:
        yield f"and {len(missing) - MISSING} more missing"


def _changes(report: ResearchReport) -> list[str]:
    return [
        _told(f"{change.kind} {change_words(change)}")
        for change in report.changes.entries[:CHANGES]
    ]


def _told(text: str) -> str:
    told = one_line(text)
    return told if len(told) <= LONGEST_LINE else f"{told[: LONGEST_LINE - 1]}…"
