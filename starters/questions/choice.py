"""Chooses what a question is put to: the graph, its parameters, the market, the as-of instant."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from desk.agents.roster import profile_of
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.mentions import (
    currency_mentions,
    is_cross_with,
    mention_parameters,
    other_markets_named,
)
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.nearest import suggestion
from desk.analytics.names.periods import (
    Period,
    days_coming,
    names_period,
    period_given,
    period_named,
    periods_named,
    since_decision,
)
from desk.analytics.names.subjects import (
    currency_asked_for,
    pairs_named,
    speaks_of_banks,
    subjects_asked,
    without_banks,
)
from desk.analytics.prices.series import window_days
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tasks import (
    DAYS_ASKED,
    DAYS_READ,
    EVENT_DAYS,
    EVENT_READ,
    LOOKED_BACK,
    MOST_LOOKED_BACK,
    RANK,
    SINCE_DECISION,
    DaysAsked,
    Query,
    TaskType,
)
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import GraphSpec
from desk.contracts.question.tickets import ticket_ids
from desk.contracts.runs.graph import GraphRequest
from desk.platform.settings import Settings
from desk.programs.question.builtin.kinds import OF_A_BANK, QuestionKind
from desk.programs.question.graphs import RANKING, ranking_graph, to_be_planned
from starters.questions.graph_file import find_graph, read_graph
from starters.questions.markets.asked import (
    ALL_PAIRS,
    AskedMarkets,
    PairAndBanks,
    asked_markets,
    called_together,
    dollar_pairs,
    group_given,
    group_named,
    held_against,
    held_by,
    pairs_of,
    with_markets_beside,
)
from starters.questions.markets.kinds import as_banks, is_of, is_of_carry, with_banks_together
from starters.runs.market_choice import known_market
from starters.terminal.exit_status import UsageError

MARKET: Final = "market"
"""The parameter that names a market, and the graph that researches one."""

TICKETS: Final = "tickets"
CURRENCY: Final = "currency"
"""The graph for a question that names a currency and no period: it may ask what is written about
the currency, or what its pair did."""

BANK: Final = "bank"
"""The graph for a question that names a central bank: what is written about it, or else its
calendar."""

LONGEST_QUESTION: Final = 4_000

_RESEARCHES: Final = frozenset({TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES, TaskType.VALIDATE})
_SINCE_THEN: Final = re.compile(r"\b(?P<since>since(?: then)?)\W*$", re.IGNORECASE)
"""The end of a half of a question that refers to the days of the other half."""

_NO_PERIOD_OF_A_BANK: Final = "the three years before, as no period was read in the question"
_EXAMPLE: Final = 'such as desk ask "What holds up DESK-101?"'
_NEVER: Final = frozenset({"Cc", "Cs", "Cn"})


@dataclass(frozen=True)
class AskOptions:
    """The options of `desk ask` that make up the question. A given `period` takes precedence over
    one in the question, and a group to `rank` over what the question names."""

    question: str
    graph: str | None = None
    param: tuple[str, ...] = ()
    as_of: str | None = None
    period: str | None = None
    rank: str | None = None

    @property
    def are_explicit(self) -> bool:
        """Whether the user says what is researched, by an option or by naming a ticket."""
        given = self.graph or self.param or self.period or self.rank
        return bool(given or ticket_ids(self.question))


class Choice(NamedTuple):
    """The request of a question, and why its graph was chosen if the user named none."""

    request: GraphRequest
    remark: str | None


def chosen(options: AskOptions, settings: Settings, config: RunConfig, *, now: datetime) -> Choice:
    """Builds the request of a question. If the product manager is a model and the options are not
    explicit, a node of the graph plans what is researched; without a plan, what is chosen here is
    run.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    choice = _chosen_as_read(options, settings, config, now=now)
    planner = profile_of(AgentId.PRODUCT_MANAGER, config.policy.agents)
    if options.are_explicit or planner.model == BUILTIN:
        return choice
    planned = {"graph": to_be_planned(choice.request.graph), "markets": config.markets}
    remark = f"a model plans what is researched; where it does not, {choice.remark}"
    return Choice(choice.request.model_copy(update=planned), remark)


