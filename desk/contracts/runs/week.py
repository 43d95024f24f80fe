"""The weekly run: what starts it, what it is told while it runs, what it answers and returns."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.config import RunConfig, RunPolicy
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tools import Openings, Tools
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.findings.results import Commentary
from desk.contracts.learning.lessons import Advice, UncitedTools
from desk.contracts.markets import MarketName, MarketSpec
from desk.contracts.week.delivery import Deliveries, DeliveryStatus
from desk.contracts.week.plan import MarketPlan, WeekPlan
from desk.contracts.week.report import (
    MOST_REVISIONS,
    Contribution,
    Coverage,
    MarketOutcome,
    Revision,
)
from desk.contracts.weeks import IsoWeek, TimeWindow

SentReports = Annotated[tuple[DeliveryStatus, ...], Field(max_length=1_500)]
"""What became of each revision on each channel, in the order of publication."""


class WeekRecord(Contract):
    """What a finished run leaves, and all that a later rerun needs to start from.

    `planning` is what it took to have the plan. `commentary` are the product manager's sentences
    over the claims, `commenting` what they took. `spent` is what counts against the budget: what
    the outcomes took, and what is taken to be spent where nobody can tell. `advice` is what the run
    was told of the record of those before it.
    """

    week: IsoWeek
    window: TimeWindow
    plan: WeekPlan
    planning: Contribution | None = None
    commentary: Commentary | None = None
    commenting: Contribution | None = None
    outcomes: Annotated[tuple[MarketOutcome, ...], Field(max_length=200)]
    revisions: Annotated[tuple[Revision, ...], Field(max_length=MOST_REVISIONS)]
    started_at: Instant
    spent: Usage | None = None
    advice: Annotated[Advice | None, Field(exclude_if=is_none)] = None


MOST_REASON: Final = 1_000
"""Characters of the reason for a rerun."""


class RerunRequest(Contract):
    """The message of `rerun_market` and `request_rerun`."""

    market: MarketName
    reason: Annotated[str, Field(min_length=1, max_length=MOST_REASON)] = "no reason given"
    requested_by: ShortText | None = None


class Publication(Contract):
    """What was published."""

    files: PublishedFiles
    coverage: Coverage
    outcome: Outcome
    headline: Text


class WeekCarried(Contract):
    """What an open run takes into the next as it continues as new, beside the record that it goes
    on from. No agent is at work then, and no person is asked.

    `began_at` is the start of the first run in the row, `deadline` that of its whole week. `reruns`
    wait in the order of asking, the first for the revision after the last of the record.
    `publication` is the last one, whose revision took so many `seconds`. Deliveries that
    are under way are begun again, and a lesson that nobody could be told makes way for that of the
    next rerun. `tools` are those that models are told of.
    """

    began_at: Instant
    deadline: Instant
    reruns: Annotated[tuple[RerunRequest, ...], Field(max_length=MOST_REVISIONS)] = ()
    publication: Publication | None = None
    seconds: float | None = None
    deliveries: SentReports = ()
    tools: Tools = ()


class WeekRequest(Contract):
    """What starts a week's run.

    Without `week`, the run is of the week that ended before its scheduled start (or before its
    start, when no schedule started it). `subset` marks a run of some of the markets: its report
    has a file name of its own. `resume` makes it a continuation of a run that has closed.
    With `carried` besides, it is the same run, which was open and continued as new.
    `deliveries` are the channels by which each of its revisions is sent, if any. With `learn` it
    asks the learning system what to do differently, and tells it what became of the week.
    """

    config: RunConfig
    week: IsoWeek | None = None
    subset: ShortText | None = None
    resume: WeekRecord | None = None
    carried: Annotated[WeekCarried | None, Field(exclude_if=is_none)] = None
    deliveries: Annotated[Deliveries | None, Field(exclude_if=is_none)] = None
    learn: Annotated[bool, Field(exclude_if=is_empty)] = False


class RerunReceipt(Contract):
    """The answer of `request_rerun`: which revision will hold the rerun."""

    market: MarketName
    revision: int
    workflow_id: ShortText


class MarketState(StrEnum):
    """Where a market stands within a run. `waiting`: for a person to decide a conflict."""

    PLANNED = "planned"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"


class MarketStatus(Contract):
    """A line of the status board. `spent` is what the work that has come back has cost; `deadline`
    that of the agents who are at work on it."""

    market: MarketName
    state: MarketState
    outcome: Outcome | None = None
    note: ShortText | None = None
    spent: Usage | None = None
    deadline: Instant | None = None


class WeekStatus(Contract):
    """The answer of the `status` query. `escalations` are the workflow ids of the cases that wait
    for a person; `usage` is what the work that has come back has cost, of the run's `budget`;
    `seconds` is what the last revision took."""

    week: IsoWeek
    phase: Phase
    as_of: Instant
    started_at: Instant
    deadline: Instant
    markets: Annotated[tuple[MarketStatus, ...], Field(max_length=200)]
    revisions: Annotated[tuple[Revision, ...], Field(max_length=MOST_REVISIONS)] = ()
    coverage: Coverage | None = None
    files: PublishedFiles | None = None
    pending_reruns: Annotated[tuple[MarketName, ...], Field(max_length=MOST_REVISIONS)] = ()
    escalations: Annotated[tuple[ShortText, ...], Field(max_length=1_000)] = ()
    usage: Usage = Usage()
    budget: Allowance = Allowance()
    closes_at: Instant | None = None
    seconds: float | None = None
    deliveries: SentReports = ()

    @property
    def revision(self) -> int:
        """The last revision that this run has published; 0 before the first."""
        return self.revisions[-1].revision if self.files and self.revisions else 0


class WeekResult(Contract):
    """What a closed run returns."""

    outcome: Outcome
    coverage: Coverage
    files: PublishedFiles
    record: WeekRecord
    deliveries: SentReports = ()


class MarketRequest(Contract):
    """What a market's child workflow is started with. `rerun` is 0 for the first time.

    `deadline` is that of the agents' tasks; a market that waits for a person is back before
    `report_due`. `tools` are described to agents that are models, the `uncited` of an agent in
    short, and `allowance` is what those may spend together. `openings` are what its tasks ask
    before their first turn. Its agents `leave_time` to those that would take over from them, which
    earlier versions did not say: there the workflow's history does.
    """

    week: IsoWeek
    market: MarketSpec
    plan: MarketPlan
    window: TimeWindow
    deadline: Instant
    report_due: Instant
    policy: RunPolicy
    rerun: int = 0
    tools: Tools = ()
    uncited: UncitedTools = ()
    allowance: Allowance = Allowance()
    openings: Annotated[Openings, Field(exclude_if=is_empty)] = Field(default_factory=dict)
    leave_time: Annotated[bool, Field(exclude_if=is_empty)] = False


class RevisionQuery(Contract):
    """Which report's revisions are asked for."""

    week: IsoWeek
    subset: ShortText | None = None


class RevisionHistory(Contract):
    """What has been published of a week, by whichever run, oldest first."""

    revisions: Annotated[tuple[Revision, ...], Field(max_length=MOST_REVISIONS)] = ()


class PublishRequest(Contract):
    """What the publishing activity compiles, renders and writes."""

    record: WeekRecord
    config: RunConfig
    subset: ShortText | None = None
    workflow_id: ShortText
    run_id: ShortText
