"""An answer as one self-contained HTML file: no script, no network, light and dark, for print."""

from typing import Final

from markupsafe import Markup

from desk.analytics.prices.series import window_days
from desk.contracts.episode.analysis import PriceHistory
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.question.answers import AnswerReport
from desk.documents.pages.rendering_version import rendering_mark
from desk.documents.rendering import trust_words, wording
from desk.documents.rendering.answer import stock_words as answer_stock_words
from desk.documents.rendering.answer import swarm_words as answer_swarm_words
from desk.documents.rendering.answer import words as answer_words
from desk.documents.rendering.answer.graph import graph_picture
from desk.documents.rendering.answer.links import AnswerLinks
from desk.documents.rendering.report.html import page_environment
from desk.trust.ledger.evidence import EvidenceUnusable, read_answer

TEMPLATE: Final = "answer.html.j2"
LONG_QUESTION: Final = 120
"""Characters from which on a question is no headline."""


def render_answer_html(answer: AnswerReport) -> str:
    """The answer's HTML form. The same answer always gives the same page.

    Text of agents and sources is data: it is escaped, only http and https addresses of sources
    become links. Every quotation and every figure opens the source it stands in.
    """
    links = AnswerLinks(answer)
    picture = graph_picture(answer.graph, {line.node: line for line in answer.nodes})
    return wording.printable(
        page_environment()
        .get_template(TEMPLATE)
        .render(
            answer=answer,
            links=links,
            figures=links.figures,
            long=len(answer.question) > LONG_QUESTION,
            picture=Markup(picture),  # noqa: S704
            told=answer_words,
            swarm=answer_swarm_words,
            stock=answer_stock_words,
            chart=_chart(answer),
            mark=rendering_mark(),
            words=wording,
            trust=trust_words,
            statuses=ClaimStatus,
        )
    )


def _chart(answer: AnswerReport) -> Markup | None:
    """The prices of an episode's stock; None where too few are carried."""
    prices = answer.stock.prices if answer.stock else None
    result = next((each for each in answer.evidence if each.evidence_id == prices), None)
    try:
        history = read_answer(result.content) if result else None
    except EvidenceUnusable:
        return None
    if not isinstance(history, PriceHistory):
        return None
    # Matplotlib takes half a second to import; only a page with a chart pays for it.
    from desk.documents.rendering.drawing.stock_chart import stock_chart

    drawn = stock_chart(history, window_days(answer.window)[1])
    return Markup(drawn) if drawn else None  # noqa: S704
