"""Which parts of a question were measured, and for which nothing was found."""

from collections.abc import Sequence
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import AREAS
from desk.analytics.names.mentions import NO_MARKET
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import AskedSubject, subjects_asked
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import (
    ResearchResult,
)
from desk.programs.question.builtin.synthesis.markets.asked import MarketQuestion
from desk.programs.question.builtin.synthesis.markets.results import has_levels
from desk.programs.question.builtin.synthesis.written.passages import SourcePassage
from desk.trust.claims.yield_claims import LEVELS

NOT_COVERED: Final = "Nothing is said here of"


def is_all_read(question: MarketQuestion, research: Sequence[ResearchResult]) -> bool:
    """Returns whether everything that a question names was measured."""
    query = question.query
    unread = question.left.time or query.parameters.get(NO_MARKET)
    return not unread and not question.is_unsure and not _not_measured(query, research)


def measured(query: Query, research: Sequence[ResearchResult]) -> tuple[AskedSubject, ...]:
    """Returns the subjects of a question that some research is about."""
    asked = subjects_asked(query.question) if research else ()
    return tuple(subject for subject in asked if _is_researched(subject, research))


def _not_measured(query: Query, research: Sequence[ResearchResult]) -> tuple[AskedSubject, ...]:
    """Returns the subjects of a question that no research is about. Excludes places that are also
    the seat of a bank."""
    asked = (s for s in subjects_asked(query.question) if s.kind is not NamedAs.SEAT)
    return tuple(subject for subject in asked if not _is_researched(subject, research))


def _is_researched(asked: AskedSubject, research: Sequence[ResearchResult]) -> bool:
    area = AREAS.get(asked.code)
    if asked.kind is NamedAs.BONDS:
        yields = (c for result in research for c in result.claims if c.metric in LEVELS.values())
        return any(claim.subject == area for claim in yields)
    if any(result.market == area for result in research):
        return True
    if area and asked.kind is not NamedAs.CURRENCY and any(_is_of_area(area, r) for r in research):
        return True
    known = (each for each in research if has_levels((each,)) or each.events or each.ends_on)
    pairs = {code for each in known if "/" in each.market for code in each.market.split("/")}
    return asked.kind is not NamedAs.BANK and asked.code in pairs


def _is_of_area(area: str, result: ResearchResult) -> bool:
    """Returns whether a result covers a country's policy rate, or its bank's decisions and days."""
    events = any(event.area == area for event in result.events)
    return result.market == area or events or any(c.subject == area for c in result.claims)


def not_covered(
    query: Query,
    research: Sequence[ResearchResult],
    shown: Sequence[SourcePassage],
    *,
    yields: bool = True,
) -> str:
    """Names the subjects of a question that neither the research nor a quoted passage is about,
    including `yields` of government bonds; empty without any."""
    read = " ".join(" ".join(filter(None, (p.source, p.within, p.text))) for p in shown)
    quoted = {subject.code for subject in subjects_asked(read)}
    without = set(query.parameters.get(NO_MARKET, "").split(", ")) if not shown else set()
    left = [s for s in _not_measured(query, research) if s.code not in quoted | without]
    left = [s for s in left if yields or s.kind is not NamedAs.BONDS]
    named = dict.fromkeys(subject.name for subject in left)
    return f"{NOT_COVERED} {listed(named)}." if named else ""


def is_measured(results: Sequence[ResearchResult]) -> bool:
    """Returns whether a move is known, if a pair was researched."""
    pair = any("/" in result.market for result in results)
    return not pair or any(c.metric is Metric.MOVE for r in results for c in r.claims)
