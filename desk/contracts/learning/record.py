"""The learning system's own record: what it is asked, what it carries, and what it shows."""

from datetime import date, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.agents.capabilities import Capability
from desk.contracts.base import Contract, Figure, Instant, ShortText, is_empty, is_none
from desk.contracts.learning.lessons import (
    Advice,
    AgentRecord,
    Count,
    EssentialChange,
    Lesson,
    ScoredForecast,
    ToolUse,
)
from desk.contracts.markets import MarketName
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.contracts.weeks import IsoWeek

MOST_WEEKS: Final = 260
"""Lessons that are kept: five years of weeks."""

MOST_SHOWN: Final = 1_000
"""Scored forecasts that one answer shows, the newest."""

MOST_PAUSES: Final = 2_000
"""Of more the earliest due are carried; any other is asked for at once and paused again."""

MOST_VOIDS: Final = 60

MOST_KEPT_HYPOTHESES: Final = 500
"""Scored hypotheses that are kept: those that were due last."""

MOST_SHOWN_HYPOTHESES: Final = 100

USUAL_CALL_SECONDS: Final = 15.0


class RecordQuery(Contract):
    """What the record is asked for: everything that was known by `as_of`.

    `routes` are the servers that the asking run would ask for each capability, in its order, and
    `call_seconds` what it gives one try of a call: advice is about these. `asked_at` is when the
    run asks, in a backfill long after `as_of`; where it is not said, `as_of` stands for it. With
    `market` the forecasts and the hypotheses shown, and the scorecard, are of that market alone.
    """

    as_of: Instant
    asked_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    routes: Annotated[
        dict[Capability, Annotated[tuple[ShortText, ...], Field(max_length=8)]],
        Field(exclude_if=is_empty),
    ] = Field(default_factory=dict)
    call_seconds: Annotated[float, Field(gt=0.0)] = USUAL_CALL_SECONDS
    market: Annotated[MarketName | None, Field(exclude_if=is_none)] = None


class Resolution(Contract):
    """The last fixing of a market known to a server at `due`: what forecasts are scored against.

    `value` is None where it had none then, or none of the last days, and where it was given up:
    `words` say why, the desk's own or the source's.
    """

    market: MarketName
    server: ShortText
    due: Instant
    value: Figure | None = None
    value_on: date | None = None
    words: Annotated[str, Field(max_length=300, exclude_if=is_empty)] = ""


class FixingPause(Contract):
    """Until when a server is not asked: for one fixing, or without `market` and `due` for any.

    It came to nothing `tries` times, of which it was `refused` so many; `since` is when it was
    first refused, or first asked. `length` is how long this pause is.
    """

    server: ShortText
    market: MarketName | None = None
    due: Instant | None = None
    since: Instant
    until: Instant
    length: timedelta
    tries: Count = 1
    refused: Count = 0


class LearningState(Contract):
    """All that the learning system knows: what it carries when it continues as new.

    `told` counts the lessons it has been told, those included that a later one replaced. Of a run
    that told again after its forecasts were due, `in_time` has the forecasts that it told before.
    `hypotheses` are those of research swarms and of stocks' episodes, each once.
    """

    lessons: Annotated[tuple[Lesson, ...], Field(max_length=MOST_WEEKS)] = ()
    in_time: Annotated[tuple[Lesson, ...], Field(max_length=MOST_WEEKS, exclude_if=is_empty)] = ()
    resolutions: Annotated[tuple[Resolution, ...], Field(max_length=400 * MOST_WEEKS)] = ()
    pauses: Annotated[
        tuple[FixingPause, ...], Field(max_length=MOST_PAUSES, exclude_if=is_empty)
    ] = ()
    told: Count = 0
    hypotheses: Annotated[
        tuple[ScoredHypothesis, ...], Field(max_length=MOST_KEPT_HYPOTHESES, exclude_if=is_empty)
    ] = ()


