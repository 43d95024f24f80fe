"""An audit's sixth part: every tone judged once more from the item of news that it names."""

from collections.abc import Iterator

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import Tone
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.audit.findings import AuditFinding, differing
from desk.documents.report.markets.tone import Banks, banks_in, derivable, word_stances
from desk.documents.report.markets.tones import NO_SUCH_ITEM, printed


def tone_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every tone is that of an item of news in the evidence, and every view by words that
    of its tones. How a model judged an item is its own; what the item is, is not."""
    held = {result.evidence_id: result for result in reversed(report.evidence)}
    banks = banks_in(report.evidence)
    for section in report.markets:
        for number, tone in enumerate(section.tones, start=1):
            where = f"{section.market}, tone {number}"
            result = held.get(tone.evidence_id)
            if result is None:
                yield AuditFinding(where, f"there is no tool result {tone.evidence_id}")
            else:
                yield from _of_tone(where, tone, section, result, report, banks)
        yield from _of_section(section)


def _of_tone(
    where: str,
    tone: Tone,
    section: MarketReport,
    result: ToolResult,
    report: ResearchReport,
    banks: Banks,
) -> Iterator[AuditFinding]:
    given = tuple(derivable(tone, result, section.market, banks, report.window))
    found = [tuple(differing(where, tone, own)) for own in given]
    nothing = (AuditFinding(where, f"{NO_SUCH_ITEM} ({result.evidence_id})"),)
    yield from min(found, key=len, default=nothing)


def _of_section(section: MarketReport) -> Iterator[AuditFinding]:
    if section.tones != printed(section.tones):
        yield AuditFinding(f"{section.market}, tones", "they are not each once and in their order")
    by_words = tuple(view for view in section.views if view.by_words)
    others = tuple(view for view in section.views if not view.by_words)
    if by_words != word_stances(section.tones, others):
        words = "they are not those that its tones give"
        yield AuditFinding(f"{section.market}, views by words", words)
