"""The suites: how a task of each is started, as its command starts it, and how its document is
checked."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.evaluation.ask.corpus_files import write_corpus
from desk.evaluation.ask.questions import KnownQuestion, make_questions
from desk.evaluation.ask.scoring import scored
from desk.evaluation.ask.world import make_world
from desk.evaluation.scores import Suite, TaskCheck
from desk.evaluation.stock import WEEKS, StockTask, scored_stock, stock_tasks
from desk.evaluation.swarm import SwarmTask, scored_swarm, swarm_tasks
from desk.evaluation.week import WeekTask, scored_week, week_tasks
from desk.platform.settings import Settings
from starters.questions.choice import AskOptions, chosen
from starters.questions.graph_runs import ask_run_id, graph_start
from starters.questions.stock.choice import StockOptions, chosen_stock, stock_start
from starters.questions.swarm.choice import SwarmOptions, chosen_swarm, swarm_start
from starters.runs.market_choice import chosen_markets
from starters.runs.server_runs import RunStart
from starters.runs.week_runs import week_start
from starters.terminal.exit_status import CommandError

WITHIN: Final = "0.05m"
"""How long a conflict of a swarm waits for a person. An evaluation has none."""

USUAL: Final = {Suite.WEEK: 3, Suite.ASK: 40, Suite.SWARM: 24, Suite.STOCK: 7}
"""The default number of tasks in a suite."""


class SuiteRuns(ABC):
    """The tasks of a suite."""

    suite: Suite

    @property
    @abstractmethod
    def asked(self) -> Sequence[tuple[str, str]]:
        """The id of each task, and its question in a line."""

    @abstractmethod
    def start(self, number: int, settings: Settings) -> RunStart[Any]:
        """What a task's run is started with."""

    @abstractmethod
    def checks(self, number: int, document: Path) -> tuple[tuple[TaskCheck, ...], int]:
        """Checks the document that a task's run published. Returns the checks, and the number of
        sentences that were left out of the document.

        Raises:
            CommandError: it cannot be read.
        """


class AskRuns(SuiteRuns):
    """Questions over a corpus that is generated from the seed and written into a folder."""

    suite = Suite.ASK

    def __init__(self, seed: int, count: int, corpus: Path) -> None:
        world = make_world(seed)
        write_corpus(world, corpus)
        self._questions: tuple[KnownQuestion, ...] = make_questions(world, count)

    @property
    def asked(self) -> Sequence[tuple[str, str]]:
        """See `SuiteRuns`."""
        return [(each.question_id, each.question) for each in self._questions]

    def start(self, number: int, settings: Settings) -> RunStart[Any]:
        """See `SuiteRuns`."""
        known = self._questions[number]
        options = AskOptions(known.question, as_of=known.as_of.isoformat())
        request = chosen(options, settings, settings.config, now=datetime.now(UTC)).request
        return graph_start(ask_run_id(request.graph, request.query, request.as_of), request)

    def checks(self, number: int, document: Path) -> tuple[tuple[TaskCheck, ...], int]:
        """See `SuiteRuns`."""
        report = _answer(document)
        return (scored(self._questions[number], report),), len(report.dropped)


class WeekRuns(SuiteRuns):
    """Weeks of the past."""

    suite = Suite.WEEK

    def __init__(self, seed: int, count: int) -> None:
        self._tasks: tuple[WeekTask, ...] = week_tasks(seed, count)

    @property
    def asked(self) -> Sequence[tuple[str, str]]:
        """See `SuiteRuns`."""
        return [(each.task_id, each.asked) for each in self._tasks]

    def start(self, number: int, settings: Settings) -> RunStart[Any]:
        """See `SuiteRuns`."""
        task = self._tasks[number]
        config, subset = chosen_markets(settings.config, ",".join(task.markets))
        return week_start(task.week, config, subset=subset, learn=False)

    def checks(self, number: int, document: Path) -> tuple[tuple[TaskCheck, ...], int]:
        """See `SuiteRuns`."""
        report = _week(document)
        dropped = sum(len(market.dropped) for market in report.markets)
        return scored_week(self._tasks[number], report, report.config.schedule), dropped


class SwarmRuns(SuiteRuns):
    """Objectives, each in its form."""

    suite = Suite.SWARM

    def __init__(self, seed: int, count: int) -> None:
        self._tasks: tuple[SwarmTask, ...] = swarm_tasks(seed, count)

    @property
    def asked(self) -> Sequence[tuple[str, str]]:
        """See `SuiteRuns`."""
        return [(each.task_id, each.asked) for each in self._tasks]

    def start(self, number: int, settings: Settings) -> RunStart[Any]:
        """See `SuiteRuns`."""
        task = self._tasks[number]
        options = SwarmOptions(
            task.objective,
            about=task.form if task.named else None,
            as_of=task.as_of.isoformat(),
            answer_within=WITHIN,
            memory=False,
        )
        request = chosen_swarm(options, settings.config, datetime.now(UTC))
        return swarm_start(request)

    def checks(self, number: int, document: Path) -> tuple[tuple[TaskCheck, ...], int]:
        """See `SuiteRuns`."""
        report = _answer(document)
        return scored_swarm(self._tasks[number], report), len(report.dropped)


class StockRuns(SuiteRuns):
    """Episodes of stocks."""

    suite = Suite.STOCK

    def __init__(self, seed: int, count: int) -> None:
        self._tasks: tuple[StockTask, ...] = stock_tasks(seed, count)

    @property
    def asked(self) -> Sequence[tuple[str, str]]:
        """See `SuiteRuns`."""
        return [(each.task_id, each.asked) for each in self._tasks]

    def start(self, number: int, settings: Settings) -> RunStart[Any]:
        """See `SuiteRuns`."""
        task, now = self._tasks[number], datetime.now(UTC)
        options = StockOptions(task.symbol, as_of=task.as_of.isoformat(), weeks=WEEKS, memory=False)
        request = chosen_stock(options, settings.config, now)
        return stock_start(request, now)

    def checks(self, number: int, document: Path) -> tuple[tuple[TaskCheck, ...], int]:
        """See `SuiteRuns`."""
        report = _answer(document)
        return scored_stock(self._tasks[number], report), len(report.dropped)


def _answer(document: Path) -> AnswerReport:
    from desk.documents.answer.publishing import read_answer_file

    report = read_answer_file(document)
    if report is None:
        raise CommandError(f"{document} cannot be read")
    return report


def _week(document: Path) -> ResearchReport:
    from starters.published.published_files import read_report

    return read_report(document)


def runs_of(
    suites: Sequence[Suite], seed: int, tasks: int | None, corpus: Path
) -> tuple[SuiteRuns, ...]:
    """Returns the tasks of some suites: `tasks` of each, or the default number. Writes the
    documents for the questions into the folder `corpus`.

    Raises:
        CommandError: a suite needs a package that is not installed.
    """
    return tuple(_runs(suite, seed, tasks or USUAL[suite], corpus) for suite in suites)


def _runs(suite: Suite, seed: int, count: int, corpus: Path) -> SuiteRuns:
    match suite:
        case Suite.ASK:
            return AskRuns(seed, count, corpus)
        case Suite.WEEK:
            return WeekRuns(seed, count)
        case Suite.SWARM:
            return SwarmRuns(seed, count)
        case Suite.STOCK:
            return StockRuns(seed, count)
