"""One part of a stock's blackboard: what its tools answered, and what is delivered of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.episode.analysis import Analysis
from desk.contracts.episode.stock import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning, ResearchResult
from desk.contracts.names import AgentId
from desk.programs.episode.run.actions import PART_METRICS
from desk.programs.swarm.builtin.delivery import Note, direction, findings_of
from desk.programs.swarm.conclusion.reading import Reading, read_analyses
from desk.programs.swarm.conclusion.wording import listed
from desk.programs.swarm.parts.signals import judge
from desk.programs.swarm.parts.tasks import SPECIALITIES

_LIKE: Final = {
    StockAction.FETCH_NEWS: AgentId.SENTIMENT_SPECIALIST,
    StockAction.FETCH_SENTIMENT: AgentId.SENTIMENT_SPECIALIST,
    StockAction.FETCH_FUNDAMENTALS: AgentId.FUNDAMENTAL_SPECIALIST,
    StockAction.RUN_TA_BASIC: AgentId.TECHNICAL_SPECIALIST,
    StockAction.RUN_TA_ADVANCED: AgentId.TECHNICAL_SPECIALIST,
}
"""Whose reach over the weeks ahead the signals of a part have."""


def read_part(
    request: TurnRequest,
    action: StockAction,
    kinds: Mapping[Capability, type[Analysis]],
    *,
    figures_only: Collection[Capability] = (),
) -> Reading:
    """What the tools answered that compute something. What they lack of other parts is left to
    those."""
    own = PART_METRICS[action]
    others = {m for metrics in PART_METRICS.values() for m in metrics if m not in own}
    return read_analyses(request, kinds, figures_only=figures_only, elsewhere=others)


def deliver_part(reading: Reading, action: StockAction, notes: Iterable[Note]) -> ResearchResult:
    """The result with the claims of its own part and no others.

    It has a view where its signals point, and none where there are none; what to do about it all is
    not its to say.
    """
    metrics = PART_METRICS[action]
    own = own_figures(reading, metrics)
    judgement = judge(own.signals, SPECIALITIES[_LIKE[action]].reach, len(own.gaps))
    view = None if judgement.leaning is Leaning.ABSTAINS else direction(own, judgement, metrics)
    found = findings_of(own, judgement, notes)
    return found.model_copy(update={"views": (view,) if view else ()})


def own_figures(reading: Reading, metrics: Sequence[Metric]) -> Reading:
    """The reading with the claims of a part and no others. What it is without, and nobody said why,
    is told to lack."""
    own = reading.only(metrics)
    lacking = [metric.replace("_", " ") for metric in metrics if not own.has(metric)]
    if not lacking or own.gaps:
        return own
    return own.with_gaps([f"nothing was told of {listed(lacking)}"])
