"""Which form an objective has: the one that is named, or the nearest in meaning above a floor.

Nearness is taken from the forms' own descriptions and wordings: by the stems of their words, each
by how few forms have it, and where a model of meaning is installed by vectors as well. The names of
markets are no part of it. The floors were set once on the objectives of
`tests/unit/programs/objective_wordings.py`.

The vectors of the wordings are made once: a model takes a second for each.
`tests/unit/programs/accept_wordings.py` writes the file after a wording has changed.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from desk.analytics.names.countries import without_countries
from desk.analytics.names.subjects import without_currencies
from desk.analytics.retrieval.full_text import stems, telling_stems
from desk.analytics.retrieval.meaning import Vector
from desk.analytics.retrieval.wordings import kept_vectors
from desk.contracts.agents.tasks import Query
from desk.contracts.markets import MarketKind
from desk.programs.swarm.objectives.form import ObjectiveForm
from desk.programs.swarm.objectives.registry import FORMS
from desk.programs.swarm.tasks import first_asked

FILE: Final = Path(__file__).with_name("wordings.npz")


def wording_vectors() -> Mapping[str, Vector]:
    """The vectors by the wording that each was made of."""
    return kept_vectors(FILE)


ABOUT: Final = "about"
"""The parameter of an objective that names its form."""

TAKEN: Final = "taken"
"""The parameter that says that the form was taken as the nearest, and not named."""

AS_OF: Final = "as_of"
"""The parameter with the day that an objective was asked as of, as it was written."""

NEAREST: Final = "nearest"
"""The parameter that names the nearest forms where none is near enough."""

OFFERED: Final = 3
"""Forms that are named as the nearest, of those that one market of any name has."""

WORDS_FLOOR: Final = 0.6
"""The share of what an objective's words weigh that the form's own words have."""

MEANING_FLOOR: Final = 0.875
"""The cosine of an objective to the nearest wording of a form."""

FLOOR: Final = 0.92
"""That cosine with `WORDS_COUNT` of the share of words."""

WORDS_COUNT: Final = 0.08


UNDECIDED: Final = "undecided"
"""What no form decides, in place of a form's name."""

UNDECIDED_WORDINGS: Final = (
    "will the central bank cut rates at its next meeting",
    "is the central bank going to raise rates",
    "will the central bank hike or hold this month",
    "is a rate cut or a rate hike coming",
    "what will the central bank decide next",
)
"""Objectives that sound as a form's and ask what no figure decides: when a bank decides is known,
and what it will decide is not."""

APART: Final = 0.003
"""How much nearer the best form has to be than the next in meaning: vectors that are kept in half
the bytes are off by up to 0.001 each."""

_LEFT_OF_A_NAME: Final = re.compile(
    r"(?<!\w)['’]s\b|\bcurrency\b|\b(?:against|versus)\b", re.IGNORECASE
)
"""The genitive, the noun for what is named, and what stands between the two names of a pair."""


class QuestionMeaning(Protocol):
    """Turns what is asked into a vector of length 1, by the model that the wordings' are of."""

    def question(self, text: str) -> Vector:
        """The vector of what is asked."""
        ...


FindQuestionMeaning = Callable[[], QuestionMeaning | None]
"""How a matching comes by a model; None where none is installed, and words alone are compared."""


class FormMatch(NamedTuple):
    """The form of an objective: None where none is near enough. `taken` where nobody named it;
    `nearest` are the forms that come nearest, best first."""

    form: ObjectiveForm | None
    taken: bool
    nearest: tuple[ObjectiveForm, ...] = ()

    @property
    def parameters(self) -> dict[str, str]:
        """What an objective carries along, so that everybody who works on it takes it alike."""
        if self.form is not None:
            return {ABOUT: self.form.name, **({TAKEN: "nearest"} if self.taken else {})}
        return {NEAREST: ", ".join(form.name for form in self.nearest)}


def form_of(query: Query) -> FormMatch:
    """The form of an objective as it is given to an agent: by its parameters, or else by words."""
    named = FORMS.get(query.parameters.get(ABOUT, ""))
    if named is not None:
        return FormMatch(named, TAKEN in query.parameters)
    if NEAREST in query.parameters:
        names = (name.strip() for name in query.parameters[NEAREST].split(","))
        return FormMatch(None, taken=True, nearest=tuple(FORMS[n] for n in names if n in FORMS))
    return matched(first_asked(query.question))


