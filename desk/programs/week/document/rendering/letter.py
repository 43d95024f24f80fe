"""The first screen of a report as an e-mail, as plain text and as HTML.

Mail programs support no style sheets, drawings or buttons. So the e-mail has a template of its own:
tables with inline styles, and figures as text. The evidence is in the report.
"""

from collections.abc import Iterator

from desk.contracts.week.report import Lead, ResearchReport, Theme
from desk.documents.rendering.pages import page_environment
from desk.documents.rendering.words.wording import printable
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.rendering import directions, record_words, wording, words
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.sections.lead import lead_of


def lead_in(report: ResearchReport) -> Lead:
    """Returns the report's lead. For a report of an earlier version it is built by today's
    rules."""
    return report.lead or lead_of(report, printed_claims(report))


def theme_lines(theme: Theme) -> Iterator[str]:
    """Describes a theme in lines of text: what happened, why, and what is next."""
    yield f"{theme.title}: {theme.moved.text}"
    if theme.why is not None:
        yield f"  {wording.beside_title(theme)}: {theme.why.text}"
    if theme.story is not None:
        told = f"“{theme.story.title}” ({words.reported_words(theme.story)})"
        yield f"  {wording.story_title(theme)}: {told}"
    if theme.ahead is not None:
        yield f"  Next: {theme.ahead.text}"


def letter_html(report: ResearchReport, subject: str, where: str) -> str:
    """Returns the e-mail's HTML form. `where` is the link or path of the report."""
    names = {
        "report": report,
        "lead": lead_in(report),
        "lacking": Lacking(report).first_words,
        "subject": subject,
        "where": where,
        "directions": directions,
        "up": report.config.report.up,
        "week": wording,
        "record": record_words,
        "tone_words": words,
    }
    environment = page_environment("desk.programs.week.document")
    return printable(environment.get_template("letter.html.j2").render(names))
