"""What the built-in specialists state, asked of the real servers, and the ledger's word on it."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Final

import pytest
from pydantic import validate_call

from desk.agents.roster import profile_of
from desk.contracts.agents.tasks import Query, TaskAssignment
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import SourceResult
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.contracts.swarm.plan import SubagentSpec
from desk.contracts.weeks import TimeWindow
from desk.programs.swarm.builtin.plan import Ground, plan_swarm
from desk.programs.swarm.objectives import ABOUT, FORMS
from desk.programs.swarm.run.assignments import BESIDE
from desk.programs.swarm.tasks import SPECIALISTS
from desk.programs.turns import builtin_turn
from desk.sources.analysis.companies import CompanyTools
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.server import AnalysisTools
from desk.sources.central_banks.facts.policy import FACTS_DIR, read_facts
from desk.sources.central_banks.server import CentralBankTools
from desk.sources.ecb.store import RatesStore
from desk.sources.knowledge.files import CORPUS_DIR, read_corpus
from desk.sources.sentiment.server import SentimentTools
from desk.sources.sentiment.stories import Newsroom
from desk.trust.conflicts.surviving_claims import surviving_claims
from desk.trust.ledger.rederivation import Ledger
from desk.trust.prose.prose_review import review
from tests.support.builders import answered, failed

BASE: Final = "US"
PRICES: Final = PriceStore(RatesStore())


def pair(name: str, *areas: str) -> MarketSpec:
    return MarketSpec(
        market=name, kind=MarketKind.PAIR, group=MarketGroup.G10, areas=areas, digits=4
    )


YEN = pair("USD/JPY", "US", "JP")
AUSSIE_YEN = pair("AUD/JPY", "AU", "JP")
EURO = pair("EUR/USD", "XM", "US")
FORINT = pair("EUR/HUF")
FRANC = pair("EUR/CHF", "XM", "CH")
NVIDIA = MarketSpec(market="NVDA", kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2)
DAYS: Final = (date(2020, 2, 20), date(2024, 8, 5), date(2026, 10, 30))


@cache
def servers() -> tuple[object, ...]:
    facts, corpus = read_facts(FACTS_DIR), read_corpus(CORPUS_DIR)
    newsroom = Newsroom(lambda _: facts, lambda: corpus, None)
    return (
        AnalysisTools(PRICES),
        CompanyTools(PRICES),
        CentralBankTools(),
        SentimentTools(newsroom),
    )


def asked(call: ToolCall, as_of: datetime) -> ToolResult:
    """The answer of the server that has the tool, or its refusal."""
    said = answer_of(call.tool, json.dumps(call.arguments), as_of)
    if isinstance(said, str):
        return failed(call, ToolStatus.REFUSED, said)
    return answered(call, said)


@cache
def answer_of(name: str, arguments: str, as_of: datetime) -> SourceResult | str:
    """What a tool answers, or refuses with: several specialists and forms ask the same."""
    tool = next(getattr(each, name) for each in servers() if hasattr(each, name))
    try:
        answer: SourceResult = validate_call(tool)(**json.loads(arguments), as_of=as_of)
    except Exception as refusal:  # As over MCP: whatever a tool raises is its refusal.
        return str(refusal)
    return answer


def window_to(day: date) -> TimeWindow:
    end = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
    return TimeWindow(start=end - timedelta(days=7), end=end, time_zone="Europe/London")


def researched(
    spec: SubagentSpec, day: date, form: str = ""
) -> tuple[ResearchResult | None, list[ToolResult]]:
    """What a specialist delivers, None where there is nothing to be had, and its evidence."""
    request = TurnRequest(
        assignment=TaskAssignment(
            task_id=spec.name,
            task_type=spec.task,
            agent=spec.agent,
            week="2026-W44",
            market=spec.market,
            window=window_to(day),
            deadline=window_to(day).end,
            tools=spec.tools,
            query=Query(
                question=f"Where is {spec.market.market} going?",
                parameters={ABOUT: form, BESIDE: ", ".join(spec.beside)},
            ),
        )
    )
    results = list[ToolResult]()
    turn = builtin_turn(request)
    while turn.calls:
        results += (answers := [asked(call, window_to(day).end) for call in turn.calls])
        exchanges = (*request.exchanges, Exchange(results=tuple(answers)))
        request = request.model_copy(update={"exchanges": exchanges})
        turn = builtin_turn(request)
    assert turn.failure is None or all(each.status is not ToolStatus.OK for each in results)
    return (turn.result if isinstance(turn.result, ResearchResult) else None), results


def planned(*markets: MarketSpec, objective: str = "The outlook") -> tuple[SubagentSpec, ...]:
    """All five on the first market, and those who look at further ones."""
    tools = {agent: profile_of(agent).tools for agent in SPECIALISTS}
    return plan_swarm("plan", Ground(objective, markets, tools)).subagents


def failures(specs: Sequence[SubagentSpec], day: date, form: str = "") -> list[str]:
    """What the ledger says against the claims of specialists: those of each, and all together."""
    found, evidence = list[ResearchResult](), list[ToolResult]()
    for spec in specs:
        result, results = researched(spec, day, form)
        evidence += results
        if result is not None:
            assert not review(result)
            found.append(result)
    assert any(result.claims for result in found)
    ledger = Ledger([spec.market for spec in specs], window_to(day), BASE, evidence)
    together = [{claim.claim_id: claim for claim in result.claims} for result in found]
    together.append(surviving_claims(found, ()))
    told = (ledger.failed_check(claim, known) for known in together for claim in known.values())
    return [failed.words for failed in told if failed]


@pytest.mark.parametrize("day", DAYS, ids=str)
@pytest.mark.parametrize("market", [YEN, EURO, FORINT], ids=lambda market: market.market)
def test_every_claim_of_a_specialist_follows_from_its_evidence(
    market: MarketSpec, day: date
) -> None:
    assert failures(planned(market), day) == []


@pytest.mark.parametrize("day", DAYS[:2], ids=str)
def test_every_claim_on_a_stock_follows_from_its_evidence(day: date) -> None:
    assert failures(planned(NVIDIA), day) == []


@pytest.mark.parametrize("day", DAYS[1:], ids=str)
def test_claims_on_a_pair_and_its_cross_follow_from_the_evidence_of_both(day: date) -> None:
    assert failures(planned(YEN, AUSSIE_YEN), day) == []


def test_two_specialists_may_each_have_asked_for_the_rate_of_one_bank() -> None:
    rates = [
        next(each for each in planned(market) if each.agent is AgentId.FUNDAMENTAL_SPECIALIST)
        for market in (YEN, AUSSIE_YEN)
    ]
    named = [spec.model_copy(update={"name": f"rates_{n}"}) for n, spec in enumerate(rates)]
    assert failures(named, DAYS[-1]) == []


@pytest.mark.parametrize("name", [n for n, f in FORMS.items() if f.asks or f.fewest > 1])
def test_every_figure_and_mark_of_a_form_follows_from_its_evidence(name: str) -> None:
    form = FORMS[name]
    markets = (FRANC,) if form.markets else (YEN, EURO)
    tools = {agent: profile_of(agent).tools for agent in SPECIALISTS}
    specs = plan_swarm("plan", Ground("?", markets, tools, form=form)).subagents
    assert failures(specs, DAYS[-1], name) == []
    result, _ = researched(specs[0], DAYS[-1], name)
    assert result is not None
    assert {claim.metric for claim in result.claims} & {*form.decides}
