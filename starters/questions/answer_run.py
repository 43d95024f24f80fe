"""Gets an answer: what all commands share that request one."""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Protocol

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.extras import Extra
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.graph import GraphStatus
from desk.documents.rendering.words.wording import allowance_words
from desk.platform.settings import Settings, load_settings
from starters.published.published_files import check_target, copy_set
from starters.questions.follow import (
    AnsweredRun,
    EndedWithoutAnswer,
    NotAnswerable,
    Published,
    PublishedSoFar,
    answer_of,
    wait_for_answer,
)
from starters.questions.printing import Besides, extras_lacking, print_answer
from starters.questions.progress import GraphProgress, shown_graph_progress
from starters.runs.command_run import CommandRun
from starters.runs.models import has_models, with_budget
from starters.runs.server_runs import RunStart, ServerRun, run_described
from starters.session import Desk
from starters.terminal.exit_status import ExitStatus
from starters.terminal.logs import log_to_file

PROJECT: Final = "research-desk"

_NEEDED: Final = r"([\w.-]+)[^;]*;.*\bextra *== *[\"']{extra}[\"']"


@dataclass(frozen=True)
class AnswerOptions:
    """The options of such a command besides the question.

    Without `wait` the run is only started. `again` asks again even if there is an answer. The
    answer's files are copied to `out`.
    """

    budget_usd: float | None = None
    out: Path | None = None
    as_json: bool = False
    again: bool = False
    wait: bool = True
    budget_tokens: int | None = None


class Options(Protocol):
    """A dataclass with the options that make up a command's request."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def command_of(name: str, options: Options) -> list[str]:
    """Returns the command line that makes the same request again: the command, its argument (the
    first field of its options), and each option that differs from its default."""
    asked, *others = fields(options)
    words = ["desk", name, getattr(options, asked.name)]
    for each in others:
        value, flag = getattr(options, each.name), each.name.replace("_", "-")
        if value is False:
            words.append(f"--no-{flag}")
        elif value != each.default:
            for one in value if isinstance(value, tuple) else (value,):
                words += [f"--{flag}", str(one)]
    return words


def print_answer_of(
    wanted: AnswerOptions,
    command: Sequence[str],
    start: Callable[[Settings, RunConfig], RunStart[Published]],
    *,
    besides: Besides[Published] | None = None,
    published: PublishedSoFar[Published] | None = None,
) -> ExitStatus:
    """Gets an answer from a run, or prints the existing one.

    Args:
        wanted: The options besides the question.
        command: The command line that finds the run again.
        start: Builds what the run is started with, from a configuration that has the budget.
        besides: Lines to print with the answer, besides the paths of its files.
        published: Returns what a run that continues has published so far, if it can.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    settings = load_settings()
    config = with_budget(settings.config, wanted.budget_usd, wanted.budget_tokens)
    begun = start(settings, config)
    check_target(wanted.out)
    log_to_file(settings)
    asking = AnswerRequest(
        start=begun,
        config=config,
        command=command,
        show=partial(print_answer, as_json=wanted.as_json, besides=besides),
        out=wanted.out,
        again=wanted.again,
        wait=wanted.wait,
        published=published,
    )
    return AnswerRun(asking).run_command(settings)


def installed_since(answer: AnswerReport | None, began: datetime) -> tuple[Extra, ...]:
    """Returns the extras that an answer lacked and that were installed after its run `began`:
    complete now, with a part installed since.

    Omits extras that were complete by then: they were missing elsewhere, such as at a worker, and
    asking again would not help.
    """
    return tuple(extra for extra in extras_lacking(answer) if _was_installed_since(extra, began))


def _was_installed_since(extra: str, began: datetime) -> bool:
    try:
        return max(map(_installed_at, _packages(extra)), default=began) > began
    except PackageNotFoundError:
        return False


def _packages(extra: str) -> Iterable[str]:
    """The packages of one of this project's extras."""
    needed = re.compile(_NEEDED.format(extra=re.escape(extra)))
    found = (needed.match(line) for line in requires(PROJECT) or ())
    return tuple(match[1] for match in found if match)


