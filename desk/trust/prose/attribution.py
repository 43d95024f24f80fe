"""Finds figures that a text attributes to another market or bank than that of their claim.

A figure belongs to the name in parentheses right behind it, or else to the name that its sentence
has last before it. If the sentence has none before it, it belongs to the first name after it; if
the sentence has no name at all, to the last one before it in the text. Several figures in a row may
belong to as many names, in the same order.

For a pair, the names of currencies count, and those of countries and banks only if the sentence
has no currency; for an area it is the other way round. The dollar's name says nothing about a pair
with the dollar; a pair without it needs the names of both its currencies. A name after `than`,
`like` or `unlike` is only compared with, and one after `against` must be a currency of the pair. A
figure that prints its own name (`Form.NAMED`) fits anywhere, so a writer can always say it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from desk.analytics.names.markets import AREAS, DOLLAR
from desk.contracts.findings.claims import Claim, Metric
from desk.trust.claims.dollar_index import DOLLAR_INDEX
from desk.trust.prose.names import Name, names_in
from desk.trust.prose.references import (
    COUNTED,
    SIDES,
    Form,
    Reference,
    currencies_of,
    found_in,
    has_name,
    printed,
    subject_name,
)
from desk.trust.prose.sentences import split_sentences

_CURRENCY_OF: Final = {area: code for code, area in AREAS.items()}
_DIFFERENCES: Final = frozenset({Metric.DIFFERENTIAL, Metric.YIELD_DIFFERENTIAL})
_OF_SEVERAL: Final = frozenset(
    {
        *(Metric.CORRELATION, Metric.CORRELATION_YEAR, Metric.RELATIVE_MOVE),
        *(Metric.GROUP_MOVE, Metric.BREADTH),
    }
)
"""Figures that compare a market with others, which the sentence names too."""

_RIGHT_BEHIND: Final = len(" against the ")
_OWN_NAME: Final = SIDES | {Form.NAMED}


class _Subject(NamedTuple):
    """What a claim is about. `own` are the currencies that may name it, `silent` those whose names
    say nothing about it. `money` says whether names of currencies count, or those of countries and
    banks; None for both alike."""

    own: frozenset[str]
    silent: frozenset[str]
    pair: str | None
    money: bool | None


class _Placed(NamedTuple):
    """A reference with what its claim is about."""

    reference: Reference
    claim: Claim
    subject: _Subject


def misattributed(prose: str, claims: Mapping[str, Claim]) -> Iterator[tuple[Reference, str]]:
    """Yields the references to figures that the text attributes to something else, with the
    reasons."""
    if not any(_subject_of(claims[each.name]) for each in found_in(prose) if each.name in claims):
        return
    earlier: list[Sequence[Name]] = []
    start = 0
    for sentence in split_sentences(prose):
        references = list(found_in(sentence))
        own = _with_printed(names_in(sentence), references, claims)
        for each, name in _strangers(references, own, earlier, claims):
            at = each._replace(start=start + each.start, end=start + each.end)
            yield at, _reason(claims[each.name], name)
        if own:
            earlier.append(own)
        start += len(sentence)


def subjects_named(prose: str, start: int, claims: Mapping[str, Claim]) -> set[int]:
    """Returns how many things the last sentence of a text names or refers to, as currencies, as
    banks, or as pairs: by itself, and with the sentence before it. It begins at `start`."""
    before = split_sentences(prose[:start])[-1:]
    counts: set[int] = set()
    for text in (prose[start:], "".join((*before, prose[start:]))):
        referred = [claims[each.name] for each in found_in(text) if each.name in claims]
        subjects = [subject for claim in referred if (subject := _subject_of(claim))]
        names = names_in(text)
        codes = frozenset[str]().union(*(each.own for each in subjects), *(n.codes for n in names))
        pairs = {*(each.pair for each in subjects), *(each.pair for each in names)} - {None}
        counts |= {len(pairs), len({claim.subject for claim in referred})}
        counts |= {len(codes - {DOLLAR}), len(codes) if len(pairs) < 2 else 0}
    return counts


def _reason(claim: Claim, name: Name) -> str:
    if not has_name(claim):
        return f"it is of the dollar, and the text says it of {name.written}: name the dollar last"
    return (
        f"it is of {claim.subject}, and the text says it of {name.written}: name"
        f" {subject_name(claim)} last before it, or write [[{claim.claim_id}|{Form.NAMED}]], which"
        f" prints {printed(claim, Form.NAMED)}"
    )


def _strangers(
    references: Sequence[Reference],
    own: Sequence[Name],
    earlier: Sequence[Sequence[Name]],
    claims: Mapping[str, Claim],
) -> Iterator[tuple[Reference, Name]]:
    """Yields the references of a sentence that belong to a name of something else, with it."""
    for row in _rows(references, own, claims):
        candidates = _candidates(row, own, earlier)
        if _are_in_order(row, candidates):
            continue
        for each in row:
            if each.reference.form in _OWN_NAME:
                continue
            stranger = _other_owner(each, candidates) or _not_in_full(each, own, earlier)
            if stranger is not None:
                yield each.reference, stranger


def _rows(
    references: Sequence[Reference], own: Sequence[Name], claims: Mapping[str, Claim]
) -> Iterator[list[_Placed]]:
    """Yields the references to figures of markets and banks, those without a name between them
    together."""
    row: list[_Placed] = []
    for each in references:
        claim = claims.get(each.name)
        subject = _subject_of(claim, each.form) if claim else None
        if claim is None or subject is None:
            continue
        start = row[-1].reference.start if row else 0
        if row and any(start <= name.start < each.start for name in own):
            yield row
            row = []
        row.append(_Placed(each, claim, subject))
    if row:
        yield row


def _candidates(
    row: Sequence[_Placed], own: Sequence[Name], earlier: Sequence[Sequence[Name]]
) -> list[Sequence[Name]]:
    """Returns the names that the figures of a row may belong to, the nearest first: those before it
    in the sentence, those behind it, and those of each earlier sentence."""
    start, end = row[0].reference.start, row[-1].reference.end
    before = [name for name in reversed(own) if name.end <= start]
    after = [name for name in own if name.start >= end]
    return [before, after, *(names[::-1] for names in reversed(earlier))]


def _other_owner(each: _Placed, candidates: Iterable[Sequence[Name]]) -> Name | None:
    """Returns the name that a figure belongs to, if it is of something else."""
    before, after, *earlier = candidates
    put = after[0] if after and after[0].start - each.reference.end <= _RIGHT_BEHIND else None
    if put and (put.labels or (put.against and each.subject.pair)) and not _fits(put, each):
        return put
    if put and put.labels:
        return None
    for groups in ((before, after), *((names,) for names in earlier)):
        for kinds in _kinds(each):
            for group in groups:
                counting = [name for name in group if name.money in kinds and _says(name, each)]
                chosen = _uncompared(counting, each)
                if chosen is not None:
                    return None if _fits(chosen, each) else chosen
    return None


def _kinds(each: _Placed) -> tuple[Collection[bool], ...]:
    """Returns the kinds of names that count for a claim, those that count first in front."""
    money = each.subject.money
    return ({True, False},) if money is None else ({money}, {not money})


def _uncompared(names: Iterable[Name], each: _Placed) -> Name | None:
    """Returns the first name that is not only compared with, or is compared by this figure, right
    behind it; or one after `against` that is not a currency of the pair, or is the bank's."""
    last = None
    for name in names:
        if name.than:
            if 0 < each.reference.start - name.end <= len("'s (") and _fits(name, each):
                return name
            continue
        # A pair is quoted against a currency; a bank's rate is set against another bank's.
        of_pair = each.subject.pair is not None
        if not name.against or of_pair is not _fits(name, each):
            return name
        last = last or name
    return last


