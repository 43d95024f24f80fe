"""The Markdown of what an answer tells of a stock's episode; each part is empty where there was
none."""

from desk.analytics.figures import print_claim
from desk.contracts.question.answers import AnswerReport
from desk.documents.rendering.answer.stock_words import (
    NO_INSIGHT,
    NO_STEP,
    STEP_COLUMNS,
    UNTOLD,
    InsightLine,
    PartLine,
    ending_words,
    evaluation_notes,
    evaluation_reasons,
    evaluation_rows,
    evaluation_words,
    headline,
    insight_lines,
    metric_words,
    part_lines,
    step_cells,
    step_lines,
)
from desk.documents.rendering.answer.swarm_words import said
from desk.documents.rendering.markdown_text import bullets, escaped, table


def headline_markdown(answer: AnswerReport) -> str:
    """What is recommended, at a glance."""
    told = headline(answer)
    if told is None:
        return f"**{UNTOLD}**"
    facts = "; ".join(f"{escaped(name.lower())} {escaped(words)}" for name, words in told.facts)
    return f"**{escaped(told.title)}**: {facts}."


def insights_markdown(answer: AnswerReport) -> str:
    """What the figures say."""
    lines = [_insight(line, answer) for line in insight_lines(answer)]
    return bullets(lines) if lines else NO_INSIGHT


def evaluation_markdown(answer: AnswerReport) -> str:
    """What came of the recommendation."""
    rows = [
        (name, print_claim(claim), claim.as_of.isoformat())
        for name, claim in evaluation_rows(answer)
    ]
    parts = [escaped(evaluation_words(answer))]
    parts += [table(("Figure", "Value", "Day"), rows, ("Figure",))] if rows else []
    parts += [escaped(line) for line in evaluation_notes(answer)]
    reasons = [escaped(line) for line in evaluation_reasons(answer)]
    parts += [bullets(reasons)] if reasons else []
    return "\n\n".join(parts)


def blackboard_markdown(answer: AnswerReport) -> str:
    """The blackboard part by part, with what it lacks and why."""
    return "\n\n".join(_part(line) for line in part_lines(answer))


def steps_markdown(answer: AnswerReport) -> str:
    """The steps of the episode."""
    rows = [step_cells(line) for line in step_lines(answer)]
    lines = table(STEP_COLUMNS, rows, ("Action", "What came of it")) if rows else NO_STEP
    return "\n\n".join((lines, *map(escaped, ending_words(answer))))


def _insight(line: InsightLine, answer: AnswerReport) -> str:
    known = {claim.claim_id: claim for claim in answer.claims}
    rests = ", ".join(f"{metric_words(c.metric)} {print_claim(c)}" for c in line.claims)
    behind = f" Rests on {escaped(rests)}." if rests else ""
    statement = escaped(said(line.insight.statement, known))
    topic = escaped(line.insight.topic)
    return f"**{topic}**, {line.leaning}, strength {line.strength}: {statement}{behind}"


def _part(line: PartLine) -> str:
    head = f"### {line.title}"
    if line.figures is None:
        return "\n\n".join((head, "Not looked for.", *_reasons(line)))
    rows = [(name, print_claim(c), c.as_of.isoformat()) for name, c in line.figures]
    body = [table(("Figure", "Value", "Day"), rows, ("Figure",))] if rows else []
    body += [f"Lacking: {escaped(line.lacking)}."] if line.lacking else []
    return "\n\n".join((head, *body, *_reasons(line)))


def _reasons(line: PartLine) -> tuple[str, ...]:
    return (bullets([escaped(reason) for reason in line.reasons]),) if line.reasons else ()