def _chosen_as_read(
    options: AskOptions, settings: Settings, config: RunConfig, *, now: datetime
) -> Choice:
    """Builds the request of a question by how its misspelled words are read. The question stays as
    it was written, and its parameters hold how it was read.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    words = checked_words(options.question, "the question", longest=LONGEST_QUESTION)
    query = Query(question=words, parameters=_spelled(words))
    read = replace(options, question=query.as_read.question)
    choice = _chosen_by_code(read, settings, config, now=now)
    told = {**choice.request.query.parameters, **query.parameters}
    query = query.model_copy(update={"parameters": told})
    return choice._replace(request=choice.request.model_copy(update={"query": query}))


def _spelled(words: str) -> dict[str, str]:
    """The parameters with the misspelled and the unknown words of a question. None without a
    vocabulary, which is loaded only for words that the desk does not read itself."""
    from desk.platform.memory.sentence_encoder import vocabulary
    from desk.programs.question.spelling import spelling_of

    def is_word(word: str) -> bool:
        known = vocabulary()
        return known is None or known(word)

    return spelling_of(words, is_word).parameters


def _chosen_by_code(
    options: AskOptions, settings: Settings, config: RunConfig, *, now: datetime
) -> Choice:
    """Builds the request of a question from the names and periods in it.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    graph, period, rank, words = options.graph, options.period, options.rank, options.question
    zone = config.schedule.time_zone
    as_of = read_as_of(options.as_of, zone, now) if options.as_of else None
    when = _When(as_of, now, zone, period)
    given = read_parameters(options.param)
    named = market_in(words, config.markets, measured=period is not None)
    apart = graph or given or named or ticket_ids(words)
    if rank is not None and (graph or given):
        raise UsageError("--rank has a graph of its own; leave out --graph and --param")
    if ranked := _ranked(words, config, rank, when, otherwise=apart):
        return ranked
    asked = asked_markets(words, config.markets)
    measured = named is not None or bool(asked.written)
    several = measured and not (graph or given or ticket_ids(words)) and asked.are_several
    if several and not (when.period is None and is_of_carry(words)):
        return _ranking(config, words, asked.called, asked.side_by_side, when)
    aside = None if named or ticket_ids(words) else asked.first_pair
    if not (graph or given or ticket_ids(words)):
        named, aside, asked = as_banks(words, named, aside, asked, measured=period is not None)
        if not (named or aside):
            asked = with_banks_together(words, asked, config.markets, when.days)
    bank = None if named or aside or ticket_ids(words) else asked.first_area
    name, why = _graph_for(graph, given, named, aside, asked if bank else None)
    spec = read_graph(find_graph(name, settings.project_dir))
    researches = _researches(spec)
    wanted = _with_market(spec, given, named or aside or bank, researches=researches)
    market = _market_of(config, wanted) if researches or MARKET in wanted else None
    wanted = {**wanted, MARKET: market.market} if market else wanted
    check_parameters(spec, wanted, researches=researches)
    told = wanted | asked.of_group | _told_of_currencies(words, config.markets)
    query = Query(question=words, parameters={**_usual(spec), **told})
    if market and not given and graph is None:
        spec, market = _with_all(spec, market, asked)
    return _choice(config, spec, query, when, why, market, asked.apart)


def _usual(spec: GraphSpec) -> dict[str, str]:
    """The defaults of a graph's parameters."""
    return {p.name: p.default for p in spec.parameters if p.default is not None}


def _with_all(
    spec: GraphSpec, market: MarketSpec, asked: AskedMarkets
) -> tuple[GraphSpec, MarketSpec]:
    """Adds the other markets that a question names to the graph. Returns it with the question's own
    market, as it is compared with them."""
    beside = asked.beside(market)
    return with_markets_beside(spec, beside), held_against(market, beside)


def _ranked(
    words: str, config: RunConfig, rank: str | None, when: "_When", *, otherwise: object
) -> Choice | None:
    """Builds the request that ranks a group, given or named, or all pairs if the question is only
    about the dollar. Returns None for a question about something else, such as the banks of the
    group."""
    group = _group_of(words, config, rank, when, otherwise=otherwise)
    of_banks = group is not None and (speaks_of_banks(words) or is_of(OF_A_BANK, words))
    if rank is None and of_banks:
        group = None
    of_all = not otherwise and (_is_of_the_dollar(words) or _is_of_all_currencies(words, when))
    if group is None and not of_all:
        return None
    pairs = pairs_of(group, config.markets) if group else dollar_pairs(config.markets)
    asked = asked_markets(words, config.markets)
    return _ranking(config, words, group or ALL_PAIRS, (*pairs, *asked.banks), when)


