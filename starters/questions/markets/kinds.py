"""Decides by the embedding model whether a question asks about pairs, or about central banks in
their place or together. Loads the model only for a question that may be about either."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from desk.analytics.names.markets import AREAS
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.periods import Period, names_period, since_decision
from desk.analytics.names.subjects import pairs_named, speaks_of_banks, subjects_asked
from desk.analytics.retrieval.full_text import stems
from desk.contracts.agents.tasks import Query
from desk.contracts.markets import MarketSpec
from desk.programs.question.builtin.kinds import (
    OF_A_BANK,
    OF_PRICES,
    OF_RATES,
    QuestionKind,
    kind_of,
    wordings_of,
)
from starters.questions.markets.asked import AskedMarkets, PairAndBanks, banks_together

_OF_A_PAIR: Final = frozenset({QuestionKind.RATE})
"""What a question about a pair's carry asks of its banks."""

_OF_BANKS_ALONE: Final = frozenset({QuestionKind.CHANGED, QuestionKind.RATE})


def is_of(kinds: Collection[QuestionKind], words: str) -> bool:
    """Returns whether a question that names currencies, countries or a place is of one of some
    kinds, by the embedding model."""
    from desk.platform.memory.sentence_encoder import desk_embedding_model

    return kind_of(words, desk_embedding_model) in kinds


def is_of_carry(words: str) -> bool:
    """Returns whether a question that names a pair and no period asks for the rates of its two
    banks, by the embedding model."""
    return bool(pairs_named(words)) and not names_period(words) and is_of(_OF_A_PAIR, words)


_OF_BANKS: Final = frozenset({NamedAs.BANK, NamedAs.COUNTRY, NamedAs.BONDS})


def _apart(words: str) -> PairAndBanks | None:
    """Splits a question into the half about a pair and the half about banks that it names. Returns
    None if it has no such halves."""
    from desk.programs.question.builtin.synthesis.parts import halves

    for head, tail in halves(words):
        for halved in (PairAndBanks(head, tail), PairAndBanks(tail, head)):
            of_pair, of_banks = ({s.kind for s in subjects_asked(half)} for half in halved)
            if NamedAs.CURRENCY not in of_pair or not of_banks & _OF_BANKS:
                continue
            if is_of(OF_A_BANK, halved.of_banks) and not is_of(OF_A_BANK, halved.of_pair):
                return halved
    return None


def as_banks(
    words: str, named: str | None, aside: str | None, asked: AskedMarkets, *, measured: bool
) -> tuple[str | None, str | None, AskedMarkets]:
    """Returns the pair that a question names, the pair that is otherwise meant, and all that it
    names. If the question asks about rates or a bank, the currencies and the place that it names
    stand for their banks, and no pair is meant. If one half asks about a pair and the other about
    banks, the banks are beside the pair. If it asks about prices, a country stands for its
    currency."""
    if (named or aside) and not measured and (apart := _apart(words)):
        codes = {subject.code for subject in subjects_asked(apart.of_banks)}
        areas = {AREAS.get(code) for code in codes}
        banks = tuple(each for each in asked.money if each.market in areas)
        pairs = tuple(e for e in asked.of_countries if not codes & {*e.market.split("/")})
        return named, aside, asked._replace(banks=banks, of_countries=pairs, apart=apart)
    if (named or aside) and asked.money and not measured:
        kinds = OF_RATES if asked.of_currencies else OF_A_BANK
        since = since_decision(words)
        undecided = words.replace(since.words, " ") if since else words
        if is_of_carry(words) if asked.written else is_of(kinds, undecided):
            return None, None, asked._replace(areas=asked.money)
    elif asked.seats and not (named or aside or asked.areas) and is_of(OF_A_BANK, words):
        return named, aside, asked._replace(areas=asked.seats)
    elif asked.of_countries and not (named or aside or asked.banks) and is_of(OF_PRICES, words):
        return None, asked.of_countries[0].market, asked
    return named, aside, asked


def with_banks_together(
    words: str, asked: AskedMarkets, markets: Sequence[MarketSpec], days_of: Callable[[str], Period]
) -> AskedMarkets:
    """Adds the banks that a question asks about together, such as which of them cut last. Returns
    the markets unchanged if the question names a subject of its own, or asks for something that
    banks do not have, by the embedding model. Only a policy rate and its change imply banks; for
    all else the question must mention banks, or a group."""
    if {*asked.side_by_side} - {*asked.group} or subjects_asked(words):
        return asked
    from desk.programs.question.builtin.unread_words import unread_words

    banks, rest = banks_together(words, markets)
    kinds = _kinds_of_banks(rest)
    query = Query(question=rest, parameters=days_of(rest).parameters)
    of_banks = stems(" ".join(each for of_it in OF_A_BANK for each in wordings_of(of_it)))
    left = unread_words(query, next(iter(kinds), None), of_banks)
    spoken_of = banks.group or speaks_of_banks(words) or kinds & _OF_BANKS_ALONE
    if not (spoken_of and kinds) or left.names or left.others:
        return asked
    return asked._replace(areas=banks.areas, together=banks)


def _kinds_of_banks(words: str) -> frozenset[QuestionKind]:
    """Returns the kinds of what a question, or each of two parts of it, asks about banks. Empty if
    it asks for something else."""
    from desk.platform.memory.sentence_encoder import desk_embedding_model
    from desk.programs.question.builtin.synthesis.parts import halves

    for parts in ((words,), *halves(words)):
        kinds = {kind_of(part, desk_embedding_model) for part in parts}
        if kinds <= OF_A_BANK:
            return frozenset(kind for kind in kinds if kind)
    return frozenset()
