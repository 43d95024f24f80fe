"""Many questions at once: their runs are started by a client, their answers read from the disk."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from temporalio.client import Client

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.publishing import read_answer_file
from desk.platform.settings import Settings
from starters.questions.choice import AskOptions, chosen
from starters.questions.graph_runs import ask_run_id, graph_start
from starters.runs.command_run import start_run
from tests.knowledge.known import KnownQuestion
from tests.support.scenarios.desk import fault_of
from tests.support.scenarios.histories import MeasuredHistory, history_of


@dataclass(frozen=True)
class Finished:
    """How the run of a question ended, and how many seconds after all were started."""

    known: KnownQuestion
    workflow_id: str
    answer: AnswerReport | None
    seconds: float
    error: str | None = None

    @property
    def fault(self) -> str | None:
        """What is wrong with it; None where it is right."""
        if self.answer is None:
            return self.error or "there is no answer"
        return fault_of(self.answer, self.known)

    async def hops(self, client: Client) -> tuple[float, ...]:
        """The seconds between one agent's end and the next one's start."""
        history: MeasuredHistory = await history_of(client, self.workflow_id)
        return history.hops(self.answer.graph) if self.answer else ()


async def all_answered(
    client: Client, settings: Settings, questions: Sequence[KnownQuestion], *, at_once: int
) -> tuple[Finished, ...]:
    """The questions put to a desk, so many at once, in their order."""
    began = time.perf_counter()
    free = asyncio.Semaphore(at_once)

    async def one(known: KnownQuestion) -> Finished:
        async with free:
            return await _answered(client, settings, known, began)

    return tuple(await asyncio.gather(*map(one, questions)))


async def _answered(
    client: Client, settings: Settings, known: KnownQuestion, began: float
) -> Finished:
    parameters = tuple(f"{name}={value}" for name, value in known.parameters.items())
    options = AskOptions(known.question, known.graph, parameters, known.as_of.isoformat())
    request = chosen(options, settings, settings.config, now=datetime.now(UTC)).request
    workflow_id = ask_run_id(request.graph, request.query, request.as_of)
    answer, error = None, None
    try:
        run = await start_run(client, graph_start(workflow_id, request))
        result = await run.handle.result()
        answer = read_answer_file(Path(result.files.json_file))
    except Exception as failed:
        error = f"{type(failed).__name__}: {failed}"
    return Finished(known, workflow_id, answer, time.perf_counter() - began, error)
