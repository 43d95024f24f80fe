"""Compiles and publishes documents, as activities of the desk: weekly reports, and the answers of
all other runs.

For a week's report it also looks up the event ids of its tool calls in Temporal's histories, and
writes the archive of its directory.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from google.protobuf.message import DecodeError
from temporalio import activity
from temporalio.client import Client
from temporalio.service import RPCError

from activities.effects import heartbeating
from activities.errors import permanent, transient
from activities.metrics import note_report
from activities.publishing.archive_upkeep import ArchiveUpkeep
from activities.publishing.week_before import (
    LONGEST_SECONDS,
    LastPublished,
    previous_report,
    published_before,
)
from desk.contracts.agents.tools import ToolResult
from desk.contracts.names import FailureType
from desk.contracts.runs.graph import AnswerPublication, GraphRecord
from desk.contracts.runs.week import (
    Publication,
    PublishRequest,
    RevisionHistory,
    RevisionQuery,
    WeekRecord,
)
from desk.contracts.week.report import MarketOutcome, Revision, RevisionKind
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from desk.documents.publishing.files import PublishingError
from desk.documents.publishing.signature import Signer
from desk.platform.delivery.shared_reports import SharedReports, StoreUnreachable
from desk.platform.settings.store import StoreSettings
from desk.platform.temporal.history import ActivityScheduled, HistoryGone, fetch_events
from desk.programs.week.document.compile_report import compile_report
from desk.programs.week.document.publishing import (
    DEFAULT_SLUG,
    FOLDER,
    claim_revision,
    publish,
    published_revisions,
    release_revision,
    show_newest,
)
from desk.programs.week.document.rendering.coverage_words import known_words
from desk.trust.prose import clip

SIDE_BY_SIDE: Final = 8
BUDGET_SECONDS: Final = 5.0
"""Time limit for reading all histories together. The report is published without those that take
longer."""


class _Run(NamedTuple):
    workflow_id: str
    run_id: str


EventIds = Mapping[_Run, Mapping[str, int]]
"""By workflow and run id, for histories that could be read: the event that scheduled an activity,
by the activity's id."""


async def with_event_ids(
    record: WeekRecord, client: Client, *, budget_seconds: float = BUDGET_SECONDS
) -> WeekRecord:
    """Returns the record with the event id of every tool call whose history could be read in time.
    The others stay None.

    Each history is read once, without decoding payloads.
    """
    missing = {
        _Run(place.workflow_id, place.run_id)
        for outcome in record.outcomes
        for result in outcome.evidence
        if (place := result.place) is not None and place.event_id is None
    }
    known: dict[_Run, Mapping[str, int]] = {}
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look_up(run: _Run) -> None:
        async with turns:
            with suppress(HistoryGone, RPCError, DecodeError):
                known[run] = {
                    event.activity_id: event.event_id
                    async for event in fetch_events(client, run.workflow_id, run.run_id)
                    if isinstance(event, ActivityScheduled)
                }

    with suppress(TimeoutError):
        async with asyncio.timeout(budget_seconds):
            await asyncio.gather(*(look_up(run) for run in sorted(missing)))
    outcomes = tuple(_placed_outcome(outcome, known) for outcome in record.outcomes)
    return record.model_copy(update={"outcomes": outcomes})


def _placed_outcome(outcome: MarketOutcome, known: EventIds) -> MarketOutcome:
    evidence = tuple(_placed(result, known) for result in outcome.evidence)
    return outcome.model_copy(update={"evidence": evidence})


def _placed(result: ToolResult, known: EventIds) -> ToolResult:
    place = result.place
    if place is None or place.event_id is not None:
        return result
    event_id = known.get(_Run(place.workflow_id, place.run_id), {}).get(place.activity_id)
    return result.model_copy(update={"place": place.model_copy(update={"event_id": event_id})})


T = TypeVar("T")


