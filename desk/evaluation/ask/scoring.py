"""Scores an answer to a question by its quotations and claims, not by its wording."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Quotation
from desk.evaluation.ask.questions import KnownQuestion
from desk.evaluation.scores import SHOWN, TaskCheck, Verdict
from desk.trust.prose import references

_TICKETS: Final = "corpus://tickets/"
_LONGEST: Final = 300


def scored(known: KnownQuestion, report: AnswerReport) -> TaskCheck:
    """Checks an answer.

    The expected values must be in the quotations that the answer refers to, quoted from their
    source. The answer is right if they are in the first quotation, and near if they are in one of
    the first three. A sum is right if it is a claim that the answer refers to, and near if both of
    its terms are quoted.
    """
    quoted = tuple(_cited_quotations(report))
    place = _place(known, quoted) if known.answerable else None
    return TaskCheck(
        check_id=known.question_id,
        kind=known.kind,
        verdict=_verdict(known, report, place),
        expected=" and ".join(known.values) or "no answer",
        said=" | ".join(text for _, text in quoted)[:_LONGEST],
        place=place,
    )


def refused(report: AnswerReport) -> bool:
    """Returns whether a report states that there is no answer and found none that fits."""
    return not (report.answered or report.found)


def _verdict(known: KnownQuestion, report: AnswerReport, place: int | None) -> Verdict:
    if not known.answerable:
        return Verdict.RIGHTLY_REFUSED if refused(report) else Verdict.INVENTED
    if known.total is not None and _is_cited_claim(known.total, report):
        return Verdict.RIGHT
    if refused(report):
        return Verdict.REFUSED
    if place is None or place > SHOWN:
        return Verdict.WRONG
    return Verdict.RIGHT if place <= _last_right_place(known) else Verdict.NEAR


def _last_right_place(known: KnownQuestion) -> int:
    """The last place at which a quotation still counts as first: the second one for two table
    cells."""
    return len(known.values)


def _is_cited_claim(total: int, report: AnswerReport) -> bool:
    named = set(_cited_ids(report))
    return any(claim.claim_id in named and claim.value == total for claim in report.claims)


def _cited_quotations(report: AnswerReport) -> Iterator[tuple[str, str]]:
    """Yields the quotations in reading order without duplicates, as address and text. A ticket is
    quoted field by field; consecutive fields are joined."""
    by_id = {each.quotation_id: each for each in report.quotations}
    read = [by_id[name] for name in _cited_ids(report) if name in by_id]
    for (url, whole), found in groupby(read, key=_group_key):
        texts = [each.text for each in found]
        yield from [(url, " ".join(texts))] if whole else [(url, text) for text in texts]


def _group_key(quotation: Quotation) -> tuple[str, bool]:
    url = quotation.url or ""
    return url, url.startswith(_TICKETS)


def _cited_ids(report: AnswerReport) -> list[str]:
    texts = (report.summary_prose, *(section.prose for section in report.sections))
    return list(dict.fromkeys(name for text in texts for name in references(text)))


def _place(known: KnownQuestion, quoted: Sequence[tuple[str, str]]) -> int | None:
    """Returns the number of the quotation, counted from 1, with which all values have been read;
    None if one is missing."""
    lacking = set(known.values)
    for place, (url, text) in enumerate(quoted, start=1):
        if url in known.sources:
            lacking = {value for value in lacking if not contains_value(value, text)}
        if not lacking:
            return place
    return None


def contains_value(value: str, text: str) -> bool:
    """Returns whether a text contains a value as a whole, so that `12 days` is not found in `112
    days`."""
    plain = " ".join(text.split())
    return re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w)", plain, re.IGNORECASE) is not None
