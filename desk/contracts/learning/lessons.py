"""What the desk learns from its own runs: the lessons that runs report, the records stored of them,
and the advice.

Everything here is as of an instant: information from after it is excluded, whenever the query is
made.
"""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.agents.capabilities import Capability
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
from desk.contracts.markets import MarketName
from desk.contracts.names import AgentId, CallFault
from desk.contracts.weeks import IsoWeek

WEIGHT_BOUNDS: Final = (0.5, 1.5)
"""A record can halve the weight of an agent or a source or raise it by half, and no more."""

RecordFactor = Annotated[float, Field(ge=WEIGHT_BOUNDS[0], le=WEIGHT_BOUNDS[1])]

Count = Annotated[int, Field(ge=0)]


class MadeForecast(Contract):
    """A directional view that can be scored: the probability that `market` is fixed above `level`
    at `due`.

    `level` is the last fixing known when the forecast was made, the one of `level_on`, as `server`
    gave it. `carry` is the probability by the carry trade (`forecasts.carry_probability`); None
    when the rates were not known. `written_at` is when it was written, with what was known `as_of`;
    a lesson has both once for all its forecasts, and the record copies them to each. `overruled_by`
    is the person who decided for another direction or another starting level.
    """

    market: MarketName
    agent: AgentId
    week: IsoWeek
    due: Instant
    probability: Confidence
    carry: Confidence | None = None
    level: Figure
    level_on: date
    server: ShortText
    as_of: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    written_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    overruled_by: Annotated[ShortText | None, Field(exclude_if=is_none)] = None


class ScoredForecast(Contract):
    """A forecast that is due. `value` is the last fixing known at that time; None if there was none
    in the days before, and then the forecast does not count."""

    made: MadeForecast
    value: Figure | None = None
    value_on: date | None = None


class TroubleKind(StrEnum):
    """The kinds of trouble. `retried`: it succeeded at a later attempt."""

    TOOL_UNAVAILABLE = "tool_unavailable"
    TOOL_REFUSED = "tool_refused"
    TOOL_RETRIED = "tool_retried"
    TURN_RETRIED = "turn_retried"
    NOT_DELIVERED = "not_delivered"
    LESSER_WAY = "lesser_way"
    DEAD_LETTERED = "dead_lettered"


class Trouble(Contract):
    """One failure in a run. `words` are the desk's or the source's own.

    `fault` is why a call got no answer; for a call that was skipped, the fault of the source before
    it. None when it is not known, as in lessons of older versions.
    """

    kind: TroubleKind
    market: MarketName | None = None
    agent: AgentId | None = None
    server: ShortText | None = None
    tool: ShortText | None = None
    at: Instant
    fault: Annotated[CallFault | None, Field(exclude_if=is_none)] = None
    words: Annotated[str, Field(max_length=300)] = ""


class ToolUse(Contract):
    """One agent's use of one tool in a run.

    `calls` counts all calls; `failed` got no answer, `refused` were rejected, `kept` were answered
    from the cache. `retried` counts the attempts without an answer that were followed by another.
    `cited` counts the calls that some claim, event or verdict rests on. `seconds` is the total
    duration of the `timed` calls. `cost_usd` is the cost of requesting the calls: each turn of a
    model is shared evenly among its calls.
    """

    agent: AgentId
    server: ShortText
    tool: ShortText
    calls: Count
    failed: Count = 0
    refused: Count = 0
    retried: Annotated[Count, Field(exclude_if=is_empty)] = 0
    kept: Count = 0
    cited: Count = 0
    timed: Count = 0
    seconds: Annotated[float, Field(ge=0.0)] = 0.0
    cost_usd: Annotated[Figure, Field(ge=0, exclude_if=is_empty)] = Decimal(0)


class SourceRecord(Contract):
    """The record of a server's figures: how many were confirmed by other origins, rejected in a
    conflict, or in claims that did not follow from their evidence."""

    server: ShortText
    verified: Count = 0
    contested: Count = 0
    rejected: Count = 0


class AgentRecord(Contract):
    """How an agent's tasks in a run ended."""

    agent: AgentId
    tasks: Count
    delivered: Count
    reassigned: Count = 0
    turns: Count = 0
    cost_usd: Figure


class Lesson(Contract):
    """What a run reports to the learning system when its research is done: a signal.

    A later lesson of the same run (`workflow_id`) replaces the earlier one. Only a `whole` week
    makes forecasts. A lesson counts for weeks with a later as-of instant. `told_at` is when the
    research was done, which in a backfill is long after `as_of`.
    """

    workflow_id: ShortText
    week: IsoWeek
    as_of: Instant
    told_at: Instant | None = None
    whole: bool = True
    expected: Count
    researched: Count
    forecasts: Annotated[tuple[MadeForecast, ...], Field(max_length=400)] = ()
    troubles: Annotated[tuple[Trouble, ...], Field(max_length=200)] = ()
    more_troubles: Count = 0
    tools: Annotated[tuple[ToolUse, ...], Field(max_length=200)] = ()
    sources: Annotated[tuple[SourceRecord, ...], Field(max_length=50)] = ()
    agents: Annotated[tuple[AgentRecord, ...], Field(max_length=60)] = ()


class LessonSources(Contract):
    """Where to find the histories of a run's research, for data that its lesson does not have.

    `workflows` are the ids of its markets' workflows; `counted` are the tasks whose calls the
    lesson already counts, as named by `desk.learning.lessons.attempts.task_key`.
    """

    workflows: Annotated[tuple[ShortText, ...], Field(max_length=1_000)] = ()
    counted: Annotated[tuple[ShortText, ...], Field(max_length=1_000)] = ()


