"""The markets of a question about several. Either it ranks pairs: those of a group, given by
`--rank` or named with a period, or those that it names with a period. Or it researches one market,
with others beside it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from babel.lists import format_list

from desk.analytics.names.currencies import quoted_as
from desk.analytics.names.markets import AREAS, DOLLAR, group_called, pair_by_name
from desk.analytics.names.mentions import currency_mentions, is_cross_with
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.nearest import suggestion
from desk.analytics.names.periods import names_period
from desk.analytics.names.quotation import QUOTED_FOR_MANY
from desk.analytics.names.subjects import pairs_named, subjects_asked
from desk.contracts.agents.tasks import RANK, TaskType
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.question.graph import Edge, GraphSpec
from desk.programs.question.graphs import researched
from starters.terminal.exit_status import UsageError

ALL_PAIRS: Final = "All of the desk's currencies"
"""What is ranked if a question is only about the dollar."""


def group_given(written: str, markets: Sequence[MarketSpec]) -> str:
    """Returns the group of the desk's pairs with a name.

    Raises:
        UsageError: there is no such group.
    """
    groups = _groups(markets)
    found = next((name for name in groups if name.casefold() == written.strip().casefold()), None)
    if found is None:
        raise UsageError(
            f"--rank is {written!r}; there are {', '.join(groups)}{suggestion(written, groups)}"
        )
    return found


def group_named(question: str, markets: Sequence[MarketSpec]) -> str | None:
    """Returns the group that a question names, or None if it names none."""
    named = (name for name in _groups(markets) if group_called(name).search(question))
    return next(named, None)


class BanksTogether(NamedTuple):
    """The areas of the central banks of a group, or of all if `group` is None."""

    areas: tuple[MarketSpec, ...]
    group: str | None

    @property
    def called(self) -> str:
        """Their common name."""
        return f"the central banks of {self.group}" if self.group else "all central banks"


def banks_together(question: str, markets: Sequence[MarketSpec]) -> tuple[BanksTogether, str]:
    """Returns the central banks of the group that a question names, or all, and the question
    without the group's name."""
    areas = tuple(spec for spec in markets if spec.kind is MarketKind.POLICY_RATE)
    group = group_named(question, markets)
    if group is None:
        return BanksTogether(areas, None), question
    own = tuple(spec for spec in areas if spec.group == group)
    return BanksTogether(own, group), group_called(group).sub("", question)


def pairs_of(group: str, markets: Sequence[MarketSpec]) -> tuple[MarketSpec, ...]:
    """The pairs of a group."""
    return tuple(spec for spec in _pairs(markets) if spec.group == group)


def dollar_pairs(markets: Sequence[MarketSpec]) -> tuple[MarketSpec, ...]:
    """All pairs with the dollar."""
    return tuple(spec for spec in _pairs(markets) if DOLLAR in spec.market.split("/"))


def held_by(markets: Sequence[MarketSpec]) -> frozenset[str]:
    """The currencies of the desk's pairs."""
    return frozenset(code for spec in _pairs(markets) for code in spec.market.split("/"))


def called_together(markets: Sequence[MarketSpec]) -> str:
    """The common name of several pairs: their currencies without the dollar. If one pair has no
    dollar, the pairs as they are written."""
    pairs = [spec.market for spec in _pairs(markets)]
    against = [pair for pair in pairs if DOLLAR in pair.split("/")]
    codes = (code for pair in against for code in pair.split("/") if code != DOLLAR)
    return format_list(list(dict.fromkeys(codes)) or pairs, locale="en_GB")


class AskedMarkets(NamedTuple):
    """The markets that a question names, each kind in the question's order.

    `written` are pairs of the desk's currencies written with both codes. `of_currencies` and
    `of_countries` are configured pairs against the dollar of further names, `group` those of a
    group. `cross` is the pair of two currencies if no more are named. `banks` are the areas of
    central banks; `areas` also includes countries, government bonds and, if two areas are named,
    the seats of banks: a single place is ambiguous, and is only in `seats`.

    `money` are the areas of banks, countries, bonds and currencies. `together` are banks that the
    question asks about as a group. `apart` are the halves of a question about a pair and banks.
    """

    written: tuple[MarketSpec, ...]
    of_currencies: tuple[MarketSpec, ...]
    of_countries: tuple[MarketSpec, ...]
    group: tuple[MarketSpec, ...]
    cross: tuple[MarketSpec, ...]
    banks: tuple[MarketSpec, ...]
    areas: tuple[MarketSpec, ...]
    money: tuple[MarketSpec, ...]
    seats: tuple[MarketSpec, ...]
    together: BanksTogether | None = None
    apart: "PairAndBanks | None" = None

    @property
    def first_pair(self) -> str | None:
        """The pair of the first named currency against the dollar, or else the named pair."""
        return next((spec.market for spec in (*self.of_currencies, *self.written)), None)

    @property
    def first_area(self) -> str | None:
        """The area of the first named central bank, or else of the first country."""
        return next((spec.market for spec in (*self.banks, *self.areas)), None)

    @property
    def of_group(self) -> dict[str, str]:
        """The parameter that names the group of the banks that the question asks about together."""
        return {RANK: self.together.group} if self.together and self.together.group else {}

    @property
    def are_several(self) -> bool:
        """Whether the named pairs need more than one market: several pairs, or a cross."""
        pairs = {*self.written, *self.of_currencies, *self.group}
        return len(pairs) > 1 or any(DOLLAR not in p.market.split("/") for p in self.written)

    @property
    def called(self) -> str | None:
        """The name of the group, if no pair outside it is named."""
        beyond = {*self.written, *self.of_currencies, *self.of_countries} - {*self.group}
        return None if beyond or not self.group else f"{self.group[0].group}"

    @property
    def side_by_side(self) -> tuple[MarketSpec, ...]:
        """All of them, without duplicates."""
        pairs = (*self.written, *self.of_currencies, *self.of_countries, *self.group, *self.cross)
        return tuple(dict.fromkeys((*pairs, *self.banks)))

    def beside(self, market: MarketSpec) -> tuple[MarketSpec, ...]:
        """Returns the markets researched beside a market. A pair's bank is one of them if it is
        named, because its next decision may be asked for."""
        named = self.side_by_side if market.kind is MarketKind.PAIR else self.areas
        return tuple(spec for spec in named if spec != market)


