"""Compiling and publishing a report, as an activity of the desk."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from temporalio import activity

from activities.errors import transient
from activities.heartbeats import beating
from contracts.names import FailureType
from contracts.week_run import Publication, PublishRequest
from domain.compile_report import compile_report
from reporting.publish import DEFAULT_SLUG, PublishingError, publish


class PublishingActivities:
    """Writes reports into one directory."""

    def __init__(self, reports_dir: Path) -> None:
        self._reports_dir = reports_dir

    @activity.defn
    async def publish_report(self, request: PublishRequest) -> Publication:
        """The revision on disk, complete in all its forms or not there at all.

        Publishing the same revision again writes the same files again.

        Raises:
            ApplicationError: `PublishingFailed`, retryable: the disk may have room again.
        """
        async with beating():
            return await asyncio.to_thread(self._publish, request)

    def _publish(self, request: PublishRequest) -> Publication:
        report = compile_report(
            request.record,
            request.config,
            finished_at=datetime.now(UTC),
            workflow_id=request.workflow_id,
            run_id=request.run_id,
        )
        try:
            files = publish(report, self._reports_dir, request.subset or DEFAULT_SLUG)
        except PublishingError as error:
            raise transient(FailureType.PUBLISHING_FAILED, str(error)) from error
        return Publication(
            files=files,
            coverage=report.coverage,
            outcome=report.outcome,
            headline=report.summary[0] if report.summary else report.title,
        )
