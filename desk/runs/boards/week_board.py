"""The board of a week's run, and the answers to its queries."""

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tools import Tools
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import Commentary
from desk.contracts.learning.lessons import Advice
from desk.contracts.runs.week import (
    MarketState,
    MarketStatus,
    Publication,
    RerunRequest,
    WeekCarried,
    WeekRecord,
    WeekStatus,
)
from desk.contracts.week.delivery import DeliveryStatus
from desk.contracts.week.plan import WeekPlan
from desk.contracts.week.report import (
    MOST_REVISIONS,
    Contribution,
    MarketOutcome,
    Revision,
    RevisionKind,
)
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments import as_usage
from desk.runs.boards.board import RunBoard
from desk.runs.boards.market_board import ended_status
from desk.runs.boards.usage import usage_of_week

_MARKS = {
    MarketState.PLANNED: "·",
    MarketState.RUNNING: "…",
    MarketState.WAITING: "?",
    MarketState.DONE: "✓",
}

_OUTCOMES: Final = TypeAdapter(dict[str, MarketOutcome])

WAITS = "waits for a person: `desk escalations list`"


NO_LIMIT: Final = Allowance()


class CommentedWeek(NamedTuple):
    """The product manager's commentary, if any, and its cost."""

    commentary: Commentary | None
    contribution: Contribution


class QueuedRerun(NamedTuple):
    """A rerun in the queue. `place` counts from 0 in the order of the requests."""

    request: RerunRequest
    place: int


