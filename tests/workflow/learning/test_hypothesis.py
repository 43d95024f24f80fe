"""Hypotheses on a server whose clock skips: months pass, and each is scored once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from temporalio import activity
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.testing import WorkflowEnvironment

from activities.learning import LearningActivities
from desk.contracts.learning.memory import MemoryKind
from desk.contracts.learning.record import LearnedView, RecordQuery
from desk.contracts.markets import MarketKind
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from desk.contracts.runs.swarm import HypothesisStatus
from desk.contracts.swarm.hypotheses import HypothesisState, ScoredHypothesis
from desk.learning.hypotheses.prices import expected_day
from tests.support.runs.hypotheses import (
    MADE,
    Handle,
    Memory,
    Prices,
    begun,
    hypothesis,
    hypothesis_request,
    hypothesis_workers,
    stock,
)
from workflows.swarm.hypothesis import HypothesisWorkflow

QUARTER = timedelta(days=91)


class ForgetfulLearning(LearningActivities):
    """Tells, and does not hear that it has told: its first two tries are lost on the way back."""

    def __init__(self) -> None:
        self.told = 0

    @activity.defn
    async def tell_hypothesis(self, scored: ScoredHypothesis) -> None:
        """See `LearningActivities`."""
        await super().tell_hypothesis(scored)
        self.told += 1
        if self.told < 3:
            raise ApplicationError("the answer was lost")


@asynccontextmanager
async def waiting(
    skipping: WorkflowEnvironment, directory: Path, prices: Prices, *, cached: int = 100
) -> AsyncIterator[Handle]:
    """A hypothesis that is due in a quarter, and workers for it."""
    now = await skipping.get_current_time()
    about = hypothesis(level_on=(now - timedelta(days=5)).date(), due=now + QUARTER)
    async with hypothesis_workers(skipping.client, directory, prices=prices, cached=cached):
        yield await begun(skipping.client, hypothesis_request(about, made_as_of=now))


async def status_of(handle: Handle) -> HypothesisStatus:
    status: HypothesisStatus = await handle.query(HypothesisWorkflow.hypothesis)
    return status


async def learned_by(client: Client, as_of: datetime) -> LearnedView:
    view: LearnedView = await client.get_workflow_handle(LEARNING_SYSTEM_ID).query(
        Message.LEARNED, RecordQuery(as_of=as_of), result_type=LearnedView
    )
    return view


async def test_it_is_looked_up_when_it_is_due_and_not_before(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    prices = Prices()
    async with waiting(skipping, tmp_path, prices) as handle:
        await skipping.sleep(QUARTER - timedelta(hours=1))
        status = await status_of(handle)
        due = status.request.hypothesis.due
        assert (status.state, status.waits_for) == (HypothesisState.OPEN, due)
        assert prices.asked_at == []
        assert status.request.written_at is not None
        assert status.request.written_at - status.request.made_as_of < timedelta(hours=1)
        outcome = await handle.result()
        assert outcome.written_at == status.request.written_at
        assert (outcome.state, outcome.value) == (HypothesisState.HELD, Decimal("151.00"))
        assert outcome.score == 0.09
        assert prices.asked_at == [due]
        closed = await status_of(handle)
        assert (closed.scored, closed.waits_for, closed.note) == (outcome, None, None)


async def test_a_source_that_is_away_for_days_is_asked_again_ever_less_often(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """Three tries are one call; calls come after one minute, two, four, and so on."""
    prices = Prices(away=36)
    async with waiting(skipping, tmp_path, prices) as handle:
        await skipping.sleep(QUARTER + timedelta(hours=5))
        status = await status_of(handle)
        assert status.waits_for is not None and status.note is not None
        assert status.waits_for > status.request.hypothesis.due
        assert "ecb: it is away" in status.note
        outcome = await handle.result()
        late = outcome.scored_at - outcome.hypothesis.due
        assert timedelta(days=1) < late < timedelta(days=4)
        assert (outcome.state, len(prices.asked_at)) == (HypothesisState.HELD, 37)
        assert set(prices.asked_at) == {outcome.hypothesis.due}


async def test_without_a_price_for_a_month_it_is_void_with_the_reason(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    prices = Prices(value=None)
    async with waiting(skipping, tmp_path, prices) as handle:
        outcome = await handle.result()
        assert (outcome.state, outcome.score, outcome.value) == (HypothesisState.VOID, None, None)
        assert outcome.reason is not None
        assert outcome.reason.startswith("given up on ")
        assert outcome.reason.endswith("ecb.get_quote: no fixing of it")
        given_up_after = outcome.scored_at - outcome.hypothesis.due
        assert timedelta(days=30) <= given_up_after < timedelta(days=30, minutes=5)
        assert len(prices.asked_at) < 45
        view = await learned_by(skipping.client, outcome.scored_at)
        assert view.advice.scorecard is not None
        assert view.advice.scorecard.hypotheses is None
        assert view.advice.scorecard.void_hypotheses == 1


async def test_a_source_that_lags_is_waited_for(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """What it had two days before is no outcome while the day itself may still come."""
    prices = Prices()
    async with waiting(skipping, tmp_path, prices) as handle:
        due = (await status_of(handle)).request.hypothesis.due
        prices.ends = due - timedelta(days=5)
        await skipping.sleep(QUARTER + timedelta(hours=1))
        note = (await status_of(handle)).note
        assert note is not None and "may still come" in note
        prices.ends = None
        outcome = await handle.result()
        assert outcome.value_on == expected_day(MarketKind.PAIR, due)


async def test_one_that_was_due_in_the_past_is_scored_at_once(
    client: Client, tmp_path: Path
) -> None:
    prices, memory = Prices(value="149.00"), Memory()
    async with hypothesis_workers(client, tmp_path, prices=prices, memory=memory):
        outcome = await (await begun(client, hypothesis_request(written_at=MADE))).result()
    due = hypothesis().due
    assert (outcome.state, outcome.score) == (HypothesisState.REFUTED, 0.49)
    assert prices.asked_at == [due]
    (entry,) = memory.entries
    assert (entry.kind, entry.as_of, entry.markets) == (MemoryKind.OUTCOME, due, ("USD/JPY",))
    assert "it was refuted: the last price known was 149.00" in entry.text
    assert "[[" not in entry.text


async def test_another_worker_goes_on_where_one_ended(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """The first keeps nothing between two tasks: the test server would go on asking it."""
    first, second = Prices(), Prices()
    async with waiting(skipping, tmp_path, first, cached=0) as handle:
        await skipping.sleep(timedelta(days=40))
    await skipping.sleep(timedelta(days=40))
    async with hypothesis_workers(skipping.client, tmp_path, prices=second):
        outcome = await handle.result()
        assert (outcome.state, first.asked_at) == (HypothesisState.HELD, [])
        assert second.asked_at == [outcome.hypothesis.due]


async def test_the_learning_system_has_it_once_however_often_it_is_told(
    client: Client, tmp_path: Path
) -> None:
    telling = ForgetfulLearning()
    async with hypothesis_workers(client, tmp_path, learning=telling):
        outcome = await (await begun(client, hypothesis_request(written_at=MADE))).result()
        due = outcome.hypothesis.due
        view = await learned_by(client, due)
        assert telling.told == 3
        assert view.hypotheses == (outcome,)
        assert view.advice.scorecard is not None
        row = view.advice.scorecard.hypotheses
        assert row is not None
        assert (row.of, row.scored, row.hits, row.brier) == ("hypotheses", 1, 1, 0.09)
        assert row.random_walk == 0.25
        earlier = await learned_by(client, due - timedelta(seconds=1))
        assert earlier.hypotheses == ()


async def test_a_memory_that_cannot_keep_it_changes_no_score(
    client: Client, tmp_path: Path
) -> None:
    memory = Memory(missing="the disk is full")
    async with hypothesis_workers(client, tmp_path, memory=memory):
        handle = await begun(client, hypothesis_request(learn=False))
        assert (await handle.result()).state is HypothesisState.HELD
        assert (await status_of(handle)).note == "it is not remembered: the disk is full"


async def test_a_holiday_is_not_waited_for_where_the_source_has_gone_on(
    client: Client, tmp_path: Path
) -> None:
    """It is asked once more, for what it has now; of the day before the holiday is the outcome."""
    good_friday = date(2026, 4, 3)
    due = datetime(2026, 4, 3, 22, tzinfo=UTC)
    about = hypothesis(market=stock(), level="100.00", due=due, claims=("NVDA:last",))
    prices = Prices(value="101.00", closed=good_friday)
    async with hypothesis_workers(client, tmp_path, prices=prices):
        outcome = await (await begun(client, hypothesis_request(about))).result()
    assert (outcome.state, outcome.value_on) == (HypothesisState.HELD, date(2026, 4, 2))
    assert prices.asked_at[0] == due
    assert len(prices.asked_at) == 2
    assert outcome.scored_at - prices.asked_at[1] < timedelta(hours=1)


async def test_a_stock_that_was_split_since_is_void_at_once(client: Client, tmp_path: Path) -> None:
    """The level was 900; the source says now that it was 90 then."""
    about = hypothesis(market=stock(), level="900.00", claims=("NVDA:last",))
    prices = Prices(value="95.00", before="90.00")
    async with hypothesis_workers(client, tmp_path, prices=prices):
        outcome = await (await begun(client, hypothesis_request(about))).result()
    assert (outcome.state, outcome.score) == (HypothesisState.VOID, None)
    assert outcome.reason is not None and "as after a split" in outcome.reason
    assert prices.calls == {"analysis.price_history": 1}


async def test_one_that_is_cancelled_is_scored_never(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    prices = Prices()
    async with waiting(skipping, tmp_path, prices) as handle:
        await handle.cancel()
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
        assert isinstance(failure.value.cause, CancelledError)
        assert (await status_of(handle)).state is HypothesisState.OPEN
        assert prices.asked_at == []
