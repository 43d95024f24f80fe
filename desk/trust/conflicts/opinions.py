"""Views that lean opposite ways, and abstentions. Light: workflows use it.

A neutral view beside one that leans is a milder contradiction. It is no conflict by itself, and it
is a position in one that exists.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from desk.agents.task_kinds import SPECIALIST_TASKS, STOCK_TASKS
from desk.contracts.config import VotingConfig
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    Leaning,
    Position,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.trust.conflicts.positions import view_position
from desk.trust.conflicts.topics import Topic as Named
from desk.trust.conflicts.topics import topics
from desk.trust.conflicts.voting import put_to_the_vote

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

SPECIALISTS: Final = frozenset(
    {*SPECIALIST_TASKS, *(agent for agent, _ in STOCK_TASKS.values()), AgentId.RESERVE_SPECIALIST}
)

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
                [
                    own_judgement(view_position(opinion.result, opinion.view, voting))
                    for opinion in opinions
                ],
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


def own_judgement(position: Position) -> Position:
    """What a specialist of a swarm holds, as a witness of its own.

    Specialists read the same prices by other methods. What they share is the series, and none of
    them repeats another, so that each is heard.
    """
    if position.agent not in SPECIALISTS:
        return position
    return position.model_copy(update={"origin": None})


def _by_topic(market: str, results: Iterable[ResearchResult]) -> dict[Topic, list[Opinion]]:
    said = [Opinion(each, view) for each in results for view in each.views if not view.by_words]
    named = {
        kind: topics(
            (opinion.view.subject for opinion in said if opinion.view.kind is kind),
            # A stance is one of a bank: it has no other side.
            "" if kind is ViewKind.STANCE else market,
        )
        for kind in ViewKind
    }
    found: dict[Topic, list[Opinion]] = defaultdict(list)
    for result, view in said:
        turned = _towards(named[view.kind][view.subject], view)
        found[(turned.kind, turned.subject)].append(Opinion(result, turned))
    return found


def _towards(topic: Named, view: View) -> View:
    """The view as one of its topic, turned where it is of the other side."""
    if topic == Named(view.subject):
        return view
    leaning = _OPPOSITE.get(view.leaning, view.leaning) if topic.turned else view.leaning
    return view.model_copy(update={"subject": topic.subject, "leaning": leaning})


def _opposed(one: Opinion, other: Opinion) -> bool:
    if one.result.result_id == other.result.result_id:
        return False
    return _OPPOSITE.get(one.view.leaning) is other.view.leaning