def _ranking(
    config: RunConfig,
    words: str,
    called: str | None,
    markets: Sequence[MarketSpec],
    when: "_When",
) -> Choice:
    """Builds the request that ranks pairs. `called` is their common name."""
    told = _told_of_currencies(words, config.markets)
    name = called or called_together(markets)
    query = Query(question=words, parameters={RANK: name, **told})
    remark = f"the graph is {RANKING}, of {name}"
    return _choice(config, ranking_graph(markets), query, when, remark)


class _When(NamedTuple):
    """The instant that a question is asked as of, and its period, if given."""

    as_of: datetime | None
    now: datetime
    zone: str
    period: str | None

    def periods(self, words: str) -> tuple[Period, ...]:
        """Returns the days of each period of a question.

        Raises:
            UsageError: the given period is invalid.
        """
        if self.period is not None:
            return (self.days(words),)
        return periods_named(words, self.as_of or self.now, self.zone)

    def days(self, words: str) -> Period:
        """Returns the days of a question's first period.

        Raises:
            UsageError: the given period is invalid.
        """
        known_at = self.as_of or self.now
        if self.period is None:
            return period_named(words, known_at, self.zone)
        try:
            return period_given(self.period, known_at, self.zone)
        except ValueError as wrong:
            raise UsageError(f"--period: {wrong}") from None


def _researches(spec: GraphSpec) -> bool:
    return any(node.task in _RESEARCHES for node in spec.nodes)


def _choice(
    config: RunConfig,
    spec: GraphSpec,
    query: Query,
    when: _When,
    remark: str | None,
    market: MarketSpec | None = None,
    apart: PairAndBanks | None = None,
) -> Choice:
    """Builds the request, with the days over which its graph measures.

    Raises:
        UsageError: the given period is invalid, or the graph measures nothing.
    """
    pairs = _pairs_researched(spec, market)
    query = _since_a_decision(query, when) if pairs else query
    days = when.days(query.undecided) if _researches(spec) else None
    if days is not None and spec.name == BANK:
        days, query = _as_of_a_bank(query, when)
    elif days is not None and apart is not None:
        days, query = _of_pair_and_banks(query, apart, when)
    if days is not None and pairs:
        days, query = _since_an_extreme(query, days, pairs, when)
    if days is not None:
        query = _with(query, days.parameters)
    elif when.period is not None:
        raise UsageError(f"--period is for what is measured, and {spec.name} measures nothing")
    return Choice(
        GraphRequest(
            graph=spec,
            query=query,
            policy=config.policy,
            market=market,
            as_of=when.as_of,
            time_zone=when.zone,
            window=days.window if days else None,
        ),
        remark,
    )


def _with(query: Query, parameters: Mapping[str, str]) -> Query:
    return query.model_copy(update={"parameters": {**query.parameters, **parameters}})


def _pairs_researched(spec: GraphSpec, market: MarketSpec | None) -> frozenset[str]:
    """The pairs whose prices a graph researches."""
    of_prices = [node for node in spec.nodes if node.task is TaskType.RESEARCH_FX]
    markets = (node.market or market for node in of_prices)
    return frozenset(each.market for each in markets if each is not None)


def _since_a_decision(query: Query, when: _When) -> Query:
    """Adds the decision since which a question asks how a pair did. Days that its words name are
    those of the decision."""
    since = since_decision(query.question)
    if since is None:
        return query
    decided = when.days(since.words)
    within = _of_event(decided) if _is_named(decided, when) else {}
    return _with(query, {SINCE_DECISION: since.words, **within})


