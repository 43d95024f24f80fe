"""The leader of a swarm: the plan of a round, and the conclusion from its findings."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.agents.roster import profile_of
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.currencies import QUOTING_ORDER
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import AREAS, market_in_a_sentence, market_of_symbol
from desk.analytics.names.mentions import (
    currency_mentions,
    mention_parameters,
    no_market_sentence,
    shared_name_sentences,
)
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import subjects_asked
from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.analysis import KnownSymbol, KnownSymbols
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import (
    AgentError,
    ConflictRecord,
    DecidedBy,
    Leaning,
    ResearchResult,
    ViewKind,
)
from desk.contracts.learning.memory import Recalled
from desk.contracts.markets import AreaCode, MarketSpec
from desk.contracts.names import AgentId, FailureType
from desk.contracts.question.knowledge import Section, Synthesis, YesOrNo
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import Refinement, SwarmPlan
from desk.programs.builtin.evidence import Evidence, TaskNotPossible, ask, read
from desk.programs.question.builtin.asking import query_of
from desk.programs.swarm.balance import CLOSE, Balance, leaning_of
from desk.programs.swarm.builtin.delivery import SIGNALS
from desk.programs.swarm.builtin.plan import Ground, plan_swarm
from desk.programs.swarm.conclusion.account import Account, account_of, voice_with_evidence
from desk.programs.swarm.conclusion.recollection import memory_lines
from desk.programs.swarm.conclusion.scenarios import scenarios_of
from desk.programs.swarm.conclusion.wording import (
    joined,
    line_on_missing,
    nearest_symbols_words,
    phrases,
    plain,
    sentence,
    within,
)
from desk.programs.swarm.findings import delivered_on, planned_as
from desk.programs.swarm.hypotheses import EVEN_ODDS, hypotheses_on, is_likely, probability_of
from desk.programs.swarm.objectives import (
    FormMatch,
    ObjectiveForm,
    answer_by,
    chosen_form_words,
    form_of,
    instead_of,
    offered,
    reports_leanings,
)
from desk.programs.swarm.objectives.matching import AS_OF
from desk.programs.swarm.tasks import BEHIND, SPECIALISTS, SPECIALITIES, asked_now, first_asked
from desk.trust.prose import LONGEST_TEXT, clip

ENOUGH: Final = 0.5
"""The share of the specialists that must have delivered for a round to be enough."""

MOST_SECTIONS: Final = 20

LONGEST_SECTION: Final = 20_000

MOST_MISSING: Final = 40

PRICES_ENDED: Final = (
    "the instant that is asked about: what is missing says on which day they end. `--as-of` with"
    " that day answers as of then; `desk refresh` fetches newer ones, which needs a network."
)

NOTHING: Final = "No specialist delivered a figure, so the question stays open."

_OPPOSITE: Final = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}

_WAYS: Final = {Leaning.UP: "up", Leaning.DOWN: "down"}

_ASKED: Final = frozenset({DecidedBy.PERSON, DecidedBy.DEFAULT})
"""Who can settle a conflict that a person was asked to decide."""

_SPANS_OF_A_LEAD: Final = (
    (Metric.MONTH_MOVE, "on the month"),
    (Metric.QUARTER_MOVE, "on the quarter"),
)


_OF_A_BANK: Final = (
    (Metric.POLICY_RATE, "its policy rate is {}"),
    (Metric.NEXT_DECISION, "it decides next on {}"),
)


def refinement(state: Sequence[StateEntry], balances: Mapping[str, Balance]) -> Refinement | None:
    """Returns the objective of another round; None if none is needed."""
    plans = [entry.result for entry in state if isinstance(entry.result, SwarmPlan)]
    if len(plans) != 1:
        return None
    return _undelivered(plans[0], state) or _unsettled(state, balances)


def delivered(state: Iterable[StateEntry]) -> bool:
    """Returns whether any specialist delivered a figure."""
    return any(isinstance(e.result, ResearchResult) and e.result.claims for e in state)


def conclusion(request: TurnRequest) -> Synthesis:
    """Answers the objective from the findings and the decided conflicts, with the leader's
    hypotheses, and the question for another round.

    It only counts as answered if the form of the objective is known and its figures reach what is
    asked.
    """
    account = account_of(request)
    assignment = request.assignment
    hypotheses = hypotheses_on(
        account.markets, account.balances, account.surviving, assignment.window.end
    )
    told = (
        _answer_of_form(account, hypotheses)
        if delivered(request.state)
        else _answer_without_figures(account)
    )
    return Synthesis(
        task_id=assignment.task_id,
        agent=assignment.agent,
        summary=clip(told.summary, LONGEST_TEXT),
        sections=tuple(_sections(account))[:MOST_SECTIONS],
        answered=told.answered,
        decided=told.decided,
        missing=tuple(dict.fromkeys(_missing(account)))[:MOST_MISSING],
        hypotheses=hypotheses,
        further=_further(account),
    )


class _Answer(NamedTuple):
    """A summary, whether it answers the objective, and its yes or no."""

    summary: str
    answered: bool = False
    decided: YesOrNo | None = None


def _answer_without_figures(account: Account) -> _Answer:
    """Returns the answer if no specialist delivered a figure: it names the figures that the form of
    the objective needs, if the form is known."""
    form = form_of(query_of(account.request)).form
    ended = _ended(account)
    if form is None or not account.markets:
        return _Answer(joined((ended, NOTHING)))
    first = answer_by(form, account, {}).first
    nobody = "No specialist delivered a figure."
    return _Answer(joined((ended, first, nobody)), decided=YesOrNo.OPEN)


def _ended(account: Account) -> str:
    """Says for which markets the prices end too early, and what to do. The days are listed with
    what is missing, because an answer holds no digits without a claim."""
    ended = {result.market for _, result in account.found if result.ends_on is not None}
    markets = [
        market_in_a_sentence(each.market) for each in account.markets if each.market in ended
    ]
    if not markets:
        return ""
    return f"No prices of {listed(markets)} are here for {PRICES_ENDED}"


def leaning_words(balance: Balance) -> str:
    """Describes a market's direction, what it rests on, and why, if the leader has no hypothesis on
    it."""
    name, decided = market_in_a_sentence(balance.market), balance.conflict
    if not balance.voices:
        return f"On {name} nobody brought a view."
    if decided is not None and not decided.resolved:
        return f"Which way {name} leans is open: the specialists disagree, and nobody has decided."
    way = _WAYS.get(balance.leaning)
    if way is None:
        return f"{name} leans neither way over the next four weeks, {_by(balance)}."
    return f"{name} leans {way} over the next four weeks, {_by(balance)}{_unlikely(balance)}."


def _undelivered(plan: SwarmPlan, state: Sequence[StateEntry]) -> Refinement | None:
    heard = delivered_on(state)
    asked = {(each.agent, each.market.market) for each in plan.subagents}
    if len(asked & heard) >= ENOUGH * len(asked):
        return None
    failed = {
        (spec.agent, spec.market.market)
        for node, spec in planned_as(state).items()
        if any(entry.node == node and entry.error for entry in state)
    }
    unasked = {(agent, market) for _, market in asked for agent in SPECIALISTS} - asked
    wanted = failed or unasked
    if not wanted:
        return None
    markets = _in_order(market for _, market in wanted)
    return Refinement(
        objective=(
            f"Find out about {listed(markets)} what is missing still:"
            f" {_fields(agent for agent, _ in wanted)}."
        ),
        agents=_ordered(agent for agent, _ in wanted),
        reason="Most of the specialists have brought no figure.",
    )


def _unsettled(state: Sequence[StateEntry], balances: Mapping[str, Balance]) -> Refinement | None:
    heard = delivered_on(state)
    left = {
        name: [agent for agent in SPECIALISTS if (agent, name) not in heard]
        for name, balance in balances.items()
        if balance.conflict is not None or balance.is_close
    }
    markets = _in_order(name for name, agents in left.items() if agents)
    if not markets:
        return None
    agents = {agent for name in markets for agent in left[name]}
    return Refinement(
        objective=(
            f"Settle which way {listed(markets)} leans with what has not been looked at yet:"
            f" {_fields(agents)}."
        ),
        agents=_ordered(agents),
        reason=f"The specialists do not agree on the direction of {listed(markets)}.",
    )


def _fields(agents: Iterable[AgentId]) -> str:
    return listed([SPECIALITIES[agent].asked_as for agent in _ordered(agents)])


def _ordered(agents: Iterable[AgentId]) -> tuple[AgentId, ...]:
    wanted = set(agents)
    return tuple(agent for agent in SPECIALISTS if agent in wanted)


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _further(account: Account) -> Refinement | None:
    """Returns what another round should ask, with its question, if that can be repeated."""
    form = form_of(query_of(account.request)).form
    # A form that decides by its own figures does not depend on where a market leans.
    balances = account.balances if form is None or not reports_leanings(form) else {}
    wanted = refinement(account.request.state, balances)
    asked = plain(first_asked(query_of(account.request).question), "")
    if wanted is None or not asked:
        return wanted
    return wanted.model_copy(update={"objective": clip(f"{wanted.objective}{BEHIND}{asked}")})


def _answer_of_form(account: Account, hypotheses: Sequence[Hypothesis]) -> _Answer:
    """Answers the objective if code can decide it. Otherwise says that this needs a model, what was
    measured, and which questions code can decide instead. Then says what is missing."""
    match = form_of(query_of(account.request))
    without, shared = _named(account)
    if match.form is None:
        needs = _needs_a_model(account, match)
        return _Answer(joined((without, _ended(account), *needs, shared, _failed(account))))
    by_market = {
        each.market: tuple(h for h in hypotheses if h.market.market == each.market)
        for each in account.markets
    }
    answer = answer_by(match.form, account, by_market)
    onwards = _leanings(account) if reports_leanings(match.form) else ()
    taken = chosen_form_words(match, account) if match.taken else ""
    summary = joined(
        (
            *(without, _ended(account), answer.first, shared, *_decisions(account), taken),
            *(*answer.rest, *onwards, _failed(account)),
        )
    )
    return _Answer(summary, answer.addressed, answer.decided)


def _named(account: Account) -> tuple[str, str]:
    """Says which currencies of the objective have no prices here, and which were chosen among
    several with the same name."""
    mentions = currency_mentions(first_asked(query_of(account.request).question))
    legs = {code for each in account.markets for code in each.market.split("/")}
    told = mention_parameters(mentions, {*QUOTING_ORDER, *legs})
    shared = mention_parameters([m for m in mentions if m.code in legs], legs)
    return no_market_sentence(told), shared_name_sentences(shared)


def _needs_a_model(account: Account, match: FormMatch) -> Iterator[str]:
    subjects = subjects_asked(first_asked(query_of(account.request).question))
    banks = [s.code for s in subjects if s.kind is NamedAs.BANK]
    if banks and not any(s.kind is NamedAs.CURRENCY for s in subjects):
        names = listed(bank_in_a_sentence(AREAS[code]) for code in banks)
        yield f"What {names} will do needs a model: no form decides it."
        yield from (_on_bank(account, AREAS[code]) for code in banks)
        return
    yield "This needs a model."
    measured = [_on_market(account, market.market) for market in account.markets]
    yield f"Here is what was measured: {joined(measured)}"
    query = query_of(account.request)
    yield offered(match, account.markets, first_asked(query.question), query.parameters)


def _on_bank(account: Account, area: AreaCode) -> str:
    """Describes what was measured about a central bank, its rate and its next decision, and gives
    the command that shows its last decision."""
    name = bank_in_a_sentence(area)
    told = [
        words.format(f"[[{claim_id(area, metric)}]]")
        for metric, words in _OF_A_BANK
        if claim_id(area, metric) in account.surviving
    ]
    known = f"What is known of {name}: {'; '.join(told)}" if told else f"Nothing of {name} is known"
    given = query_of(account.request).parameters
    as_of = f" --as-of {given[AS_OF]}" if AS_OF in given else ""
    ask_it = f"`desk ask {shlex.quote(f'what did {name} decide?')}{as_of}`"
    return f"{known}. {ask_it} says what it decided last."


def _decisions(account: Account) -> Iterator[str]:
    """Describes how conflicts on directions that a vote could not settle were decided. What follows
    on a direction rests on these decisions."""
    return (decision_words(account.balances[market.market]) for market in account.markets)


def decision_words(balance: Balance) -> str:
    """Says who decided a market's direction, and whether the weight of the views agrees. Empty if
    no person was asked."""
    conflict = balance.conflict
    if conflict is None or not conflict.resolved or conflict.decided_by not in _ASKED:
        return ""
    way = _WAYS.get(balance.leaning, "neither way")
    by_weight = leaning_of(balance.net, CLOSE)
    weighed = (
        "as the weight of their views has it"
        if by_weight is balance.leaning
        else f"where the weight of their views alone says {_WAYS.get(by_weight, 'neither way')}"
    )
    market = market_in_a_sentence(balance.market)
    return (
        f"On the direction of {market} no vote settled what the specialists say:"
        f" {_who(conflict)} for {way}, {weighed}."
    )


def _who(conflict: ConflictRecord) -> str:
    if conflict.decided_by is DecidedBy.DEFAULT:
        return "nobody decided in time, and the default went"
    return f"{plain(conflict.decided_by_whom or '', 'a person')} decided"


def _leanings(account: Account) -> Iterator[str]:
    """Describes the direction of each market with a view."""
    for market in account.markets:
        balance = account.balances[market.market]
        if balance.voices:
            yield leaning_words(balance)


def _on_market(account: Account, market: str) -> str:
    """Describes a market's direction, its moves, and what speaks for and against the direction,
    with the decisive figures."""
    balance = account.balances[market]
    parts = [leaning_words(balance), _moved(account, market)]
    leads = (
        {
            balance.leaning: f"What points {_WAYS[balance.leaning]}:",
            _OPPOSITE[balance.leaning]: "Against that:",
        }
        if balance.leaning in _WAYS
        else {leaning: f"What points {way}:" for leaning, way in _WAYS.items()}
    )
    for leaning, words in leads.items():
        voices = _voices(account, balance, leaning)
        if voices:
            parts.append(f"{words} {'; '.join(voices)}.")
    return joined(parts)


def _moved(account: Account, market: str) -> str:
    moves = phrases(
        [
            (f"[[{claim_id(market, metric)}]]", over)
            for metric, over in _SPANS_OF_A_LEAD
            if account.value(market, metric) is not None
        ]
    )
    if account.value(market, Metric.LAST) is None:
        return ""
    last = f"It stands at [[{claim_id(market, Metric.LAST)}]]"
    return f"{last}, {moves}." if moves else f"{last}."


def _unlikely(balance: Balance) -> str:
    if is_likely(balance):
        return ""
    if probability_of(balance, balance.leaning) < EVEN_ODDS:
        return ", against the weight of the findings"
    return ", at little better than even odds"


def _by(balance: Balance) -> str:
    """Says what a direction rests on, with the specialists whose views count: with other
    specialists the same market may lean differently."""
    whose = _specialists(balance)
    if balance.conflict is None:
        return f"by the weight of the findings of {whose}"
    if balance.conflict.decided_by is DecidedBy.PERSON:
        who = plain(balance.conflict.decided_by_whom or "", "a person")
        return f"as {who} decided between {whose}, who disagree"
    return f"by the vote of {whose}, who disagree"


def _specialists(balance: Balance) -> str:
    heard = [voice.result.agent for voice in balance.voices]
    agents = dict.fromkeys((*_ordered(heard), *heard))
    names = [agent.removesuffix("_specialist") for agent in agents]
    return f"the {listed(names)} specialist{'s' if len(names) > 1 else ''}"


def _voices(account: Account, balance: Balance, leaning: Leaning) -> list[str]:
    """Lists what speaks for one direction, by specialist, with the figures."""
    holders = {voice.result.result_id for voice in balance.voices if voice.view.leaning is leaning}
    return [
        voice_with_evidence(account, agent, balance.market, leaning)
        for agent, result in account.on(balance.market)
        if result.result_id in holders
    ]


def _failed(account: Account) -> str:
    """Says which tasks failed. The reasons are listed with what is missing."""
    failed = {entry.node for entry in account.request.state if entry.error}
    brought = {(result.market, agent) for agent, result in account.found if result.claims}
    silent = [
        asked
        for node, spec in planned_as(account.request.state).items()
        if node in failed and (asked := (spec.market.market, spec.agent)) not in brought
    ]
    silent += [(result.market, agent) for agent, result in account.found if not result.claims]
    by_market: dict[str, list[str]] = {}
    for market, agent in dict.fromkeys(silent):
        by_market.setdefault(market, []).append(_voice(agent))
    return joined(
        f"There is no data on {listed(voices)} of {market_in_a_sentence(market)}."
        for market, voices in by_market.items()
    )


def _sections(account: Account) -> Iterator[Section]:
    for market in account.markets:
        for agent, result in account.on(market.market):
            content = _content(account, agent, result)
            if content:
                yield Section(
                    title=f"{market_in_a_sentence(market.market)}: {_title(agent)}",
                    content=clip(content, LONGEST_SECTION),
                )
    form = form_of(query_of(account.request)).form
    scenarios = scenarios_of(account, told_of_bands=form is not None and form.name == "peg-holds")
    if scenarios:
        yield Section(title="Scenarios", content=clip(scenarios, LONGEST_SECTION))
    request = account.request
    markets = [market.market for market in account.markets]
    recalled = memory_lines(request.recalled, markets, request.assignment.window.end)
    if recalled:
        yield Section(title="What earlier research said", content=clip(recalled, LONGEST_SECTION))


def _title(agent: AgentId) -> str:
    return SPECIALITIES[agent].title if agent in SPECIALITIES else "further findings"


def _voice(agent: AgentId) -> str:
    return SPECIALITIES[agent].voice if agent in SPECIALITIES else "further findings"


def _content(account: Account, agent: AgentId, result: ResearchResult) -> str:
    """Lists the findings whose figures survive, the contradictions, and the recommendation. The
    recommendation starts with the only field it rests on, and ends with the specialists that do not
    share it."""
    lines = [account.founded(finding.statement, result) for finding in result.findings]
    if not any(finding.topic == SIGNALS for finding in result.findings):
        odds = _all_founded(account, result, result.contradictions)
        lines += [f"Contradiction: {each}" for each in odds]
    if _acts(result):
        follows = _all_founded(account, result, result.recommendations)
        lead, beside = f"Judged by {_voice(agent)} alone", _not_shared(account, result)
        lines += [joined((f"{lead}: {within(sentence(each))}", beside)) for each in follows]
    return "\n".join(f"- {line}" for line in lines if line)


def _acts(result: ResearchResult) -> bool:
    """Returns whether a result recommends anything but to hold."""
    views = [view for view in result.views if view.kind is ViewKind.RECOMMENDATION]
    return not views or any(view.leaning in _WAYS for view in views)


def _not_shared(account: Account, result: ResearchResult) -> str:
    """Says which other specialists on the market are neutral, and which take the other side; or
    that there was no other specialist."""
    held = _leaning_in(result)
    others = [(agent, each) for agent, each in account.on(result.market) if each is not result]
    if not others:
        return "No other specialist was heard."
    sides = {agent: _leaning_in(each) for agent, each in others}
    neutral = [_voice(agent) for agent, side in sides.items() if side not in _WAYS]
    against = [_voice(agent) for agent, side in sides.items() if side in _WAYS and side != held]
    told = (("Neutral, and so abstaining", neutral), ("The other way", against))
    return " ".join(f"{how}: {listed(voices)}." for how, voices in told if voices)


def _leaning_in(result: ResearchResult) -> Leaning:
    views = (view for view in result.views if view.kind is ViewKind.DIRECTION)
    return next((view.leaning for view in views), Leaning.ABSTAINS)


def _all_founded(account: Account, result: ResearchResult, texts: tuple[str, ...]) -> Iterator[str]:
    yield from filter(None, (account.founded(text, result) for text in texts))


def _missing(account: Account) -> Iterator[str]:
    """Yields what the specialists report as missing, in their words. Omits lines that cannot be
    printed: the answer names the specialist instead, and so it does for failed tasks."""
    for _, result in account.found:
        for line in result.missing:
            if line_on_missing(line, "", figures_pass=bool(account.surviving)) == line:
                yield line


MOST_FOLLOWED: Final = 20
MOST_MARKETS: Final = 8
"""The most markets in one objective. One swarm cannot answer about more."""


def plan(request: TurnRequest) -> Turn:
    """Asks which markets the objective names. Once that is answered, delivers the plan of the
    round.

    Raises:
        TaskNotPossible: there is no objective, it names no market, or nobody could be asked.
    """
    objective = query_of(request).question
    if not request.exchanges:
        call = ask(request.assignment, Capability.SYMBOLS, query=asked_now(objective))
        return Turn(calls=(call,), note="Ask which markets the objective names")
    found = read(request, Capability.SYMBOLS, KnownSymbols)
    match = form_of(query_of(request))
    markets = _markets(request, found, match.form, objective)
    ground = Ground(
        objective=objective,
        markets=markets,
        tools={agent: profile_of(agent).tools for agent in SPECIALISTS},
        complexity=request.complexity,
        state=request.state,
        form=match.form,
        nearest=match.nearest,
    )
    follows = _followed(request.recalled, markets)
    return Turn(result=plan_swarm(request.assignment.task_id, ground, follows))


def conclude(request: TurnRequest) -> Turn:
    """Delivers the conclusion, in one turn, from the specialists' findings and the decided
    conflicts.

    Raises:
        TaskNotPossible: there is no objective.
    """
    query_of(request)
    return Turn(result=conclusion(request))


def _markets(
    request: TurnRequest, found: Evidence[KnownSymbols], form: ObjectiveForm | None, objective: str
) -> tuple[MarketSpec, ...]:
    """Returns the markets that an objective names, or those that its form replaces them with.

    Raises:
        TaskNotPossible: it names none.
    """
    named = {symbol.symbol: symbol for symbol in found.answer.named}
    if not named:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=_no_market(objective, found.answer.nearest),
                agent=request.assignment.agent,
                tool=found.source.tool,
                recovery_action="name a market in the objective",
            )
        )
    known = instead_of(form, named) or named
    markets = (market_of_symbol(symbol, request.markets) for symbol in known.values())
    return tuple(markets)[:MOST_MARKETS]


def _no_market(objective: str, nearest: Iterable[KnownSymbol]) -> str:
    unheld = no_market_sentence(mention_parameters(currency_mentions(objective), ()))
    told = (
        "The objective names no market that there are prices of: name a pair such as USD/JPY, a"
        f" currency, or a company or its symbol.{nearest_symbols_words(nearest)}"
    )
    return clip(joined((unheld, told)))


def _followed(recalled: Iterable[Recalled], markets: Iterable[MarketSpec]) -> tuple[str, ...]:
    """Returns the memories about one of the markets, nearest first."""
    names = {market.market for market in markets}
    shared = (each.entry.memory_id for each in recalled if names.intersection(each.entry.markets))
    return tuple(dict.fromkeys(shared))[:MOST_FOLLOWED]
