"""The tools that a desk offers an assistant. They do what `desk report`, `ask` and `status` do."""

import asyncio
import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.names import Queue
from desk.contracts.runs.graph import GraphResult
from desk.contracts.runs.week import WeekStatus
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek
from desk.documents.answer.markdown import answer_alone
from desk.documents.answer.publishing import read_answer_file
from desk.documents.rendering.figures.traces import Trace
from desk.platform.settings import Settings
from starters.monitoring.week_status import status_at
from starters.operations.serve.serving.hosting import DeskKeeper
from starters.published.report.choosing import published_report, report_with
from starters.published.report.command import published_summary
from starters.published.report.tracing import ClaimList, trace_or_claims
from starters.questions.answer_run import AnswerRequest, AnswerRun
from starters.questions.ask import question_start
from starters.questions.choice import AskOptions
from starters.questions.follow import AnsweredRun, wait_for_answer
from starters.runs.market_choice import known_market
from starters.runs.progress import CollectedNotes
from starters.runs.server_runs import ServerRun
from starters.runs.summary import WeekSummary, summary_lines
from starters.runs.week_choice import written_week
from starters.session import Desk, require_workers
from starters.terminal.exit_status import CommandError, sentence

STARTING_SECONDS: Final = 60.0
"""How long finding or starting a desk may take."""

WORKERS_SECONDS: Final = 10.0
"""How long a worker is waited for at a running desk."""

USUAL_WAIT: Final = 60
LONGEST_WAIT: Final = 600
MOST_MARKETS: Final = 40

Week = Annotated[
    str | None,
    Field(description="ISO week such as 2026-W44; without it, the latest there is"),
]


class WeekReport(Contract):
    """A week's report: what it comes to, and the claims of some of its markets.

    `text` is the summary as a person reads it. `claims` are those of the markets that were asked
    for, or of the biggest moves; each has an id, by which `trace` follows it to its source.
    """

    text: Annotated[str, Field(max_length=60_000)]
    summary: WeekSummary
    claims: Annotated[tuple[ClaimList, ...], Field(max_length=MOST_MARKETS)]
    markets: Annotated[tuple[ShortText, ...], Field(max_length=500)]


class TracedFigure(Contract):
    """Where a figure of a week's report comes from, down to the rows that it was read from."""

    week: IsoWeek
    trace: Trace


class AnswerState(StrEnum):
    """Whether a question has been answered."""

    ANSWERED = "answered"
    UNDER_WAY = "under_way"


class QuestionAsked(Contract):
    """A question's run. While it is under way, the same question asked again comes back to it.

    `text` is the answer in Markdown, with the sources of what it says; `missing` is what was looked
    for in vain. `notes` say what was chosen for the question.
    """

    state: AnswerState
    run: ShortText
    text: Annotated[str, Field(max_length=200_000)] | None = None
    outcome: Outcome | None = None
    as_of: Instant | None = None
    missing: Annotated[tuple[Text, ...], Field(max_length=200)] = ()
    page: ShortText | None = None
    notes: Annotated[tuple[Text, ...], Field(max_length=50)] = ()