def _since_an_extreme(
    query: Query, days: Period, pairs: frozenset[str], when: _When
) -> tuple[Period, Query]:
    """Returns the days over which a pair is measured, and the question with the days of a high or
    low. How far a pair is from the high or low of a past period is measured up to now."""
    if not _is_named(days, when) or (days.event or days.window).end >= (when.as_of or when.now):
        return days, query
    # Only such a question needs to load the model here.
    from desk.platform.memory.sentence_encoder import desk_embedding_model
    from desk.programs.question.builtin.synthesis.markets.asked import (
        FROM_EXTREMES,
        asked_of_market,
    )

    named = _with(query, days.parameters)
    if asked_of_market(named, desk_embedding_model, pairs).aspect not in FROM_EXTREMES:
        return days, query
    unread = days.unread if days.event is None else ()
    return when.days("")._replace(unread=unread), _with(query, _of_event(days))


def _is_named(days: Period, when: _When) -> bool:
    return days.read is not None and when.period is None


def _of_event(days: Period) -> dict[str, str]:
    """The parameters with the days of an event, and the words that named them."""
    within = window_days(days.event or days.window)
    return {EVENT_READ: days.read or "", EVENT_DAYS: "/".join(map(date.isoformat, within))}


def _of_pair_and_banks(query: Query, apart: PairAndBanks, when: _When) -> tuple[Period, Query]:
    """Returns the days over which a pair is measured, and the question with the days that it asks
    about its banks. Each comes from its own half of the question."""
    since = query.parameters.get(SINCE_DECISION, "")
    days = when.days(apart.of_pair.replace(since, " ") if since else apart.of_pair)
    periods = when.periods(apart.of_banks)
    if days.read and (then := _SINCE_THEN.search(apart.of_banks)):
        window = days.window.model_copy(update={"end": when.days("").window.end})
        periods = (Period(window, then["since"]),)
    asked = [each for each in periods if each.read and not each.may_be_ahead]
    if asked and days.read is None and is_of({QuestionKind.MOVE}, apart.of_pair):
        # What a currency did is asked of the days that the other half names; where it is, of now.
        days = asked[0]
    query = _with_days(query, *(window_days(each.window) for each in asked))
    read = {DAYS_READ: ", ".join(each.read for each in asked if each.read)} if asked else {}
    query = _with(query, read)
    return days._replace(unread=(*days.unread, *periods[0].unread)), query


def _as_of_a_bank(query: Query, when: _When) -> tuple[Period, Query]:
    """Returns the days that a question about a bank looks at, and the question with the days that
    it asks about. For a next decision these are days of the calendar, which may be ahead."""
    words = query.question
    periods = when.periods(words)
    coming = days_coming(words, when.as_of or when.now, when.zone)
    if coming is not None and when.period is None and is_of({QuestionKind.NEXT}, words):
        period = _days_of_a_bank(periods, (), when)._replace(read=coming.read, unread=())
        return period, _with_days(query, coming.days)
    asked = tuple(each for each in periods if each.read and not each.may_be_ahead)
    if asked and is_of({QuestionKind.AHEAD}, words):
        # A month's name then means the next such month, not the last.
        asked = ()
    days = (window_days(each.window) for each in asked)
    return _days_of_a_bank(periods, asked, when), _with_days(query, *days)


def _days_of_a_bank(periods: Sequence[Period], asked: Sequence[Period], when: _When) -> Period:
    """Returns the days that a question about a bank looks at: from before those that it asks about
    until now, as far as a result covers them, or else the last three years. A month that is still
    ahead may be that of the bank's next decision, and is not taken for last year's."""
    now = when.as_of or when.now
    ahead = [each.read for each in periods if each.read and each not in asked]
    unread = (*periods[0].unread, *ahead)
    if asked:
        start = min(each.window.start for each in asked)
        end = max(each.window.end for each in asked)
        end = now if now - start <= MOST_LOOKED_BACK else end
        start = max(start - LOOKED_BACK, end - MOST_LOOKED_BACK)
        read = ", ".join(each.read for each in asked if each.read)
    else:
        start, end, read = now - LOOKED_BACK, now, _NO_PERIOD_OF_A_BANK
    window = periods[0].window.model_copy(update={"start": start, "end": end})
    return Period(window, read, unread)


def _with_days(query: Query, *asked: DaysAsked) -> Query:
    """Adds the days that a question about a bank asks about."""
    spans = ("/".join(day.isoformat() for day in each) for each in asked)
    days = {DAYS_ASKED: ",".join(dict.fromkeys(spans))} if asked else {}
    return _with(query, days)


