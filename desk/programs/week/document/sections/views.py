"""The agents' views of a market after their conflicts were decided: one view for each topic."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from desk.analytics.names.central_banks import CENTRAL_BANKS, bank_in_a_sentence
from desk.contracts.findings.results import ConflictRecord, Leaning, View, ViewKind
from desk.contracts.week.report import MarketReport

Topic = tuple[ViewKind, str]
"""The kind and the subject of a view."""


class ViewWording(NamedTuple):
    """The words for a kind of view: its title, and its leanings up, down and neutral."""

    title: str
    up: str
    down: str
    neutral: str

    def about(self, subject: str) -> str:
        """The title with its subject: `The direction of USD/JPY`, and of an area's stance its bank,
        as `The stance of the Bank of Japan`."""
        named = bank_in_a_sentence(subject) if subject in CENTRAL_BANKS else subject
        return f"{self.title} {named}"

    def of(self, view: View) -> str:
        """The word for a view's leaning."""
        words = {Leaning.UP: self.up, Leaning.DOWN: self.down, Leaning.NEUTRAL: self.neutral}
        return words.get(view.leaning, "open")


WORDINGS: Final[Mapping[ViewKind, ViewWording]] = {
    ViewKind.DIRECTION: ViewWording("The direction of", "rising", "falling", "sideways"),
    ViewKind.STANCE: ViewWording("The stance of", "tightening", "easing", "on hold"),
    ViewKind.RECOMMENDATION: ViewWording("The recommendation on", "buying", "selling", "waiting"),
}


def standing_views(section: MarketReport, conflicts: Iterable[ConflictRecord]) -> dict[Topic, View]:
    """Returns the view that holds, by topic: the one that a conflict was decided for, or else the
    one with the highest confidence that does not abstain; among equals the first. Views by words
    alone do not count."""
    decided = {
        conflict.conflict_id: conflict.chosen
        for conflict in conflicts
        if conflict.resolved and conflict.chosen
    }
    standing: dict[Topic, View] = {}
    founded = (view for view in section.views if not view.by_words)
    for view in sorted(founded, key=lambda view: -view.confidence):
        chosen = decided.get(f"{section.market}/conflict/{view.subject}:{view.kind}")
        if view.leaning is not Leaning.ABSTAINS and chosen in (None, view.leaning):
            standing.setdefault((view.kind, view.subject), view)
    return standing
