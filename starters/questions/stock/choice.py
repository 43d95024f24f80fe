"""Builds what an episode is started with from the user's options."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue
from temporalio.client import Client

from desk.analytics.names.nearest import nearest
from desk.contracts.agents.config import RunConfig
from desk.contracts.episode.actions import Charges, StockAction
from desk.contracts.episode.stock import MOST_COST, MOST_STEPS, MOST_WEEKS
from desk.contracts.markets import PAIR_PATTERN, STOCK_PATTERN
from desk.contracts.names import STOCK_RUN, WorkflowType
from desk.contracts.runs.episode import StockRequest, StockResult
from desk.platform.settings import Settings
from desk.trust.seals import content_hash
from starters.questions.choice import read_as_of
from starters.questions.graph_runs import ID_DIGITS
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import UsageError
from starters.terminal.options import USUAL_COST, USUAL_WEEKS

COST_DECIMALS: Final = (2, 4)
"""A cost has two decimals, or four if it is written more finely."""
MOST_STEPS_USUALLY: Final[int] = StockRequest.model_fields["most_steps"].default

_EXAMPLE: Final = "such as desk stock NVDA --as-of 2024-06-10"
_STEPS_EXAMPLE: Final = "such as --steps FETCH_NEWS,RUN_TA_BASIC,GENERATE_INSIGHT"
_COST_EXAMPLE: Final = "such as --cost 0.10"
_UNFIT_FOR_A_NAME: Final = re.compile(r"[^A-Z0-9.-]")


@dataclass(frozen=True)
class StockOptions:
    """The options of `desk stock` that make up the request."""

    symbol: str
    as_of: str | None = None
    steps: str | None = None
    weeks: int = USUAL_WEEKS
    cost: str = USUAL_COST
    most_steps: int = MOST_STEPS_USUALLY
    memory: bool = True


def episode_start(
    options: StockOptions, settings: Settings, config: RunConfig
) -> RunStart[StockResult]:
    """Builds what the episode of a stock is started with.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    now = datetime.now(UTC)
    return stock_start(chosen_stock(options, config, now, settings.charges), now)


def chosen_stock(
    options: StockOptions, config: RunConfig, now: datetime, charges: Charges | None = None
) -> StockRequest:
    """Builds the request of a symbol.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    zone, as_of, steps = config.schedule.time_zone, options.as_of, options.steps
    return StockRequest(
        symbol=read_symbol(options.symbol),
        policy=config.policy,
        steps=read_steps(steps) if steps is not None else (),
        most_steps=_within(options.most_steps, MOST_STEPS, "--most-steps", "--most-steps 12"),
        weeks=read_weeks(options.weeks),
        cost=read_cost(options.cost),
        as_of=read_as_of(as_of, zone, now) if as_of is not None else None,
        time_zone=zone,
        memory=options.memory,
        learn=options.memory,
        charges=charges or {},
    )


def stock_start(request: StockRequest, now: datetime) -> RunStart[StockResult]:
    """What the run of an episode is started with."""
    day = f" as of {request.as_of:%Y-%m-%d}" if request.as_of else ""
    return RunStart(
        WorkflowType.STOCK_RESEARCH,
        stock_run_id(request, now),
        request,
        StockResult,
        f"{request.symbol}{day}, for {request.weeks} weeks",
        check=partial(_check, request, now),
    )


async def _check(request: StockRequest, now: datetime, client: Client) -> None:
    # The imports for price tables are not needed by a command that finds its report.
    from starters.questions.stock.refused import check_stock

    await check_stock(client, request, now)


def stock_run_id(request: StockRequest, now: datetime) -> str:
    """Returns the workflow id of an episode. The same symbol, instant, steps, horizon, cost and use
    of memory have the same id.

    Without an instant, the day in the desk's time zone is part of the id: on another day other data
    are known, and the earlier episode continues to wait for its horizon.
    """
    today = now.astimezone(ZoneInfo(request.time_zone)).date()
    wanted: JsonValue = {
        "symbol": request.symbol,
        "as_of": request.as_of.timestamp() if request.as_of else today.isoformat(),
        "steps": list(request.steps),
        "most_steps": request.most_steps,
        "weeks": request.weeks,
        "cost": str(request.cost),
        "memory": request.memory,
    }
    name = _UNFIT_FOR_A_NAME.sub("", request.symbol)
    return f"{STOCK_RUN}{name}-{content_hash(wanted)[:ID_DIGITS]}"


def read_symbol(written: str) -> str:
    """Parses a symbol, into capitals.

    Raises:
        UsageError: it is not a symbol.
    """
    symbol = written.strip().upper()
    if re.fullmatch(PAIR_PATTERN, symbol):
        raise UsageError(
            f"{symbol} is a pair, and no stock; `desk swarm` researches pairs. Write a symbol,"
            f" {_EXAMPLE}"
        )
    if not re.fullmatch(STOCK_PATTERN, symbol):
        raise UsageError(f"{written[:40]!r} is no symbol of a stock; write one, {_EXAMPLE}")
    return symbol


def read_steps(written: str) -> tuple[StockAction, ...]:
    """Parses actions separated by commas, in any case, with hyphens or spaces for underscores.

    Raises:
        UsageError: one is unknown, or there are none, or too many.
    """
    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names:
        raise UsageError(f"--steps names no action; {_STEPS_EXAMPLE}")
    if len(names) > MOST_STEPS:
        raise UsageError(
            f"--steps has {len(names)} actions; at most {MOST_STEPS} are taken, {_STEPS_EXAMPLE}"
        )
    return tuple(map(_action, names))


def read_weeks(weeks: int) -> int:
    """Checks a horizon, in weeks.

    Raises:
        UsageError: it is too short or too long.
    """
    return _within(weeks, MOST_WEEKS, "--weeks", "--weeks 4")


def read_cost(written: str) -> Decimal:
    """Parses a cost in percent, with or without the sign.

    Raises:
        UsageError: it is not a number, is negative, or is above `MOST_COST`.
    """
    try:
        cost = Decimal(written.strip().removesuffix("%").strip())
    except InvalidOperation:
        cost = Decimal("NaN")
    if not cost.is_finite():
        raise UsageError(f"--cost {written[:40]!r} is no number; write percent, {_COST_EXAMPLE}")
    if not 0 <= cost <= MOST_COST:
        raise UsageError(
            f"--cost {written[:40]}: from 0 to {MOST_COST} percent of the price, {_COST_EXAMPLE}"
        )
    for decimals in COST_DECIMALS:
        # Normalised: `0.1`, `0.10` and `1e-1` are the same, and `-0` is zero.
        if cost == round(cost, decimals):
            return abs(round(cost, decimals))
    raise UsageError(
        f"--cost {written[:40]}: {COST_DECIMALS[-1]} decimals at most, {_COST_EXAMPLE}"
    )


def _action(written: str) -> StockAction:
    name = re.sub(r"[\s-]+", "_", written.upper())
    if name in set(StockAction):
        return StockAction(name)
    near = ", ".join(nearest(name, [*StockAction]))
    raise UsageError(f"--steps: there is no action {written!r}; nearest: {near}; {_STEPS_EXAMPLE}")


def _within(number: int, most: int, option: str, example: str) -> int:
    if not 1 <= number <= most:
        raise UsageError(f"{option} {number}: from 1 to {most}, such as {example}")
    return number
