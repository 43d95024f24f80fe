"""A market that takes its time."""

from datetime import timedelta

from temporalio import workflow

from contracts.report import MarketOutcome
from contracts.search_attributes import Outcome
from contracts.week_run import MarketRequest


@workflow.defn(name="MarketResearchWorkflow")
class SleepyMarketResearch:
    """Done at once for policy rates, in three hours for pairs."""

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        """Nothing found, sooner or later."""
        if "/" in request.market.market:
            await workflow.sleep(timedelta(hours=3))
        return MarketOutcome(market=request.market.market, outcome=Outcome.RESEARCHED)
