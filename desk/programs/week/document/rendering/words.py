"""The wording of tones, sources and method that all forms of a report share."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.results import JudgedBy, Leaning, Reported, Tone, ToneKind
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.words.wording import instant, share_words

DIRECTION_COUNTED: Final = (
    "Direction: which way the week's move points. The probability of a higher fixing in four "
    "weeks is a count: how often the pair stood higher four weeks after a move like this one. It "
    "is drawn towards 50 %, as the spans overlap: four count as one, and one is added on each side."
)
DIRECTION_OF_MODELS: Final = (
    "Direction: a model's view, or the direction of the week's move. A probability that is "
    "marked as a model's is its own estimate and not a count; any other is a count: how often the "
    "pair stood higher four weeks after a move like this one, drawn towards 50 %, as the spans "
    "overlap."
)
METHOD: Final = (
    "Move: the change from the last fixing before the window to the last one in it, in percent "
    "of the former. A pair is quoted as units of its second currency for one unit of its first: a "
    "rise of USD/JPY is a rise of the dollar, a rise of EUR/USD is a fall of the dollar.",
    "z-score (σ): the move compared with the weekly moves of the 52 weeks before, in standard "
    "deviations. Pegged pairs have none; they are judged by their position in the band.",
    "52-week range: where the last fixing lies between the lowest (0 %) and the highest (100 %).",
    "Differential (bp): an area's policy rate minus the base area's; for a pair, its first "
    "currency's minus its second's. A target range counts as its midpoint.",
    DIRECTION_COUNTED,
    "Every figure is a claim with evidence: the tool result it was read from or computed from. "
    "Missing data are listed and never filled in. The full rules: docs/method.md.",
)


def method_of(report: ResearchReport) -> tuple[str, ...]:
    """Says how to read the report. A probability comes with the method that gave it."""
    own = any(view.probability is not None for each in report.markets for view in each.views)
    told = DIRECTION_OF_MODELS if own else DIRECTION_COUNTED
    return tuple(told if line is DIRECTION_COUNTED else line for line in METHOD)


CAUTION: Final[Mapping[JudgedBy, str]] = {
    JudgedBy.WORDS: "low confidence, by word list",
    JudgedBy.MODEL: "as a model read it",
}
WITHHELD: Final = "title withheld"
_LEANINGS: Final[Mapping[ToneKind, Mapping[Leaning, str]]] = {
    ToneKind.STATEMENT: {
        Leaning.UP: "hawkish",
        Leaning.DOWN: "dovish",
        Leaning.NEUTRAL: "neutral",
    },
    ToneKind.HEADLINE: {
        Leaning.UP: "positive",
        Leaning.DOWN: "negative",
        Leaning.NEUTRAL: "neutral",
    },
}
_UNNAMED: Final = "a publisher"


def leaning_words(tone: Tone) -> str:
    """`hawkish` for a statement, or `positive` for a headline."""
    return _LEANINGS[tone.kind].get(tone.leaning, "open")


def tone_words(tone: Tone) -> str:
    """`JP: statement by Bank of Japan, 18 Sep 2026, confidence 20 %`, printed before the title."""
    publisher = tone.publisher or _UNNAMED
    by = (
        f"statement by {publisher}" if tone.kind is ToneKind.STATEMENT else f"headline, {publisher}"
    )
    day = print_full_day(tone.published_at.date())
    return f"{tone.subject}: {by}, {day}, confidence {share_words(tone.confidence)}"


def reported_words(story: Reported) -> str:
    """`The Wire, 30 Oct 2026 04:10 UTC; 3 publishers in nearly the same words (…)`, printed after a
    quotation."""
    told = f"{story.publisher or _UNNAMED}, {instant(story.published_at)}"
    if story.publishers == 1:
        return told
    named = f" ({', '.join(story.others)})" if story.others else ""
    others = story.publishers - 1
    return f"{told}; in nearly the same words by {others} more{named}"


class SourceGroup(NamedTuple):
    """All calls of one tool that one publisher answered, and when they were made."""

    name: str
    tier: SourceTier
    url: str | None
    server: str
    tool: str
    answers: int
    first: datetime | None
    last: datetime | None

    @property
    def retrieved(self) -> str:
        """`26 Nov 2026 18:11 to 18:13 UTC`: an instant, or the first and the last one."""
        if self.first is None or self.last is None:
            return "not recorded"
        if f"{self.first:%F %R}" == f"{self.last:%F %R}":
            return instant(self.first)
        if f"{self.first:%F}" == f"{self.last:%F}":
            return f"{print_full_day(self.first)} {self.first:%H:%M} to {self.last:%H:%M} UTC"
        return f"{instant(self.first)} to {instant(self.last)}"


def group_sources(sources: Iterable[DataSource]) -> tuple[SourceGroup, ...]:
    """The groups, in the order of their first sources in the report."""
    groups: dict[tuple[str, ...], list[DataSource]] = {}
    for source in sources:
        key = (source.server, source.tool, source.name, source.tier, source.url or "")
        groups.setdefault(key, []).append(source)
    return tuple(_group(members) for members in groups.values())


def _group(members: list[DataSource]) -> SourceGroup:
    one = members[0]
    instants = [source.retrieved_at for source in members if source.retrieved_at]
    return SourceGroup(
        name=one.name,
        tier=one.tier,
        url=one.url,
        server=one.server,
        tool=one.tool,
        answers=len(members),
        first=min(instants, default=None),
        last=max(instants, default=None),
    )
