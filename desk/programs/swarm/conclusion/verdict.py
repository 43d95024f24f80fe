"""Yes, no or not clear: what the findings answer to an objective that asks for it, by rule.

- Carry trades unwind where at least three in four of the moves over the month and the quarter of
  the pairs that one currency funds are gains of it; they do not where at most one in four is. It is
  the currency with the lower policy rate.
- Something was strong, or weak, where at least two in three of its moves over the month, the
  quarter and the year went that way and none the other; it was not where none went that way. Of a
  period that is named the year says nothing.
- It is overbought, or oversold, where its relative strength index and its Bollinger bands both say
  so; it is not where neither does.

Everything between is not clear. A move counts from half of what is usual over its span on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.analytics.names.markets import spoken
from desk.analytics.prices.indicator_marks import OVERBOUGHT, OVERSOLD
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.markets import MarketKind
from desk.programs.swarm.conclusion.account import Account, MarketMove, side_of, spans, told
from desk.programs.swarm.conclusion.wording import joined, listed
from desk.programs.swarm.question import AnswerForm, SwarmQuestion, ends_in

FUNDING: Final = ("JPY", "CHF", "EUR")
"""Which currency of a pair is taken to fund where neither rate is known."""

LARGE_CARRY: Final = Decimal("0.25")
"""Of the volatility: from here on the carry is large beside the swings, as its tool reads it."""

MOST_TOLD: Final = 4

_MARKS: Final = MappingProxyType(
    {
        AnswerForm.OVERBOUGHT: (Decimal(OVERBOUGHT), Decimal(100), 1),
        AnswerForm.OVERSOLD: (Decimal(OVERSOLD), Decimal(0), -1),
    }
)
"""Where the relative strength index and the place within the bands say so, and on which side."""

_GAINING: Final[Mapping[bool | None, str]] = {
    True: "is gaining on the currencies bought with it",
    False: "is not gaining on the currencies bought with it",
    None: "is gaining over some spans and not over others",
}
_UNWINDS: Final = (
    "By rule, carry trades unwind where most of these moves are gains of the funding currency,"
    " each large for its usual swing."
)
_DONE: Final[Mapping[bool | None, str]] = {
    True: "{who} has been {word}",
    False: "{who} has not been {word}",
    None: "{who} has been {word} over some spans and not over others",
}
_MOVED: Final = (
    "By rule, {word} means that most of these moves went that way, each large for its usual"
    " swing, and none the other."
)


class YesNoAnswer(NamedTuple):
    """An answer: `holds` is None where it is not clear; then the sentence, what speaks for a yes
    and what against it, and the rule."""

    holds: bool | None
    sentence: str
    supports: Sequence[str] = ()
    opposes: Sequence[str] = ()
    rule: str = ""

    @property
    def words(self) -> str:
        """The answer, with what speaks for and against it."""
        head = {True: "Yes", False: "No", None: "Not clear"}[self.holds]
        sides = (("For a yes", self.supports), ("For a no", self.opposes))
        said = (
            f"{lead}: {'; '.join(clauses[:MOST_TOLD])}."
            for lead, clauses in (reversed(sides) if self.holds is False else sides)
            if clauses
        )
        return joined((f"{head}: {self.sentence}.", *said, self.rule))


def verdict(account: Account, question: SwarmQuestion) -> YesNoAnswer | None:
    """The answer by the rules above; None where the question is none of theirs."""
    ask = _ASKS.get(question.asked)
    if ask is None:
        return None
    past = question.period
    if past and not ends_in(past, account.request.assignment.window.end):
        return YesNoAnswer(
            None,
            f"the objective asks about {past}, and the moves here end where what is known ends"
            " (give the end of that period with --as-of)",
        )
    return ask(account, question)


def _unwinding(account: Account, question: SwarmQuestion) -> YesNoAnswer:
    """Whether the currency that funds carry trades gains on those that it is lent against."""
    pairs = [each.market for each in account.markets if each.kind is MarketKind.PAIR]
    moved = [pair for pair in pairs if spans(account, pair, 1, Metric.QUARTER_MOVE)]
    if not moved:
        return YesNoAnswer(None, "no move of a pair is available")
    funding = _funding(account, moved[0])
    funded = [pair for pair in moved if _funding(account, pair) == funding]
    found = [
        span
        for pair in funded
        for span in spans(account, pair, side_of(pair, funding), Metric.QUARTER_MOVE)
    ]
    gains = sum(span.sense > 0 for span in found)
    holds = True if gains * 4 >= 3 * len(found) else False if gains * 4 <= len(found) else None
    supports, opposes = _gains(found, funding)
    carry = list(_carry(account, funded))
    return YesNoAnswer(
        holds,
        f"{funding}, which funds the trade, {_GAINING[holds]}",
        (*supports, *(words for words, large in carry if not large)),
        (*opposes, *(words for words, large in carry if large)),
        _UNWINDS,
    )


def _gains(found: Sequence[MarketMove], currency: str) -> tuple[list[str], list[str]]:
    """What speaks for a gain of a currency, and what does not."""
    gained, flat, lost = ([s for s in found if s.sense == sense] for sense in (1, 0, -1))
    supports = [f"{currency} gained ({told(gained)})"] if gained else []
    opposes = [f"{currency} lost ({told(lost)})"] if lost else []
    if flat:
        opposes.append(f"{currency} did little ({told(flat)})")
    return supports, opposes


def _funding(account: Account, pair: str) -> str:
    base, _, quote = pair.partition("/")
    for metric in (Metric.DIFFERENTIAL, Metric.CARRY_TO_VOLATILITY):
        value = account.value(pair, metric)
        if value:
            return quote if value > 0 else base
    return next((each for each in FUNDING if each in (base, quote)), quote)


def _carry(account: Account, pairs: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for pair in pairs:
        worth = account.value(pair, Metric.CARRY_TO_VOLATILITY)
        if worth is not None:
            reference = f"[[{claim_id(pair, Metric.CARRY_TO_VOLATILITY)}]]"
            large = abs(worth) >= LARGE_CARRY
            pays = "still pays" if large else "pays little:"
            yield f"the carry of {spoken(pair)} {pays} {reference} of its volatility", large


def _done(account: Account, question: SwarmQuestion) -> YesNoAnswer:
    """Whether a currency or a stock has been strong, or weak."""
    way = 1 if question.asked is AnswerForm.STRONG else -1
    most = Metric.QUARTER_MOVE if question.period else Metric.YEAR_MOVE
    sides = [(each.market, side_of(each.market, question.currency)) for each in account.markets]
    sides = [each for each in sides if each[1]] or [(each.market, 1) for each in account.markets]
    found = [
        span._replace(sense=span.sense * way)
        for market, side in sides
        for span in spans(account, market, side, most)
    ]
    who = _who(sides)
    if not found:
        return YesNoAnswer(None, f"no move of {who} is available")
    along, against = (sum(span.sense == sense for span in found) for sense in (1, -1))
    holds = True if along * 3 >= 2 * len(found) and not against else None if along else False
    said = _DONE[holds].format(who=who, word=question.asked)
    return YesNoAnswer(
        holds, said, *_ways(found, question.asked), _MOVED.format(word=question.asked)
    )


def _ways(found: Sequence[MarketMove], word: str) -> tuple[list[str], list[str]]:
    along, flat, against = ([s for s in found if s.sense == sense] for sense in (1, 0, -1))
    opposite = AnswerForm.WEAK if word == AnswerForm.STRONG else AnswerForm.STRONG
    opposes = [f"{opposite} ({told(against)})"] if against else []
    if flat:
        opposes.append(f"little moved ({told(flat)})")
    return ([f"{word} ({told(along)})"] if along else []), opposes


def _who(sides: Sequence[tuple[str, int]]) -> str:
    names = {
        market if "/" not in market else market.split("/")[0 if side > 0 else 1]
        for market, side in sides
    }
    return listed(sorted(spoken(name) for name in names))


def _stretched(account: Account, question: SwarmQuestion) -> YesNoAnswer:
    """Whether a price is stretched, by the relative strength index and its bands."""
    verdicts = [_stretched_on(account, each.market, question.asked) for each in account.markets]
    found = [each for each in verdicts if each is not None]
    if not found:
        return YesNoAnswer(None, "no indicator is available")
    holds = {each.holds for each in found}
    return YesNoAnswer(
        next(iter(holds)) if len(holds) == 1 else None,
        "; ".join(each.sentence for each in found),
        [clause for each in found for clause in each.supports],
        [clause for each in found for clause in each.opposes],
        f"By rule, a market is {question.asked} where its relative strength index and its Bollinger"
        " bands both say so.",
    )


def _stretched_on(account: Account, market: str, asked: AnswerForm) -> YesNoAnswer | None:
    tests = tuple(_tests(account, market, asked))
    if not tests:
        return None
    met = [words for holds, words in tests if holds]
    holds = True if len(met) == len(tests) else None if met else False
    said = f"is {asked}" if holds is not False else f"is not {asked}"
    said += " by one measure only" if holds is None else ""
    unmet = [words for at, words in tests if not at]
    return YesNoAnswer(holds, f"{spoken(market)} {said}", met, unmet)


def _tests(account: Account, market: str, asked: AnswerForm) -> Iterator[tuple[bool, str]]:
    """Whether each measure is at its mark, and in words."""
    mark, edge, way = _MARKS[asked]
    index, place = (
        account.value(market, metric) for metric in (Metric.RSI, Metric.BOLLINGER_POSITION)
    )
    if index is not None:
        at = (index - mark) * way >= 0
        short = f"where {asked} begins" if at else f"short of where {asked} begins"
        reference = f"[[{claim_id(market, Metric.RSI)}]]"
        yield at, f"its relative strength index is {reference}, {short}"
    if place is not None:
        at = (place - edge) * way >= 0
        where = "at its Bollinger band or beyond" if at else "within its Bollinger bands"
        reference = f"[[{claim_id(market, Metric.BOLLINGER_POSITION)}]]"
        yield at, f"the price is {where}, at {reference} of their width"


_Ask = Callable[[Account, SwarmQuestion], YesNoAnswer]

_ASKS: Final[Mapping[AnswerForm, _Ask]] = MappingProxyType(
    {
        AnswerForm.UNWINDING: _unwinding,
        AnswerForm.STRONG: _done,
        AnswerForm.WEAK: _done,
        AnswerForm.OVERBOUGHT: _stretched,
        AnswerForm.OVERSOLD: _stretched,
    }
)
