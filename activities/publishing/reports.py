"""Compiling and publishing a report, as an activity, and keeping the archive up with it."""

import asyncio
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from temporalio import activity
from temporalio.client import Client

from activities.effects import beating
from activities.errors import permanent, transient
from activities.metrics import note_report
from activities.publishing.event_places import with_event_ids
from activities.publishing.week_before import LONGEST_SECONDS, previous_report, published_before
from desk.contracts.names import FailureType
from desk.contracts.week.run import Publication, PublishRequest, RevisionHistory, RevisionQuery
from desk.documents.publishing.files import PublishingError
from desk.documents.publishing.signature import Signer
from desk.programs.week.archive import write_archive
from desk.programs.week.document.compile_report import compile_report
from desk.programs.week.document.publishing import (
    DEFAULT_SLUG,
    FOLDER,
    publish,
    published_revisions,
)

LOG = logging.getLogger(__name__)

LONGEST: Final = 60.0
"""Seconds that a publication waits for its archive, far below what an activity may take."""


class ArchiveUpkeep:
    """Writes the archive of a directory's reports, once at a time.

    Reports that are published together share one: whoever comes while another waits for its turn
    leaves it to that one, which has not looked at the reports yet.
    """

    def __init__(self, reports_dir: Path) -> None:
        self._reports_dir = reports_dir
        self._one_at_a_time = asyncio.Lock()
        self._awaited = False

    async def refresh(self) -> None:
        """See to it that what is published by now gets into the archive.

        Never fails, and never waits long: the reports are out, whatever becomes of the archive.
        What went wrong is logged, and the next publication or `desk archive` makes up for it.
        """
        if self._awaited:
            return
        self._awaited = True
        try:
            async with self._one_at_a_time:
                self._awaited = False
                writing = asyncio.to_thread(write_archive, self._reports_dir)
                await asyncio.wait_for(writing, LONGEST)
        except Exception as error:
            LOG.warning(
                "the archive in %s is not up to date: %s; `desk archive` writes it anew",
                self._reports_dir,
                str(error) or "it takes too long",
                exc_info=error,
            )
        finally:
            self._awaited = False


class PublishingActivities:
    """Writes reports into one directory, one after the other, and signs them where it has a signer.

    Two that are compiled at once in one process take as long as both in turn, and keep the first
    from its readers.
    """

    def __init__(self, reports_dir: Path, signer: Signer | None = None) -> None:
        self._reports_dir = reports_dir
        self._signer = signer
        self._one_at_a_time = asyncio.Lock()
        self._archive = ArchiveUpkeep(reports_dir)

    @activity.defn
    async def read_revisions(self, query: RevisionQuery) -> RevisionHistory:
        """What has been published of a week so far; the numbers of a new run go on from there."""
        async with beating():
            revisions = await asyncio.to_thread(
                published_revisions, self._reports_dir, query.week, query.subset or DEFAULT_SLUG
            )
        return RevisionHistory(revisions=revisions)

    @activity.defn
    async def publish_report(self, request: PublishRequest) -> Publication:
        """The revision on disk, complete in all its forms or not there at all.

        Publishing the same revision again writes the same files again. The tool calls behind it
        are looked up in their histories first, as far as those can be read, and a report of the
        week before that is about to come out is waited for, to be compared with. The archive of
        the reports follows; that it cannot be written is logged, and fails nothing.

        Raises:
            ApplicationError: `PublishingFailed`; retryable when it could not be written, for the
                disk may have room again, and not when it could not be compiled.
        """
        try:
            async with beating():
                placed = await _placed(request)
                late = await _wait_for_week_before(request)
                async with self._one_at_a_time:
                    published = await asyncio.to_thread(self._publish, placed, late)
                await self._archive.refresh()
        except PublishingError as error:
            raise transient(FailureType.PUBLISHING_FAILED, str(error)) from error
        except Exception as error:
            reason = f"{request.record.week} could not be compiled: {error!r}"
            raise permanent(FailureType.PUBLISHING_FAILED, reason) from error
        return published

    def _publish(self, request: PublishRequest, late: str | None) -> Publication:
        slug = request.subset or DEFAULT_SLUG
        previous = previous_report(self._reports_dir, request.record.week, slug)
        report = compile_report(
            request.record,
            request.config,
            finished_at=datetime.now(UTC),
            workflow_id=request.workflow_id,
            run_id=request.run_id,
            previous=previous.report,
            previous_note=" ".join(words for words in (late, previous.note) if words) or None,
        )
        files = publish(report, self._reports_dir, slug, self._signer)
        note_report(report, request.record.spent or report.usage, newest=self._is_newest(request))
        return Publication(
            files=files,
            coverage=report.coverage,
            outcome=report.outcome,
            headline=report.summary[0].text if report.summary else report.title,
        )

    def _is_newest(self, request: PublishRequest) -> bool:
        """Whether it is of all markets, and nothing of the kind is out of a later week."""
        name = f"{request.record.week}-{DEFAULT_SLUG}.json"
        out = (self._reports_dir / FOLDER).glob(f"[0-9]*-W[0-9][0-9]-{DEFAULT_SLUG}.json")
        return request.subset is None and all(path.name <= name for path in out)


async def _placed(request: PublishRequest) -> PublishRequest:
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
    """The worker's client; None where the activity runs without one, as in some tests."""
    try:
        return activity.client()
    except RuntimeError:
        return None
