"""A market that takes its time."""

from datetime import timedelta

from temporalio import workflow

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.runs.week import MarketRequest
from desk.contracts.week.report import MarketOutcome
from workflows.week.market import MarketResearchWorkflow


@workflow.defn(name="MarketResearchWorkflow")
class SleepyMarketResearch:
    """Done at once for policy rates, in three hours for pairs."""

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        """Nothing found, sooner or later."""
        if "/" in request.market.market:
            await workflow.sleep(timedelta(hours=3))
        return MarketOutcome(market=request.market.market, outcome=Outcome.RESEARCHED)


@workflow.defn(name="MarketResearchWorkflow")
class LateOnPairs:
    """The real research, but on pairs it begins three hours late."""

    @workflow.init
    def __init__(self, request: MarketRequest) -> None:
        self._research = MarketResearchWorkflow(request)

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        """What is found, sooner or later."""
        if "/" in request.market.market:
            await workflow.sleep(timedelta(hours=3))
        return await self._research.run(request)
