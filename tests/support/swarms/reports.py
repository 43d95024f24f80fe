"""Runs of a swarm as their workflow records them, for tests of what is made of them.

One round: five specialists on USD/JPY, of whom the technical one and the one for patterns put the
target on either side of the last price. With two rounds, a second one looks at NVDA.
"""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tasks import Query, TaskType, ToolName
from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult
from desk.contracts.agents.usage import BUILTIN_VERSION
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    ConflictRecord,
    Finding,
    Leaning,
    ResearchResult,
    ViewKind,
)
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Section, Synthesis
from desk.contracts.runs.graph import GraphRecord, GraphRequest, NodeOutcome
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind
from desk.contracts.swarm.plan import Complexity, Refinement, SubagentSpec, SwarmPlan
from desk.contracts.swarm.record import SwarmRecord, SwarmRound, TokenRecord
from desk.documents.evidence import source_of_answer
from desk.programs.swarm.hypotheses import with_views
from desk.programs.swarm.run.graph import conclusion_node, graph_of, node_name, plan_node
from desk.programs.swarm.tasks import SPECIALIST_TASKS
from desk.trust.claims.analysis_claims import analysis_claims
from desk.trust.conflicts.detection import detect_conflicts
from tests.support.builders import ECB, answered, pair_market, view, window
from tests.support.documents.answers import STARTED_AT, outcome

WEEK = "2026-W44"
AS_OF = window(WEEK).end
DAY = AS_OF.date() - timedelta(days=3)
RUN = "swarm-0123456789ab"
OBJECTIVE = "Is the yen carry trade unwinding?"
FURTHER = "What do chip makers say of the appetite for risk?"
USD_JPY = pair_market("USD/JPY", digits=2)
NVDA = MarketSpec(market="NVDA", kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2)
PACKAGE = Provenance(
    name="NVDA prices in a package", tier=SourceTier.SECONDARY, origin="Yahoo Finance"
)
FIGURES: dict[str, tuple[AgentId, str, dict[Metric, str]]] = {
    "market": (
        AgentId.MARKET_SPECIALIST,
        "market_data",
        {
            Metric.LAST: "157.25",
            Metric.QUARTER_MOVE: "4.10",
            Metric.VOLATILITY: "8.90",
            Metric.EXPECTED_LOW: "153.90",
            Metric.EXPECTED_HIGH: "160.68",
        },
    ),
    "technical": (
        AgentId.TECHNICAL_SPECIALIST,
        "indicator_calculator",
        {Metric.RSI: "68.4", Metric.TARGET: "161.40"},
    ),
    "fundamental": (
        AgentId.FUNDAMENTAL_SPECIALIST,
        "ratio_calculator",
        {Metric.CARRY_TO_VOLATILITY: "0.38"},
    ),
    "sentiment": (
        AgentId.SENTIMENT_SPECIALIST,
        "sentiment_analyzer",
        {Metric.NEWS_TONE: "-12.5", Metric.NEWS_COUNT: "31"},
    ),
    "pattern": (
        AgentId.PATTERN_SPECIALIST,
        "pattern_miner",
        {Metric.ANALOGUES: "14", Metric.TARGET: "154.10"},
    ),
}
OF_NVDA: dict[str, tuple[AgentId, str, dict[Metric, str]]] = {
    "market_nvda": (
        AgentId.MARKET_SPECIALIST,
        "market_data",
        {Metric.LAST: "202.49", Metric.QUARTER_MOVE: "-8.31"},
    ),
    "sentiment_nvda": (
        AgentId.SENTIMENT_SPECIALIST,
        "sentiment_analyzer",
        {Metric.NEWS_TONE: "18.0"},
    ),
}
CONCLUDED = "The pair stands at [[USD/JPY:last]], and NVDA at [[NVDA:last]]."
SAID = {
    Metric.LAST: "The last price is {}.",
    Metric.QUARTER_MOVE: "Over the quarter it moved {}.",
    Metric.RSI: "The relative strength index stands at {}.",
    Metric.TARGET: "The method puts it at {} four weeks on.",
    Metric.CARRY_TO_VOLATILITY: "The carry is {} of the volatility.",
    Metric.NEWS_TONE: "The tone of the news is {}.",
    Metric.ANALOGUES: "The past holds {} analogues.",
}


