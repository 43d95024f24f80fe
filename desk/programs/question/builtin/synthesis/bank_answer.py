"""The answer about the central banks that a question names, if no text matches: the fact that it
asks for, how the question was understood if that is uncertain, and which of its words were not
parsed."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final, NamedTuple

from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import subjects_asked
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.findings.claims import Metric, span_days
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.banks import (
    bank_sentences,
    decisions_looked_at,
    is_known,
)
from desk.programs.question.builtin.kinds import (
    NOT_KNOWN,
    OF_A_BANK,
    OF_PRICES,
    QuestionKind,
    kind_of,
    likeliest,
    side_of_several,
)
from desk.programs.question.builtin.synthesis.markets.asked import MarketQuestion
from desk.programs.question.builtin.synthesis.markets.coverage import is_all_read
from desk.programs.question.builtin.synthesis.markets.move_sentences import TAKEN_FOR
from desk.programs.question.builtin.synthesis.markets.results import whole_days
from desk.programs.question.builtin.synthesis.verdicts import bank_verdict
from desk.programs.question.builtin.synthesis.written.answers import (
    MOST_QUOTED,
    NEAREST,
    NOTHING_WRITTEN,
    quoted,
)
from desk.programs.question.builtin.synthesis.written.quoting import Draft, Quoter
from desk.programs.question.builtin.synthesis.written.ranking import Fit
from desk.programs.question.builtin.unread_words import unread_words

OF_THE_BANKS: Final = "What the desk knows of central banks:"

_LOOKED_BACK: Final = frozenset({QuestionKind.CHANGED, None})
"""The kinds for which earlier decisions of a bank are looked for."""


class _AsRead(NamedTuple):
    """How a question about banks was understood: its kind, if that is certain, and the kind that is
    assumed (`taken`); the fact that decides it; which of its words were not parsed, whether the
    kind is certain despite them, and whether the answer begins with them."""

    kind: QuestionKind | None
    taken: QuestionKind | None
    verdict: str
    doubt: str
    is_sure: bool
    doubt_first: bool


def bank_answer(
    question: MarketQuestion,
    research: Sequence[ResearchResult],
    ranked: Sequence[Fit],
    quoter: Quoter,
    *,
    besides: bool = True,
) -> Draft:
    """Returns what is known about the banks that were researched, what the question asks for first.
    For places that are seats of banks among other things, the nearest texts come first, unless the
    kind is that of a bank. `besides` adds facts that are not asked for."""
    query, (first_day, day) = question.query, whole_days(question.window)
    read = _as_read(question, research, day)
    periods = query.periods_asked or (None,)
    side = side_of_several(query.question, read.taken, WORKER_EMBEDDING_MODEL.get())
    ahead = question.asked.several if read.taken is QuestionKind.NEXT else 0
    each = (
        bank_sentences(
            *(research, day, read.taken, days, read.verdict, side),
            besides=besides,
            days_ahead=ahead,
        )
        for days in periods
    )
    # Facts of today are given only once.
    told = tuple(dict.fromkeys(sentence for sentences in each for sentence in sentences))
    if query.days_asked is None and read.taken in _LOOKED_BACK:
        told = (*told, decisions_looked_at(_first_looked_at(research, first_day), day))
    kinds = {subject.kind for subject in subjects_asked(query.question)}
    if read.kind is None and NamedAs.SEAT in kinds and NamedAs.BANK not in kinds:
        near = [fit for fit in ranked if fit.near and fit.of_subject][:MOST_QUOTED]
        if near:
            written = quoted(near, quoter)
            summary = " ".join((NEAREST, written.summary, OF_THE_BANKS, *told))
            return written._replace(summary=summary, answered=False, found=False, nearest=True)
    known = all(is_known(research, day, read.taken, days, together=not kinds) for days in periods)
    found = read.is_sure and known and is_all_read(question, research)
    said = filter(None, _in_order(read, told, known=known))
    return Draft(" ".join(said), answered=found, found=found)


def _first_looked_at(research: Sequence[ResearchResult], first_day: date) -> date:
    """Returns the first day for which decisions were looked at: beside a pair this is not the first
    day of its window."""
    counted = (c for r in research for c in r.claims if c.metric is Metric.DECISIONS_WITHIN)
    return min((days[0] for claim in counted if (days := span_days(claim))), default=first_day)


def _as_read(question: MarketQuestion, research: Sequence[ResearchResult], day: date) -> _AsRead:
    """Interprets a question by the embedding model. Whether a bank raised, cut or moved its rate
    within named days is a question about its decisions, whatever else is near. Words that are near
    to no kind ask for something that the desk does not know."""
    query, find_meaning = question.query, WORKER_EMBEDDING_MODEL.get()
    # What a bank will decide cannot be asked about past days.
    past = query.days_asked is not None and query.days_asked[1] < day
    besides = {*OF_PRICES, QuestionKind.AHEAD} if past else OF_PRICES
    kind = kind_of(query.question, find_meaning, besides)
    asked = QuestionKind.DECIDED if kind in (None, QuestionKind.OTHER) else kind
    one = len(query.periods_asked) < 2
    verdict = bank_verdict(query.question, asked, research, day, query.days_asked) if one else ""
    kind = asked if verdict else kind
    left = unread_words(query, kind)
    sure = kind is not None and not left.matters(kind)
    unknown = {QuestionKind.OTHER} if past else NOT_KNOWN
    likely = kind or likeliest(query.question, OF_A_BANK, find_meaning, unknown)
    strange = left.is_judged and left.told(None)
    taken = likely if likely else QuestionKind.OTHER if strange else None
    doubt = left.told(likely)
    return _AsRead(kind, taken, verdict if sure else "", doubt, sure, left.come_first)


def _in_order(read: _AsRead, told: Sequence[str], *, known: bool) -> Iterator[str]:
    """Yields the facts and the words that were not parsed. These follow the first fact if they may
    change what is asked, and come last if they do not, or if no fact is known."""
    first, *rest = told
    if read.taken in NOT_KNOWN:
        yield from (first, read.doubt, *rest)
    elif read.is_sure or (read.kind is not None and not known):
        yield from (first, *rest, read.doubt)
    elif read.taken is None:
        yield from (first, read.doubt, *rest, NOTHING_WRITTEN)
    else:
        taken = f"{TAKEN_FOR} {read.taken.value}: {first}"
        yield from (read.doubt, taken) if read.doubt_first else (taken, read.doubt)
        yield from rest
