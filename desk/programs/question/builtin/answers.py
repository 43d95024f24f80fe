"""Answers from what was read: the passages that answer a question best, quoted."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from desk.programs.question.builtin.passages import Passage
from desk.programs.question.builtin.quoting import Quoter, joined
from desk.programs.question.builtin.ranking import Ranked, rank
from desk.programs.question.question_reading import Question, Wanted, parts_of, read_question
from desk.trust.conflicts import stems, tokens

ALIKE: Final = 0.6
"""The share of words that two sentences have in common that say the same of one thing."""

AS_GOOD: Final = 0.06
COMPARED: Final = 0.5
"""The share of what is asked that a document's best passage has, where documents are compared."""

_COMPARING: Final = stems(
    "differ difference different compare comparison contrast agree disagree two each both document"
    " documents versus between side"
)
_FEW: Final = 2


class PassageAnswer(NamedTuple):
    """What passages say to a question. `coverage` is how much of it they have, `missing` what was
    looked for among them in vain."""

    summary: str
    about: tuple[Passage, ...]
    answered: bool
    coverage: float = 0.0
    missing: tuple[str, ...] = ()


NOTHING_FOUND: Final = "Nothing that was found answers the question."
_PARTLY: Final = "For a part of the question nothing was found that answers it."


def answer_from(text: str, passages: Sequence[Passage], quoter: Quoter) -> PassageAnswer:
    """The passages that answer each of the questions in a text."""
    answers = [_answer_part(part, passages, quoter) for part in _parts(text)]
    told = [answer for answer in answers if answer.answered]
    if not told:
        return PassageAnswer(NOTHING_FOUND, (), answered=False)
    partly = (_PARTLY,) if len(told) < len(answers) else ()
    sentences = (*dict.fromkeys(answer.summary for answer in told), *partly)
    about = tuple(dict.fromkeys(passage for answer in told for passage in answer.about))
    coverage = min(answer.coverage for answer in told)
    return PassageAnswer(
        " ".join(sentences), about, answered=True, coverage=coverage, missing=partly
    )


def answer_side_by_side(
    text: str, sides: Sequence[Sequence[Passage]], quoter: Quoter
) -> PassageAnswer:
    """What each of several documents says to a question; answered where each says something."""
    question = read_question(text).without(_COMPARING)
    best = [next(iter(rank(question, side)), None) for side in sides]
    found = [each for each in best if each and each.coverage >= COMPARED]
    if not found:
        return PassageAnswer(NOTHING_FOUND, (), answered=False)
    openings = ("One says:", *["The other says:"] * len(found))
    sentences = [
        f"{opening} {quoter.passage(each.passage)}."
        for opening, each in zip(openings, found, strict=False)
    ]
    if len(found) < len(sides):
        sentences.append("The other says nothing that answers the question.")
    return PassageAnswer(
        " ".join(sentences),
        tuple(each.passage for each in found),
        answered=len(found) == len(sides),
        coverage=min(each.coverage for each in found),
    )


def supporting(
    text: str, passages: Sequence[Passage], about: Sequence[Passage], most: int
) -> tuple[Passage, ...]:
    """The passages worth showing of some: those that the answer rests on, then the next best."""
    chosen = [passage for passage in passages if passage in about]
    question = read_question(text)
    # One word in common makes nothing worth showing.
    for each in rank(question, passages) if len(question.terms) >= _FEW else ():
        if each.coverage >= COMPARED and each.passage not in chosen:
            chosen.append(each.passage)
    return tuple(chosen[: max(most, len(about))])


def _parts(text: str) -> tuple[str, ...]:
    parts = parts_of(text)
    # A part such as "and when" owes its subject to the one before it.
    return parts if all(len(read_question(part).terms) >= _FEW for part in parts) else (text,)


