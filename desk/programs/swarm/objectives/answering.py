"""The answer by the form of an objective: its sentences, and how the form is described."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.analytics.names.mentions import country_mentions
from desk.analytics.names.periods import SpanNamed
from desk.analytics.names.subjects import currency_asked_for, namings
from desk.contracts.episode.analysis import KnownSymbol
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.question.knowledge import YesOrNo
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.programs.swarm.conclusion.account import Account, lost_on, side_of
from desk.programs.swarm.conclusion.wording import joined, sentence
from desk.programs.swarm.objectives.form import (
    EVERYBODY,
    Answered,
    Decided,
    MarketView,
    ObjectiveForm,
)
from desk.programs.swarm.objectives.matching import AS_OF, FormMatch
from desk.programs.swarm.objectives.registry import FORMS
from desk.programs.swarm.tasks import SPECIALITIES, first_asked

MOST_OFFERED: Final = 3
"""The number of commands offered where code cannot decide."""


class FormAnswer(NamedTuple):
    """The first sentence of an answer, the sentences after it, and whether the question is
    addressed.

    `decided` is the yes, no or open of one market; None for several markets, and for a form that is
    not answered by yes or no.
    """

    first: str
    rest: tuple[str, ...]
    addressed: bool
    decided: YesOrNo | None = None


def answer_by(
    form: ObjectiveForm, account: Account, hypotheses: Mapping[str, tuple[Hypothesis, ...]]
) -> FormAnswer:
    """Applies a form to each market of an objective, the first market's sentence first."""
    query = account.request.assignment.query
    asked = first_asked(query.question) if query else ""
    markets = account.markets[:1] if form.fewest > 1 else account.markets
    firsts: list[str] = []
    rest: list[str] = []
    addressed = False
    answers: list[Answered] = []
    for spec in markets:
        currency = currency_asked_about(asked, spec.market)
        side = side_of(spec.market, currency) or 1
        turned = side < 0 and bool(form.mirror)
        own = FORMS[form.mirror] if turned else form
        view = MarketView(account, spec, side, hypotheses.get(spec.market, ()))
        decided = _decided(own, view)
        firsts.append(_first(decided, view, alone=len(markets) == 1))
        over = _span_asked(own, view)
        rest += [*(_turned(own, view, currency, over) if turned else ()), *decided.besides]
        addressed = addressed or decided.addressed
        answers.append(decided.answered)
    return FormAnswer(joined(firsts), tuple(rest), addressed, _yes_or_no(answers))


def question_of_form(form: ObjectiveForm, account: Account) -> str:
    """Returns the form's question as `answer_by` understands it: about the second currency of a
    pair if the objective asks about that."""
    query, markets = account.request.assignment.query, account.markets
    over = form.span_asked(query) if query else None
    if query is None or not form.mirror or len(markets) != 1:
        return form.about(markets, over)
    pair = markets[0].market
    currency = currency_asked_about(first_asked(query.question), pair)
    turned = currency is not None and side_of(pair, currency) == -1
    return form.asked_of(currency, over) if turned and currency else form.about(markets, over)


def line_asked(form: ObjectiveForm, objective: str, markets: Sequence[str]) -> str:
    """Returns in a line what a form decides. If the objective asks about a pair's second currency,
    that is the line of the opposite form, for the pair."""
    if not form.mirror or len(markets) != 1:
        return form.line
    currency = currency_asked_about(objective, markets[0])
    turned = currency is not None and side_of(markets[0], currency) == -1
    return f"{markets[0]}: {FORMS[form.mirror].line}" if turned else form.line


def currency_asked_about(objective: str, market: str) -> str | None:
    """Returns the currency of a pair that an objective names first, or that of the country that it
    names; None if it names the pair, or neither of its currencies."""
    legs = frozenset(market.split("/"))
    named = currency_asked_for(objective, legs)
    if named is not None or any("/" in naming.subject for naming in namings(objective)):
        return named
    countries = (each.code for each in country_mentions(objective) if each.code in legs)
    return next(countries, None)


def _yes_or_no(answers: Sequence[Answered]) -> YesOrNo | None:
    if len(answers) != 1 or answers[0] is Answered.TELLS:
        return None
    return YesOrNo(answers[0].lower())


def _decided(form: ObjectiveForm, view: MarketView) -> Decided:
    if view.spec.kind in form.kinds:
        asked = _span_asked(form, view)
        over = replace(view, over=asked)
        if asked and form.spans and over.has_over(form.decides):
            return form.decide(over)
        decided = form.decide(view)
        decided = _left_open(view, decided) if form.by_hypotheses else decided
        return _of_another_span(form, asked, _unread_ahead(form, view), decided)
    kinds = " and ".join(sorted(_KINDS[kind] for kind in form.kinds))
    words = f"{view.name} is none of the {kinds} that this is asked of"
    return Decided(Answered.OPEN, words, addressed=False)


def _span_asked(form: ObjectiveForm, view: MarketView) -> SpanNamed | None:
    query = view.account.request.assignment.query
    return form.span_asked(query) if query else None


def _unread_ahead(form: ObjectiveForm, view: MarketView) -> tuple[str, ...]:
    assignment = view.account.request.assignment
    query = assignment.query
    return form.unread_ahead(query, assignment.window.end.date()) if query else ()


