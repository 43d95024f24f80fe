"""Published documents as typed objects: the report of a week, and the answer to a question."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from desk.analytics.figures import day_of, print_claim
from desk.api._frames import Column, frame, series_frame
from desk.api._scores import Scores
from desk.contracts.findings.claims import Claim, Unit
from desk.contracts.findings.verdicts import ClaimVerdict
from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import Coverage, MarketReport, ResearchReport
from desk.documents.answer.json_form import answer_from_json
from desk.documents.answer.markdown import render_answer_markdown
from desk.documents.rendering.figures.traces import Trace, Traces
from desk.platform.files import read_text_file
from desk.platform.settings import load_settings
from desk.programs.week.document.publishing import published_weeks as weeks_on_disk
from desk.trust.seals import seal_of
from starters.published.published_files import (
    LARGEST_REPORT,
    latest_files,
    published_week,
    read_report,
)
from starters.published.report.tracing import trace_named
from starters.runs.week_choice import written_week
from starters.terminal.exit_status import CommandError

if TYPE_CHECKING:
    from pandas import DataFrame

_CLAIMS: Final = {
    "claim_id": Column.TEXT,
    "market": Column.TEXT,
    "subject": Column.TEXT,
    "metric": Column.TEXT,
    "value": Column.NUMBER,
    "unit": Column.TEXT,
    "as_of": Column.DAY,
    "day": Column.DAY,
    "printed": Column.TEXT,
    "status": Column.TEXT,
    "decided_by": Column.TEXT,
    "origins": Column.TEXT,
    "formula": Column.TEXT,
    "inputs": Column.TEXT,
}
_MOVERS: Final = {
    "market": Column.TEXT,
    "group": Column.TEXT,
    "last": Column.NUMBER,
    "last_on": Column.DAY,
    "move": Column.NUMBER,
    "z_score": Column.NUMBER,
    "range_position": Column.NUMBER,
    "window_high": Column.NUMBER,
    "window_low": Column.NUMBER,
}
_MOVER_UNITS: Final = {
    "last": Unit.LEVEL,
    "move": Unit.PERCENT,
    "z_score": Unit.STANDARD_DEVIATIONS,
    "range_position": Unit.PERCENT,
    "window_high": Unit.LEVEL,
    "window_low": Unit.LEVEL,
}
_RATES: Final = {
    "area": Column.TEXT,
    "bank": Column.TEXT,
    "group": Column.TEXT,
    "rate": Column.NUMBER,
    "since": Column.DAY,
    "differential": Column.NUMBER,
    "stale": Column.FLAG,
}
_RATE_UNITS: Final = {"rate": Unit.PERCENT_A_YEAR, "differential": Unit.BASIS_POINTS}
_CALENDAR: Final = {
    "day": Column.DAY,
    "area": Column.TEXT,
    "bank": Column.TEXT,
    "ahead": Column.FLAG,
    "outcome": Column.TEXT,
}
_EVENTS: Final = {
    "market": Column.TEXT,
    "day": Column.DAY,
    "kind": Column.TEXT,
    "impact": Column.TEXT,
    "verified": Column.FLAG,
    "text": Column.TEXT,
}
_VIEWS: Final = {
    "market": Column.TEXT,
    "subject": Column.TEXT,
    "kind": Column.TEXT,
    "leaning": Column.TEXT,
    "confidence": Column.NUMBER,
    "weeks": Column.NUMBER,
    "rises": Column.NUMBER,
}
_MISSING: Final = {"market": Column.TEXT, "reason": Column.TEXT}
_QUOTATIONS: Final = {
    "quotation_id": Column.TEXT,
    "source": Column.TEXT,
    "place": Column.TEXT,
    "text": Column.TEXT,
    "evidence_id": Column.TEXT,
}


class SealBroken(UserWarning):
    """A published file was changed since it was published."""


class _Published(ABC):
    """Base of reports and answers: their claims, and the trace of each claim to its source."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        """The JSON file that it was read from."""

    @abstractmethod
    def _stated(self) -> Iterator[tuple[str | None, Claim, ClaimVerdict | None]]:
        """Yields every claim with the market that states it and its verdict."""

    @property
    @abstractmethod
    def _name(self) -> str:
        """The document's name in messages."""

    @cached_property
    @abstractmethod
    def _traces(self) -> Traces:
        """Its figures, each traced to its source."""

    def claims(self) -> "DataFrame":
        """Returns every figure, one row each: its value as a number with the unit beside it, the
        day it is about, its printed form, and its verdict. A claim stated by several markets has
        one row for each. For a claim whose value is a calendar day, `value` is NaN and the day is
        in `day`.

        Raises:
            FramesMissing: pandas is not installed.
        """
        return frame((_claim_row(*stated) for stated in self._stated()), _CLAIMS)

    def trace(self, figure: str) -> Trace:
        """Returns where a figure, such as `USD/JPY:move`, comes from: its verdict, its formula with
        the input figures, and the tool calls that it was read from.

        Raises:
            CommandError: there is no such figure; the message names the nearest.
        """
        return trace_named(self._traces, self._name, figure)


