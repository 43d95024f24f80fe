"""Compiling and publishing an answer, as an activity of the desk."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from temporalio import activity

from activities.effects import beating
from activities.errors import permanent, transient
from desk.contracts.names import FailureType
from desk.contracts.question.graph import AnswerPublication, GraphRecord
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from desk.documents.publishing.files import PublishingError
from desk.documents.publishing.signature import Signer
from desk.trust.prose import clip


class AnswerActivities:
    """Writes answers into one directory, one after the other: two that are compiled at once in one
    process take as long as both in turn."""

    def __init__(self, reports_dir: Path, signer: Signer | None = None) -> None:
        self._reports_dir = reports_dir
        self._signer = signer
        self._one_at_a_time = asyncio.Lock()

    @activity.defn
    async def publish_answer(self, record: GraphRecord) -> AnswerPublication:
        """The answer on disk, complete in all its forms or not there at all.

        Publishing the same record again writes the same files again.

        Raises:
            ApplicationError: `PublishingFailed`; retryable when it could not be written, for the
                disk may have room again, and not when it could not be compiled.
        """
        try:
            async with beating(), self._one_at_a_time:
                return await asyncio.to_thread(self._publish, record)
        except PublishingError as error:
            raise transient(FailureType.PUBLISHING_FAILED, str(error)) from error
        except Exception as error:
            reason = f"the answer of {record.workflow_id} could not be compiled: {error!r}"
            raise permanent(FailureType.PUBLISHING_FAILED, reason) from error

    def _publish(self, record: GraphRecord) -> AnswerPublication:
        answer = compile_answer(record, finished_at=datetime.now(UTC))
        files = publish_answer(answer, self._reports_dir, self._signer)
        return AnswerPublication(files=files, outcome=answer.outcome, summary=clip(answer.summary))