def swarm_record(
    *,
    rounds: int = 1,
    failed: Sequence[str] = (),
    conflicts: Sequence[ConflictRecord] | None = None,
    hypotheses: Sequence[Hypothesis] | None = None,
    concluded: Synthesis | None = None,
) -> GraphRecord:
    """A run of a swarm of one round or two. The specialists named in `failed` delivered nothing,
    and nobody took over what they were to do; `conflicts` takes the place of the votes."""
    work = (FIGURES, OF_NVDA)[:rounds]
    told = tuple(_round(number, figures, rounds) for number, figures in enumerate(work, start=1))
    nodes: list[NodeOutcome] = []
    for each, figures in zip(told, work, strict=True):
        nodes += _nodes(each, figures, failed, concluded if each is told[-1] else None)
    graph = graph_of(told)
    voted = found_conflicts(nodes) if conflicts is None else tuple(conflicts)
    return GraphRecord(
        request=GraphRequest(graph=graph, query=Query(question=OBJECTIVE), market=USD_JPY),
        week=WEEK,
        window=window(WEEK),
        nodes=tuple(nodes),
        started_at=STARTED_AT,
        workflow_id=RUN,
        run_id="run-1",
        swarm=SwarmRecord(
            rounds=told,
            markets=(USD_JPY, NVDA)[:rounds],
            conflicts=voted,
            hypotheses=with_views(
                (direction(), swing()) if hypotheses is None else hypotheses, _results_in(nodes)
            ),
            tokens=TokenRecord(read=41_200, alone=173_000, leader=2_900, raw=28_500),
        ),
    )


def found_conflicts(nodes: Sequence[NodeOutcome]) -> tuple[ConflictRecord, ...]:
    """What the specialists' results on USD/JPY contradict each other in, as the vote has it."""
    on_pair = [result for result in _results_in(nodes) if result.market == USD_JPY.market]
    return detect_conflicts(USD_JPY.market, on_pair, VotingConfig())


def _results_in(nodes: Sequence[NodeOutcome]) -> list[ResearchResult]:
    return [n.entry.result for n in nodes if isinstance(n.entry.result, ResearchResult)]


def conclusion(
    summary: str = "It is not: the pair stands at [[USD/JPY:last]], [[USD/JPY:quarter_move]] in a"
    " quarter.",
    *sections: str,
) -> Synthesis:
    """What the leader concludes."""
    written = sections or (
        "The last price is [[USD/JPY:last]]. A regression puts it at [[USD/JPY:target]].",
        "- The carry is [[USD/JPY:carry_to_volatility]] of the volatility.\n"
        "- The tone of [[USD/JPY:news_count]] stories is [[USD/JPY:news_tone]].",
    )
    return Synthesis(
        task_id="conclude",
        agent=AgentId.RESEARCH_LEADER,
        summary=summary,
        sections=tuple(
            Section(title=title, content=content)
            for title, content in zip(("Prices", "What lies behind"), written, strict=False)
        ),
    )


def direction(**changes: object) -> Hypothesis:
    """The pair stands above its last price four weeks on."""
    return Hypothesis(
        hypothesis_id="usd-jpy-direction",
        market=USD_JPY,
        kind=HypothesisKind.DIRECTION,
        leaning=Leaning.UP,
        level=Decimal("157.25"),
        level_on=DAY,
        weeks=4,
        due=AS_OF + timedelta(weeks=4),
        probability=0.61,
        statement="Four weeks on the pair stands above [[USD/JPY:last]].",
        refuted_by="A last price at [[USD/JPY:last]] or below it.",
        claims=("USD/JPY:last",),
    ).model_copy(update=changes)


def swing(**changes: object) -> Hypothesis:
    """It stays within its expected range."""
    return Hypothesis(
        hypothesis_id="usd-jpy-range",
        market=USD_JPY,
        kind=HypothesisKind.RANGE,
        level=Decimal("157.25"),
        level_on=DAY,
        low=Decimal("153.90"),
        high=Decimal("160.68"),
        weeks=4,
        due=AS_OF + timedelta(weeks=4),
        probability=0.68,
        statement="It stays from [[USD/JPY:expected_low]] to [[USD/JPY:expected_high]].",
        refuted_by="A last price outside of that.",
        claims=("USD/JPY:last", "USD/JPY:expected_low", "USD/JPY:expected_high"),
    ).model_copy(update=changes)


def on_target(**changes: object) -> Hypothesis:
    """A hypothesis that rests on the target that technical analysis gives."""
    return direction(
        hypothesis_id="usd-jpy-target",
        leaning=Leaning.DOWN,
        level=Decimal("161.40"),
        probability=0.38,
        statement="It stays below [[USD/JPY:target]].",
        refuted_by="A last price above [[USD/JPY:target]].",
        claims=("USD/JPY:target",),
        **changes,
    )


