"""A desk that is used from Python: it runs weeks, answers questions and reports its state."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from desk.api._documents import Answer, Report, load_answer, load_report
from desk.api._scores import Scores
from desk.contracts.learning.record import LearnedView
from desk.contracts.names import Queue
from desk.contracts.runs.week import WeekStatus
from desk.platform.settings import Settings, load_settings
from starters.learning.queries import learned_at, learned_question
from starters.learning.scorecard import scorecard_of
from starters.monitoring.week_status import status_at
from starters.questions.answer_run import AnswerRequest, AnswerRun
from starters.questions.ask import AskOptions, question_start
from starters.runs.market_choice import known_market
from starters.runs.models import with_budget
from starters.runs.week_choice import written_week
from starters.session import Desk as Session
from starters.session import require_workers, with_desk
from starters.terminal.exit_status import CommandError
from starters.terminal.logs import log_to_file, make_home
from starters.weeks.run import RunOptions, week_run

P = ParamSpec("P")
T = TypeVar("T")
Tell = Callable[[str], None]


class _Teller:
    """Passes on the messages about a run's progress. The state of each part is not passed on:
    `status` has it."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell

    def note(self, text: str) -> None:
        """Passes a message on."""
        if self._tell is not None:
            self._tell(text)

    def update(self, status: object) -> None:
        """Does nothing."""


_LOOPS: Final = ThreadPoolExecutor(4, thread_name_prefix="desk")
"""A loop of its own for each call: where the caller runs one, as a notebook does, no other may
begin beside it."""


def _waited(work: Coroutine[Any, Any, T]) -> T:
    """The work's result, from a thread with a loop of its own. Ctrl-C cancels the work."""
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def kept() -> T:
        task = asyncio.current_task()
        if task is not None:
            running.append((asyncio.get_running_loop(), task))
        return await work

    future = _LOOPS.submit(asyncio.run, kept())
    try:
        return future.result()
    except KeyboardInterrupt:
        for loop, task in running:
            loop.call_soon_threadsafe(task.cancel)
        raise