class AssistantTools:
    """The tools of one desk. Reports and traces are read from its files. The first question or
    status finds the running desk, or hosts it until `close`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._keeper = DeskKeeper()
        self._keeping: asyncio.Future[None] | None = None

    async def report(
        self,
        week: Week = None,
        markets: Annotated[
            list[str] | None,
            Field(
                max_length=MOST_MARKETS,
                description="whose claims are given, such as USD/JPY or JP; without it, those of "
                "the biggest moves",
            ),
        ] = None,
    ) -> WeekReport:
        """The published report of a week: summary, biggest moves, what is missing, and claims.

        A figure may be repeated only as `printed` has it, with its claim's verdict.
        """
        with _as_tool_errors():
            return await asyncio.to_thread(self._report, week, markets)

    def _report(self, week: str | None, markets: list[str] | None) -> WeekReport:
        report, files = published_report(self._settings, self._week(week))
        zone = self._settings.config.schedule.time_zone
        summary = published_summary(report, files, zone)
        names = [known_market(report.config, name) for name in markets or ()]
        chosen = names or [mover.market for mover in summary.movers[:3]]
        return WeekReport(
            text="\n".join(summary_lines(summary)),
            summary=summary,
            claims=tuple(_claims(report, name) for name in dict.fromkeys(chosen)),
            markets=tuple(market.market for market in report.markets),
        )

    async def trace(
        self,
        figure: Annotated[str, Field(description="the id of a claim, such as USD/JPY:move")],
        week: Week = None,
    ) -> TracedFigure:
        """Follow one figure of a report to its source: verdict, formula, inputs, the row read."""
        with _as_tool_errors():
            return await asyncio.to_thread(self._trace, figure, week)

    def _trace(self, figure: str, week: str | None) -> TracedFigure:
        named = self._week(week)
        report, _ = (
            published_report(self._settings, named)
            if named
            else report_with(self._settings, figure)
        )
        found = trace_or_claims(report, figure)
        if isinstance(found, ClaimList):
            ids = ", ".join(claim.claim_id for claim in found.claims[:20])
            raise CommandError(f"{figure} is a market; name one of its figures: {ids}")
        return TracedFigure(week=report.week, trace=found)

    async def ask(
        self,
        question: Annotated[str, Field(min_length=1, max_length=4_000)],
        graph: Annotated[
            str | None,
            Field(description="which agents work on it; without it, by what the question names"),
        ] = None,
        parameters: Annotated[
            dict[str, str] | None,
            Field(max_length=20, description='of the graph, such as {"ticket": "DESK-101"}'),
        ] = None,
        as_of: Annotated[
            str | None,
            Field(description="day or instant whose knowledge is used; without it, now"),
        ] = None,
        wait_seconds: Annotated[int, Field(ge=0, le=LONGEST_WAIT)] = USUAL_WAIT,
    ) -> QuestionAsked:
        """Have a question answered from sources, and wait for the answer for so many seconds.

        The same question is one run: asked again, it comes back with what there is. Where models
        are configured it costs money, within the budget of desk.toml.
        """
        written = tuple(f"{name}={value}" for name, value in (parameters or {}).items())
        with _as_tool_errors():
            return await self._ask(AskOptions(question, graph, written, as_of), wait_seconds)

    async def _ask(self, options: AskOptions, wait_seconds: int) -> QuestionAsked:
        config, told = self._settings.config, CollectedNotes()
        start, remark = await asyncio.to_thread(question_start, options, self._settings, config)
        if remark:
            told.note(remark)
        desk = await self._desk()
        if not desk.hosting:
            await require_workers(desk, Queue.DESK, WORKERS_SECONDS)
        run, answered = await AnswerRun(AnswerRequest(start, config)).begun(desk, told)
        if answered is None:
            answered = await _within(wait_seconds, run, told)
        if answered is None:
            notes = (*told.notes, "ask the same again to come back to it")
            return QuestionAsked(state=AnswerState.UNDER_WAY, run=run.workflow_id, notes=notes)
        return await asyncio.to_thread(_answer, answered, tuple(told.notes))

    async def status(self, week: Week = None) -> WeekStatus:
        """How far the run of a week is, market by market, with what is published of it."""
        with _as_tool_errors():
            return await status_at(await self._desk(), self._week(week))

    async def close(self) -> None:
        """Disconnects from the desk, and shuts it down if these tools host it."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})

    def _week(self, written: str | None) -> str | None:
        return written_week(written, datetime.now(UTC), self._settings.config.schedule)

    async def _desk(self) -> Desk:
        """Returns the desk.

        Raises:
            CommandError, ServerUnreachable, ServerFailed: there is none.
        """
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.ensure_future(self._keeper.keep(self._settings))
        found = asyncio.ensure_future(self._keeper.found())
        both: set[asyncio.Future[None]] = {found, self._keeping}
        await asyncio.wait(both, timeout=STARTING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        found.cancel()
        if self._keeping.done():
            self._keeping.result()
        return self._keeper.desk


@contextlib.contextmanager
def _as_tool_errors() -> Iterator[None]:
    """Reports an error within the block to the assistant in a command's words."""
    try:
        yield
    except Exception as error:
        raise ToolError(sentence(error)) from error


def _claims(report: ResearchReport, market: str) -> ClaimList:
    found = trace_or_claims(report, market)
    if isinstance(found, ClaimList):
        return found
    return ClaimList(week=report.week, market=market, claims=())


async def _within(
    seconds: int, run: ServerRun[GraphResult], told: CollectedNotes
) -> AnsweredRun[GraphResult] | None:
    """Returns the answer of a run, or None if there is none within `seconds`."""
    waiting = asyncio.ensure_future(wait_for_answer(run, told))
    try:
        done, _ = await asyncio.wait({waiting}, timeout=seconds)
        return waiting.result() if done else None
    finally:
        waiting.cancel()


def _answer(answered: AnsweredRun[GraphResult], notes: tuple[str, ...]) -> QuestionAsked:
    result = answered.result
    answer = read_answer_file(Path(result.files.json_file))
    return QuestionAsked(
        state=AnswerState.ANSWERED,
        run=answered.run.workflow_id,
        text=answer_alone(answer) if answer else result.summary,
        outcome=result.outcome,
        as_of=answer.as_of if answer else None,
        missing=answer.missing if answer else (),
        page=result.files.html,
        notes=notes,
    )
