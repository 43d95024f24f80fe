"""The desk's Python interface: runs weeks, answers questions and reports the status."""

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
from starters.questions.ask import question_start
from starters.questions.choice import AskOptions
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


class _ProgressMessages:
    """Forwards a run's progress messages. The state of each part is not forwarded: `status` reports
    it."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell

    def note(self, text: str) -> None:
        """Forwards a message."""
        if self._tell is not None:
            self._tell(text)

    def update(self, status: object) -> None:
        """Does nothing."""


_LOOPS: Final = ThreadPoolExecutor(4, thread_name_prefix="desk")
"""Threads that each run an event loop. A caller such as a notebook may already run one in its own
thread, where a second cannot start."""


def _run_in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Runs the coroutine in a thread with its own event loop and returns its result. Ctrl-C cancels
    it."""
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def tracked() -> T:
        task = asyncio.current_task()
        if task is not None:
            running.append((asyncio.get_running_loop(), task))
        return await work

    future = _LOOPS.submit(asyncio.run, tracked())
    try:
        return future.result()
    except KeyboardInterrupt:
        for loop, task in running:
            loop.call_soon_threadsafe(task.cancel)
        raise


def _plain(
    twin: "Callable[Concatenate[Desk, P], Coroutine[Any, Any, T]]",
) -> "Callable[Concatenate[Desk, P], T]":
    """Returns the synchronous form of an asynchronous method: same arguments, and it blocks until
    the result is there."""

    @wraps(twin)
    def blocking(desk: "Desk", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return _run_in_thread(twin(desk, *args, **kwargs))

    blocking.__name__ = twin.__name__.removesuffix("_async")
    blocking.__qualname__ = twin.__qualname__.removesuffix("_async")
    return blocking


class Desk:
    """A desk: a Temporal server with workers that research.

    With an `address`, it connects to that server, whose workers run elsewhere (`desk worker all`).
    Without one, it chooses as the commands do: the server named in the settings, the desk that is
    running in this folder (`desk up`), or else one started for the duration of a call.

    Each method has an asynchronous twin, as `run` has `run_async`. The synchronous ones also work
    in a notebook, where a loop is already running. The same request returns the same run: a
    published week is not researched again, and an answered question is not asked again.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        namespace: str | None = None,
        project: str | Path | None = None,
        tell: Tell | None = None,
    ) -> None:
        """Loads the settings of the project.

        Args:
            address: A Temporal server, such as `127.0.0.1:7233`.
            namespace: Its namespace; defaults to that of the settings.
            project: The folder of the desk's configuration; defaults to the one the commands use.
            tell: Called with a sentence from time to time that describes the progress.

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
        """Researches a week and returns its report once it is published.

        Args:
            week: Such as `2026-W44`; defaults to the latest week that the data cover.
            markets: Only these markets; their report has a name of its own.
            again: Research the week anew even if it is already published.
            budget_usd: The most that models may cost.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        chosen = markets if markets is None or isinstance(markets, str) else ",".join(markets)
        options = RunOptions(week, chosen, again=again, budget_usd=budget_usd)
        run = week_run(self._settings, options)
        published = await self._with_workers(
            lambda desk: run.outcome(desk, _ProgressMessages(self._tell))
        )
        return load_report(_local_file(published.week.files.json_file))

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
        """Has a graph of agents answer a question, and returns the answer.

        Args:
            question: The question.
            graph: The graph of agents; defaults to the one that suits what the question names.
            parameters: Parameters of the graph.
            as_of: Use only what was known then, such as `2026-10-30`; defaults to now.
            again: Ask anew even if it is already answered.
            budget_usd: The most that models may cost.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        config = with_budget(self._settings.config, budget_usd, None)
        given = tuple(f"{name}={value}" for name, value in (parameters or {}).items())
        options = AskOptions(question, graph, given, as_of)
        start, remark = question_start(options, self._settings, config)
        messages = _ProgressMessages(self._tell)
        if remark:
            messages.note(remark)
        asking = AnswerRun(AnswerRequest(start=start, config=config, again=again))
        answered = await self._with_workers(lambda desk: asking.outcome(desk, messages))
        return load_answer(_local_file(answered.result.files.json_file))

    ask = _plain(ask_async)

    async def status_async(self, week: str | None = None) -> WeekStatus:
        """Returns the progress of a week's run, or of the latest week that has a run.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        written = written_week(week, datetime.now(UTC), self._settings.config.schedule)

        async def work(desk: Session) -> WeekStatus:
            return await status_at(desk, written)

        _configure_logging(self._settings)
        return await with_desk(self._settings, work)

    status = _plain(status_async)

    async def scorecard_async(
        self, as_of: str | None = None, *, market: str | None = None
    ) -> Scores | None:
        """Returns how the desk's forecasts did whose horizon has passed; None before the first run.

        Args:
            as_of: Use only what a run of that week knew; defaults to now.
            market: Only this market.

        Raises:
            UsageError, CommandError: with what to do next.
            ServerUnreachable, ServerFailed: there is no server, and why.
        """
        name = known_market(self._settings.config, market) if market else None
        question = learned_question(self._settings, as_of, name)
        view = await self._with_workers(lambda desk: learned_at(desk.client, question))
        return None if view is None else _scores(view, name)

    scorecard = _plain(scorecard_async)

    async def _with_workers(self, work: Callable[[Session], Awaitable[T]]) -> T:
        """Runs work that needs workers."""

        async def call(desk: Session) -> T:
            if not desk.hosting:
                await require_workers(desk, Queue.DESK)
            return await work(desk)

        _configure_logging(self._settings)
        return await with_desk(self._settings, call)


def _configure_logging(settings: Settings) -> None:
    """Leaves logging to the caller's handlers if there are any; otherwise logs to the commands' log
    file."""
    make_home(settings.home)
    if not logging.getLogger().handlers:
        log_to_file(settings)
        # How warnings are shown is up to the caller.
        logging.captureWarnings(False)


def scorecard(as_of: str | None = None, *, market: str | None = None) -> Scores | None:
    """Returns `Desk().scorecard`, from the desk of this folder."""
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


def _local_file(file: str) -> Path:
    path = Path(file)
    if not path.is_file():
        raise CommandError(
            f"it is published on the worker's machine, as {path}; copy the file here and load it"
        )
    return path
