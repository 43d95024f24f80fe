"""Queries to the learning system."""

import asyncio
from datetime import UTC, datetime
from typing import Final

from temporalio.client import (
    Client,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
)
from temporalio.service import RPCError, RPCStatusCode

from desk.analytics.weeks import as_of_of
from desk.contracts.learning.record import LearnedView, RecordQuery
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from desk.learning.forecasts import question_of
from desk.platform.settings import Settings
from starters.learning.answering import answering
from starters.runs.week_choice import written_week
from starters.session import Desk, with_desk
from starters.terminal.exit_status import CommandError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file

ANSWER_SECONDS: Final = 30.0
"""How long a worker may take to answer. It may have to read the record of years first."""

NOTHING_YET: Final = (
    "Nothing has been learned yet: no run has reported its outcome. `desk run` researches a week "
    "and reports it; `desk backfill --from WEEK --to WEEK` does so for past weeks."
)
NOBODY_ANSWERS: Final = (
    f"no worker answers for the learning system ({LEARNING_SYSTEM_ID}); start one with "
    "`desk worker orchestrator` or `desk up`, and see `desk doctor`"
)


def learned(settings: Settings, week: str | None, market: str | None = None) -> LearnedView | None:
    """Returns the record: all of it, or as of a week's as-of instant, with the forecasts of one
    market or of all. Returns None if there is none yet.

    Raises:
        UsageError: the week is invalid, or is not over.
        CommandError: no worker answers.
        ServerUnreachable, ServerFailed: there is no server; the message says why.
    """
    question = learned_question(settings, week, market)
    log_to_file(settings)

    async def work(desk: Desk) -> LearnedView | None:
        async with answering(desk, (LEARNING_SYSTEM_ID,)):
            return await learned_at(desk.client, question)

    return interruptible(with_desk(settings, work, server_only=True))


def learned_question(settings: Settings, week: str | None, market: str | None) -> RecordQuery:
    """Builds the query for a week's as-of instant, or for now.

    Raises:
        UsageError: the week is invalid, or is not over.
    """
    now = datetime.now(UTC)
    written = written_week(week, now, settings.config.schedule)
    as_of = as_of_of(written, settings.config.schedule) if written else now
    return question_of(settings.config.policy, as_of, market=market)


async def learned_at(
    client: Client, question: RecordQuery, within: float = ANSWER_SECONDS
) -> LearnedView | None:
    """Queries the record. Returns None if there is none yet.

    Raises:
        CommandError: no worker answers within `within` seconds.
        RPCError: the server went away.
    """
    handle = client.get_workflow_handle(LEARNING_SYSTEM_ID)
    try:
        async with asyncio.timeout(within):
            view: LearnedView = await handle.query(
                Message.LEARNED, question, result_type=LearnedView
            )
    except (TimeoutError, WorkflowQueryFailedError, WorkflowQueryRejectedError):
        raise CommandError(NOBODY_ANSWERS) from None
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
        raise CommandError(NOBODY_ANSWERS) from None
    return view
