"""The Markdown of what the desk's own record changed."""

from collections.abc import Iterator

from desk.contracts.learning.learning import Scorecard
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.markdown_text import bullets, escaped, table
from desk.documents.rendering.report.record_words import (
    SCORE_COLUMNS,
    WEIGHT_COLUMNS,
    recommendation_lines,
    record_lead,
    score_notes,
    score_table,
    weight_cells,
)
from desk.documents.rendering.wording import share_words


def record_markdown(report: ResearchReport) -> str:
    """The section's body; empty where the run asked nothing of the record."""
    lead = record_lead(report)
    if lead is None or report.advice is None:
        return ""
    return "\n\n".join((escaped(lead), *_parts(report)))


def _parts(report: ResearchReport) -> Iterator[str]:
    advice = report.advice
    if advice is None:
        return
    lines = recommendation_lines(report)
    if lines:
        yield bullets([escaped(f"{line.taken}: {line.words}. {line.reason}") for line in lines])
    if advice.weights:
        cells = [weight_cells(weight) for weight in advice.weights]
        yield table(WEIGHT_COLUMNS, cells, ("Whose word", "Why"))
    if advice.scorecard is not None and advice.weeks:
        yield from _scorecard(advice.scorecard)


def _scorecard(scorecard: Scorecard) -> Iterator[str]:
    scores = score_table(scorecard)
    rows = (*scores.of_all, *scores.of_markets)
    yield table(SCORE_COLUMNS, rows, ("Forecasts",)) if rows else "No forecast has come due yet."
    if scorecard.bins:
        yield bullets(
            [
                f"Said {share_words(each.low)} to {share_words(each.high)}, on average "
                f"{share_words(each.mean)}: came {each.rose} of {each.count} times"
                for each in scorecard.bins
            ]
        )
    yield "\n\n".join(escaped(note) for note in score_notes(scorecard))
