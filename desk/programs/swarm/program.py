"""The program that researches an objective with a leader and its specialists: its tasks and their
agents."""

from typing import Final

from desk.agents.capabilities import NEWS, RATES
from desk.agents.program import AgentProfile, Program, TaskKind
from desk.agents.speciality import Clause, Speciality
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.findings.claims import Metric
from desk.contracts.names import AgentId, Queue

_CONDITIONS = (
    Capability.MARKET_DATA,
    Capability.SECTORS,
    Capability.STANDING,
    Capability.CO_MOVEMENT,
    Capability.PEG_BAND,
    Capability.WEB_SEARCH,
)
TECHNICALS = (
    Capability.MARKET_DATA,
    Capability.PRICE_HISTORY,
    Capability.INDICATORS,
    Capability.CHART_PATTERNS,
)
COMPANY = (
    Capability.FUNDAMENTALS,
    Capability.RATIOS,
    Capability.EARNINGS,
    Capability.QUARTERS,
)
OPINION = (
    Capability.NEWS_DIGEST,
    Capability.SENTIMENT,
    Capability.MENTIONS,
    Capability.RATINGS,
    Capability.WEB_SEARCH,
)
_RECURRENCE = (
    Capability.PRICE_HISTORY,
    Capability.PATTERN_MINING,
    Capability.SEASONALITY,
    Capability.STANDING,
)

_LIMITS = AgentLimits(max_turns=24)

RESERVE: Final = AgentProfile(
    agent=AgentId.RESERVE_SPECIALIST,
    title="Reserve specialist, for whoever could not",
    short="RE",
    capabilities=tuple(
        dict.fromkeys(
            (
                *(*_CONDITIONS, *TECHNICALS, *RATES, Capability.DECISION_RECORD),
                *(*COMPANY, *OPINION, *NEWS, *_RECURRENCE),
            )
        )
    ),
    limits=_LIMITS,
)


def specialist(
    agent: AgentId, title: str, short: str, capabilities: tuple[Capability, ...]
) -> AgentProfile:
    """A specialist; the reserve takes over what it could not do."""
    return AgentProfile(
        agent=agent,
        title=title,
        short=short,
        capabilities=capabilities,
        fallback=RESERVE.agent,
        limits=_LIMITS,
    )


_LEADER = AgentProfile(
    agent=AgentId.RESEARCH_LEADER,
    title="Research leader",
    short="LE",
    queue=Queue.DESK,
    capabilities=(Capability.SYMBOLS,),
)