def _answer_part(text: str, passages: Sequence[Passage], quoter: Quoter) -> PassageAnswer:
    question = read_question(text)
    ranked = rank(question, passages)
    best = _first_answer(ranked)
    if best is None or not _names_all(question, best.passage):
        one_by_one = _answer_one_by_one(question, passages, quoter)
        if best is None or one_by_one.answered:
            return one_by_one
    rivals = _rivals(question, best, ranked)
    if rivals:
        return _differing(best, rivals, quoter)
    return PassageAnswer(
        f"{quoter.passage(best.passage)}.", (best.passage,), answered=True, coverage=best.coverage
    )


def _answer_one_by_one(
    question: Question, passages: Sequence[Passage], quoter: Quoter
) -> PassageAnswer:
    """An answer for each of the things that a question names side by side: `A and B`."""
    found = []
    for gone in _side_by_side(question):
        best = _first_answer(rank(question.without(gone), passages))
        if best is None:
            return PassageAnswer(NOTHING_FOUND, (), answered=False)
        found.append(best)
    if not found:
        return PassageAnswer(NOTHING_FOUND, (), answered=False)
    distinct = tuple(dict.fromkeys(each.passage for each in found))
    return PassageAnswer(
        f"{joined(quoter.passage(passage) for passage in distinct)}.",
        distinct,
        answered=True,
        coverage=min(each.coverage for each in found),
    )


def _side_by_side(question: Question) -> tuple[frozenset[str], ...]:
    """For each of two names joined by `and` or `or`: the words of the other."""
    words = list(tokens(question.text))
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if word.written in ("and", "or") and {before.stem, after.stem} <= question.essential:
            return frozenset({after.stem}), frozenset({before.stem})
    return ()


def _names_all(question: Question, passage: Passage) -> bool:
    """Whether a passage itself names all that a question names side by side."""
    return all(gone <= passage.own for gone in _side_by_side(question))


def _first_answer(ranked: Sequence[Ranked]) -> Ranked | None:
    return next((each for each in ranked if each.answers), None)


def _rivals(question: Question, best: Ranked, ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Passages of other sources that say the same of the same thing with another figure."""
    if question.wanted not in (Wanted.NUMBER, Wanted.TIME, Wanted.ANYTHING):
        return ()
    found: dict[str, Ranked] = {}
    for each in ranked:
        if each.answers and best.coverage - each.coverage <= AS_GOOD and _contradicts(best, each):
            found.setdefault(each.passage.source, each)
    return tuple(found.values())


def _contradicts(one: Ranked, other: Ranked) -> bool:
    first, second = one.passage, other.passage
    if first.source == second.source or first.span.cells or second.span.cells:
        return False
    mine, theirs = _without_figures(first), _without_figures(second)
    alike = len(mine & theirs) / len(mine | theirs) >= ALIKE
    return alike and bool(_figures(first)) and _figures(first) != _figures(second)


def _figures(passage: Passage) -> frozenset[str]:
    return frozenset(token.written for token in tokens(passage.text) if token.is_figure)


def _without_figures(passage: Passage) -> frozenset[str]:
    return passage.own - stems(" ".join(_figures(passage)))


def _differing(best: Ranked, rivals: Sequence[Ranked], quoter: Quoter) -> PassageAnswer:
    """The newest first, and the others with it."""
    everyone = [best.passage, *(rival.passage for rival in rivals)]
    dated = sorted(
        (p for p in everyone if p.dated), key=lambda p: p.dated.toordinal() if p.dated else 0
    )
    newest = dated[-1] if dated and len(dated) == len(everyone) else everyone[0]
    others = [passage for passage in everyone if passage is not newest]
    first = "The sources differ. The newest says:" if dated else "The sources differ. One says:"
    sentences = [f"{first} {_with_date(newest, quoter)}."]
    sentences += [f"Another says: {_with_date(other, quoter)}." for other in others]
    return PassageAnswer(
        " ".join(sentences), (newest, *others), answered=True, coverage=best.coverage
    )


def _with_date(passage: Passage, quoter: Quoter) -> str:
    day = quoter.dated(passage)
    words = quoter.passage(passage)
    return f"{words}, and of when it is: {day}" if day and day != words else words
