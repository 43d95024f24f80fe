"""An answer as one self-contained HTML file: no script, no network, light and dark, for print."""

from typing import Final

from markupsafe import Markup

from contracts.answers import AnswerReport
from contracts.verdicts import ClaimStatus
from reporting import answer_swarm_words, answer_words, trust_words, wording
from reporting.answer_graph import graph_picture
from reporting.answer_links import AnswerLinks
from reporting.html import page_environment

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
    return (
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
            words=wording,
            trust=trust_words,
            statuses=ClaimStatus,
        )
    )