class Report(_Published):
    """The published report of a week.

    `document` is the whole JSON document, with exact decimals; the frames are views of it, with
    floats. Every frame has the units of its columns in `attrs["units"]`.
    """

    def __init__(self, document: ResearchReport, path: Path) -> None:
        super().__init__(path)
        self.document: Final = document

    def __repr__(self) -> str:
        return (
            f"<Report of {self.week}, revision {self.document.revision}: "
            f"{self.coverage.researched} of {self.coverage.expected} markets>"
        )

    @property
    def week(self) -> str:
        """Its ISO week, such as `2026-W44`."""
        return self.document.week

    @property
    def as_of(self) -> datetime:
        """The instant up to which its information reaches."""
        return self.document.as_of

    @property
    def coverage(self) -> Coverage:
        """What was expected, what was researched, and what is missing."""
        return self.document.coverage

    @property
    def headline(self) -> str | None:
        """The week in one sentence; None in reports of earlier versions."""
        return self.document.lead.headline.text if self.document.lead else None

    @property
    def summary(self) -> tuple[str, ...]:
        """The sentences of its summary."""
        return tuple(sentence.text for sentence in self.document.summary)

    def market(self, name: str) -> MarketReport:
        """Returns the section of a market, such as `USD/JPY` or `JP`.

        Raises:
            KeyError: the report has no such section.
        """
        for section in self.document.markets:
            if section.market == name:
                return section
        raise KeyError(f"the report of {self.week} has no market {name}")

    def movers(self) -> "DataFrame":
        """Returns the pairs with their moves over the week, sorted by the size of the z-score,
        largest first.

        Raises:
            FramesMissing: pandas is not installed.
        """
        return frame(_rows(self.document.movers, _MOVERS), _MOVERS, _MOVER_UNITS)

    def policy_rates(self) -> "DataFrame":
        """Returns the policy rates with their differentials to the base area."""
        return frame(_rows(self.document.policy_rates, _RATES), _RATES, _RATE_UNITS)

    def calendar(self) -> "DataFrame":
        """Returns the week's decisions with their outcomes, and the decisions ahead."""
        rows = (
            {**_row(line, _CALENDAR), "outcome": line.outcome.text}
            for line in self.document.calendar
        )
        return frame(rows, _CALENDAR)

    def events(self) -> "DataFrame":
        """Returns the events of each market, one row each."""
        rows = (
            {
                "market": section.market,
                "day": event.event_date,
                "kind": event.event_type.value,
                "impact": event.impact.value,
                "verified": event.verified,
                "text": event.text,
            }
            for section in self.document.markets
            for event in section.events
        )
        return frame(rows, _EVENTS)

    def views(self) -> "DataFrame":
        """Returns the direction that the agents expect for each market. A directional view that can
        be scored has a forecast: `rises` is the probability of a higher fixing in `weeks` weeks.

        Raises:
            FramesMissing: pandas is not installed.
        """
        rows = (
            {
                "market": section.market,
                "subject": view.subject,
                "kind": view.kind.value,
                "leaning": view.leaning.value,
                "confidence": view.confidence,
                "weeks": view.forecast.weeks if view.forecast else None,
                "rises": view.forecast.probability if view.forecast else None,
            }
            for section in self.document.markets
            for view in section.views
        )
        return frame(rows, _VIEWS)

    def fixings(self, markets: Sequence[str] | None = None) -> "DataFrame":
        """Returns the daily levels of the last 52 weeks by day, one column per pair.

        Args:
            markets: Only these markets; each must have a section.

        Raises:
            KeyError: one has no section.
            FramesMissing: pandas is not installed.
        """
        sections = (
            self.document.markets if markets is None else [self.market(name) for name in markets]
        )
        return series_frame(
            {
                section.market: dict(zip(section.days, section.values, strict=True))
                for section in sections
                if section.days
            }
        )

    def missing(self) -> "DataFrame":
        """Returns the markets without a figure to print, and why."""
        return frame(_rows(self.coverage.missing, _MISSING), _MISSING)

    def scorecard(self) -> Scores | None:
        """Returns how the desk's forecasts had done by the week's as-of instant, as the report
        prints it; None if the desk had no record then."""
        advice = self.document.advice
        if advice is None or advice.scorecard is None:
            return None
        return Scores(advice.scorecard, weights=advice.weights)

    def _stated(self) -> Iterator[tuple[str | None, Claim, ClaimVerdict | None]]:
        for section in self.document.markets:
            yield from _with_verdicts(section.market, section.claims, section.verdicts)
        yield from _with_verdicts(None, self.document.counts, ())

    @property
    def _name(self) -> str:
        return f"the report of {self.week}"

    @cached_property
    def _traces(self) -> Traces:
        return Traces(self.document)


