"""Finds the form of an objective: the one that it names, or the nearest in meaning above a
threshold.

`nearness` says how near a form is. Before that each name of a market is replaced by a placeholder:
names decide which forms apply, and not which one fits best. The thresholds were set on the wordings
themselves, each compared with all others, and on the objectives of
`tests/unit/programs/swarm/objective_wordings.py`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from desk.analytics.names.mentions import (
    country_mentions,
    currency_mentions,
    with_countries_as,
    written_pairs,
)
from desk.analytics.names.subjects import with_currencies_as
from desk.analytics.retrieval.frames import without_frame
from desk.contracts.agents.tasks import Query
from desk.contracts.markets import MarketKind
from desk.programs.swarm.objectives.form import ObjectiveForm
from desk.programs.swarm.objectives.nearness import UNDECIDED, Nearness, QuestionMeaning, nearness
from desk.programs.swarm.objectives.registry import FORMS
from desk.programs.swarm.tasks import first_asked

ABOUT: Final = "about"
"""The parameter of an objective that names its form."""

TAKEN: Final = "taken"
"""The parameter that says that the form was chosen as the nearest, and not named."""

AS_OF: Final = "as_of"
"""The parameter with the as-of day of an objective, as it was written."""

NEAREST: Final = "nearest"
"""The parameter that names the nearest forms if none is near enough."""

OFFERED: Final = 3
"""The number of nearest forms that are named, among those that apply to a single market."""

SIGN: Final = "\N{CURRENCY SIGN}"
IT: Final = "it"
ITS: Final = "its"
OTHER: Final = "the other"
"""The placeholders for the first market of an objective, and for each further one."""

_LEFT_OF_A_NAME: Final = re.compile(
    rf"(?:\bthe\s+)?(?:\bcurrency\s+of\s+(?:the\s+)?)?{SIGN}"
    r"(?:(?:['’]s?)?\s+currency\b)?",
    re.IGNORECASE,
)
"""A name with its article and the noun `currency`."""

_GENITIVE: Final = re.compile(rf"{SIGN}['’]s?(?!\w)")

_OF_A_PAIR: Final = re.compile(
    rf"(?<={SIGN})\s*[-/]?\s*{SIGN}|\s+(?:against|versus|vs?\.?)\s+{SIGN}",
    re.IGNORECASE,
)
"""The second name of a pair, and the words before it."""


class Floors(NamedTuple):
    """The thresholds for accepting a form: how near the best kind of form has to be (`near`), how
    much nearer than `UNDECIDED` (`decided`) and than the next kind (`apart`), how clear the choice
    between two opposite forms (`side`) and the number of markets (`markets`) have to be, and how
    near a form has to be to be named as one of the nearest (`shown`)."""

    near: float
    decided: float
    apart: float
    side: float
    markets: float = 0.3
    shown: float = 0.15


BY_MEANING: Final = Floors(0.35, 0.15, 0.05, 0.25)
BY_WORDS: Final = Floors(0.5, 0.3, 0.3, 0.4)

FindQuestionMeaning = Callable[[], QuestionMeaning | None]
"""Loads a model; returns None if none is installed, and only words are compared."""


class FormMatch(NamedTuple):
    """The form of an objective: None if none is near enough. `taken` if the objective did not name
    it; `nearest` are the nearest forms, best first."""

    form: ObjectiveForm | None
    taken: bool
    nearest: tuple[ObjectiveForm, ...] = ()

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters that the objective gets, so that all agents use the same form."""
        if self.form is not None:
            return {ABOUT: self.form.name, **({TAKEN: "nearest"} if self.taken else {})}
        return {NEAREST: ", ".join(form.name for form in self.nearest)}


def form_of(query: Query) -> FormMatch:
    """Returns the form of an objective as it is given to an agent: by its parameters, or else by
    its words."""
    named = FORMS.get(query.parameters.get(ABOUT, ""))
    if named is not None:
        return FormMatch(named, TAKEN in query.parameters)
    if NEAREST in query.parameters:
        names = (name.strip() for name in query.parameters[NEAREST].split(","))
        return FormMatch(None, taken=True, nearest=tuple(FORMS[n] for n in names if n in FORMS))
    return matched(first_asked(query.question))


def matched(objective: str, find_meaning: FindQuestionMeaning = lambda: None) -> FormMatch:
    """Returns the nearest form in meaning, if it is above the thresholds. Polite phrases around the
    question are not compared. The model is not loaded for an objective in the exact words of a
    form's question."""
    objective = without_frame(objective)
    named = _with_signs(objective)
    asked = _in_words(named)
    own = next((form for form in FORMS.values() if asked in _questions_of(form)), None)
    if own is not None and _is_able(own, objective, named):
        return FormMatch(own, taken=True, nearest=(own,))
    meaning = find_meaning()
    found = nearness(asked, meaning)
    ranked = sorted(found.kinds, key=lambda kind: -found.kinds[kind])
    floors = BY_WORDS if meaning is None else BY_MEANING
    best = _clear(found, ranked, floors)
    form = FORMS.get(best)
    able = form is not None and _is_able(form, objective, named)
    return FormMatch(
        form if able else None, taken=True, nearest=_nearest(found, ranked, named, floors)
    )


