"""What `desk swarm` does: see `desk ask`, whose run, progress and printing it shares."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from infra.settings import load_settings
from starters.ask_print import print_answer
from starters.ask_run import Asking, asked
from starters.desk_logs import log_to_file
from starters.endings import ExitStatus
from starters.models import with_budget
from starters.published_files import check_target
from starters.swarm_choice import AUTO, chosen_swarm, swarm_start
from starters.swarm_print import swarm_lines

ROUNDS = 2
WITHIN = "3d"


@dataclass(frozen=True)
class SwarmOptions:
    """The options of `desk swarm`."""

    objective: str
    effort: str = AUTO
    as_of: str | None = None
    rounds: int = ROUNDS
    budget_usd: float | None = None
    answer_within: str = WITHIN
    memory: bool = True
    out: Path | None = None
    as_json: bool = False
    again: bool = False
    wait: bool = True


def research_objective(options: SwarmOptions) -> ExitStatus:
    """Have an objective researched, or print the report that there is.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    config = settings.config
    if options.budget_usd is not None:
        config = with_budget(config, options.budget_usd)
    request = chosen_swarm(
        options.objective,
        config,
        effort=options.effort,
        as_of=options.as_of,
        rounds=options.rounds,
        answer_within=options.answer_within,
        memory=options.memory,
        now=datetime.now(UTC),
    )
    check_target(options.out)
    log_to_file(settings)
    return asked(
        settings,
        Asking(
            start=swarm_start(request),
            config=config,
            command=_command(options),
            show=partial(print_answer, as_json=options.as_json, besides=swarm_lines),
            out=options.out,
            again=options.again,
            wait=options.wait,
        ),
    )


def _command(options: SwarmOptions) -> list[str]:
    words = ["desk", "swarm", options.objective]
    words += ["--effort", options.effort] if options.effort != AUTO else []
    words += ["--as-of", options.as_of] if options.as_of else []
    words += ["--rounds", str(options.rounds)] if options.rounds != ROUNDS else []
    words += [] if options.memory else ["--no-memory"]
    return words
