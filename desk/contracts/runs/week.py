"""The weekly run: its request, its messages while it runs, its status and its result."""

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
"""The status of each revision on each channel, in the order of publication."""


class WeekRecord(Contract):
    """The record of a finished run: everything that a later rerun starts from.

    `planning` is the cost of the plan. `commentary` are the product manager's sentences about the
    claims, `commenting` is their cost. `spent` counts against the budget: the cost of the outcomes,
    plus an estimate where the cost is not known. `advice` is what the record of earlier runs
    advised.
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
    """The files of a publication, with its coverage, outcome and headline.

    `revisions` is empty, unless another run had published under the requested number: then it holds
    all revisions of the week, and the last of them is this one.
    """

    files: PublishedFiles
    coverage: Coverage
    outcome: Outcome
    headline: Text
    revisions: Annotated[
        tuple[Revision, ...], Field(max_length=MOST_REVISIONS, exclude_if=is_empty)
    ] = ()


class WeekCarried(Contract):
    """What an open run carries into the next when it continues as new, besides the record. No agent
    is in flight then, and no person is asked.

    `began_at` is the start of the first run in the chain, `deadline` is that of its whole week.
    `reruns` wait in the order of their requests, the first for the revision after the last of the
    record. `publication` is the last one, whose revision took `seconds`. Deliveries in flight are
    restarted, and a lesson that could not be reported is replaced by that of the next rerun.
    `tools` are those described to models.
    """

    began_at: Instant
    deadline: Instant
    reruns: Annotated[tuple[RerunRequest, ...], Field(max_length=MOST_REVISIONS)] = ()
    publication: Publication | None = None
    seconds: float | None = None
    deliveries: SentReports = ()
    tools: Tools = ()


class WeekRequest(Contract):
    """The request that starts a week's run.

    Without `week`, the run is of the week that ended before its scheduled start (or before its
    start, when no schedule started it). `subset` marks a run of some of the markets: its report has
    its own file name. `resume` makes it a continuation of a run that has closed. With `carried` as
    well, it is the same run, which was open and continued as new. `deliveries` are the channels to
    which each of its revisions is sent, if any. With `learn` it asks the learning system for advice
    and reports the week's lesson to it.
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
    """The state of a market within a run. `waiting`: for a person to decide a conflict."""

    PLANNED = "planned"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"


class MarketStatus(Contract):
    """A line of the status board. `spent` is the cost of the finished work; `deadline` is that of
    the agents working on it."""

    market: MarketName
    state: MarketState
    outcome: Outcome | None = None
    note: ShortText | None = None
    spent: Usage | None = None
    deadline: Instant | None = None


class WeekStatus(Contract):
    """The answer of the `status` query. `escalations` are the workflow ids of the cases that wait
    for a person; `usage` is the cost of the finished work, out of the run's `budget`; `seconds` is
    the duration of the last revision."""

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
    """The request of a market's child workflow. `rerun` is 0 for the first time.

    `deadline` is that of the agents' tasks; a market that waits for a person returns before
    `report_due`. `tools` are described to agents that are models, the `uncited` ones of an agent in
    short, and `allowance` is what those agents may spend together. `openings` are the calls that
    its tasks make before their first turn. With `leave_time`, its agents leave time for those that
    would take over; requests of earlier versions do not have it, and there the workflow's history
    decides.
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
    """The report whose revisions are requested."""

    week: IsoWeek
    subset: ShortText | None = None


class RevisionHistory(Contract):
    """All publications of a week, by any run, oldest first."""

    revisions: Annotated[tuple[Revision, ...], Field(max_length=MOST_REVISIONS)] = ()


class PublishRequest(Contract):
    """The input of the activity that compiles, renders and writes a report."""

    record: WeekRecord
    config: RunConfig
    subset: ShortText | None = None
    workflow_id: ShortText
    run_id: ShortText