def _clear(found: Nearness, ranked: Sequence[tuple[str, ...]], floors: Floors) -> str:
    """Returns the form that an objective is near enough to; empty without one."""
    first, second = (found.kinds[kind] for kind in ranked[:2])
    decided = first - found.kinds[UNDECIDED,]
    if first < floors.near or decided < floors.decided or first - second < floors.apart:
        return ""
    sided = _likelier_forms(ranked[0], found, floors, found.side)
    return sided[0] if len(sided) == 1 else ""


def _likelier_forms(
    kind: tuple[str, ...], found: Nearness, floors: Floors, side: float
) -> tuple[str, ...]:
    """Returns the one of two opposite forms that the objective asks for, or both, the likelier
    first, if that is not clear. Among forms on several markets, returns those that ask about the
    first market alone if that is clear; among others, the one that compares several markets if that
    is likelier."""
    firsts = {form.of_first for form in FORMS.values()} & {*kind}
    comparing = {form.name for form in FORMS.values() if form.compares} & {*kind}
    of_first, of_several = found.of_first >= floors.markets, found.of_several >= floors.markets
    meant = kind
    for those, asked in ((firsts, of_first), (comparing, of_several)):
        meant = tuple(each for each in meant if not those or (each in those) is asked)
    likelier = meant if side >= 0 else meant[::-1]
    return likelier if abs(side) < floors.side else likelier[:1]


def _nearest(
    found: Nearness, ranked: Iterable[tuple[str, ...]], named: str, floors: Floors
) -> tuple[ObjectiveForm, ...]:
    """Returns the nearest forms above the threshold that apply to a single market of any name.
    Includes both of two opposite forms, unless their kind is near enough and it is clear which is
    asked for."""
    ordered = (
        each
        for kind in ranked
        if found.kinds[kind] >= floors.shown
        for each in _likelier_forms(
            kind, found, floors, found.side if found.kinds[kind] >= floors.near else 0
        )
    )
    forms = (FORMS[each] for each in ordered if each in FORMS)
    usable = (form for form in forms if form.markets is None and form.fewest == 1)
    return tuple(islice((form for form in usable if _market_kind(named) in form.kinds), OFFERED))


def _is_able(form: ObjectiveForm, objective: str, named: str) -> bool:
    """Returns whether a form applies to markets of this kind, and to this many."""
    if _market_kind(named) not in form.kinds:
        return False
    if form.markets is not None and not form.markets(_currencies(objective)):
        return False
    return form.fewest == 1 or _market_kind(named) is MarketKind.STOCK or _names(named) > 1


def _market_kind(named: str) -> MarketKind:
    """Returns pairs if an objective names a currency, otherwise stocks."""
    return MarketKind.PAIR if SIGN in named else MarketKind.STOCK


def _names(named: str) -> int:
    return named.count(SIGN)


def _currencies(objective: str) -> set[str]:
    mentioned = {mention.code for mention in currency_mentions(objective)}
    written = {code for pair in written_pairs(objective) for code in pair.meaning.codes}
    of_countries = {mention.code for mention in country_mentions(objective)}
    return mentioned | written | of_countries


def _questions_of(form: ObjectiveForm) -> tuple[str, ...]:
    names = " and ".join((IT, *[OTHER] * (form.fewest - 1)))
    return (_bare(form.asked_of(names)),)


def _with_signs(objective: str) -> str:
    """Replaces each market that an objective names by currencies, or else by the countries and
    banks of those, by a sign: a pair by one sign."""
    text = with_currencies_as(SIGN, objective)
    text = with_countries_as(SIGN, text) if SIGN not in text else text
    return _OF_A_PAIR.sub("", _LEFT_OF_A_NAME.sub(SIGN, text))


def _in_words(named: str) -> str:
    """Replaces each market of an objective by a word. If it names no currency, replaces the
    capitalised words within the sentence, which are names of companies."""
    if SIGN in named:
        return _bare(_GENITIVE.sub(ITS, named, 1).replace(SIGN, IT, 1).replace(SIGN, OTHER))
    start, *rest = named.split() or [""]
    return _bare(" ".join((start, *(IT if _is_name(word) else word for word in rest))))


def _is_name(word: str) -> bool:
    return word.lstrip("'\"($^").istitle()


def _bare(words: str) -> str:
    return " ".join(words.casefold().strip(" ?.!").split())
