"""The tones of a market as its section prints them: those that follow from their evidence."""

from collections.abc import Iterable, Mapping
from typing import Final

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import Leaning, Tone, ToneKind
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.week.report import MarketOutcome, MarketReport
from desk.contracts.weeks import TimeWindow
from desk.documents.report.markets.judgement import MOST_DROPPED
from desk.documents.report.markets.tone import Banks, derivable, merged, newest_first, word_stances
from desk.trust.prose.prose import clip

NO_SUCH_ITEM: Final = "no item of news in its evidence gives it"


def with_tones(
    section: MarketReport, outcome: MarketOutcome, banks: Banks, window: TimeWindow
) -> MarketReport:
    """The section with its tones, and with the views of stances that words alone give.

    A tone that does not follow from the tool result it names is dropped, and so told. Where a
    model judged an item, its judgement stands; one that abstains leaves the item out.
    """
    told = [tone for result in outcome.results for tone in result.tones]
    founded = tuple(view for view in section.views if not view.by_words)
    if not told and founded == section.views:
        return section
    evidence = {result.evidence_id: result for result in reversed(outcome.evidence)}
    sound = [tone for tone in told if _follows(tone, evidence, section.market, banks, window)]
    tones = printed(sound)
    return section.model_copy(
        update={
            "tones": tones,
            "views": (*founded, *word_stances(tones, founded)),
            "dropped": (*section.dropped, *_dropped(told, sound))[:MOST_DROPPED],
        }
    )


def printed(tones: Iterable[Tone]) -> tuple[Tone, ...]:
    """The tones in the order of a report: statements before headlines, the newest first."""
    kept = newest_first(t for t in merged(tones) if t.leaning is not Leaning.ABSTAINS)
    return tuple(tone for kind in ToneKind for tone in kept if tone.kind is kind)


def _follows(
    tone: Tone,
    evidence: Mapping[str, ToolResult],
    market: str,
    banks: Banks,
    window: TimeWindow,
) -> bool:
    result = evidence.get(tone.evidence_id)
    return result is not None and tone in derivable(tone, result, market, banks, window)


def _dropped(told: Iterable[Tone], sound: Iterable[Tone]) -> tuple[DroppedSentence, ...]:
    kept = set(map(id, sound))
    return tuple(
        DroppedSentence(place=clip(f"tone of {tone.subject}", 200), reason=NO_SUCH_ITEM)
        for tone in told
        if id(tone) not in kept
    )
