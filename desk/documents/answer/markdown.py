"""Renders an answer as plain Markdown, readable in a terminal."""

from collections.abc import Iterator

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.parts import parts_of
from desk.documents.answer.words import (
    METHOD,
    NODE_COLUMNS,
    SOURCE_COLUMNS,
    SourceLine,
    besides_words,
    claim_cells,
    missing_lines,
    newest_words,
    node_cells,
    parameters_words,
    quoted_as,
    source_lines,
    time_and_cost_words,
    verdict_words,
    warning_words,
)
from desk.documents.rendering.markdown import (
    Titled,
    bullets,
    escaped,
    link,
    markdown_body,
    markdown_document,
    table,
)
from desk.documents.rendering.words.trust import fact_check_words
from desk.documents.rendering.words.wording import (
    analysts_words,
    arguments_words,
    instant,
    one_line,
)


def render_answer_markdown(answer: AnswerReport) -> str:
    """Returns the answer's Markdown form. The same answer always gives the same text."""
    parts = parts_of(answer)
    return markdown_document(
        answer.question,
        _lead(answer),
        (
            *_answered(answer),
            *(titled for part in parts for titled in part.worked(answer)),
            ("How it was found", _found(answer)),
            ("Quotations", _quotations(answer)),
            ("Figures", _figures(answer)),
            ("Sources", _sources(answer)),
        ),
        method=(*METHOD, *(line for part in parts for line in part.method_of(answer))),
        run=_run(answer),
    )


def answer_alone(answer: AnswerReport) -> str:
    """Returns the answer and what is missing, for a terminal, without the sections on how it was
    found."""
    return markdown_body(answer.question, _lead(answer), _answered(answer))


def _lead(answer: AnswerReport) -> Iterator[str]:
    headlines = (part.headline(answer) for part in parts_of(answer))
    yield from (headline for headline in headlines if headline)
    if warning := warning_words(answer):
        yield f"**{escaped(warning)}**"
    yield answer.summary
    known = (f"As of {instant(answer.as_of, answer.window.time_zone)}", newest_words(answer))
    yield f"{', '.join(filter(None, known))}."


def _answered(answer: AnswerReport) -> Iterator[Titled]:
    yield from ((section.title, section.content) for section in answer.sections)
    for part in parts_of(answer):
        yield from part.answered(answer)
    yield "What is missing", bullets([escaped(line) for line in missing_lines(answer)])


def _found(answer: AnswerReport) -> str:
    rows = [node_cells(line) for line in answer.nodes]
    lines = table(NODE_COLUMNS, rows, ("Node", "Agent", "State", "Remarks"))
    return f"{escaped(verdict_words(answer))}.\n\n{lines}"


def _quotations(answer: AnswerReport) -> str:
    rows = [
        (
            str(number),
            one_line(quotation.text),
            ", ".join(filter(None, (one_line(quotation.source), quotation.place))),
            quotation.evidence_id,
        )
        for number, quotation in enumerate(answer.quotations, start=1)
    ]
    columns = ("No.", "Words", "Source", "Rests on")
    return table(columns, rows, columns[1:]) if rows else ""


def _figures(answer: AnswerReport) -> str:
    verdict = ("Verdict",) if answer.verdicts else ()
    columns = ("Figure", "Value", "Day", *verdict, "Rests on")
    rows = claim_cells(answer)
    if not rows:
        return ""
    used = table(columns, rows, ("Figure", "Rests on"))
    besides = escaped(besides_words(answer))
    more = f"Looked at besides, with their evidence in the JSON form: {besides}."
    return f"{used}\n\n{more}" if besides else used


def _sources(answer: AnswerReport) -> str:
    return bullets([_source(line, answer) for line in source_lines(answer)])


def _source(line: SourceLine, answer: AnswerReport) -> str:
    source = line.source
    asked = f"`{escaped(source.server)}` {escaped(source.tool)}"
    arguments = escaped(arguments_words(source.arguments))
    retrieved = f", retrieved {instant(source.retrieved_at)}" if source.retrieved_at else ""
    quoted = escaped(quoted_as(line, answer))
    used = f"; {SOURCE_COLUMNS[-1].lower()} {quoted}" if quoted else ""
    return (
        f"{link(line.title, line.url)} ({escaped(source.name)}, {source.tier}): {asked} "
        f"{arguments}{retrieved}{used}"
    )


def _run(answer: AnswerReport) -> tuple[str, ...]:
    given = parameters_words(answer.parameters)
    return (
        f"Graph {answer.graph.name}" + (f" with {escaped(given)}" if given else ""),
        f"{time_and_cost_words(answer)}; finished {instant(answer.finished_at)}",
        f"Analysts: {escaped(analysts_words(answer.usage.model))}",
        *fact_check_words(answer.fact_check),
        *((_left_out(answer),) if answer.dropped else ()),
        f"Workflow `{escaped(answer.workflow_id)}`, run `{escaped(answer.run_id)}`",
        f"Seal `{answer.seal}`",
    )


def _left_out(answer: AnswerReport) -> str:
    count = len(answer.dropped)
    sentences = "sentence was" if count == 1 else "sentences were"
    whom = "it" if count == 1 else "them"
    return f"{count} {sentences} left out because no source supports {whom}"
