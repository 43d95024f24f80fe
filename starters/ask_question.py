"""What `desk ask` does."""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from contracts.config import RunConfig
from contracts.graph import GraphRequest
from contracts.names import Queue
from infra.settings import load_settings
from reporting.wording import allowance_words
from starters.ask_choice import chosen
from starters.ask_follow import EndedWithoutAnswer, answer_of, wait_for_answer
from starters.ask_print import Answered, print_answer
from starters.ask_progress import GraphProgress, shown_graph_progress
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, require_workers, say, with_desk
from starters.endings import CommandError, ExitStatus
from starters.graph_runs import GraphRun, ask_run_id, described_run, start_graph
from starters.models import has_models, with_budget
from starters.published_files import check_target, copy_set


@dataclass(frozen=True)
class AskOptions:
    """The options of `desk ask`."""

    question: str
    graph: str | None = None
    parameters: Sequence[str] = ()
    as_of: str | None = None
    budget_usd: float | None = None
    out: Path | None = None
    as_json: bool = False
    again: bool = False


def ask_question(options: AskOptions) -> ExitStatus:
    """Have a question answered, or print the answer that there is.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    config = settings.config
    if options.budget_usd is not None:
        config = with_budget(config, options.budget_usd)
    choice = chosen(
        options.question,
        settings,
        config,
        graph=options.graph,
        parameters=options.parameters,
        as_of=options.as_of,
        now=datetime.now(UTC),
    )
    check_target(options.out)
    log_to_file(settings)
    if choice.remark:
        say(f"desk: {choice.remark}")
    asked = _Asked(options, config, choice.request)
    try:
        return asyncio.run(with_desk(settings, asked.work))
    except KeyboardInterrupt:
        say(asked.parting_words())
        return ExitStatus.INTERRUPTED


class _Asked:
    """One `desk ask`. `work` may be called again, at another desk, and goes on where it was."""

    def __init__(self, options: AskOptions, config: RunConfig, request: GraphRequest) -> None:
        self._options = options
        self._config = config
        self._request = request
        self._id = ask_run_id(request.graph, request.query, request.as_of)
        self._started = False
        self._hosting = False

    async def work(self, desk: Desk) -> ExitStatus:
        """Find or start the run, follow it, print the answer."""
        self._hosting = desk.hosting
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        with shown_graph_progress() as progress:
            answered = await self._answered(desk, progress)
        if self._options.out is not None:
            files = copy_set(answered.result.files, self._options.out.resolve())
            result = answered.result.model_copy(update={"files": files})
            answered = answered._replace(result=result)
        return print_answer(desk, answered, as_json=self._options.as_json)

    def parting_words(self) -> str:
        """What to tell a user who pressed Ctrl-C."""
        if not self._started:
            return "desk: stopped before anything was started"
        how = "stopped; what is done is kept, and" if self._hosting else "detached;"
        return (
            f"desk: {how} {self._id} goes on when a desk is up, until its deadline; "
            f"`{self._command()}` comes back to it"
        )

    def _command(self) -> str:
        options = self._options
        words = ["desk", "ask", options.question]
        words += ["--graph", options.graph] if options.graph else []
        for parameter in options.parameters:
            words += ["--param", parameter]
        words += ["--as-of", options.as_of] if options.as_of else []
        return shlex.join(words)

    async def _answered(self, desk: Desk, progress: GraphProgress) -> Answered:
        found = await described_run(desk.client, self._id)
        if not self._started:
            if found is not None and not self._options.again:
                already = await self._already(found, progress)
                if already is not None:
                    return already
            if found is None or self._options.again or not found.open:
                found = await self._start(desk, found, progress)
            self._started = True
        if found is None:
            raise CommandError(f"the run {self._id} is gone; the same command starts it anew")
        return Answered(found, await wait_for_answer(found, progress), before=False)

    async def _already(self, found: GraphRun, progress: GraphProgress) -> Answered | None:
        """The answer of a run that is closed; None where there is none of it."""
        if found.open:
            progress.note(f"{found.workflow_id} is under way; following it")
            return None
        try:
            return Answered(found, await answer_of(found), before=True)
        except EndedWithoutAnswer as ended:
            progress.note(f"{ended}; asking anew")
            return None

    async def _start(
        self, desk: Desk, replaced: GraphRun | None, progress: GraphProgress
    ) -> GraphRun:
        if replaced is not None and replaced.open:
            progress.note(f"ending the open run {replaced.workflow_id} to ask anew")
        if has_models(self._config):
            allowance = self._config.policy.budget.allowance
            progress.note(f"models take part, {allowance_words(allowance)}")
        return await start_graph(desk.client, self._id, self._request, replace=self._options.again)
