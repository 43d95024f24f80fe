"""A stock's episode: its actions, the blackboard that they fill, and its evaluation.

The names of the actions and of the blackboard's fields are those of seed 004.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from desk.contracts.base import (
    Confidence,
    Contract,
    Figure,
    Instant,
    ShortText,
    Text,
    is_empty,
    is_none,
)
from desk.contracts.episode.actions import Charge, Charges, StockAction
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictRecord, Leaning
from desk.contracts.markets import MarketSpec, StockSymbol
from desk.contracts.names import AgentId

MOST_STEPS: Final = 30
"""The maximum number of steps of an episode, whether listed or chosen by the controller."""

MOST_WEEKS: Final = 52
MOST_COST: Final = 10

USUAL_WEEKS: Final = 4
USUAL_COST: Final = Decimal("0.10")
"""Percent of the price, paid for entering a position and again for leaving it."""


class Recommended(StrEnum):
    """The recommendation: long, stay out or short; or none can be made."""

    BUY = "buy"
    HOLD = "hold"
    SELL = "sell"
    ABSTAIN = "abstain"


class BoardPart(Contract):
    """The part of the blackboard that one agent writes: figures, each with its day. `lacking` are
    the expected figures that were not available; the agent's result gives the reasons. `generated`
    names the generator and its seed when the figures were generated for practice."""

    figures: Annotated[tuple[MeasuredFigure, ...], Field(max_length=40)] = ()
    lacking: Annotated[tuple[Metric, ...], Field(max_length=40)] = ()
    generated: Annotated[ShortText | None, Field(exclude_if=is_none)] = None


class Insight(Contract):
    """One reading of the figures: its direction, its strength (0 to 1) and the figures it rests on.
    `statement` is prose with references in place of figures."""

    topic: ShortText
    statement: Text
    leaning: Leaning
    strength: Confidence
    metrics: Annotated[tuple[Metric, ...], Field(max_length=20)] = ()


class StockRecommendation(Contract):
    """The recommendation for the horizon.

    `confidence` is the confidence in the recommendation; `probability` is the probability that the
    price is higher at the horizon than at the start. The reasons are topics of insights.
    """

    action: Recommended
    confidence: Confidence
    probability: Confidence
    reasons_for: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    reasons_against: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()


class Evaluation(Contract):
    """The outcome of a recommendation, in the metrics of `desk.analytics.evaluation`. `lacking` are
    the figures that were not available. Without `reward` the episode has no reward."""

    figures: Annotated[tuple[MeasuredFigure, ...], Field(max_length=20)] = ()
    lacking: Annotated[tuple[Metric, ...], Field(max_length=20)] = ()
    reward: Figure | None = None


class Blackboard(Contract):
    """The data that the agents of an episode share. It is complete after every step.

    A part is None until its action was taken. After that it has figures, or names those that are
    lacking.
    """

    symbol: StockSymbol
    as_of: Instant
    weeks: Annotated[int, Field(ge=1, le=MOST_WEEKS)] = USUAL_WEEKS
    news_data: BoardPart | None = None
    fundamentals_data: BoardPart | None = None
    sentiment_data: BoardPart | None = None
    ta_basic_data: BoardPart | None = None
    ta_advanced_data: BoardPart | None = None
    insights: Annotated[tuple[Insight, ...], Field(max_length=40)] = ()
    recommendation: Recommended | None = None
    confidence: Confidence = 0.0
    probability: Confidence | None = None
    reasons_for: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    reasons_against: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    evaluation: Evaluation | None = None
    taken: Annotated[tuple[StockAction, ...], Field(max_length=MOST_STEPS)] = ()
    """The actions that were carried out, in order."""

    @property
    def generated(self) -> str | None:
        """The generator of the blackboard's generated figures; None when all figures are facts."""
        parts = (
            self.news_data,
            self.fundamentals_data,
            self.sentiment_data,
            self.ta_basic_data,
            self.ta_advanced_data,
        )
        return next((part.generated for part in parts if part and part.generated), None)


class ActionChoice(Contract):
    """The controller's next action and its reason. Without an action the episode ends."""

    kind: Literal["action"] = "action"
    task_id: ShortText
    agent: AgentId = AgentId.CONTROLLER_AGENT
    market: MarketSpec
    action: StockAction | None = None
    reason: Text = ""


class EpisodeStep(Contract):
    """One step of an episode: the action, whether it was accepted, and the blackboard after it.

    An action that is not possible yet changes nothing and is `refused` with the reason. `reward` is
    0 except for an evaluation. `charge` is the cost of the action.
    """

    number: Annotated[int, Field(ge=1, le=MOST_STEPS)]
    action: StockAction
    reason: Text = ""
    refused: Annotated[Text | None, Field(exclude_if=is_none)] = None
    reward: Figure = Decimal(0)
    charge: Annotated[Charge, Field(exclude_if=is_empty)] = Decimal(0)
    board: Blackboard
    started_at: Instant
    ended_at: Instant


class StockRecord(Contract):
    """What an episode adds to the results of its nodes.

    `prices` is the id of the tool result that the chart is drawn from. `due` is when the
    recommendation is scored against the price; from the confidence `recommended_from` on it is
    printed in large type. `memory` says why the memory was not or could not be queried; None when
    it was. `cut_off` says why the episode ended early, and `notes` lists what else could not be
    done, such as reporting to the learning system. `charges` are the costs of actions.
    """

    market: MarketSpec
    steps: Annotated[tuple[EpisodeStep, ...], Field(max_length=MOST_STEPS)]
    board: Blackboard
    due: Instant
    cost: Figure
    recommended_from: Annotated[Confidence | None, Field(exclude_if=is_none)] = None
    prices: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=50)] = ()
    memory: Annotated[Text | None, Field(exclude_if=is_none)] = None
    cut_off: Annotated[Text | None, Field(exclude_if=is_none)] = None
    notes: Annotated[tuple[Text, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    charges: Annotated[Charges, Field(exclude_if=is_empty)] = Field(default_factory=dict)

    @property
    def charged(self) -> Decimal:
        """The costs of all steps together, in units of the reward."""
        return sum((step.charge for step in self.steps), Decimal(0))