def _installed_at(package: str) -> datetime:
    """Returns when a package was installed, by the modification time of its RECORD file, which
    every installer writes.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    files = distribution(package).files or ()
    records = (Path(file.locate()) for file in files if file.name == "RECORD")
    times = [record.stat().st_mtime for record in records if record.exists()]
    return datetime.fromtimestamp(max(times, default=0), UTC)


@dataclass(frozen=True)
class AnswerRequest(Generic[Published]):
    """The question, and how its answer is printed.

    `command` is the command line that finds the run again. Without `wait` the run is only started.
    `again` asks again even if there is an answer. The answer's files are copied to `out`.
    `published` returns what a run that continues has published.
    """

    start: RunStart[Published]
    config: RunConfig
    command: Sequence[str] = ()
    show: Callable[[Desk, AnsweredRun[Published]], ExitStatus] | None = None
    out: Path | None = None
    again: bool = False
    wait: bool = True
    published: PublishedSoFar[Published] | None = None


class AnswerRun(CommandRun[Published, GraphStatus, AnsweredRun[Published]], Generic[Published]):
    """A command that gets an answer from a run, or prints the existing one."""

    _purpose_of_restart = "ask anew"

    def __init__(self, asking: AnswerRequest[Published]) -> None:
        super().__init__(anew=asking.again, wait=asking.wait)
        self._asking: AnswerRequest[Published] = asking
        self._id = asking.start.workflow_id

    def _shown(self) -> AbstractContextManager[GraphProgress]:
        return shown_graph_progress()

    async def _find(self, desk: Desk) -> ServerRun[Published] | None:
        return await run_described(desk.client, self._id, self._asking.start.returns)

    async def _already(
        self, found: ServerRun[Published], progress: GraphProgress
    ) -> AnsweredRun[Published] | None:
        """Returns the answer of a run that is closed, or that has published one and continues.
        Returns None if there is none, or if it is to be asked again."""
        if found.open:
            published = self._asking.published
            so_far = await published(found) if published is not None else None
            if so_far is not None:
                return self._whole(AnsweredRun(found, so_far, before=True), progress)
            following = "; following it" if self._asking.wait else ""
            progress.note(f"{found.workflow_id} is under way{following}")
            return None
        try:
            answer = await answer_of(found)
        except (EndedWithoutAnswer, NotAnswerable) as ended:
            progress.note(f"{ended}; asking anew")
            return None
        return self._whole(AnsweredRun(found, answer, before=True), progress)

    def _whole(
        self, answered: AnsweredRun[Published], progress: GraphProgress
    ) -> AnsweredRun[Published] | None:
        """Returns an earlier answer, or None if it lacked an extra that was installed since."""
        from desk.documents.answer.publishing import read_answer_file

        answer = read_answer_file(Path(answered.result.files.json_file))
        since = installed_since(answer, answered.run.started_at)
        if not since:
            return answered
        self._anew = True
        progress.note(
            f"{answered.run.workflow_id} lacked what the extra {' and '.join(since)} has brought"
            " since; asking anew"
        )
        return None

    def _models(self) -> str | None:
        config = self._asking.config
        if not has_models(config):
            return None
        return f"models take part, {allowance_words(config.policy.budget.allowance)}"

    def _run_start(self, replaced: ServerRun[Published] | None) -> RunStart[Published]:
        return self._asking.start

    async def _outcome(
        self, found: ServerRun[Published], progress: GraphProgress
    ) -> AnsweredRun[Published]:
        return await wait_for_answer(found, progress, self._asking.published)

    def _print(self, desk: Desk, outcome: AnsweredRun[Published]) -> ExitStatus:
        if self._asking.out is not None:
            files = copy_set(outcome.result.files, self._asking.out.resolve())
            outcome = outcome._replace(result=outcome.result.model_copy(update={"files": files}))
        show = self._asking.show or partial(print_answer, as_json=False)
        return show(desk, outcome)

    def _continues(self) -> str:
        return (
            f"{self._id} {self._continuation}, until its deadline; "
            f"`{shlex.join(self._asking.command)}` comes back to it"
        )

    def _gone(self) -> str:
        return f"the run {self._id} is gone; the same command starts it anew"