def _plain(
    twin: "Callable[Concatenate[Desk, P], Coroutine[Any, Any, T]]",
) -> "Callable[Concatenate[Desk, P], T]":
    """The synchronous form of an asynchronous method: same arguments, and it waits for the
    result."""

    @wraps(twin)
    def waited(desk: "Desk", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return _waited(twin(desk, *args, **kwargs))

    waited.__name__ = twin.__name__.removesuffix("_async")
    waited.__qualname__ = twin.__qualname__.removesuffix("_async")
    return waited


class Desk:
    """A desk: a Temporal server with workers that research.

    With an `address` it is that server, whose workers somebody runs (`desk worker all`). Without
    one it is as for the commands: the server that the settings name, the desk that is up in this
    folder (`desk up`), or else one that is up for the time of a call.

    Each method has an asynchronous twin, as `run` has `run_async`. The plain ones work in a
    notebook too, where a loop is running already. The same request comes back to the same run:
    a week that is published, or a question that is answered, is not researched again.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        namespace: str | None = None,
        project: str | Path | None = None,
        tell: Tell | None = None,
    ) -> None:
        """
        Args:
            address: A Temporal server, such as `127.0.0.1:7233`.
            namespace: Its namespace, by default that of the settings.
            project: The folder of the desk's configuration, by default as for the commands.
            tell: Hears a sentence now and then of what is going on.

        Raises:
            SettingsError: something in the configuration cannot be used.
        """
        found = load_settings(None if project is None else Path(project))
        self._settings = _at(found, address, namespace)
        self._tell = tell

    async def run_async(
        self,
        week: str | None = None,
        *,
        markets: str | Iterable[str] | None = None,
        again: bool = False,
        budget_usd: float | None = None,
    ) -> Report:
        """Research a week, and return its report once it is published.

        Args:
            week: Such as `2026-W44`; by default the latest that the data cover.
            markets: These alone; their report has a name of its own.
            again: Research it anew where it is published already.
            budget_usd: What models may cost at most.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        chosen = markets if markets is None or isinstance(markets, str) else ",".join(markets)
        options = RunOptions(week, chosen, again=again, budget_usd=budget_usd)
        run = week_run(self._settings, options)
        published = await self._at_work(lambda desk: run.outcome(desk, _Teller(self._tell)))
        return load_report(_here(published.week.files.json_file))

    run = _plain(run_async)

    async def ask_async(
        self,
        question: str,
        *,
        graph: str | None = None,
        parameters: Mapping[str, str] | None = None,
        as_of: str | None = None,
        again: bool = False,
        budget_usd: float | None = None,
    ) -> Answer:
        """Have a graph of agents answer a question, and return the answer.

        Args:
            question: What is asked.
            graph: The graph of agents; by default the one that suits what the question names.
            parameters: Parameters of the graph.
            as_of: What was known then, such as `2026-10-30`; by default now.
            again: Ask anew where it is answered already.
            budget_usd: What models may cost at most.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        config = with_budget(self._settings.config, budget_usd, None)
        given = tuple(f"{name}={value}" for name, value in (parameters or {}).items())
        options = AskOptions(question, graph, given, as_of)
        start, remark = question_start(options, self._settings, config)
        told = _Teller(self._tell)
        if remark:
            told.note(remark)
        asking = AnswerRun(AnswerRequest(start=start, config=config, again=again))
        answered = await self._at_work(lambda desk: asking.outcome(desk, told))
        return load_answer(_here(answered.result.files.json_file))

    ask = _plain(ask_async)

    async def status_async(self, week: str | None = None) -> WeekStatus:
        """How far the run of a week is, or that of the latest week which has one.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        written = written_week(week, datetime.now(UTC), self._settings.config.schedule)

        async def work(desk: Session) -> WeekStatus:
            return await status_at(desk, written)

        _keep_logs(self._settings)
        return await with_desk(self._settings, work)

    status = _plain(status_async)

    async def scorecard_async(
        self, as_of: str | None = None, *, market: str | None = None
    ) -> Scores | None:
        """How the desk's forecasts did whose horizon has passed; None before the first run.

        Args:
            as_of: As a run of that week knew it; by default as of now.
            market: This market alone.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        name = known_market(self._settings.config, market) if market else None
        question = learned_question(self._settings, as_of, name)
        view = await self._at_work(lambda desk: learned_at(desk.client, question))
        return None if view is None else _scores(view, name)

    scorecard = _plain(scorecard_async)

    async def _at_work(self, work: Callable[[Session], Awaitable[T]]) -> T:
        """Runs something that needs workers."""

        async def with_workers(desk: Session) -> T:
            if not desk.hosting:
                await require_workers(desk, Queue.DESK)
            return await work(desk)

        _keep_logs(self._settings)
        return await with_desk(self._settings, with_workers)


def _keep_logs(settings: Settings) -> None:
    """Have logs go where the caller has them go, or else into the file of the commands' logs."""
    make_home(settings.home)
    if not logging.getLogger().handlers:
        log_to_file(settings)
        # Warnings are the caller's to show.
        logging.captureWarnings(False)


def scorecard(as_of: str | None = None, *, market: str | None = None) -> Scores | None:
    """As `Desk().scorecard`: at the desk of this folder."""
    return Desk().scorecard(as_of, market=market)


def _scores(view: LearnedView, market: str | None) -> Scores:
    found = scorecard_of(view, market)
    return Scores(
        found.scorecard,
        forecasts=found.scored,
        weights=found.weights,
        hypotheses=found.hypotheses,
    )


def _at(settings: Settings, address: str | None, namespace: str | None) -> Settings:
    given = {"ADDRESS": address, "NAMESPACE": namespace}
    named = {f"TEMPORAL_{name}": value for name, value in given.items() if value is not None}
    return settings.model_copy(
        update={
            "temporal_environment": {**settings.temporal_environment, **named},
            **{name.lower(): value for name, value in named.items()},
        }
    )


def _here(file: str) -> Path:
    path = Path(file)
    if not path.is_file():
        raise CommandError(
            f"it is published on the worker's machine, as {path}; copy the file here and load it"
        )
    return path