def _group_of(
    words: str, config: RunConfig, rank: str | None, when: _When, *, otherwise: object
) -> str | None:
    """Returns the group to rank: the given one, or the one that the question names if it names only
    a period besides, or asks only which of the group did best or worst."""
    if rank is not None:
        return group_given(rank, config.markets)
    currencies = {s.code for s in subjects_asked(words) if s.kind is NamedAs.CURRENCY}
    if otherwise or currencies - {DOLLAR}:
        return None
    group = group_named(words, config.markets)
    if group is None or names_period(words):
        return group
    of_group = {RANK: group, **when.days(words).parameters}
    of_it = _is_among_several(Query(question=words, parameters=of_group), alone=True)
    return group if of_it else None


def _is_of_the_dollar(words: str) -> bool:
    """Returns whether a question is about the dollar and a period, and no other currency."""
    return names_period(words) and {m.code for m in currency_mentions(words)} == {DOLLAR}


def _is_of_all_currencies(words: str, when: _When) -> bool:
    """Returns whether a question names a period and no subject, and asks which currency did best or
    worst, by the embedding model."""
    if when.days(words).read is None or subjects_asked(words) or other_markets_named(words):
        return False
    return _is_among_several(Query(question=words)) and is_of({QuestionKind.MOVE}, words)


def _is_among_several(query: Query, *, alone: bool = False) -> bool:
    """Returns whether a question asks which currency, of a group or of all, did best or worst, by
    the embedding model; with `alone`, and asks nothing else."""
    # Only such a question needs to load the model here.
    from desk.platform.memory.sentence_encoder import desk_embedding_model
    from desk.programs.question.builtin.synthesis.markets.asked import (
        AMONG_SEVERAL,
        asked_of_market,
    )
    from desk.programs.question.builtin.unread_words import unread_words

    asked = asked_of_market(query, desk_embedding_model, ())
    left = unread_words(query, QuestionKind.MOVE, asked.read)
    return asked.aspect in AMONG_SEVERAL and not (alone and (left.names or left.others))


def checked_words(written: str, what: str, *, longest: int, example: str = _EXAMPLE) -> str:
    """Returns a user's words on one line.

    Raises:
        UsageError: there are none, too many, or they contain control characters.
    """
    words = " ".join(written.split())
    if not words:
        raise UsageError(f"{what} is empty; {example}")
    if len(words) > longest:
        raise UsageError(
            f"{what} has {len(words):,} characters; at most {longest:,} are read, so say less"
        )
    if any(unicodedata.category(sign) in _NEVER for sign in words):
        raise UsageError(f"{what} holds control characters; write it as plain text, {example}")
    return words


def read_parameters(written: Sequence[str]) -> dict[str, str]:
    """Parses parameters written as `name=value`.

    Raises:
        UsageError: one is malformed, or given twice.
    """
    read: dict[str, str] = {}
    for each in written:
        name, equals, value = each.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"--param {each!r}: write name=value, such as --param ticket=DESK-101")
        if name in read:
            raise UsageError(f"--param {name} is given twice; give it once")
        read[name] = checked_words(value, f"--param {name}", longest=LONGEST_QUESTION)
    return read


def market_in(
    question: str, markets: Sequence[MarketSpec], *, measured: bool = False
) -> str | None:
    """Returns the configured pair that a question names first, written as USD/JPY, USDJPY or
    USD-JPY.

    If the question names a period and no pair, or is to be `measured`, returns the first named
    currency against the dollar, by any of its names such as the kiwi, unless the question measures
    it in a currency that the desk does not have. Otherwise names of currencies do not count:
    payments and limits have currencies as well. Area codes are not recognised: two letters are too
    often a word.
    """
    if pairs := _pairs_in(question, markets):
        return pairs[0]
    if is_cross_with(question, held_by(markets)):
        return None
    timed = measured or names_period(question)
    of_it = {
        code: m.market
        for m in markets
        if m.kind is MarketKind.PAIR and DOLLAR in m.market.split("/")
        for code in m.market.split("/")
        if code != DOLLAR
    }
    currency = currency_asked_for(without_banks(question), of_it) if timed and of_it else None
    return of_it.get(currency or "")