class AdviceKind(StrEnum):
    """The kinds of recommendations."""

    PREFER_FALLBACK = "prefer_fallback"
    AVOID_SOURCE = "avoid_source"
    RAISE_TIMEOUT = "raise_timeout"
    ADD_SOURCE = "add_source"


class Recommendation(Contract):
    """One thing to do differently, and the count it rests on: `occurrences` of `of`.

    `prefer_fallback`: for a `capability`, ask `server` after the others. `avoid_source`: the same
    for every capability. `raise_timeout`: give every call `seconds`, whichever source it goes to.
    `add_source`: configure another source besides `server`, which a person does and a run does not.
    """

    advice_id: ShortText
    kind: AdviceKind
    server: ShortText
    tool: ShortText | None = None
    capability: Capability | None = None
    seconds: Annotated[float, Field(gt=0.0)] | None = None
    occurrences: Count
    of: Count
    reason: Text


class WeightOf(StrEnum):
    """Whether a weight is an agent's or a source's."""

    AGENT = "agent"
    SOURCE = "source"


class RecordWeight(Contract):
    """The factor for an agent's or a source's weight in a vote, and the reason for it."""

    voice: WeightOf
    name: ShortText
    factor: RecordFactor
    outcomes: Count
    reason: Text


class ScoreRow(Contract):
    """The scores of a group of forecasts: of one market, of one agent, or all (`of` is `all`).

    The Brier scores are means over the `scored`: 0 is perfect, 0.25 is a coin toss. `carry` is over
    the `carried`, which had a rate differential, and `brier_carried` is the desk's score over the
    same forecasts.
    """

    of: ShortText
    scored: Count
    hits: Count
    decided: Count
    brier: Annotated[float, Field(ge=0.0, le=1.0)]
    random_walk: Annotated[float, Field(ge=0.0, le=1.0)] = 0.25
    carried: Count = 0
    carry: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    carry_hits: Count = 0
    brier_carried: Annotated[float, Field(ge=0.0, le=1.0)] | None = None


class CalibrationBin(Contract):
    """Forecasts of about the same probability: their mean, and how often the price rose."""

    low: Confidence
    high: Confidence
    count: Count
    mean: Confidence
    rose: Count


class StanceMonitor(Contract):
    """Whether forecasts lean one way: of the last `forecasts`, `up` said up.

    `one_sided` says so in words when the share is unlikely to be chance; otherwise it is None.
    """

    forecasts: Count
    up: Count
    one_sided: Text | None = None


class Scorecard(Contract):
    """The scores of the forecasts whose horizon had passed by `as_of`. `open` counts those without
    an outcome, of which `overdue` were due and waited for a fixing.

    `hypotheses` are the scores of research swarms' hypotheses that were due by then: a hit is one
    that was called likely and held, or unlikely and did not. None when there are none. `views` are
    the scores of the directional views of those swarms' specialists, one row for each specialist.

    All of these are of forecasts that were made when they say. Forecasts written afterwards
    (`desk.learning.standing`) count only in `backtest`, which is not a track record, and those that
    a person overruled only in `overruled`.
    """

    as_of: Instant
    open: Count
    overdue: Annotated[Count, Field(exclude_if=is_empty)] = 0
    void: Count = 0
    rows: Annotated[tuple[ScoreRow, ...], Field(max_length=250)] = ()
    bins: Annotated[tuple[CalibrationBin, ...], Field(max_length=20)] = ()
    monitor: StanceMonitor = StanceMonitor(forecasts=0, up=0)
    hypotheses: Annotated[ScoreRow | None, Field(exclude_if=is_none)] = None
    void_hypotheses: Annotated[Count, Field(exclude_if=is_empty)] = 0
    views: Annotated[tuple[ScoreRow, ...], Field(max_length=40, exclude_if=is_empty)] = ()
    backtest: Annotated["Scorecard | None", Field(exclude_if=is_none)] = None
    overruled: Annotated["Scorecard | None", Field(exclude_if=is_none)] = None


class EssentialTool(Contract):
    """A tool that an agent's results often rest on, the week since when it is on the list, and
    why."""

    agent: AgentId
    server: ShortText
    tool: ShortText
    since: IsoWeek
    reason: Text


class EssentialChange(Contract):
    """A tool's addition to or removal from an agent's list of essential tools, with the week and
    the reason."""

    week: IsoWeek
    agent: AgentId
    server: ShortText
    tool: ShortText
    added: bool
    reason: Text


class UncitedTool(Contract):
    """A tool that has answered an agent many times without any result resting on an answer."""

    agent: AgentId
    server: ShortText
    tool: ShortText
    answered: Count


UncitedTools = Annotated[tuple[UncitedTool, ...], Field(max_length=160, exclude_if=is_empty)]


class Advice(Contract):
    """The record's advice to a run whose as-of instant is `as_of`.

    `weeks` counts the runs it rests on. `unread` says why there is no record to use. `full`: it
    rests on no run because the record has room for later weeks only.
    """

    as_of: Instant
    weeks: Count = 0
    recommendations: Annotated[tuple[Recommendation, ...], Field(max_length=50)] = ()
    weights: Annotated[tuple[RecordWeight, ...], Field(max_length=60)] = ()
    scorecard: Scorecard | None = None
    essential: Annotated[tuple[EssentialTool, ...], Field(max_length=160)] = ()
    uncited: UncitedTools = ()
    unread: Text | None = None
    full: Annotated[bool, Field(exclude_if=is_empty)] = False
