"""Answers in the words of texts: of tickets, of table cells, of passages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.retrieval.full_text import FullTextIndex, stems
from desk.contracts.agents.tasks import Query
from desk.contracts.question.knowledge import Section, Ticket
from desk.contracts.question.tickets import TICKET_ID
from desk.programs.question.builtin.asking import (
    parameter_list,
)
from desk.programs.question.builtin.synthesis.written.passages import SourceKind, SourcePassage
from desk.programs.question.builtin.synthesis.written.quoting import MOST_QUOTATIONS, Draft, Quoter
from desk.programs.question.builtin.synthesis.written.ranking import Fit
from desk.trust.prose import clip

NOTHING_FITS: Final = "Nothing that was found fits the question."

NOTHING_WRITTEN: Final = "Nothing written fits the question."

NEAREST: Final = "No passage surely fits the question. What comes nearest:"

NEAREST_WRITTEN: Final = "Nearest in what is written"

UNKNOWN: Final = "The ticket that the question names is not available."

SOME_UNKNOWN: Final = "Not every ticket that the question names is available."

TOO_MANY: Final = "More tickets were found than an answer holds."

AS_THEY_STAND: Final = (
    "These are rows of one table as they stand: without a model nothing is computed from them."
)

MOST_QUOTED: Final = 3
"""The maximum number of passages in a summary."""

MOST_FURTHER: Final = 3
"""The maximum number of further passages of each kind of source."""

MOST_TOLD: Final = 20
"""The maximum number of tickets whose fields a summary lists."""

_TITLES: Final[Mapping[SourceKind, str]] = {
    SourceKind.TICKET: "Tickets",
    SourceKind.DOCUMENT: "Documents",
    SourceKind.PDF: "PDF files",
    SourceKind.WEB: "Web pages",
}

_FIELDS: Final = ("status", "assignee", "summary")


def of_named(
    question: str,
    names: Sequence[str],
    passages: Sequence[SourcePassage],
    ranked: Sequence[Fit],
    quoter: Quoter,
) -> Draft:
    """Describes the tickets that are named; answered if one field of one of them is asked for.
    Passages that match the rest of the question better come first."""
    tickets = {each.ticket.id.upper(): (each, each.ticket) for each in passages if each.ticket}
    known = [tickets[name] for name in names if name in tickets]
    if not known:
        return Draft(UNKNOWN, answered=False)
    field = _field_asked(question) if len(known) == 1 else None
    field = field if field and getattr(known[0][1], field) else None
    told = tuple(passage for passage, _ in known)
    own = max((fit.share for fit in ranked if fit.passage in told), default=0.0)
    beyond = [fit for fit in ranked if _goes_on(fit, own, more=field is not None)][:MOST_QUOTED]
    field = None if beyond else field
    first = quoted(beyond, quoter) if beyond else Draft("", True)
    sentences = [f"{quoter.ticket(*each, field)}." for each in known[:MOST_TOLD]]
    sentences += [TOO_MANY] if len(known) > MOST_TOLD else []
    sentences += [SOME_UNKNOWN] if len(known) < len(names) else []
    summary = " ".join((first.summary, *sentences)).strip()
    return Draft(summary, True, field is None, (*first.told, *told))


def _goes_on(fit: Fit, own: float, *, more: bool) -> bool:
    """Returns whether a passage contains more of the question than the named tickets do, or at
    least as much if they link to its source. With `more`, when a field of theirs may be asked for,
    they must link to its source, and it must count as found and contain more."""
    if fit.passage.ticket:
        return False
    if more:
        return bool(fit.passage.linked) and fit.found and fit.share > own
    return fit.share >= own if fit.passage.linked else fit.near and fit.share > own


def _field_asked(question: str) -> str | None:
    """Returns the field of a ticket that a question is about, if the names and descriptions of the
    fields leave no doubt; otherwise None."""
    rows = [(name, str(Ticket.model_fields[name].description)) for name in _FIELDS]
    with closing(FullTextIndex({"name": 2.0, "about": 1.0}, rows)) as index:
        best = index.search(" ".join(TICKET_ID.sub(" ", question).split()))
    return _FIELDS[best[0].row] if len(best) == 1 else None


def cell_asked(question: str, found: Sequence[Fit], quoter: Quoter) -> Draft | None:
    """Returns the cell of a table that a question names by its row and its column, if both are
    unique; otherwise None."""
    asked = stems(question)
    rows = [
        (fit.passage, row)
        for fit in found
        if (row := fit.passage.span.row) and row.cells[0] and stems(row.cells[0]) <= asked
    ]
    if len(rows) != 1 or rows[0][0] is not found[0].passage:
        return None
    passage, row = rows[0]
    columns = [
        at
        for at, (head, cell) in enumerate(zip(row.heads, row.cells, strict=False))
        if at and stems(head) <= asked and not stems(cell) <= asked
    ]
    if len(columns) != 1:
        return None
    where = (passage.within, f"row {row.cells[0]}", f"column {row.heads[columns[0]]}")
    place = clip(", ".join(filter(None, where)), 200)
    told = quoter.quote(row.cells[columns[0]], passage, place)
    also = quoted(found[1:MOST_QUOTED], quoter, "Also: ") if found[1:] else Draft("", True)
    return Draft(f"{told}. {also.summary}".strip(), True, told=(passage, *also.told))


def of_best(question: str, found: Sequence[Fit], quoter: Quoter) -> Draft:
    """Quotes the passages that match, or the tickets if they match better, in which case all that
    match equally are named.

    A web page, which anyone may have written, is only quoted if nothing else matches.
    """
    first = found[0]
    alike = [fit for fit in found if fit.passage.ticket and fit.share == first.share]
    if first.passage.ticket and len(alike) > 1:
        passages = [fit.passage for fit in alike][: MOST_QUOTATIONS - 1]
        named = listed(quoter.quote(each.source, each, None) for each in passages)
        told = tuple(passages[MOST_TOLD:])
        return Draft(f"These tickets fit: {named}.", answered=True, found=True, told=told)
    own = [fit for fit in found if fit.passage.kind is not SourceKind.WEB] or found
    best = quoted(own[:MOST_QUOTED], quoter)
    rows = _rows_named(question, best.told)
    return best._replace(summary=f"{best.summary} {AS_THEY_STAND}") if rows > 1 else best


def _rows_named(question: str, passages: Sequence[SourcePassage]) -> int:
    """Counts the rows of the first passage's table that a question names."""
    asked, first = stems(question), passages[0]
    tables = (
        (each.source, each.within, row.heads)
        for each in passages
        if (row := each.span.row) and row.cells[0] and stems(row.cells[0]) <= asked
    )
    heads = first.span.row.heads if first.span.row else None
    return sum(table == (first.source, first.within, heads) for table in tables)