class WeekBoard(RunBoard):
    """The plan of a week, the outcomes of its markets, and what was published. It uses no clock."""

    def __init__(
        self,
        week: str,
        window: TimeWindow,
        markets: Iterable[str],
        *,
        started_at: datetime,
        budget: Allowance = NO_LIMIT,
    ) -> None:
        super().__init__(Phase.PLANNING, budget, started_at)
        self.week = week
        self.window = window
        self.markets = tuple(markets)
        self.began_at = self.revision_began_at = started_at
        self.advice: Advice | None = None
        self.planning: Contribution | None = None
        self.commented: CommentedWeek | None = None
        self.plan = WeekPlan(task_id=f"{week}/plan", week=week, markets=())
        self._outcomes: dict[str, MarketOutcome] = {}
        self._packed: bytes | None = None
        self._lines: tuple[MarketStatus, ...] = ()
        self._spent = Usage()
        self.running: dict[str, datetime] = {}
        self.workflows: list[str] = []
        self.waiting: dict[str, tuple[str, ...]] = {}
        self.revisions: tuple[Revision, ...] = ()
        self.publication: Publication | None = None
        self.published_after: float | None = None
        self.reruns: list[QueuedRerun] = []
        self._deliveries: dict[tuple[int, str], DeliveryStatus] = {}
        self._asked = 0
        self._first_rerun: int | None = None

    @property
    def outcomes(self) -> dict[str, MarketOutcome]:
        """The outcomes so far, by market."""
        if self._packed is not None:
            self._outcomes = _OUTCOMES.validate_json(zlib.decompress(self._packed))
            self._packed = None
        return self._outcomes

    def compress_outcomes(self) -> None:
        """Compresses the outcomes until they are needed again.

        A run stays open for reruns for days, and a backfill leaves many of them open. Uncompressed,
        their evidence takes some thirty times the memory.
        """
        self._lines, self._spent = self._settled_lines(), self.usage
        self._packed = zlib.compress(_OUTCOMES.dump_json(self.outcomes), level=1)
        self._outcomes = {}

    @property
    def usage(self) -> Usage:
        """The cost of the week's work so far."""
        if self._packed is not None:
            return self._spent
        return usage_of_week(self._desk_work, self._outcomes.values())

    @property
    def _desk_work(self) -> tuple[Contribution, ...]:
        """The product manager's contributions, which belong to no market."""
        commenting = self.commented.contribution if self.commented else None
        return tuple(line for line in (self.planning, commenting) if line is not None)

    def begin_after(self, revisions: tuple[Revision, ...]) -> None:
        """Sets the revisions that earlier runs of the week published. The whole week is published
        next."""
        self.revisions = revisions
        self._first_rerun = self.last_revision + 2

    def restore(self, record: WeekRecord) -> None:
        """Restores the record of a closed run. A rerun is published next."""
        self.advice = record.advice
        self.plan = record.plan
        self.planning = record.planning
        if record.commenting is not None:
            self.commented = CommentedWeek(record.commentary, record.commenting)
        spent = record.spent or usage_of_week(self._desk_work, record.outcomes)
        self.budget.settle(NO_LIMIT, spent)
        self.window = record.window
        self._packed = None
        self._outcomes = {outcome.market: outcome for outcome in record.outcomes}
        self.revisions = record.revisions
        self.started_at = record.started_at
        self._first_rerun = self.last_revision + 1

    def carried(self, *, deadline: datetime, tools: Tools) -> WeekCarried:
        """Returns what `restore_carried` needs besides the record."""
        return WeekCarried(
            began_at=self.began_at,
            deadline=deadline,
            reruns=tuple(queued.request for queued in self.reruns),
            publication=self.publication,
            seconds=self.published_after,
            deliveries=self.deliveries,
            tools=tools,
        )

    def restore_carried(self, record: WeekRecord, carried: WeekCarried) -> None:
        """Restores the board of the previous execution, which continued as new."""
        self.restore(record)
        self.phase = Phase.OPEN_FOR_RERUNS
        self.began_at = self.revision_began_at = carried.began_at
        self.publication = carried.publication
        self.published_after = carried.seconds
        for request in carried.reruns:
            self.queue(request)
        for status in carried.deliveries:
            self.note_delivery(status)

    @property
    def numbered(self) -> bool:
        """Whether the revision numbers of reruns are known."""
        return self._first_rerun is not None

    @property
    def full(self) -> bool:
        """Whether no revision number is left for another rerun, after those queued and the whole
        week's own."""
        return len(self.revisions) + len(self.reruns) + 1 >= MOST_REVISIONS

    def queue(self, request: RerunRequest) -> QueuedRerun:
        """Adds a rerun to the queue. Reruns are done in the order of the requests."""
        queued = QueuedRerun(request, self._asked)
        self._asked += 1
        self.reruns.append(queued)
        return queued

    def begin_rerun(self, at: datetime) -> QueuedRerun:
        """Returns the rerun that was requested first, and starts to measure its revision."""
        self.revision_began_at = at
        return self.reruns[0]

    def revision_of(self, queued: QueuedRerun) -> int:
        """Returns the revision of a rerun.

        Raises:
            ValueError: it is not known yet (`numbered`).
        """
        if self._first_rerun is None:
            raise ValueError("the week's published revisions have not been read yet")
        return self._first_rerun + queued.place

    @property
    def last_revision(self) -> int:
        """The number of the last published revision; 0 before the first."""
        return self.revisions[-1].revision if self.revisions else 0

    def note_waiting(self, market: str, escalations: Sequence[str]) -> None:
        """Notes the cases that a market waits for a person to decide; with none, that it no longer
        waits."""
        self.waiting.pop(market, None)
        if escalations:
            self.waiting[market] = tuple(escalations)

    def record_with(self, *revisions: Revision) -> WeekRecord:
        """Returns everything that a report, or a later rerun, is made from."""
        return WeekRecord(
            week=self.week,
            window=self.window,
            plan=self.plan,
            planning=self.planning,
            commentary=self.commented.commentary if self.commented else None,
            commenting=self.commented.contribution if self.commented else None,
            outcomes=tuple(self.outcomes[m] for m in self.markets if m in self.outcomes),
            revisions=(*self.revisions, *revisions),
            spent=as_usage(self.budget.spent),
            started_at=self.started_at,
            advice=self.advice,
        )

    def note_commented(self, commented: CommentedWeek | None) -> None:
        """Notes the commentary, which replaces an earlier one. The cost of the earlier one is
        added."""
        if self.commented is None:
            self.commented = commented
            return
        before = self.commented.contribution
        if commented is None:
            self.commented = CommentedWeek(None, before)
            return
        line = commented.contribution
        line = line.model_copy(update={"usage": before.usage.plus(line.usage)})
        self.commented = CommentedWeek(commented.commentary, line)

    def note_published(self, revision: Revision, publication: Publication, *, at: datetime) -> None:
        """Notes that a revision is published, possibly under a later number."""
        self.revisions = publication.revisions or (*self.revisions, revision)
        self.publication = publication
        self.published_after = (at - self.revision_began_at).total_seconds()

    @property
    def deliveries(self) -> tuple[DeliveryStatus, ...]:
        """The state of each revision of this run on each channel."""
        return tuple(self._deliveries.values())

    def note_delivery(self, status: DeliveryStatus) -> None:
        """Records the state of a revision's delivery on a channel, replacing the earlier one."""
        self._deliveries[status.revision, status.channel] = status

    def closes_at(self, open_for: timedelta) -> datetime | None:
        """Returns when the run stops accepting reruns: `open_for` after the whole week was last
        published."""
        whole = [r for r in self.revisions if r.kind is not RevisionKind.RERUN]
        return whole[-1].published_at + open_for if whole else None

    def status(self, deadline: datetime, open_for: timedelta) -> WeekStatus:
        """Returns the answer of the `status` query: the phase, and every market."""
        published = self.publication
        return WeekStatus(
            week=self.week,
            phase=self.phase,
            as_of=self.window.end,
            started_at=self.started_at,
            deadline=deadline,
            markets=self._board_lines(),
            revisions=self.revisions,
            coverage=published.coverage if published else None,
            files=published.files if published else None,
            pending_reruns=tuple(rerun.request.market for rerun in self.reruns),
            escalations=tuple(case for cases in self.waiting.values() for case in cases),
            usage=self.usage,
            budget=self.budget.allowed,
            closes_at=self.closes_at(open_for),
            seconds=self.published_after,
            deliveries=self.deliveries,
        )

    def details(self) -> str:
        """Renders the same for the Temporal UI, in Markdown."""
        packed = self._packed is not None
        settled = self._lines if packed else tuple(map(self._settled, self.markets))
        lines = tuple(map(self._at_work, settled))
        rows = [
            f"| {line.market} | {_MARKS[line.state]} {line.outcome or line.note or line.state} |"
            for line in lines
        ]
        done = sum(line.state is MarketState.DONE for line in lines)
        head = f"**{self.week}** {self.phase.replace('_', ' ')}, {done} of {len(lines)} markets"
        return "\n".join([head, "", "| market | state |", "| --- | --- |", *rows])

    def _board_lines(self) -> tuple[MarketStatus, ...]:
        """Returns every market with its cost. A market in progress again is shown as such."""
        settled = self._lines if self._packed is not None else self._settled_lines()
        return tuple(map(self._at_work, settled))

    def _settled_lines(self) -> tuple[MarketStatus, ...]:
        return tuple(self._with_spending(self._settled(market)) for market in self.markets)

    def _with_spending(self, line: MarketStatus) -> MarketStatus:
        outcome = self.outcomes.get(line.market)
        if outcome is None:
            return line
        return line.model_copy(update={"spent": usage_of_week((), (outcome,))})

    def _at_work(self, line: MarketStatus) -> MarketStatus:
        """Returns the line with its current state if the market is being researched or waits for a
        person."""
        market = line.market
        if market not in self.waiting and market not in self.running:
            return line
        waits = market in self.waiting
        return MarketStatus(
            market=market,
            state=MarketState.WAITING if waits else MarketState.RUNNING,
            note=WAITS if waits else None,
            spent=line.spent,
            deadline=None if waits else self.running[market],
        )

    def _settled(self, market: str) -> MarketStatus:
        """Returns the state of a market by its outcome, if there is one."""
        outcome = self.outcomes.get(market)
        if outcome is None:
            return MarketStatus(market=market, state=MarketState.PLANNED)
        return ended_status(outcome)
