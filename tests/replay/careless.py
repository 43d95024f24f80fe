"""A workflow as a careless edit would leave it; alone in its module, which the sandbox loads."""

from temporalio import workflow

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.runs.week import MarketRequest
from desk.contracts.week.report import MarketOutcome


@workflow.defn(name="MarketResearchWorkflow")
class ChangedMarketResearch:
    """It waits where the recorded code worked."""

    @workflow.run
    async def run(self, request: MarketRequest) -> MarketOutcome:
        await workflow.sleep(1)
        return MarketOutcome(market=request.market.market, outcome=Outcome.MISSING)
