"""How an answer is wanted: the course that all commands share which ask for one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from desk.contracts.config import RunConfig
from desk.platform.settings import Settings, load_settings
from starters.published.published_files import check_target
from starters.questions.follow import Published, PublishedSoFar
from starters.questions.printing import Besides, print_answer
from starters.questions.run import AskedRun, Asking
from starters.runs.models import with_budget
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import ExitStatus
from starters.terminal.logs import log_to_file


@dataclass(frozen=True)
class Wanted:
    """What every such command can be told of the answer besides what is asked.

    Without `wait` the run is started and left alone; `again` asks anew where there is an answer
    already, and `out` is where the answer's files are copied to.
    """

    budget_usd: float | None = None
    out: Path | None = None
    as_json: bool = False
    again: bool = False
    wait: bool = True


def answer_wanted(
    wanted: Wanted,
    command: Sequence[str],
    start: Callable[[Settings, RunConfig], RunStart[Published]],
    *,
    besides: Besides[Published] | None = None,
    published: PublishedSoFar[Published] | None = None,
) -> ExitStatus:
    """Have something answered, or print the answer that there is.

    Args:
        wanted: How it is wanted.
        command: What comes back to the run.
        start: What the run is started with, in a configuration that has the budget.
        besides: Lines to print of the answer besides where it stands.
        published: What a run that goes on has published so far, where one may.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    config = settings.config
    if wanted.budget_usd is not None:
        config = with_budget(config, wanted.budget_usd)
    begun = start(settings, config)
    check_target(wanted.out)
    log_to_file(settings)
    asking = Asking(
        start=begun,
        config=config,
        command=command,
        show=partial(print_answer, as_json=wanted.as_json, besides=besides),
        out=wanted.out,
        again=wanted.again,
        wait=wanted.wait,
        published=published,
    )
    return AskedRun(asking).carried_out(settings)