_SPECIALISTS: Final = (
    TaskKind(
        task=TaskType.RESEARCH_CONDITIONS,
        agent=specialist(AgentId.MARKET_SPECIALIST, "Market specialist", "MA", _CONDITIONS + RATES),
        delivers="research",
        analyst="desk.programs.swarm.builtin.market:take_turn",
        model="desk.programs.swarm.claude.research:CONDITIONS",
        on_market=True,
        speciality=Speciality(
            name="market",
            title="what the market did",
            voice="the market's own move",
            field="the market's own move and its group",
            looks_at=(
                "how far the price has moved over the week, the month, the quarter and the year,"
                " how wide it swings, where it stands in its range, and how its group has done"
            ),
            asks=(
                Capability.MARKET_DATA,
                Capability.SECTORS,
                Capability.STANDING,
                Capability.WEB_SEARCH,
            ),
            of_pairs=(Capability.POLICY_RATE, Capability.PEG_BAND),
            reach=0.8,
            asked_as="market conditions",
            clauses=(
                Clause(Metric.QUARTER_MOVE, ((Metric.QUARTER_MOVE, "{} on the quarter"),)),
                Clause(Metric.MONTH_MOVE, ((Metric.MONTH_MOVE, "{} on the month"),)),
            ),
        ),
    ),
    TaskKind(
        task=TaskType.ANALYSE_TECHNICALS,
        agent=specialist(
            AgentId.TECHNICAL_SPECIALIST,
            "Technical specialist",
            "TE",
            (*TECHNICALS, Capability.STANDING),
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.technical:take_turn",
        model="desk.programs.swarm.claude.research:TECHNICALS",
        on_market=True,
        speciality=Speciality(
            name="technical",
            title="technicals",
            voice="the technicals",
            field="indicators and chart patterns",
            looks_at=(
                "what momentum, trend and volatility indicators say, where the price stands against"
                " its averages, and which chart patterns it has formed"
            ),
            asks=(
                Capability.MARKET_DATA,
                Capability.PRICE_HISTORY,
                Capability.INDICATORS,
                Capability.STANDING,
            ),
            of_stocks=(Capability.CHART_PATTERNS,),
            reach=0.75,
            asked_as="technicals",
            clauses=(
                Clause(
                    Metric.LAST,
                    (
                        (Metric.LAST, "a price of {}"),
                        (Metric.SMA_200, "against a long average of {}"),
                    ),
                    Metric.SMA_200,
                ),
                Clause(
                    Metric.MACD_HISTOGRAM,
                    ((Metric.MACD_HISTOGRAM, "a MACD histogram of {} of the price"),),
                ),
            ),
        ),
    ),
    TaskKind(
        task=TaskType.ANALYSE_FUNDAMENTALS,
        agent=specialist(
            AgentId.FUNDAMENTAL_SPECIALIST,
            "Fundamental specialist",
            "FU",
            (Capability.MARKET_DATA, *RATES, Capability.DECISION_RECORD, *COMPANY),
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.fundamental:take_turn",
        model="desk.programs.swarm.claude.research:FUNDAMENTALS",
        on_market=True,
        speciality=Speciality(
            name="fundamental",
            title="fundamentals",
            voice="the fundamentals",
            field="policy rates and carry",
            looks_at=(
                "what holding the pair pays: both policy rates, their differential, what the"
                " banks have decided and when they decide next, and the carry for its risk"
            ),
            company_field="valuation and earnings",
            company_looks_at=(
                "what the company is worth: its accounts, its valuation, its earnings and how they"
                " compare with what was expected"
            ),
            asks=(Capability.RATIOS,),
            of_pairs=(*RATES, Capability.DECISION_RECORD),
            of_stocks=(
                Capability.MARKET_DATA,
                Capability.FUNDAMENTALS,
                Capability.EARNINGS,
                Capability.QUARTERS,
            ),
            reach=0.85,
            asked_as="fundamentals",
            clauses=(
                Clause(
                    Metric.DIFFERENTIAL,
                    (
                        (Metric.DIFFERENTIAL, "a rate differential of {}"),
                        (Metric.CARRY_TO_VOLATILITY, "{} of the volatility"),
                    ),
                ),
                Clause(Metric.REVENUE_GROWTH, ((Metric.REVENUE_GROWTH, "revenue {} on the year"),)),
            ),
        ),
    ),
    TaskKind(
        task=TaskType.GAUGE_SENTIMENT,
        agent=specialist(
            AgentId.SENTIMENT_SPECIALIST, "Sentiment specialist", "SN", OPINION + NEWS
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.sentiment:take_turn",
        model="desk.programs.swarm.claude.research:SENTIMENT",
        on_market=True,
        speciality=Speciality(
            name="sentiment",
            title="news and sentiment",
            voice="the news",
            field="news and its tone",
            looks_at="what has been reported, how much of it there is, and how it sounds",
            asks=OPINION,
            reach=0.65,
            asked_as="sentiment",
            clauses=(
                Clause(
                    Metric.NEWS_TONE,
                    ((Metric.NEWS_TONE, "a tone of {}"), (Metric.NEWS_COUNT, "stories: {}")),
                ),
            ),
        ),
    ),
    TaskKind(
        task=TaskType.MINE_PATTERNS,
        agent=specialist(
            AgentId.PATTERN_SPECIALIST,
            "Pattern specialist",
            "PA",
            (Capability.MARKET_DATA, *_RECURRENCE),
        ),
        delivers="research",
        analyst="desk.programs.swarm.builtin.pattern:take_turn",
        model="desk.programs.swarm.claude.research:PATTERNS",
        on_market=True,
        speciality=Speciality(
            name="pattern",
            title="patterns and seasonality",
            voice="the patterns of the past",
            field="what followed in the past",
            looks_at=(
                "what followed when the price behaved as it does now, whether the season has a"
                " pattern that stands up to testing, and whether the last moves are out of the"
                " ordinary"
            ),
            asks=(
                Capability.MARKET_DATA,
                Capability.PRICE_HISTORY,
                Capability.PATTERN_MINING,
                Capability.SEASONALITY,
                Capability.STANDING,
            ),
            reach=0.7,
            asked_as="patterns",
            clauses=(
                Clause(
                    Metric.ANALOGUE_MOVE,
                    (
                        (Metric.ANALOGUE_MOVE, "{} after similar stretches"),
                        (Metric.ANALOGUE_HIT_RATE, "a rise in {} of the cases"),
                    ),
                ),
                Clause(Metric.SEASONAL_MOVE, ((Metric.SEASONAL_MOVE, "{} in the coming month"),)),
            ),
        ),
    ),
)

PROGRAM: Final = Program(
    name="swarm",
    workflows=(
        "workflows.swarm.swarm:ResearchSwarmWorkflow",
        "workflows.swarm.specialists:SpecialistWorkflow",
        "workflows.swarm.hypothesis:HypothesisWorkflow",
    ),
    document="desk.programs.swarm.document:PART",
    tasks=(
        TaskKind(
            task=TaskType.PLAN_SWARM,
            agent=_LEADER,
            delivers="swarm_plan",
            analyst="desk.programs.swarm.builtin.leader:plan",
            model="desk.programs.swarm.claude.plan:TASK",
        ),
        *_SPECIALISTS,
        TaskKind(
            task=TaskType.CONCLUDE_SWARM,
            agent=_LEADER,
            delivers="synthesis",
            analyst="desk.programs.swarm.builtin.leader:conclude",
            model="desk.programs.swarm.claude.conclusion:TASK",
            is_fact_checked=True,
        ),
    ),
    stand_ins=(RESERVE,),
)
