"""What changes in a run while it is watched, as `desk watch --json` writes it: a line a change."""

from collections.abc import Iterator
from datetime import datetime
from functools import reduce
from typing import Annotated, Literal

from pydantic import Field

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.markets import MarketName
from desk.contracts.week.run import MarketState, MarketStatus, WeekStatus
from desk.contracts.weeks import IsoWeek
from starters.summary import PublishedWeek
from starters.watch_look import Agents, Look

VALIDATING = "validating"


class RunLine(Contract):
    """The run as a whole. `agents` work for all of its markets; `spent` is what all work has cost
    so far."""

    kind: Literal["run"] = "run"
    at: Instant
    week: IsoWeek
    workflow_id: ShortText
    run_id: ShortText
    phase: Phase
    markets: int
    done: int
    pending_reruns: Annotated[tuple[MarketName, ...], Field(max_length=200)] = ()
    escalations: Annotated[tuple[ShortText, ...], Field(max_length=1_000)] = ()
    agents: Agents = ()
    spent: Usage
    budget: Allowance
    deadline: Instant


class MarketLine(Contract):
    """One market. `attempt` is the highest of its agents'; `deadline` that of their work, and of
    the week where nobody is at work on it."""

    kind: Literal["market"] = "market"
    at: Instant
    week: IsoWeek
    market: MarketName
    state: MarketState
    phase: ShortText
    outcome: Outcome | None = None
    agents: Agents = ()
    attempt: int | None = None
    spent: Usage | None = None
    deadline: Instant
    note: ShortText | None = None


class NoteLine(Contract):
    """What holds a run up or the watching of it: something keeps failing, the run does not answer,
    the server is away. `over` where it does so no more."""

    kind: Literal["note"] = "note"
    at: Instant
    text: Text
    over: bool = False


class PublishedLine(Contract):
    """The last line: the report is out. `published_before` where it was so at the first look."""

    kind: Literal["published"] = "published"
    at: Instant
    published: PublishedWeek
    published_before: bool = False


Line = RunLine | MarketLine | NoteLine | PublishedLine


class Changes:
    """What is new in each look at a run: at the first, everything."""

    def __init__(self, workflow_id: str) -> None:
        self._workflow_id = workflow_id
        self._last: dict[str, Contract] = {}

    def news(self, look: Look, at: datetime) -> Iterator[Line]:
        """The lines that are not as they were, in the order of the board."""
        status = look.status
        if status is None:
            return
        lines: list[tuple[str, RunLine | MarketLine]] = [
            ("", run_line(look, status, self._workflow_id, at)),
            *((m.market, market_line(look, status, m, at)) for m in status.markets),
        ]
        for key, line in lines:
            told = line.model_copy(update={"at": status.started_at})
            if self._last.get(key) != told:
                self._last[key] = told
                yield line


def run_line(look: Look, status: WeekStatus, workflow_id: str, at: datetime) -> RunLine:
    """The run as a look shows it."""
    return RunLine(
        at=at,
        week=status.week,
        workflow_id=workflow_id,
        run_id=look.run_id,
        phase=status.phase,
        markets=len(status.markets),
        done=sum(market.state is MarketState.DONE for market in status.markets),
        pending_reruns=status.pending_reruns,
        escalations=status.escalations,
        agents=look.planner,
        spent=spent_so_far(look, status),
        budget=status.budget,
        deadline=status.deadline,
    )


def market_line(look: Look, status: WeekStatus, market: MarketStatus, at: datetime) -> MarketLine:
    """A market as a look shows it."""
    agents = look.markets.get(market.market, ())
    if market.state is MarketState.DONE:
        # The workflows were looked at beside the board: its last agents may still stand there.
        agents = ()
    return MarketLine(
        at=at,
        week=status.week,
        market=market.market,
        state=market.state,
        phase=_phase(market, agents),
        outcome=market.outcome,
        agents=agents,
        attempt=max((agent.attempt for agent in agents), default=None),
        spent=_spent(market, look.spending.get(market.market)),
        deadline=market.deadline or status.deadline,
        note=market.note,
    )


def spent_so_far(look: Look, status: WeekStatus) -> Usage:
    """What a week has cost: the work that has come back, and that which is under way."""
    at_work = [
        look.spending[market.market]
        for market in status.markets
        if market.market in look.spending and market.state is not MarketState.DONE
    ]
    return reduce(Usage.plus, at_work, status.usage)


def _spent(market: MarketStatus, at_work: Usage | None) -> Usage | None:
    """What a market has cost, earlier work on it included."""
    if at_work is None or market.state is MarketState.DONE:
        return market.spent
    return market.spent.plus(at_work) if market.spent else at_work


def _phase(market: MarketStatus, agents: Agents) -> str:
    if market.state is MarketState.WAITING:
        return Phase.AWAITING_PERSON
    if market.state is not MarketState.RUNNING:
        return market.state
    if any(agent.stands_in for agent in agents):
        return Phase.REASSIGNING
    if any(agent.task == TaskType.VALIDATE for agent in agents):
        return VALIDATING
    return Phase.RESEARCHING
