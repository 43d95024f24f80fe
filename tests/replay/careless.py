"""A workflow as a careless edit would leave it; alone in its module, which the sandbox loads."""

from temporalio import workflow

from contracts.report import MarketOutcome
from contracts.search_attributes import Outcome
from contracts.week_run import MarketRequest


@workflow.defn(name="MarketResearchWorkflow")
class ChangedMarketResearch:
    """It waits where the recorded code worked."""

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        await workflow.sleep(1)
        return MarketOutcome(market=request.market.market, outcome=Outcome.MISSING)
