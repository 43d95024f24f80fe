"""What `desk stock` does: see `desk ask`, whose course it shares."""

from dataclasses import dataclass
from datetime import UTC, datetime

from desk.contracts.config import RunConfig
from desk.contracts.episode.run import StockResult
from desk.contracts.episode.stock import USUAL_COST, USUAL_WEEKS
from desk.platform.settings import Settings
from starters.questions.stock.choice import MOST_STEPS_USUALLY, chosen_stock, stock_start
from starters.questions.stock.printing import episode_lines
from starters.questions.stock.published import published_so_far
from starters.questions.wanted import Wanted, answer_wanted
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import ExitStatus


@dataclass(frozen=True)
class StockOptions:
    """What `desk stock` asks."""

    symbol: str
    as_of: str | None = None
    steps: str | None = None
    weeks: int = USUAL_WEEKS
    cost: str = str(USUAL_COST)
    most_steps: int = MOST_STEPS_USUALLY
    memory: bool = True


def research_stock(options: StockOptions, wanted: Wanted) -> ExitStatus:
    """Have a stock researched, or print the report that there is.

    Raises:
        UsageError, CommandError: with what to do next.
    """

    def start(_: Settings, config: RunConfig) -> RunStart[StockResult]:
        now = datetime.now(UTC)
        request = chosen_stock(
            options.symbol,
            config,
            as_of=options.as_of,
            steps=options.steps,
            weeks=options.weeks,
            cost=options.cost,
            most_steps=options.most_steps,
            memory=options.memory,
            now=now,
        )
        return stock_start(request, now)

    return answer_wanted(
        wanted, _command(options), start, besides=episode_lines, published=published_so_far
    )


def _command(options: StockOptions) -> list[str]:
    words = ["desk", "stock", options.symbol]
    words += ["--as-of", options.as_of] if options.as_of else []
    words += ["--steps", options.steps] if options.steps is not None else []
    words += ["--weeks", str(options.weeks)] if options.weeks != USUAL_WEEKS else []
    words += ["--cost", options.cost] if options.cost != str(USUAL_COST) else []
    most = options.most_steps
    words += ["--most-steps", str(most)] if most != MOST_STEPS_USUALLY else []
    words += [] if options.memory else ["--no-memory"]
    return words
