"""The learning system's own record: its queries, its state and its views."""

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
"""The maximum number of stored lessons: five years of weeks."""

MOST_SHOWN: Final = 1_000
"""The maximum number of scored forecasts in one answer, the newest first."""

MOST_PAUSES: Final = 2_000
"""The maximum number of pauses carried over, the earliest due first; a fixing whose pause was
dropped is requested at once and paused again."""

MOST_VOIDS: Final = 60

MOST_KEPT_HYPOTHESES: Final = 500
"""The maximum number of stored scored hypotheses: those that were due last."""

MOST_SHOWN_HYPOTHESES: Final = 100

USUAL_CALL_SECONDS: Final = 15.0


class RecordQuery(Contract):
    """A query of the record: everything that was known by `as_of`.

    `routes` are the servers that the querying run would ask for each capability, in its order, and
    `call_seconds` is its time limit for one attempt of a call: advice is about these. `asked_at` is
    the time of the query, in a backfill long after `as_of`; it defaults to `as_of`. With `market`,
    the forecasts, the hypotheses and the scorecard are of that market alone.
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
    """The last fixing of a market known to a server at `due`, which forecasts are scored against.

    `value` is None when the server had no fixing then or in the last days, and when the resolution
    was given up: `words` give the reason in the desk's or the source's words.
    """

    market: MarketName
    server: ShortText
    due: Instant
    value: Figure | None = None
    value_on: date | None = None
    words: Annotated[str, Field(max_length=300, exclude_if=is_empty)] = ""


class FixingPause(Contract):
    """The time until which a server is not asked: for one fixing, or for any when `market` and
    `due` are None.

    It failed `tries` times, of which `refused` were refusals; `since` is when it was first refused,
    or first asked. `length` is the duration of this pause.
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
    """The whole state of the learning system, carried over when it continues as new.

    `told` counts the lessons received, including those that a later one replaced. For a run that
    reported again after its forecasts were due, `in_time` has the forecasts that it reported
    before. `hypotheses` are those of research swarms and of stocks' episodes, each once.
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

    `longest_wait` is how long an answer waits for forecasts that are due and not scored yet.
    `longest_history` is the number of events after which it continues as new, if not before: about
    twenty weeks, so that a worker that takes it over has little to replay.
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
    """Troubles that have something in common, and the number of weeks with such a trouble.

    `name` is the server, `server.tool`, agent, market, kind, or weekday and hour (UTC) that they
    share. `words` are those of the newest that has any.
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
    """A measure over the newest weeks and over as many weeks before them; None when there was
    nothing to measure. `better` says whether it improved; None if it did not change or cannot be
    compared."""

    name: MetricName
    recent: float | None = None
    before: float | None = None
    weeks: Count
    better: bool | None = None


class WeekLearned(Contract):
    """The lesson of one run in numbers. Of its `forecasts`, `backtests` were written afterwards.
    These, and those that a person overruled, are not among the `scored` and the `hits`."""

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

    `advice` is what a run of that instant receives: recommendations, weights, the scorecard and the
    essential tools. `scored` are the newest forecasts whose horizon has passed, `more_scored`
    counts the others, and `voids` says why the newest of those without a value have none. `tools`
    and `agents` are sums over all weeks; `changes` is the history of the list of essential tools.
    `told` counts every lesson, whatever its as-of instant. `hypotheses` are those that were due
    last, and `more_hypotheses` counts the others.
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
