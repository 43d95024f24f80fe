"""Whether a question asks of pairs, or of central banks in their place or together, by the model of
meaning. Only a question that may be of either pays for loading the model here."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from desk.analytics.names.periods import Period
from desk.analytics.names.subjects import speaks_of_banks, subjects_asked
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
from starters.questions.markets.asked import AskedMarkets, banks_together

_OF_BANKS_ALONE: Final = frozenset({QuestionKind.CHANGED, QuestionKind.RATE})


def is_of(kinds: Collection[QuestionKind], words: str) -> bool:
    """Whether a question that names currencies, countries or a place is of one of some kinds, by
    the model of meaning."""
    from desk.platform.memory.sentence_encoder import meaning_of_the_desk

    return kind_of(words, meaning_of_the_desk) in kinds


def as_banks(
    words: str, named: str | None, aside: str | None, asked: AskedMarkets, *, measured: bool
) -> tuple[str | None, str | None, AskedMarkets]:
    """The pair that a question names, the pair that is meant otherwise, and all that it names:
    where it asks of rates or of a bank, the currencies and the place that it names stand for
    their banks, and no pair is meant. Where it asks of prices, a country stands for its money."""
    if (named or aside) and asked.money and not (asked.written or measured):
        if is_of(OF_RATES if asked.of_currencies else OF_A_BANK, words):
            return None, None, asked._replace(areas=asked.money)
    elif asked.seats and not (named or aside or asked.areas) and is_of(OF_A_BANK, words):
        return named, aside, asked._replace(areas=asked.seats)
    elif asked.of_countries and not (named or aside or asked.banks) and is_of(OF_PRICES, words):
        return None, asked.of_countries[0].market, asked
    return named, aside, asked


def with_banks_together(
    words: str, asked: AskedMarkets, markets: Sequence[MarketSpec], days_of: Callable[[str], Period]
) -> AskedMarkets:
    """With the banks that a question asks about together, as which of them cut last. As it is where
    it names something of its own, or asks by the model of meaning for what is none of theirs. Only
    of a policy rate and its change nobody asks but of banks: all else has to speak of them, or of a
    group."""
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
    """What a question asks of banks, or each of two parts of it; nothing where it asks for
    something else."""
    from desk.platform.memory.sentence_encoder import meaning_of_the_desk
    from desk.programs.question.builtin.synthesis.parts import halves

    for parts in ((words,), *halves(words)):
        kinds = {kind_of(part, meaning_of_the_desk) for part in parts}
        if kinds <= OF_A_BANK:
            return frozenset(kind for kind in kinds if kind)
    return frozenset()
