"""The leader of a swarm: its plan from what it is asked, its conclusion from what was found."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from desk.analytics.names.markets import pair_by_name
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import ToolStatus
from desk.contracts.episode.analysis import Analysis, KnownSymbol, KnownSymbols
from desk.contracts.findings.results import ConflictRecord, DecidedBy, Leaning, ResearchResult
from desk.contracts.learning.memory import MemoryEntry, MemoryKind, Recalled
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId, FailureType
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import Exchange, StateEntry, TurnRequest
from desk.contracts.swarm.hypotheses import HypothesisKind
from desk.contracts.swarm.plan import Complexity, SwarmPlan
from desk.programs.swarm.balance import balance_of, is_on_views
from desk.programs.swarm.builtin.leader import decision_words, leaning_words
from desk.programs.swarm.objectives import FORMS, FormMatch, offered
from desk.programs.swarm.objectives.answering import currency_asked_about
from desk.programs.swarm.run.graph import node_name
from desk.programs.swarm.tasks import SPECIALISTS
from desk.programs.turns import builtin_turn
from desk.trust.conflicts.detection import detect_conflicts
from desk.trust.conflicts.voting import decide
from desk.trust.prose.prose_review import review
from desk.trust.prose.references import references, render
from desk.trust.prose.synthesis_review import claims_in
from tests.support.builders import answered, failed, window
from tests.unit.programs.swarm.test_swarm_hypotheses import balance
from tests.unit.trust.prose.test_swarm_specialists import (
    ALL,
    COMPUTED,
    CONDITIONS,
    MOOD,
    WEEK,
    YEN,
    analysis,
    called,
    research,
)

PLAN, CONCLUDE = TaskType.PLAN_SWARM, TaskType.CONCLUDE_SWARM
SYMBOLS = called("swarm/plan", Capability.SYMBOLS)
OBJECTIVE = "What would tariffs do to the yen?"
ASPECTS = "what do the trend and the unusual move of USD/JPY last week make of tariffs?"
MEASURED = "Here is what was measured: "
DOLLAR_YEN = KnownSymbol(symbol="USD/JPY", kind=MarketKind.PAIR, name="US dollar in yen")
EURO_YEN = KnownSymbol(symbol="EUR/JPY", kind=MarketKind.PAIR, name="euro in yen")
ENDED = date(2026, 9, 30)
NVIDIA = KnownSymbol(symbol="NVDA", kind=MarketKind.STOCK, name="NVIDIA")


def symbols(*named: KnownSymbol, nearest: Sequence[KnownSymbol] = ()) -> KnownSymbols:
    return KnownSymbols(
        as_of=window(WEEK).end,
        source=COMPUTED,
        query=OBJECTIVE,
        named=named,
        nearest=tuple(nearest),
    )


def led(task: TaskType, objective: str = OBJECTIVE, **shown: object) -> TurnRequest:
    return TurnRequest.model_validate(
        {
            "assignment": TaskAssignment(
                task_id=f"swarm/{task}",
                task_type=task,
                agent=AgentId.RESEARCH_LEADER,
                week=WEEK,
                window=window(WEEK),
                deadline=window(WEEK).end,
                query=Query(question=objective),
            ),
            **shown,
        }
    )


def planned(found: KnownSymbols, objective: str = OBJECTIVE, **shown: object) -> SwarmPlan:
    exchanges = (Exchange(results=(answered(SYMBOLS, found),)),)
    turn = builtin_turn(led(PLAN, objective, exchanges=exchanges, **shown))
    assert isinstance(turn.result, SwarmPlan), turn.failure
    return turn.result


def state_of(
    plan: SwarmPlan, *, without: Sequence[str] = (), failed_nodes: Sequence[str] = ()
) -> tuple[StateEntry, ...]:
    """A round as its specialists brought it, each what its tools answer by hand."""
    entries = [StateEntry(key="plan_1", node="plan_1", result=plan)]
    for each in plan.subagents:
        if each.name in failed_nodes:
            entries.append(StateEntry(key=each.name, node=each.name, error="the server is down"))
        elif each.name not in without:
            result = research(each.task, ALL[each.task])
            entries.append(StateEntry(key=each.name, node=each.name, result=result))
    return tuple(entries)


def conflicts_in(state: Sequence[StateEntry]) -> tuple[ConflictRecord, ...]:
    results = [entry.result for entry in state if isinstance(entry.result, ResearchResult)]
    return detect_conflicts("USD/JPY", results, VotingConfig())


def concluded(
    state: Sequence[StateEntry], objective: str = OBJECTIVE, **shown: object
) -> Synthesis:
    given = {"conflicts": conflicts_in(state), "state": tuple(state), **shown}
    turn = builtin_turn(led(CONCLUDE, objective, **given))
    assert isinstance(turn.result, Synthesis), turn.failure
    assert not review(turn.result, state=state)
    return turn.result


def printed(synthesis: Synthesis, state: Sequence[StateEntry]) -> str:
    claims = claims_in(state, conflicts_in(state))
    sections = [f"## {s.title}\n{s.content}" for s in synthesis.sections]
    return render("\n\n".join((synthesis.summary, *sections)), claims)


def yen_round(
    objective: str = OBJECTIVE, complexity: Complexity = Complexity.COMPLEX, **kept: object
) -> tuple[StateEntry, ...]:
    plan = planned(symbols(DOLLAR_YEN), objective, markets=(YEN,), complexity=complexity)
    return state_of(plan, **kept)  # type: ignore[arg-type]


def decided_for(leaning: Leaning, state: Sequence[StateEntry]) -> tuple[ConflictRecord, ...]:
    """The conflicts of a state, that on the direction decided by a person."""
    return tuple(
        decide(
            conflict,
            next(n for n, p in enumerate(conflict.positions) if p.stated == leaning),
            DecidedBy.PERSON,
            "Ada",
        )
        if is_on_views(conflict)
        else conflict
        for conflict in conflicts_in(state)
    )


def memory(text: str, *, market: str = "USD/JPY", name: str = "swarm-1/findings/1") -> Recalled:
    return Recalled(
        score=0.8,
        entry=MemoryEntry(
            memory_id=name,
            kind=MemoryKind.FINDINGS,
            objective="the yen",
            markets=(market,),
            as_of=window(WEEK).end - timedelta(days=40),
            text=text,
            workflow_id="swarm-1",
        ),
    )


def test_the_leader_asks_first_which_markets_the_objective_names() -> None:
    (call,) = builtin_turn(led(PLAN)).calls
    assert (call.capability, call.tool) == (Capability.SYMBOLS, "find_symbols")
    assert call.arguments == {"query": OBJECTIVE}


def test_a_market_of_the_desk_is_planned_as_the_desk_describes_it() -> None:
    (spec,) = {
        s.market.market: s.market for s in planned(symbols(DOLLAR_YEN), markets=(YEN,)).subagents
    }.values()
    assert spec == YEN


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (
            EURO_YEN,
            MarketSpec(market="EUR/JPY", kind="pair", group="G10", areas=("XM", "JP"), digits=2),
        ),
        (NVIDIA, MarketSpec(market="NVDA", kind="stock", group="Stocks", digits=2)),
        (
            KnownSymbol(symbol="EUR/SGD", kind=MarketKind.PAIR, name="euro in Singapore dollars"),
            MarketSpec(market="EUR/SGD", kind="pair", group="Asia", areas=("XM", "SG"), digits=4),
        ),
        (
            KnownSymbol(symbol="EUR/HUF", kind=MarketKind.PAIR, name="euro in forint"),
            MarketSpec(market="EUR/HUF", kind="pair", group="G10", areas=(), digits=2),
        ),
    ],
)
def test_other_markets_are_described_by_their_names(
    symbol: KnownSymbol, expected: MarketSpec
) -> None:
    plan = planned(symbols(symbol), markets=(YEN,))
    assert {subagent.market for subagent in plan.subagents} == {expected}


def test_an_objective_without_a_market_is_an_error_that_names_the_nearest() -> None:
    found = symbols(nearest=(NVIDIA, DOLLAR_YEN))
    exchanges = (Exchange(results=(answered(SYMBOLS, found),)),)
    failure = builtin_turn(led(PLAN, "what of NVIDEA?", exchanges=exchanges)).failure
    assert failure is not None
    assert failure.error_type == FailureType.UNUSABLE_REQUEST
    assert "The nearest are NVDA (NVIDIA), USD/JPY (US dollar in yen)." in failure.error_message


def test_a_plan_cannot_be_made_where_nobody_knows_the_markets() -> None:
    down = failed(SYMBOLS, ToolStatus.UNAVAILABLE, "the server is down")
    failure = builtin_turn(led(PLAN, exchanges=(Exchange(results=(down,)),))).failure
    assert failure is not None
    assert "the server is down" in failure.error_message


def test_the_plan_takes_up_what_is_remembered_of_its_markets() -> None:
    recalled = (memory("the yen"), memory("the won", market="USD/KRW", name="swarm-2/findings/1"))
    plan = planned(symbols(DOLLAR_YEN), markets=(YEN,), recalled=recalled)
    assert plan.follows == ("swarm-1/findings/1",)
    assert "Earlier research" in plan.strategy


def test_the_asker_s_complexity_goes_before_the_leader_s() -> None:
    plan = planned(symbols(DOLLAR_YEN), markets=(YEN,), complexity=Complexity.SIMPLE)
    assert plan.complexity is Complexity.SIMPLE
    assert len(plan.subagents) <= 2


def test_the_conclusion_says_where_a_market_leans_and_who_is_for_and_against() -> None:
    state = yen_round()
    synthesis = concluded(state)
    assert (
        f"{MEASURED}USD/JPY leans up over the next four weeks, by the vote of the market,"
        " technical, fundamental, sentiment and pattern specialists, who disagree. It stands at"
        " 153.20, +2.10 % on the month and +4.30 % on the quarter. What"
        " points up: the market's own move (+4.30 % on the quarter); the technicals (a price of"
        " 153.20,"
        " against a long average of 149.50); the fundamentals (a rate differential of +337.5 bp,"
        " 0.36 of the volatility). Against that: the news (a tone of -22.0, stories: 14); the"
        " patterns of the past (-0.90 % after similar stretches, a rise in 42 % of the cases)."
    ) in printed(synthesis, state).splitlines()[0]
    assert not synthesis.answered
    assert [section.title for section in synthesis.sections] == [
        "USD/JPY: what the market did",
        "USD/JPY: technicals",
        "USD/JPY: fundamentals",
        "USD/JPY: news and sentiment",
        "USD/JPY: patterns and seasonality",
    ]


def recommended(state: Sequence[StateEntry]) -> list[str]:
    told = printed(concluded(state), state).splitlines()
    assert not any("Recommendation" in line for line in told)
    return [line for line in told if line.startswith("- Judged by ") and " alone: " in line]


def neutral(entry: StateEntry) -> StateEntry:
    if not isinstance(entry.result, ResearchResult):
        return entry
    views = [v.model_copy(update={"leaning": Leaning.NEUTRAL}) for v in entry.result.views]
    return entry.model_copy(
        update={"result": entry.result.model_copy(update={"views": tuple(views)})}
    )


def test_a_recommendation_says_first_what_alone_it_rests_on_and_then_who_does_not_share_it() -> (
    None
):
    state = yen_round()
    market = "- Judged by the market's own move alone: buy USD/JPY for the next four weeks."
    against = "The other way: the news and the patterns of the past."
    assert recommended(state)[0] == f"{market} {against}"
    silent = ["technical", "fundamental", "pattern"]
    alone = [neutral(entry) if entry.node in silent else entry for entry in state]
    abstaining = "Neutral, and so abstaining: the technicals, the fundamentals and the patterns"
    assert recommended(alone) == [
        f"{market} {abstaining} of the past. The other way: the news.",
    ]
    assert recommended(yen_round(without=(*silent, "sentiment"))) == [
        f"{market} No other specialist was heard."
    ]


def test_a_side_that_is_no_hypothesis_is_told_to_be_no_likelier() -> None:
    leans = "USD/JPY leans {} over the next four weeks, {}."
    weight, person = "by the weight of the findings of", "as analyst decided between"
    three = "the market, technical and fundamental specialists"
    sided = balance((Leaning.UP, 0.8), (Leaning.DOWN, 0.6), (Leaning.UP, 0.5))
    assert leaning_words(sided) == leans.format("up", f"{weight} {three}")
    unsure = balance((Leaning.UP, 0.2), (Leaning.DOWN, 0.14))
    two = "the market and technical specialists, at little better than even odds"
    assert leaning_words(unsure) == leans.format("up", f"{weight} {two}")
    results = [voice.result for voice in sided.voices]
    (conflict,) = detect_conflicts("USD/JPY", results, VotingConfig())
    place = [position.stated for position in conflict.positions].index(Leaning.DOWN)
    overruled = decide(conflict, place, DecidedBy.PERSON, "analyst")
    decided = balance_of("USD/JPY", results, (overruled,), VotingConfig())
    assert decision_words(decided) == (
        "On the direction of USD/JPY no vote settled what the specialists say: analyst decided"
        " for down, where the weight of their views alone says up."
    )
    assert not decision_words(sided)
    told = leaning_words(decided)
    against = f"{person} {three}, who disagree, against the weight of the findings"
    assert told == leans.format("down", against)


def test_the_conclusion_holds_no_figure_but_by_reference() -> None:
    state = yen_round()
    synthesis = concluded(state)
    known = claims_in(state)
    for prose in (synthesis.summary, *(section.content for section in synthesis.sections)):
        assert set(references(prose)) <= set(known)
    assert review(synthesis, state=state) == ()


def test_what_a_person_decided_goes_before_the_balance_of_the_views() -> None:
    state = yen_round()
    synthesis = concluded(state, conflicts=decided_for(Leaning.DOWN, state))
    assert f"{MEASURED}USD/JPY leans down over the next four weeks, as Ada decided" in (
        synthesis.summary
    )
    # The weight of the views is on the other side, so that neither is taken to be likely.
    assert {each.kind for each in synthesis.hypotheses} == {HypothesisKind.RANGE}


def test_an_open_conflict_leaves_the_direction_open() -> None:
    state = yen_round()
    open_ones = tuple(
        c.model_copy(update={"resolved": False, "chosen": None, "decided_by": None})
        for c in conflicts_in(state)
    )
    synthesis = concluded(state, conflicts=open_ones)
    assert f"{MEASURED}Which way USD/JPY leans is open" in synthesis.summary
    assert [h.kind for h in synthesis.hypotheses] == [HypothesisKind.RANGE]


def test_a_figure_that_lost_the_vote_is_not_told_by_the_leader() -> None:
    state = yen_round()
    target = "USD/JPY:target"
    results = {e.result.agent: e.result for e in state if isinstance(e.result, ResearchResult)}
    technical, pattern = (
        results[agent] for agent in (AgentId.TECHNICAL_SPECIALIST, AgentId.PATTERN_SPECIALIST)
    )
    assert target in {c.claim_id for c in technical.claims} & {c.claim_id for c in pattern.claims}
    text = printed(concluded(state), state)
    assert "would lead to 151.80" in text
    assert "ends at" not in text


def test_what_earlier_research_said_is_told_in_words_alone() -> None:
    state = yen_round()
    recalled = (memory("USD/JPY leaned up. It stood at 151.2. See www.example.com. Carry paid."),)
    (section,) = (
        s
        for s in concluded(state, recalled=recalled).sections
        if s.title == "What earlier research said"
    )
    assert section.content == (
        "- Findings on USD/JPY, some weeks before: USD/JPY leaned up. Carry paid."
    )


def test_what_failed_is_said_once_and_why_is_left_to_the_answer() -> None:
    state = yen_round(failed_nodes=("fundamental",))
    synthesis = concluded(state)
    assert synthesis.summary.endswith("There is no data on the fundamentals of USD/JPY.")
    assert not any("fundamentals" in line for line in synthesis.missing)


def test_nothing_is_concluded_from_nothing() -> None:
    plan = planned(symbols(DOLLAR_YEN), markets=(YEN,))
    state = state_of(plan, failed_nodes=[each.name for each in plan.subagents])
    dated = state[1].model_copy(update={"error": "its prices end on 13 Mar 2020"})
    synthesis = concluded((state[0], dated, *state[2:]))
    assert not synthesis.answered
    assert (synthesis.hypotheses, synthesis.sections) == ((), ())


def test_a_disputed_direction_calls_for_those_who_were_not_asked() -> None:
    state = yen_round(ASPECTS, Complexity.MODERATE)
    asked = [entry.node for entry in state]
    assert asked == ["plan_1", "technical", "pattern", "market"]
    further = concluded(state).further
    assert further is not None
    assert further.reason == "The specialists do not agree on the direction of USD/JPY."
    assert set(further.agents) == {
        AgentId.FUNDAMENTAL_SPECIALIST,
        AgentId.SENTIMENT_SPECIALIST,
    }


def test_the_second_round_asks_only_what_the_refinement_asks_for() -> None:
    state = yen_round(ASPECTS, Complexity.MODERATE)
    further = concluded(state).further
    assert further is not None
    state = (*state, StateEntry(key="conclude_1", node="conclude_1", result=concluded(state)))
    plan = planned(symbols(DOLLAR_YEN), further.objective, markets=(YEN,), state=state)
    assert {each.agent for each in plan.subagents} == {
        AgentId.FUNDAMENTAL_SPECIALIST,
        AgentId.SENTIMENT_SPECIALIST,
    }
    assert plan.complexity is Complexity.SIMPLE


def test_a_swarm_has_no_third_round() -> None:
    state = yen_round(ASPECTS, Complexity.MODERATE)
    (plan,) = (e.result for e in state if isinstance(e.result, SwarmPlan))
    again = (*state, StateEntry(key="plan_2", node="plan_2", result=plan))
    assert concluded(again).further is None


def test_what_a_later_round_brought_is_no_longer_missing() -> None:
    state = yen_round(failed_nodes=("sentiment",))
    lacking = "There is no data on the news of USD/JPY."
    assert lacking in concluded(state).summary
    (plan,) = (e.result for e in state if isinstance(e.result, SwarmPlan))
    node = node_name("sentiment", 2)
    result = research(TaskType.GAUGE_SENTIMENT, MOOD)
    again = (
        *state,
        StateEntry(key="plan_2", node="plan_2", result=plan),
        StateEntry(key=node, node=node, result=result),
    )
    assert lacking not in concluded(again).summary


def test_where_everybody_has_spoken_nobody_is_asked_again() -> None:
    assert concluded(yen_round()).further is None


def test_a_round_in_which_most_fail_is_followed_by_another() -> None:
    state = yen_round(failed_nodes=("market", "technical", "sentiment"))
    further = concluded(state).further
    assert further is not None
    assert further.reason == "Most of the specialists have brought no figure."
    assert set(further.agents) == {
        AgentId.MARKET_SPECIALIST,
        AgentId.TECHNICAL_SPECIALIST,
        AgentId.SENTIMENT_SPECIALIST,
    }


def test_where_most_found_nothing_others_are_asked_and_not_the_same_again() -> None:
    state = yen_round("what do tariffs mean for the inflation behind USD/JPY?", Complexity.SIMPLE)
    empty = {Capability.RATIOS: analysis({}, missing=("no accounts",))}
    nothing = research(TaskType.ANALYSE_FUNDAMENTALS, empty)
    asked = [state[0], *(e.model_copy(update={"result": nothing}) for e in state[1:])]
    further = concluded(asked).further
    assert further is not None
    # Which of the five come first follows from what the objective is nearest to.
    first = {AgentId(f"{entry.node}_specialist") for entry in state[1:]}
    assert len(first) == 2
    assert set(further.agents) == {*SPECIALISTS} - first


def test_what_the_reserve_brought_is_told_as_the_work_it_took_over() -> None:
    plan = planned(symbols(DOLLAR_YEN), "USD/JPY?", complexity=Complexity.COMPLEX, markets=(YEN,))
    only = next(each for each in plan.subagents if each.agent is AgentId.SENTIMENT_SPECIALIST)
    result = research(TaskType.GAUGE_SENTIMENT, MOOD, agent=AgentId.RESERVE_SPECIALIST)
    state = (
        StateEntry(key="plan_1", node="plan_1", result=plan),
        StateEntry(key=only.name, node=only.name, result=result),
    )
    synthesis = concluded(state)
    assert synthesis.sections[0].title == "USD/JPY: news and sentiment"
    assert "the news" in synthesis.summary


def test_the_same_findings_always_lead_to_the_same_conclusion() -> None:
    state = yen_round()
    assert concluded(state) == concluded(state)


def test_a_currency_without_prices_is_told_before_the_answer() -> None:
    objective = "Will the yen or the Argentine peso fall further?"
    made = concluded(yen_round(objective), objective)
    assert made.summary.startswith(
        "The desk has no market for the Argentine peso: nothing was measured of it."
    )


def test_an_objective_of_a_currency_without_prices_alone_says_which_it_is() -> None:
    found = symbols()
    exchanges = (Exchange(results=(answered(SYMBOLS, found),)),)
    turn = builtin_turn(led(PLAN, "Is the Egyptian pound overbought?", exchanges=exchanges))
    assert turn.failure is not None
    assert turn.failure.error_message.startswith("The desk has no market for the Egyptian pound")


def test_each_market_is_held_to_the_side_of_its_own_currency() -> None:
    objective = "Are the yen and the real overbought?"
    sides = [currency_asked_about(objective, pair) for pair in ("USD/JPY", "USD/BRL", "EUR/USD")]
    assert sides == ["JPY", "BRL", None]
    assert currency_asked_about("Is USD/JPY overbought?", "USD/JPY") is None
    assert currency_asked_about("Is Korea's currency weak?", "USD/KRW") == "KRW"


@pytest.mark.parametrize(
    ("objective", "form"),
    [("What of the loonie?", "uptrend"), ("What of USD/CAD?", "downtrend")],
)
def test_the_nearest_forms_are_offered_on_the_side_of_the_pair_that_is_meant(
    objective: str, form: str
) -> None:
    match = FormMatch(None, taken=True, nearest=(FORMS["downtrend"],))
    told = offered(match, (pair_by_name("USD/CAD"),), objective, {})
    assert f"`desk swarm USD/CAD --about {form}` answers:" in told


def test_prices_that_end_before_the_instant_are_told_first_with_what_to_do() -> None:
    plan = planned(symbols(DOLLAR_YEN))
    ended = analysis({}, missing=("its prices end.",)).model_copy(update={"ends_on": ENDED})
    given = {c: ended if isinstance(a, Analysis) else a for c, a in CONDITIONS.items()}
    found = research(TaskType.RESEARCH_CONDITIONS, given)
    assert found.ends_on == ENDED
    node = plan.subagents[0].name
    entries = [StateEntry(key="plan_1", node="plan_1", result=plan)]
    for result in (found, found.model_copy(update={"claims": (), "views": ()})):
        made = concluded([*entries, StateEntry(key=node, node=node, result=result)])
        assert made.summary.startswith("No prices of USD/JPY are here for the instant")
        assert "`--as-of` with that day answers as of then" in made.summary