class PublishingActivities:
    """Publishes documents in one directory, one after the other, and signs them if there is a
    signer.

    Compiling two documents at once in one process takes as long as one after the other, and delays
    the first. Publishing the same run again writes the same files. A document is on disk in all its
    forms or not at all. If machines share a store, others' documents are fetched first, and new
    ones are uploaded. `archive` maintains the reports' archive; without it, each publication writes
    the archive.

    A revision that another run has published is not overwritten.
    """

    def __init__(
        self,
        reports_dir: Path,
        signer: Signer | None = None,
        store: StoreSettings | None = None,
        archive: ArchiveUpkeep | None = None,
    ) -> None:
        self._reports_dir = reports_dir
        self._signer = signer
        self._shared = SharedReports(store, reports_dir)
        self._one_at_a_time = asyncio.Lock()
        self._archive = archive or ArchiveUpkeep(reports_dir)
        self._is_kept = archive is not None
        self._last = LastPublished()

    @activity.defn
    async def read_revisions(self, query: RevisionQuery) -> RevisionHistory:
        """Returns the published revisions of a week. A new run continues their numbers."""
        async with heartbeating():
            await self._shared.fetch()
            revisions = await asyncio.to_thread(
                published_revisions, self._reports_dir, query.week, query.subset or DEFAULT_SLUG
            )
        return RevisionHistory(revisions=revisions)

    @activity.defn
    async def publish_report(self, request: PublishRequest) -> Publication:
        """Publishes a week's revision, under the next free number if another run has published
        under its own.

        First it looks up the tool calls in their histories, as far as these can be read. If the
        report of the week before is about to be published, it waits for it, to compare with. The
        archive follows, possibly after the activity has ended. An archive that cannot be written is
        logged and fails nothing.

        Raises:
            ApplicationError: `PublishingFailed`. Retryable if it could not be written, because the
                disk may have room later; not retryable if it could not be compiled.
        """
        async with heartbeating(), _as_publishing_errors(request.record.week):
            placed = await _publishing_placed(request)
            late = await _wait_for_week_before(request)
            async with self._turn():
                numbered = await self._numbered(placed)
                asked = placed.record.revisions
                published = await _run_despite_cancellation(
                    lambda: self._report(numbered, asked, late)
                )
                await self._share(numbered)
            if self._is_kept:
                self._archive.schedule()
            else:
                await self._archive.refresh()
            return published

    @activity.defn
    async def publish_answer(self, record: GraphRecord) -> AnswerPublication:
        """Publishes an answer.

        Raises:
            ApplicationError: `PublishingFailed`, as for a report.
        """
        called = f"the answer of {record.workflow_id}"
        async with heartbeating(), _as_publishing_errors(called), self._turn():
            return await _run_despite_cancellation(lambda: self._answer(record))

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Has this process publish one document at a time, beside all that others published."""
        async with self._one_at_a_time:
            await self._shared.fetch()
            yield
            await self._shared.put()

    async def _share(self, request: PublishRequest) -> None:
        """Uploads a week's revision. If another machine has uploaded a later one meanwhile, that is
        the latest again, also in the store."""
        revisions = request.record.revisions
        if not revisions or not self._shared.is_shared:
            return
        await self._shared.put()
        await self._shared.fetch()
        stem = f"{request.record.week}-{request.subset or DEFAULT_SLUG}"
        await asyncio.to_thread(show_newest, self._reports_dir, stem, revisions[-1].revision)

    def _answer(self, record: GraphRecord) -> AnswerPublication:
        answer = compile_answer(record, finished_at=datetime.now(UTC))
        files = publish_answer(answer, self._reports_dir, self._signer)
        return AnswerPublication(
            files=files,
            outcome=answer.outcome,
            summary=clip(answer.summary),
            answered=answer.answered,
        )

    def _report(
        self, request: PublishRequest, asked: tuple[Revision, ...], late: str | None
    ) -> Publication:
        slug = request.subset or DEFAULT_SLUG
        previous = previous_report(self._reports_dir, request.record.week, slug, self._last)
        report = compile_report(
            request.record,
            request.config,
            finished_at=datetime.now(UTC),
            workflow_id=request.workflow_id,
            run_id=request.run_id,
            previous=previous.report,
            previous_note=" ".join(words for words in (late, previous.note) if words) or None,
        )
        known = known_words(report.coverage)
        if known:
            activity.logger.warning("%s: %s", report.week, known)
        with self._last.recording(report, self._reports_dir, slug):
            files = publish(report, self._reports_dir, slug, self._signer)
        show_newest(self._reports_dir, f"{report.week}-{slug}", report.revision)
        revisions = request.record.revisions
        note_report(report, request.record.spent or report.usage, newest=self._is_newest(request))
        return Publication(
            files=files,
            coverage=report.coverage,
            outcome=report.outcome,
            headline=report.lead.headline.text if report.lead else report.title,
            revisions=revisions if revisions != asked else (),
        )

    async def _numbered(self, request: PublishRequest) -> PublishRequest:
        """Returns the request with the revision's number, which is then this run's alone."""
        record, slug = request.record, request.subset or DEFAULT_SLUG
        if not record.revisions:
            return request
        asked, week = record.revisions[-1], record.week
        number = await self._claimed(f"{week}-{slug}", asked.revision, request.run_id)
        if number == asked.revision:
            return request
        before = await asyncio.to_thread(
            published_revisions, self._reports_dir, week, slug, below=number
        )
        again = RevisionKind.AGAIN if asked.kind is RevisionKind.FIRST else asked.kind
        own = asked.model_copy(update={"revision": number, "kind": again})
        numbered = record.model_copy(update={"revisions": (*before, own)})
        return request.model_copy(update={"record": numbered})

    async def _claimed(self, stem: str, number: int, run_id: str) -> int:
        """Returns the number under which a run publishes, claimed in the folder and in the
        store."""
        claimed = await asyncio.to_thread(claim_revision, self._reports_dir, stem, number, run_id)
        if await self._shared.claim(f"{FOLDER}/{stem}.r{claimed}", run_id):
            return claimed
        release_revision(self._reports_dir, stem, claimed)
        return await self._claimed(stem, claimed + 1, run_id)

    def _is_newest(self, request: PublishRequest) -> bool:
        """Returns whether the report covers all markets and no later week has one."""
        name = f"{request.record.week}-{DEFAULT_SLUG}.json"
        out = (self._reports_dir / FOLDER).glob(f"[0-9]*-W[0-9][0-9]-{DEFAULT_SLUG}.json")
        return request.subset is None and all(path.name <= name for path in out)


async def _run_despite_cancellation(publish: Callable[[], T]) -> T:
    """Returns the result of a function run in a thread, and waits for it even after a cancellation.
    A thread cannot be stopped, and a concurrent next attempt would take twice as long."""
    writing = asyncio.ensure_future(asyncio.to_thread(publish))
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


@asynccontextmanager
async def _as_publishing_errors(called: str) -> AsyncIterator[None]:
    """Converts errors of publishing into errors for Temporal."""
    try:
        yield
    except (PublishingError, StoreUnreachable, OSError) as error:
        # Without its cause: the server keeps at most 4 KB of an attempt's failure, and replaces a
        # larger one by words that name no reason.
        raise transient(FailureType.PUBLISHING_FAILED, str(error)) from None
    except Exception as error:
        reason = f"{called} could not be compiled: {error!r}"
        raise permanent(FailureType.PUBLISHING_FAILED, reason) from error


async def _publishing_placed(request: PublishRequest) -> PublishRequest:
    client = _client()
    if client is None:
        return request
    record = await with_event_ids(request.record, client)
    return request.model_copy(update={"record": record})


async def _wait_for_week_before(request: PublishRequest) -> str | None:
    client = _client()
    if client is None:
        return None
    config = request.config
    patience = min(LONGEST_SECONDS, config.policy.deadlines.turn.total_seconds() / 4)
    return await published_before(
        client, request.record.week, request.subset, config.schedule, longest=patience
    )


def _client() -> Client | None:
    """Returns the worker's client, or None if the activity runs without one, as in some tests."""
    try:
        return activity.client()
    except RuntimeError:
        return None