def _pairs_in(question: str, markets: Sequence[MarketSpec]) -> list[str]:
    """The configured pairs that a question writes as pairs, in its order."""
    places: list[tuple[int, str]] = []
    for spec in markets:
        if spec.kind is MarketKind.PAIR:
            base, _, quote = spec.market.partition("/")
            found = re.search(rf"\b{base}[/\- ]?{quote}\b", question, re.IGNORECASE)
            if found:
                places.append((found.start(), spec.market))
    return [pair for _, pair in sorted(places)]


def _told_of_currencies(question: str, markets: Sequence[MarketSpec]) -> dict[str, str]:
    mentions, held = currency_mentions(question), held_by(markets)
    legs = (code for pair in pairs_named(question) for code in pair.split("/"))
    unheld = dict.fromkeys(code for code in legs if code not in held)
    others = (*unheld, *other_markets_named(question))
    return mention_parameters(mentions, held, others)


def check_parameters(spec: GraphSpec, given: dict[str, str], *, researches: bool) -> None:
    """Checks that a graph gets the parameters that it needs, and no others.

    Raises:
        UsageError: a parameter is unknown or missing.
    """
    names = [parameter.name for parameter in spec.parameters]
    known = [*names, MARKET] if researches and MARKET not in names else names
    for name in given:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(
                f"the graph {spec.name} has no parameter {name}; {has}{suggestion(name, known)}"
            )
    for parameter in spec.parameters:
        if parameter.required and parameter.default is None and parameter.name not in given:
            about = f" ({parameter.description})" if parameter.description else ""
            raise UsageError(f"the graph {spec.name} needs --param {parameter.name}=VALUE{about}")


def read_as_of(written: str, time_zone: str, now: datetime) -> datetime | None:
    """Parses a day or an instant.

    A day, in any ISO 8601 form, means its end in the desk's time zone; a time without an offset is
    in that zone. Returns None for today, which has not ended: everything known now then counts.

    Raises:
        UsageError: it is neither, or is in the future.
    """
    zone = ZoneInfo(time_zone)
    try:
        day = _day(written.strip())
        if day is not None and day == now.astimezone(zone).date():
            return None
        if day is not None:
            instant = datetime.combine(day, time(23, 59, 59), zone)
        else:
            instant = datetime.fromisoformat(written.strip())
            instant = instant if instant.tzinfo else instant.replace(tzinfo=zone)
    except ValueError:
        raise UsageError(
            f"--as-of {written!r} is no day and no instant; write 2026-10-30 or"
            " 2026-10-30T17:00:00+00:00"
        ) from None
    if instant > now:
        raise UsageError(
            f"--as-of {written} has not come yet; without it, what is known now counts"
        )
    return instant


def _day(written: str) -> date | None:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None


def _graph_for(
    graph: str | None,
    given: dict[str, str],
    named: str | None,
    aside: str | None,
    of_banks: AskedMarkets | None,
) -> tuple[str, str | None]:
    if graph is not None:
        return graph, None
    if MARKET in given:
        return MARKET, f"the graph is {MARKET}, for --param {MARKET}={given[MARKET]}"
    if named is not None:
        return MARKET, f"the graph is {MARKET}, for the question names {named}"
    if aside is not None:
        return CURRENCY, f"the graph is {CURRENCY}, for the question names the currency of {aside}"
    if of_banks is not None and of_banks.together is not None:
        return BANK, f"the graph is {BANK}, of {of_banks.together.called}"
    if of_banks is not None:
        area = of_banks.first_area
        return BANK, f"the graph is {BANK}, for the question names {area} or its bank"
    return TICKETS, f"the graph is {TICKETS}; --graph names another"


def _with_market(
    spec: GraphSpec, given: dict[str, str], named: str | None, *, researches: bool
) -> dict[str, str]:
    """Adds the market that the question names to the parameters, if the graph needs one."""
    wants = researches or any(parameter.name == MARKET for parameter in spec.parameters)
    if MARKET in given or not wants:
        return given
    default = next((p.default for p in spec.parameters if p.name == MARKET), None)
    market = named or default
    return {**given, MARKET: market} if market else given


def _market_of(config: RunConfig, given: dict[str, str]) -> MarketSpec | None:
    if MARKET not in given:
        raise UsageError(
            "the graph researches a market and the question names none; add --param"
            f" {MARKET}=USD/JPY (desk.toml lists all)"
        )
    name = known_market(config, given[MARKET])
    return next(spec for spec in config.markets if spec.market == name)