def _of_another_span(
    form: ObjectiveForm, asked: SpanNamed | None, unread: Sequence[str], decided: Decided
) -> Decided:
    """Returns a form's decision over its own span, left open if the objective asks about another
    span, or says how far ahead in words that were not parsed."""
    if form.looks_back is None or not decided.addressed or not (asked or unread):
        return decided
    own = form.looks_back.span.words
    way = "ahead" if form.looks_back.ahead else "back"
    meant = f"the objective asks of {asked.words}" if asked else _not_read(unread)
    words = f"{meant}, and this looks {way} over {own}: {decided.sentence}"
    answered = decided.answered if decided.answered is Answered.TELLS else Answered.OPEN
    return Decided(answered, words, decided.besides, addressed=False)


def _not_read(unread: Sequence[str]) -> str:
    named = listed(words for words in unread if not any(sign.isnumeric() for sign in words))
    return f"how far ahead is meant{f' by {named}' if named else ''} is not read"


def _left_open(view: MarketView, decided: Decided) -> Decided:
    """Leaves a yes or no that follows from all views open if some specialists could not get all
    their data: that data could change the decision."""
    lost = lost_on(view.account, view.market)
    if not lost or decided.answered not in (Answered.YES, Answered.NO):
        return decided
    voices = listed(SPECIALITIES[each].voice for each in lost if each in SPECIALITIES)
    words = f"{decided.sentence}, but not all data on {voices} could be had, which could decide"
    return decided._replace(answered=Answered.OPEN, sentence=words)


_KINDS: Final = {MarketKind.PAIR: "pairs", MarketKind.STOCK: "stocks"}


def _first(decided: Decided, view: MarketView, *, alone: bool) -> str:
    if decided.answered is Answered.TELLS:
        return sentence(decided.sentence)
    lead = decided.answered if alone else f"{decided.answered} for {view.name}"
    return f"{lead}: {decided.sentence}."


def _turned(
    form: ObjectiveForm, view: MarketView, currency: str | None, over: SpanNamed | None
) -> Iterator[str]:
    """Says why the opposite form decides the pair: the question was about its second currency."""
    yield (
        f"As {currency} is the second currency of {view.name}, the question on the pair is:"
        f" {form.about((view.spec,), over)}"
    )


def reports_leanings(form: ObjectiveForm) -> bool:
    """Returns whether the answer should also say where the markets lean: not if that is the answer
    itself, and not for a pair that an authority holds."""
    return form.agents != EVERYBODY and form.markets is None


def chosen_form_words(match: FormMatch, account: Account) -> str:
    """Says which form was chosen without being named, with its question if the objective is worded
    differently."""
    query = account.request.assignment.query
    if match.form is None or query is None:
        return ""
    taken, question = f"Taken as `--about {match.form.name}`", question_of_form(match.form, account)
    same = _words_of(question) == _words_of(first_asked(query.question))
    return f"{taken}." if same else f"{taken}: {question}"


def _words_of(question: str) -> list[str]:
    return question.casefold().rstrip("? .").split()


def offered(
    match: FormMatch, markets: Sequence[MarketSpec], objective: str, parameters: Mapping[str, str]
) -> str:
    """Offers the nearest forms as commands, each with the question that it answers. For the second
    currency of a pair these are the opposite forms, which answer the same about the pair."""
    names = " ".join(each.market for each in markets[:2])
    if any(sign.isdigit() for sign in names):
        return ""
    as_of = f" --as-of {parameters[AS_OF]}" if AS_OF in parameters else ""
    told = [
        f"`desk swarm {shlex.quote(names)} --about {form.name}{as_of}` answers:"
        f" {form.about(markets)}"
        for form in _on_the_pair(match.nearest, markets, objective)
        if _is_able(form, markets)
    ]
    commands = " ".join(told[:MOST_OFFERED])
    return f"Without a model the nearest questions can be answered. {commands}" if commands else ""


def _on_the_pair(
    forms: Sequence[ObjectiveForm], markets: Sequence[MarketSpec], objective: str
) -> list[ObjectiveForm]:
    sides = {side_of(m.market, currency_asked_about(objective, m.market)) for m in markets[:2]}
    turned = sides == {-1}
    return [FORMS[form.mirror] if turned and form.mirror else form for form in forms]


def _is_able(form: ObjectiveForm, markets: Sequence[MarketSpec]) -> bool:
    """Returns whether a form applies to such markets, and to this many."""
    named = {code for each in markets if "/" in each.market for code in each.market.split("/")}
    pegged = form.markets is None or bool(form.markets(named))
    of_a_kind = bool(form.kinds & {each.kind for each in markets})
    return of_a_kind and pegged and form.fewest <= len(markets)


def instead_of(
    form: ObjectiveForm | None, named: Mapping[str, KnownSymbol]
) -> dict[str, KnownSymbol]:
    """Returns the pairs that a form researches instead of those that an objective names, such as
    the pair of a peg; empty without any."""
    if form is None or form.markets is None:
        return {}
    pairs = form.markets({code for name in named if "/" in name for code in name.split("/")})
    return {
        pair: KnownSymbol(symbol=pair, kind=MarketKind.PAIR, name=market_in_a_sentence(pair))
        for pair in pairs
    }
