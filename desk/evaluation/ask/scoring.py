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
    """The check of an answer.

    What is asked for has to stand in the quotations that the answer refers to, in the words of
    its source. It is right in the first of them, near in one of the first three. A sum is right
    where it is a claim that the answer refers to, and near where both of its parts are quoted.
    """
    quoted = tuple(_shown(report))
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
    """Whether a report says that there is no answer, and none was found that fits."""
    return not (report.answered or report.found)


def _verdict(known: KnownQuestion, report: AnswerReport, place: int | None) -> Verdict:
    if not known.answerable:
        return Verdict.RIGHTLY_REFUSED if refused(report) else Verdict.INVENTED
    if known.total is not None and _claimed(known.total, report):
        return Verdict.RIGHT
    if refused(report):
        return Verdict.REFUSED
    if place is None or place > SHOWN:
        return Verdict.WRONG
    return Verdict.RIGHT if place <= _first(known) else Verdict.NEAR


def _first(known: KnownQuestion) -> int:
    """Up to where a reader looks first: of two cells of a table to the second quotation."""
    return len(known.values)


def _claimed(total: int, report: AnswerReport) -> bool:
    named = set(_named(report))
    return any(claim.claim_id in named and claim.value == total for claim in report.claims)


def _shown(report: AnswerReport) -> Iterator[tuple[str, str]]:
    """What is quoted, in the order in which it is read, each once: the address and the words. A
    ticket is quoted field by field; fields that follow each other are one."""
    held = {each.quotation_id: each for each in report.quotations}
    read = [held[name] for name in _named(report) if name in held]
    for (url, whole), found in groupby(read, key=_same):
        texts = [each.text for each in found]
        yield from [(url, " ".join(texts))] if whole else [(url, text) for text in texts]


def _same(quotation: Quotation) -> tuple[str, bool]:
    url = quotation.url or ""
    return url, url.startswith(_TICKETS)


def _named(report: AnswerReport) -> list[str]:
    texts = (report.summary_prose, *(section.prose for section in report.sections))
    return list(dict.fromkeys(name for text in texts for name in references(text)))


def _place(known: KnownQuestion, quoted: Sequence[tuple[str, str]]) -> int | None:
    """With which quotation, counted from 1, all values have been read; None where one is not."""
    lacking = set(known.values)
    for place, (url, text) in enumerate(quoted, start=1):
        if url in known.sources:
            lacking = {value for value in lacking if not stands(value, text)}
        if not lacking:
            return place
    return None


def stands(value: str, text: str) -> bool:
    """Whether a text holds a value as a whole, so that `12 days` is not found in `112 days`."""
    plain = " ".join(text.split())
    return re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w)", plain, re.IGNORECASE) is not None