class PairAndBanks(NamedTuple):
    """The halves of a question that asks about a pair in one and about central banks in the
    other."""

    of_pair: str
    of_banks: str


def asked_markets(question: str, markets: Sequence[MarketSpec]) -> AskedMarkets:
    """Reads the markets of the pairs, currencies, countries, banks and the group that a question
    names."""
    known = {spec.market: spec for spec in markets}
    held, subjects = held_by(markets), subjects_asked(question)
    every = pairs_named(question)
    names = [pair for pair in every if {*pair.split("/")} <= held]
    written = tuple(known.get(name) or pair_by_name(name) for name in names)
    legs = {code for pair in every for code in pair.split("/")}
    if is_cross_with(question, held):
        legs |= {mention.code for mention in currency_mentions(question)}

    def pairs_against_dollar(kind: NamedAs) -> tuple[MarketSpec, ...]:
        codes = [s.code for s in subjects if s.kind is kind and s.code not in legs]
        return tuple(spec for code in codes if (spec := known.get(quoted_as(code, DOLLAR))))

    def areas_of(*kinds: NamedAs) -> tuple[MarketSpec, ...]:
        areas = (AREAS.get(s.code, "") for s in subjects if s.kind in kinds)
        return tuple(dict.fromkeys(known[area] for area in areas if area in known))

    kinds = (NamedAs.BANK, NamedAs.COUNTRY, NamedAs.BONDS)
    with_seats = areas_of(*kinds, NamedAs.SEAT)
    group = group_named(question, markets) if names_period(question) else None
    currencies = pairs_against_dollar(NamedAs.CURRENCY)
    return AskedMarkets(
        written=written,
        of_currencies=currencies,
        of_countries=pairs_against_dollar(NamedAs.COUNTRY),
        group=pairs_of(group, markets) if group else (),
        cross=() if written or group else _cross(currencies),
        banks=areas_of(NamedAs.BANK),
        areas=with_seats if len(with_seats) > 1 else areas_of(*kinds),
        money=areas_of(*kinds, NamedAs.CURRENCY),
        seats=areas_of(NamedAs.SEAT),
    )


def _cross(pairs: Sequence[MarketSpec]) -> tuple[MarketSpec, ...]:
    """The pair of two currencies. Empty for more than two, and for a base so small that its levels
    would print as zero."""
    codes = [code for spec in pairs for code in spec.market.split("/") if code != DOLLAR]
    if len(codes) != len(("base", "quote")):
        return ()
    pair = quoted_as(*codes)
    return () if pair.partition("/")[0] in QUOTED_FOR_MANY else (pair_by_name(pair),)


def held_against(market: MarketSpec, beside: Sequence[MarketSpec]) -> MarketSpec:
    """Adds to a policy rate the one that its differential is taken against, if exactly one is
    beside it."""
    others = [each.market for each in beside if each.kind is MarketKind.POLICY_RATE]
    if market.kind is not MarketKind.POLICY_RATE or len(others) != 1:
        return market
    return market.model_copy(update={"areas": (market.market, *others)})


def with_markets_beside(spec: GraphSpec, markets: Sequence[MarketSpec]) -> GraphSpec:
    """Adds markets to a graph that researches a market; they are researched side by side."""
    tasks = {TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES}
    own = {node.name for node in spec.nodes if node.task in tasks}
    last = next((n.name for n in spec.nodes if n.task is TaskType.SYNTHESISE), None)
    if not markets or not own or last is None:
        return spec
    beside = tuple(researched(market, last) for market in markets)
    edges = tuple(Edge(to=node.name) for node in beside)
    nodes = tuple(
        node.model_copy(update={"fork": (*node.fork, *edges)})
        if any(edge.to in own for edge in node.fork)
        else node
        for node in spec.nodes
    )
    return spec.model_copy(update={"nodes": (*nodes[:-1], *beside, nodes[-1])})


def _pairs(markets: Sequence[MarketSpec]) -> list[MarketSpec]:
    return [spec for spec in markets if spec.kind is MarketKind.PAIR]


def _groups(markets: Sequence[MarketSpec]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{spec.group}" for spec in _pairs(markets)))