def _says(name: Name, each: _Placed) -> bool:
    """Returns whether a name says anything about what a claim is about."""
    return not name.codes <= each.subject.silent


def _fits(name: Name, each: _Placed) -> bool:
    subject = each.subject
    if name.pair is not None and subject.pair is not None:
        return name.pair == subject.pair
    return not name.codes.isdisjoint(subject.own)


def _not_in_full(
    each: _Placed, own: Sequence[Name], earlier: Sequence[Sequence[Name]]
) -> Name | None:
    """Returns a name of one currency of a pair whose other one is not named, and is not the
    dollar."""
    told = each.subject.own - each.subject.silent
    if each.subject.pair is None or len(told) < 2:
        return None
    every = [*chain.from_iterable(earlier), *own]
    codes = frozenset(chain.from_iterable(name.codes for name in every))
    if told <= codes or told.isdisjoint(codes):
        return None
    return next(name for name in reversed(every) if not name.codes.isdisjoint(told))


def _are_in_order(row: Sequence[_Placed], candidates: Iterable[Sequence[Name]]) -> bool:
    """Returns whether the figures of a row belong to several names, in the order of the names."""
    first = {each.subject: each for each in reversed(row)}
    subjects = list(dict.fromkeys(each.subject for each in row))
    names = next(filter(None, candidates), ())
    telling = sorted(
        (n for n in names if not n.than and any(_says(n, each) for each in row)),
        key=lambda name: name.start,
    )
    if len(subjects) < 2 or not telling:
        return False
    if len(telling) == 1:
        return all(_fits(telling[0], each) for each in row)
    last = telling[-len(subjects) :]
    return len(last) == len(subjects) and all(
        _fits(name, first[subject]) for name, subject in zip(last, subjects, strict=True)
    )


def _subject_of(claim: Claim, form: Form | None = None) -> _Subject | None:
    """Returns what a claim is about in a form; None if its subject is not made of currencies or
    areas, or if it compares several."""
    if claim.metric is Metric.STATED or claim.metric in _OF_SEVERAL:
        return None
    differs = claim.metric in _DIFFERENCES
    codes = currencies_of(claim.subject)
    if codes is not None and differs and form is Form.MOVED:
        # It prints that the base currency's rate is above or below the other one.
        return _Subject(frozenset(codes[:1]), frozenset(), claim.subject, None)
    if codes is not None:
        every, money = frozenset(codes), None if differs else True
        return _Subject(every, every & {DOLLAR}, claim.subject, money)
    if claim.metric in COUNTED or claim.subject == DOLLAR_INDEX:
        return _Subject(frozenset({DOLLAR}), frozenset(), None, True)
    code = _CURRENCY_OF.get(claim.subject)
    if code is None:
        return None
    silent = _compared(claim) - {code} if differs else frozenset()
    return _Subject(frozenset({code}), silent, None, False)


def _compared(claim: Claim) -> frozenset[str]:
    """Returns the currencies of the areas that a difference is computed from."""
    areas = (name.partition(":")[0] for name in claim.inputs)
    found = frozenset(_CURRENCY_OF[area] for area in areas if area in _CURRENCY_OF)
    return found or frozenset({DOLLAR})


def _with_printed(
    names: Collection[Name], references: Iterable[Reference], claims: Mapping[str, Claim]
) -> list[Name]:
    """Adds the names that references print, at their places."""
    printed = (
        Name(
            frozenset(codes),
            claims[each.name].subject,
            claims[each.name].subject,
            each.start,
            each.end,
            money=True,
        )
        for each in references
        if each.form in _OWN_NAME
        and each.name in claims
        and (codes := currencies_of(claims[each.name].subject))
    )
    return sorted([*names, *printed], key=lambda name: name.start)