def matched(objective: str, find_meaning: FindQuestionMeaning = lambda: None) -> FormMatch:
    """The nearest form in meaning, where it is above the floor. The model is not loaded for an
    objective in the very words of a form."""
    asked = _bare(objective)
    able = [*_able(objective), UNDECIDED]
    by_words = _covered(asked)
    scores = {name: (by_words.get(name, 0.0), _alike(asked, wordings_of(name))) for name in able}
    floors = (WORDS_FLOOR, 0.0)
    meaning = None if (1.0, 1.0) in scores.values() else find_meaning()
    if meaning is not None:
        near = _near(asked, meaning)
        scores = {n: (near[n] + WORDS_COUNT * by_words.get(n, 0.0), near[n]) for n in able}
        floors = (FLOOR, MEANING_FLOOR)
    ranked = sorted(able, key=lambda name: scores[name], reverse=True)
    best = ranked[0]
    enough = all(has >= least for has, least in zip(scores[best], floors, strict=True))
    if meaning is not None and len(ranked) > 1:
        enough = enough and scores[best][0] - scores[ranked[1]][0] >= APART
    forms = (FORMS[name] for name in ranked if name in FORMS)
    usable = (form for form in forms if form.markets is None and form.fewest == 1)
    nearest = tuple(islice(usable, OFFERED))
    return FormMatch(FORMS.get(best) if enough else None, taken=True, nearest=nearest)


def wordings_of(name: str) -> tuple[str, ...]:
    """How somebody may ask for a form, or for what no form decides."""
    return UNDECIDED_WORDINGS if name == UNDECIDED else FORMS[name].wordings


def all_wordings() -> tuple[str, ...]:
    """All that an objective is compared with by meaning, each once."""
    return tuple(dict.fromkeys(w for name in (*FORMS, UNDECIDED) for w in wordings_of(name)))


def _able(objective: str) -> list[str]:
    """The forms that are about what an objective names: pairs where it names a currency, and else
    stocks."""
    named = _without_names(objective) != objective
    kind = MarketKind.PAIR if named else MarketKind.STOCK
    return [form.name for form in FORMS.values() if kind in form.kinds]


def _bare(objective: str) -> str:
    """An objective without the names in it: currencies by any name, and what is written with a
    capital within a sentence, as companies and countries are."""
    text = _without_names(objective)
    first, *rest = text.split() or [""]
    return " ".join((first, *(word for word in rest if not word.lstrip("'\"($^").istitle())))


def _without_names(objective: str) -> str:
    """An objective without the currencies that it names, or else without the countries and banks
    that stand for theirs, nor what is left of such a name: `the SNB's currency` leaves no more than
    `the franc` does."""
    text = without_currencies(objective)
    text = without_countries(text) if text == objective else text
    return text if text == objective else _LEFT_OF_A_NAME.sub(" ", text)


def _covered(asked: str) -> dict[str, float]:
    """By form the share of what an objective's telling words weigh that the form has; the weight of
    a word is how few forms have it."""
    wanted = telling_stems(asked)
    weights = {word: _weight(word) for word in wanted}
    whole = sum(weights.values())
    if not whole:
        return {}
    return {
        name: sum(weights[word] for word in wanted if word in own) / whole
        for name, own in _own_stems().items()
    }


def _alike(asked: str, wordings: Iterable[str]) -> float:
    """How much of the wording that comes nearest an objective has: of two forms that have its words
    the one goes first that says little else."""
    wanted = {*telling_stems(asked)}
    said = ({*telling_stems(wording)} for wording in wordings)
    return max((len(wanted & own) / len(wanted | own) for own in said if own), default=0.0)


@cache
def _own_stems() -> Mapping[str, frozenset[str]]:
    described = {name: _described(form) for name, form in FORMS.items()}
    described[UNDECIDED] = " ".join(UNDECIDED_WORDINGS)
    return {name: stems(words) for name, words in described.items()}


@cache
def _weight(word: str) -> float:
    """The inverse document frequency of a word among the forms."""
    held = sum(word in own for own in _own_stems().values())
    return math.log(1 + len(FORMS) / (held + 0.5))


def _near(asked: str, meaning: QuestionMeaning) -> dict[str, float]:
    """By form the cosine of an objective to the nearest of its wordings."""
    question, vectors = meaning.question(asked), wording_vectors()
    return {
        name: max(
            (float(vectors[each] @ question) for each in wordings_of(name) if each in vectors),
            default=0.0,
        )
        for name in (*FORMS, UNDECIDED)
    }


def _described(form: ObjectiveForm) -> str:
    return " ".join((form.line, form.about(()), *form.wordings))
