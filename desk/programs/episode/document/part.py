"""The part of a stock's episode in its answer."""

from collections.abc import Iterator
from typing import Final

from desk.analytics.prices.series import window_days
from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.parts import Part, PartOfPage, PartRecord, RunMaterial
from desk.documents.audit.findings import AuditFinding
from desk.documents.rendering.conflict_words import conflicts_markdown
from desk.documents.rendering.markdown import Titled
from desk.programs.episode.document import words
from desk.programs.episode.document.audit import stock_findings
from desk.programs.episode.document.record import (
    STEPS,
    named_in_stock,
    printable_stock,
    texts_of_stock,
)


class _EpisodePart(Part):
    name = "stock"
    templates = "desk.programs.episode.document"
    method = words.METHOD
    nothing_missing = "besides what the blackboard lacks"

    def addition(self, run: RunMaterial) -> PartRecord:
        return printable_stock(run)

    def named(self, answer: AnswerReport) -> tuple[str, ...]:
        return named_in_stock(answer.stock) if answer.stock else ()

    def evidence(self, answer: AnswerReport) -> tuple[str, ...]:
        prices = answer.stock.prices if answer.stock else None
        return (prices,) if prices else ()

    def texts(self, answer: AnswerReport) -> Iterator[tuple[str, str]]:
        if answer.stock is not None:
            yield from texts_of_stock(answer.stock)

    def findings(self, answer: AnswerReport) -> Iterator[AuditFinding]:
        yield from stock_findings(answer)

    def facts(self, answer: AnswerReport) -> tuple[str, ...]:
        steps = answer.parameters.get(STEPS)
        return (f"steps {steps.replace(',', ', ')}",) if steps else ()

    def other_missing(self, answer: AnswerReport) -> tuple[str, ...]:
        return words.other_missing(answer)

    def headline(self, answer: AnswerReport) -> str:
        return words.headline_markdown(answer)

    def answered(self, answer: AnswerReport) -> Iterator[Titled]:
        yield "Insights", words.insights_markdown(answer)
        yield "Evaluation", words.evaluation_markdown(answer)
        yield "What was looked up", words.blackboard_markdown(answer)
        yield "Steps", words.steps_markdown(answer)
        yield "Conflicts", conflicts_markdown(answer.conflicts)

    def page(self, answer: AnswerReport) -> PartOfPage:
        chart = _chart(answer)
        return PartOfPage(
            names={"stock": words, "chart": chart},
            head="answer_stock_head.html.j2",
            body=("answer_stock.html.j2", "answer_conflicts.html.j2", "answer_missing.html.j2"),
            links=(
                *((("chart", "Prices"),) if chart else ()),
                ("insights", "Insights"),
                ("evaluation", "Evaluation"),
                ("blackboard", "What was looked up"),
                ("steps", "Steps"),
                ("conflicts", "Conflicts"),
            ),
        )


def _chart(answer: AnswerReport) -> str | None:
    """Draws the prices of the episode's stock. Returns None if the answer has too few."""
    history = words.prices_of(answer)
    if history is None:
        return None
    # Matplotlib takes half a second to import, and is only needed for a page with a chart.
    from desk.documents.rendering.drawing.stock_chart import stock_chart

    return stock_chart(history, window_days(answer.window)[1])


PART: Final[Part] = _EpisodePart()