class Answer(_Published):
    """The published answer to a question, an objective or a stock's episode."""

    def __init__(self, document: AnswerReport, path: Path) -> None:
        super().__init__(path)
        self.document: Final = document

    def __repr__(self) -> str:
        return f"<Answer to '{self.question}'>"

    @cached_property
    def markdown(self) -> str:
        """The whole answer with its sources, as published in Markdown."""
        return render_answer_markdown(self.document)

    def _repr_markdown_(self) -> str:
        return render_answer_markdown(self.document)

    @property
    def question(self) -> str:
        """The question."""
        return self.document.question

    @property
    def summary(self) -> str:
        """The short answer, in Markdown."""
        return self.document.summary

    @property
    def answered(self) -> bool:
        """Whether anything was found that answers the question."""
        return self.document.answered

    @property
    def missing(self) -> tuple[str, ...]:
        """What was searched for and not found."""
        return self.document.missing

    def quotations(self) -> "DataFrame":
        """Returns the verbatim quotations with their authors.

        Raises:
            FramesMissing: pandas is not installed.
        """
        return frame(_rows(self.document.quotations, _QUOTATIONS), _QUOTATIONS)

    def _stated(self) -> Iterator[tuple[str | None, Claim, ClaimVerdict | None]]:
        market = self.document.market.market if self.document.market else None
        yield from _with_verdicts(market, self.document.claims, self.document.verdicts)

    @property
    def _name(self) -> str:
        return f"the answer to '{self.question}'"

    @cached_property
    def _traces(self) -> Traces:
        return Traces(self.document)


def load_report(week_or_path: str | Path | None = None) -> Report:
    """Loads the published report of a week from its file. Needs no server and no network.

    Args:
        week_or_path: A week such as `2026-W44`, whose report is looked up in the folder to which
            this folder's desk publishes; or the path of a report's JSON, HTML or Markdown file,
            next to which the JSON file is. Without it, the latest published week.

    Raises:
        UsageError: the week is invalid, or is not over.
        CommandError: there is no such report, or its file is damaged.

    Warns:
        SealBroken: the file was changed since it was published.
    """
    path = _path_of(week_or_path) or _file_of_week(week_or_path)
    report = read_report(path)
    _warn_if_changed(report, path)
    return Report(report, path)


def published_weeks() -> list[str]:
    """Returns the weeks that have a full report in the folder to which this folder's desk
    publishes, earliest first."""
    return weeks_on_disk(load_settings().reports_dir)


def load_answer(path: str | Path) -> Answer:
    """Loads a published answer from its JSON file, or from the HTML or Markdown file next to it.

    Raises:
        CommandError: there is none, or its file is damaged.

    Warns:
        SealBroken: the file was changed since it was published.
    """
    file = _path_of(path) or Path(path)
    try:
        answer = answer_from_json(read_text_file(file, LARGEST_REPORT))
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise CommandError(f"{file} is no published answer, or is damaged") from None
    _warn_if_changed(answer, file)
    return Answer(answer, file)


def _path_of(written: str | Path | None) -> Path | None:
    """Returns the JSON file that a path names; None for a week."""
    if written is None:
        return None
    path = Path(written).expanduser()
    if path.suffix not in {".json", ".html", ".md"}:
        return None
    return path.with_suffix(".json")


def _file_of_week(week: str | Path | None) -> Path:
    settings = load_settings()
    named = None if week is None else str(week)
    written = written_week(named, datetime.now(UTC), settings.config.schedule)
    chosen = published_week(settings.reports_dir, written)
    return Path(latest_files(settings.reports_dir, chosen).json_file)


def _warn_if_changed(document: ResearchReport | AnswerReport, path: Path) -> None:
    if document.seal != seal_of(document):
        warnings.warn(
            f"{path} was changed since it was published; `desk audit {path}` says where",
            SealBroken,
            stacklevel=3,
        )


def _with_verdicts(
    market: str | None, claims: Iterable[Claim], verdicts: Iterable[ClaimVerdict]
) -> Iterator[tuple[str | None, Claim, ClaimVerdict | None]]:
    by_claim = {verdict.claim_id: verdict for verdict in verdicts}
    yield from ((market, claim, by_claim.get(claim.claim_id)) for claim in claims)


def _claim_row(
    market: str | None, claim: Claim, verdict: ClaimVerdict | None
) -> Mapping[str, object]:
    is_day = claim.unit is Unit.CALENDAR_DAY
    day: date | None = day_of(claim.value) if is_day else None
    return {
        "claim_id": claim.claim_id,
        "market": market,
        "subject": claim.subject,
        "metric": claim.metric.value,
        "value": None if is_day else claim.value,
        "unit": claim.unit.value,
        "as_of": claim.as_of,
        "day": day,
        "printed": print_claim(claim),
        "status": verdict.status.value if verdict else None,
        "decided_by": verdict.decided_by.value if verdict else None,
        "origins": "; ".join(verdict.origins) if verdict else "",
        "formula": claim.formula,
        "inputs": " ".join(claim.inputs),
    }


def _rows(lines: Iterable[object], columns: Iterable[str]) -> Iterator[Mapping[str, object]]:
    yield from (_row(line, columns) for line in lines)


def _row(line: object, columns: Iterable[str]) -> dict[str, object]:
    return {name: getattr(line, name) for name in columns}