def _round(
    number: int, figures: dict[str, tuple[AgentId, str, dict[Metric, str]]], rounds: int
) -> SwarmRound:
    market = USD_JPY if number == 1 else NVDA
    plan = SwarmPlan(
        task_id=f"plan_{number}",
        complexity=Complexity.COMPLEX if number == 1 else Complexity.SIMPLE,
        strategy="Prices first, then what lies behind them, each by whoever knows it best.",
        subagents=tuple(
            SubagentSpec(
                name=name,
                agent=agent,
                task=SPECIALIST_TASKS[agent],
                market=market,
                objective=f"Say what {tool.replace('_', ' ')} tells of {market.market}.",
                output_format="Findings, each with its claims, and a confidence.",
                boundaries="Leave to the others what is theirs.",
                tools=(ToolName(server="analysis", tool=tool),),
            )
            for name, (agent, tool, _) in figures.items()
        ),
    )
    last = number == rounds
    return SwarmRound(
        number=number,
        objective=OBJECTIVE if number == 1 else FURTHER,
        plan=plan,
        recalled=("swarm-ffff/findings/1",) if number == 1 else (),
        refined=None
        if last
        else Refinement(objective=FURTHER, reason="Nobody looked at risk outside of currencies."),
        stopped="nothing is open that another round could answer" if last else None,
    )


def _nodes(
    each: SwarmRound,
    figures: dict[str, tuple[AgentId, str, dict[Metric, str]]],
    failed: Sequence[str],
    concluded: Synthesis | None,
) -> list[NodeOutcome]:
    leader = AgentId.RESEARCH_LEADER
    begun = outcome(plan_node(each.number), each.plan, agent=leader, task=TaskType.PLAN_SWARM)
    ended = outcome(
        conclusion_node(each.number),
        concluded or (conclusion() if each.number == 1 else conclusion(CONCLUDED)),
        agent=leader,
        task=TaskType.CONCLUDE_SWARM,
    )
    work = [
        _specialist(spec, each.number, figures[spec.name], lost=spec.name in failed)
        for spec in each.plan.subagents
    ]
    return [begun, *work, ended]


def _specialist(
    spec: SubagentSpec, number: int, read: tuple[AgentId, str, dict[Metric, str]], *, lost: bool
) -> NodeOutcome:
    name = node_name(spec.name, number)
    agent, tool, figures = read
    if lost:
        return outcome(name, None, agent=agent, task=spec.task, error="the server was down",
                       dead_letter=f"{RUN}/reassign/{name}")  # fmt: skip
    evidence = measured(name, tool, spec.market.market, figures)
    claims = analysis_claims(Analysis.model_validate(evidence.content), evidence.evidence_id)
    leaning = Leaning.DOWN if spec.name == "pattern" else Leaning.UP
    result = ResearchResult(
        version=BUILTIN_VERSION,
        result_id=f"{name}/result",
        task_id=name,
        agent=agent,
        market=spec.market.market,
        claims=claims,
        views=(view(spec.market.market, ViewKind.DIRECTION, leaning, claims[0].claim_id,
                    confidence=_sure(spec.name)),),
        sources=(source_of_answer(evidence, None),),
        findings=tuple(_findings(spec.name, claims)),
        missing=("there is no news of the company offline",) if spec.name == "sentiment" else (),
        confidence=_sure(spec.name),
    )  # fmt: skip
    return outcome(name, result, evidence, agent=agent, task=spec.task)


def _findings(name: str, claims: Sequence[Claim]) -> list[Finding]:
    return [
        Finding(
            topic=each.metric.replace("_", " "),
            statement=SAID[each.metric].format(f"[[{each.claim_id}]]"),
            confidence=_sure(name),
            claims=(each.claim_id,),
        )
        for each in claims
        if each.metric in SAID
    ]


def _sure(name: str) -> float:
    return {"pattern": 0.45, "sentiment": 0.4}.get(name, 0.65)


def measured(node: str, tool: str, symbol: str, figures: dict[Metric, str]) -> ToolResult:
    """What a tool of the swarm answers."""
    answer = Analysis(
        as_of=AS_OF,
        source=ECB if "/" in symbol else PACKAGE,
        symbol=symbol,
        method="as its documentation says",
        figures=tuple(
            MeasuredFigure(metric=metric, value=Decimal(value), as_of=DAY)
            for metric, value in figures.items()
        ),
    )
    asked = ToolCall(
        call_id=f"{node}/{tool}", server="analysis", tool=tool, arguments={"symbol": symbol}
    )
    return answered(asked, answer)
