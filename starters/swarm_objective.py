"""What `desk swarm` does: see `desk ask`, whose course it shares."""

from dataclasses import dataclass
from datetime import UTC, datetime

from desk.contracts.config import RunConfig
from desk.contracts.swarm.run import SwarmResult
from desk.platform.settings import Settings
from starters.ask_wanted import Wanted, answer_wanted
from starters.endings import ExitStatus
from starters.server_runs import RunStart
from starters.swarm_choice import AUTO, chosen_swarm, swarm_start
from starters.swarm_print import swarm_lines

ROUNDS = 2
WITHIN = "3d"


@dataclass(frozen=True)
class SwarmOptions:
    """What `desk swarm` asks."""

    objective: str
    effort: str = AUTO
    as_of: str | None = None
    rounds: int = ROUNDS
    answer_within: str = WITHIN
    memory: bool = True


def research_objective(options: SwarmOptions, wanted: Wanted) -> ExitStatus:
    """Have an objective researched, or print the report that there is.

    Raises:
        UsageError, CommandError: with what to do next.
    """

    def start(_: Settings, config: RunConfig) -> RunStart[SwarmResult]:
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
        return swarm_start(request)

    return answer_wanted(wanted, _command(options), start, besides=swarm_lines)


def _command(options: SwarmOptions) -> list[str]:
    words = ["desk", "swarm", options.objective]
    words += ["--effort", options.effort] if options.effort != AUTO else []
    words += ["--as-of", options.as_of] if options.as_of else []
    words += ["--rounds", str(options.rounds)] if options.rounds != ROUNDS else []
    words += [] if options.memory else ["--no-memory"]
    return words