def quoted(chosen: Sequence[Fit], quoter: Quoter, opening: str = "") -> Draft:
    """Quotes the first passage, and the others after it."""
    passages = tuple(fit.passage for fit in chosen)
    first, *others = (quoter.passage(passage) for passage in passages)
    also = "".join(f" Also: {other}." for other in others)
    return Draft(f"{opening}{first}.{also}", True, True, passages)


def side_by_side(query: Query, ranked: Sequence[Fit], quoter: Quoter) -> Draft:
    """Quotes what each of the two compared documents says about the question."""
    names = parameter_list(query, "first", "second")
    best = [next((f for f in ranked if f.near and _is_of(f.passage, name)), None) for name in names]
    told = [fit for fit in best if fit is not None]
    if not told:
        return Draft(NOTHING_FITS, answered=False)
    openings = ("One says:", *["The other says:"] * len(told))
    sentences = [
        f"{opening} {quoter.passage(fit.passage)}."
        for opening, fit in zip(openings, told, strict=False)
    ]
    if len(told) < len(names):
        sentences.append("The other says nothing that fits the question.")
    answered = len(told) == len(names)
    return Draft(" ".join(sentences), answered, answered, tuple(fit.passage for fit in told))


def _is_of(passage: SourcePassage, name: str) -> bool:
    return name in (passage.thing, passage.url) or (passage.url or "").endswith(f"/{name}")


def further(ranked: Sequence[Fit], draft: Draft, quoter: Quoter) -> Iterator[Section]:
    """Yields the further matches, by the kind of their source."""
    found = [fit.passage for fit in ranked if fit.found and fit.passage not in draft.told]
    for kind, title in _TITLES.items():
        most = MOST_TOLD if kind is SourceKind.TICKET else MOST_FURTHER
        shown = [each for each in found if each.kind is kind][:most]
        if draft.found and shown:
            lines = [f"- {quoter.passage(each)}." for each in shown if quoter.has_room]
            yield Section(title=title, content="\n".join(lines))


def nearest(ranked: Sequence[Fit], quoter: Quoter) -> Iterator[Section]:
    """Yields the nearest texts that are about the question's subject, if the answer is a
    measurement."""
    near = [fit for fit in ranked if fit.near and fit.of_subject][:MOST_QUOTED]
    if near:
        lines = [f"- {quoter.passage(fit.passage)}." for fit in near]
        yield Section(title=NEAREST_WRITTEN, content="\n".join(lines))
