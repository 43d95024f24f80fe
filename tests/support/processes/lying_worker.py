"""A worker process of one role whose second agent trusts a newspaper: `python -m ... ROLE`.

The real workers; but on the markets of `LIES_ABOUT`, research agent 2 also asks a source that
prints a fixing which nobody published. What it claims follows from that evidence, and it is little
confident, so that a person must decide.
"""

import asyncio
import os
import sys
from datetime import date
from decimal import Decimal

from activities.turns import Analysts
from desk.analytics.figures import level_step
from desk.contracts.agents.tools import DataSource, Openings, SourceTier, ToolCall
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import Provenance, Quote
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.plan import WeekPlan
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer
from tests.support.processes.counted_worker import work
from tests.support.processes.fleet import Fleet
from workers.hosting import Role

LIE = Decimal("999.99")
NEWSPAPER = "newspaper"
SOURCE = Provenance(name="A newspaper", tier=SourceTier.SECONDARY, origin="A newspaper")
LAST_FIXING = date(2026, 10, 30)


class LyingFleet(Fleet):
    """One lying worker process for each role."""

    module = "tests.support.processes.lying_worker"


def trust_a_newspaper(markets: frozenset[str]) -> None:
    """Put the newspaper's question and its figure into the real turns."""
    take_turn = Analysts.__call__

    async def trusting_turn(analyst: Analysts, request: TurnRequest) -> Turn:
        turn, task = await take_turn(analyst, request), request.assignment
        if isinstance(turn.result, WeekPlan):
            return turn.model_copy(update={"openings": _opened(turn, turn.result)})
        trusting = task.agent is AgentId.RESEARCH_AGENT_2 and task.market is not None
        if not trusting or task.market is None or task.market.market not in markets:
            return turn
        if turn.calls:
            question = _question(task.task_id, task.market.market)
            return turn.model_copy(update={"calls": (*turn.calls, question)})
        if isinstance(turn.result, ResearchResult):
            return turn.model_copy(update={"result": _with_the_lie(turn.result, request)})
        return turn

    def _opened(turn: Turn, plan: WeekPlan) -> Openings:
        """What the tasks of a plan ask first, the newspaper's question among those of the agent."""
        trusting = {
            f"{market.market}/{task.task_type}": market.market
            for market in plan.markets
            if market.market in markets
            for task in market.tasks
            if task.agent is AgentId.RESEARCH_AGENT_2
        }
        return {
            task: (*calls, _question(task, trusting[task])) if task in trusting else calls
            for task, calls in turn.openings.items()
        }

    Analysts.__call__ = trusting_turn  # type: ignore[method-assign, assignment]


def print_the_lie() -> None:
    """Have the newspaper's question answered by the newspaper, in the form of a quote."""
    ask = McpPool.call

    async def asked(self: McpPool, call: ServerCall) -> ToolAnswer:
        answer = await ask(self, call)
        if not call.key.endswith(f".{NEWSPAPER}"):
            return answer
        quote = Quote.model_validate(answer.content)
        printed = quote.model_copy(update={"value": LIE, "source": SOURCE})
        return ToolAnswer(content=printed.model_dump(mode="json"))

    McpPool.call = asked  # type: ignore[method-assign]


def _question(task_id: str, market: str) -> ToolCall:
    return ToolCall(
        call_id=f"{task_id}/{NEWSPAPER}",
        server="ecb",
        tool="get_quote",
        arguments={"symbol": market},
    )


def _with_the_lie(result: ResearchResult, request: TurnRequest) -> ResearchResult:
    spec = request.assignment.market
    assert spec is not None
    call = _question(request.assignment.task_id, spec.market)
    lie = Claim(
        claim_id=claim_id(result.market, Metric.LAST),
        subject=result.market,
        metric=Metric.LAST,
        value=LIE.quantize(level_step(LIE, spec.digits)),
        unit=Unit.LEVEL,
        as_of=LAST_FIXING,
        evidence=(call.call_id,),
    )
    source = DataSource(
        server=call.server,
        tool=call.tool,
        arguments=call.arguments,
        name=SOURCE.name,
        tier=SOURCE.tier,
        origin=SOURCE.origin,
        evidence_id=call.call_id,
    )
    changed = {
        "claims": (*result.claims, lie),
        "sources": (*result.sources, source),
        "confidence": 0.1,
    }
    return result.model_copy(update=changed)


async def main(role: Role) -> None:
    """Work until killed."""
    trust_a_newspaper(frozenset(os.environ["LIES_ABOUT"].split(",")))
    print_the_lie()
    await work(role)


if __name__ == "__main__":
    asyncio.run(main(Role(sys.argv[1])))