class LearningRequest(Contract):
    """What the learning system is started with.

    `longest_wait` is how long an answer waits for forecasts that are due and not scored yet, and
    `longest_history` after how many events it continues as new, if not before: after some twenty
    weeks, so that a worker that takes it over has little to replay.
    """

    state: LearningState = LearningState()
    longest_wait: timedelta = timedelta(seconds=20)
    longest_history: Annotated[int, Field(ge=1)] = 300


class PatternBy(StrEnum):
    """The property that troubles are grouped by."""

    KIND = "kind"
    SOURCE = "source"
    TOOL = "tool"
    AGENT = "agent"
    MARKET = "market"
    HOUR = "hour"


class TroublePattern(Contract):
    """Troubles that have something in common, in so many weeks.

    `name` is the server, `server.tool`, agent, market, kind, or weekday and hour (UTC) that they
    share. `words` are those of the newest that said anything.
    """

    by: PatternBy
    name: ShortText
    troubles: Count
    weeks: Count
    last: IsoWeek
    words: Annotated[str, Field(max_length=300)] = ""


class MetricName(StrEnum):
    """The measures of whether the desk's work improves."""

    TROUBLES_PER_MARKET = "troubles_per_market"
    COVERAGE = "coverage"
    SECONDS_PER_CALL = "seconds_per_call"
    CITED_SHARE = "cited_share"


class ImprovementMetric(Contract):
    """A measure over the newest weeks and over as many weeks before them; None where there was
    nothing to measure. `better` says whether it improved; None if it did not change or cannot be
    compared."""

    name: MetricName
    recent: float | None = None
    before: float | None = None
    weeks: Count
    better: bool | None = None


class WeekLearned(Contract):
    """The lesson of one run in numbers. Of its `forecasts` so many are `backtests`. These, and
    those that a person overruled, are not among the `scored` and the `hits`."""

    week: IsoWeek
    workflow_id: ShortText
    as_of: Instant
    whole: bool
    expected: Count
    researched: Count
    troubles: Count
    calls: Count
    failed: Count
    cited: Count
    forecasts: Count
    scored: Count
    hits: Count
    backtests: Annotated[Count, Field(exclude_if=is_empty)] = 0


class LearnedView(Contract):
    """The answer of the query `learned`: what was known by `advice.as_of`, newest weeks first.

    `advice` is what a run of that instant is told: recommendations, weights, the scorecard and the
    essential tools. `scored` are the newest forecasts whose horizon has passed, `more_scored` how
    many there are besides, and `voids` why the newest of those without a value have none. `tools`
    and `agents` are sums over all weeks; `changes` how the list of essential tools came about.
    `told` counts every lesson, whatever its as-of instant. `hypotheses` are those that were due
    last, and `more_hypotheses` how many there are besides.
    """

    advice: Advice
    weeks: Annotated[tuple[WeekLearned, ...], Field(max_length=MOST_WEEKS)] = ()
    patterns: Annotated[tuple[TroublePattern, ...], Field(max_length=200)] = ()
    metrics: Annotated[tuple[ImprovementMetric, ...], Field(max_length=10)] = ()
    scored: Annotated[tuple[ScoredForecast, ...], Field(max_length=MOST_SHOWN)] = ()
    more_scored: Count = 0
    voids: Annotated[tuple[Resolution, ...], Field(max_length=MOST_VOIDS, exclude_if=is_empty)] = ()
    tools: Annotated[tuple[ToolUse, ...], Field(max_length=300)] = ()
    agents: Annotated[tuple[AgentRecord, ...], Field(max_length=60, exclude_if=is_empty)] = ()
    changes: Annotated[tuple[EssentialChange, ...], Field(max_length=300)] = ()
    told: Count = 0
    hypotheses: Annotated[
        tuple[ScoredHypothesis, ...], Field(max_length=MOST_SHOWN_HYPOTHESES, exclude_if=is_empty)
    ] = ()
    more_hypotheses: Annotated[Count, Field(exclude_if=is_empty)] = 0
