"""Views that lean opposite ways, and abstentions. Light: workflows use it.

A neutral view beside one that leans is a milder contradiction. It is no conflict by itself, and it
is a position in one that exists.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from contracts.claims import Metric
from contracts.config import VotingConfig
from contracts.results import (
    ConflictKind,
    ConflictRecord,
    Leaning,
    Position,
    ResearchResult,
    View,
    ViewKind,
)
from domain.positions import view_position
from domain.quotation import reversed_pair
from domain.voting import put_to_the_vote

KINDS: Final = {
    ViewKind.DIRECTION: ConflictKind.DIRECTION,
    ViewKind.STANCE: ConflictKind.STANCE,
    ViewKind.RECOMMENDATION: ConflictKind.RECOMMENDATION,
}

FIGURES: Final = {
    Metric.MOVE: ViewKind.DIRECTION,
    Metric.DECISION_CHANGE: ViewKind.STANCE,
    Metric.DECISION_RATE: ViewKind.STANCE,
}
"""The views that are views of a figure."""

_OPPOSITE: Final = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}

Topic = tuple[ViewKind, str]


class Opinion(NamedTuple):
    """One result's view of something."""

    result: ResearchResult
    view: View


def view_conflicts(
    market: str,
    results: Iterable[ResearchResult],
    voting: VotingConfig,
    *,
    settled_by_figures: Collection[Topic] = (),
) -> Iterator[ConflictRecord]:
    """The subjects on which views of different results lean up and down.

    Left out are those whose figures are in conflict themselves, so that nobody is asked twice, and
    views that come from words alone.
    """
    for topic, opinions in _by_topic(market, results).items():
        if topic in settled_by_figures:
            continue
        if any(_opposed(one, other) for one, other in combinations(opinions, 2)):
            kind, subject = topic
            yield put_to_the_vote(
                f"{market}/conflict/{subject}:{kind}",
                market,
                KINDS[kind],
                [view_position(opinion.result, opinion.view, voting) for opinion in opinions],
                voting,
            )


def abstentions(
    metric: Metric,
    subject: str,
    results: Iterable[ResearchResult],
    voting: VotingConfig,
    *,
    besides: Collection[str],
) -> tuple[Position, ...]:
    """Who abstains on the view that a figure decides, of the results that are not `besides`."""
    kind = FIGURES.get(metric)
    return tuple(
        view_position(result, view, voting)
        for result in results
        if result.result_id not in besides
        for view in result.views
        if (view.kind, view.subject, view.leaning) == (kind, subject, Leaning.ABSTAINS)
    )


def _by_topic(market: str, results: Iterable[ResearchResult]) -> dict[Topic, list[Opinion]]:
    topics: dict[Topic, list[Opinion]] = defaultdict(list)
    for result in results:
        for view in (view for view in result.views if not view.by_words):
            turned = _towards(market, view)
            topics[(turned.kind, turned.subject)].append(Opinion(result, turned))
    return topics


def _towards(market: str, view: View) -> View:
    """The view as one of the market itself, where it is of the reversed pair."""
    if view.kind is ViewKind.STANCE or reversed_pair(view.subject) != market:
        return view
    leaning = _OPPOSITE.get(view.leaning, view.leaning)
    return view.model_copy(update={"subject": market, "leaning": leaning})


def _opposed(one: Opinion, other: Opinion) -> bool:
    if one.result.result_id == other.result.result_id:
        return False
    return _OPPOSITE.get(one.view.leaning) is other.view.leaning
