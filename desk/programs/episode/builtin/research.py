"""The analysts of a stock: news, fundamentals, sentiment, technicals, and the evaluation."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from pydantic import JsonValue

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.analytics.names.listing import listed
from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import Analysis, PriceHistory
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import AgentError, Leaning, ResearchResult
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import TaskNotPossible, market_of
from desk.programs.episode.actions import PART_METRICS
from desk.programs.question.builtin.asking import query_of
from desk.programs.swarm.balance import judge
from desk.programs.swarm.builtin.delivery import Note, direction, findings_of, noted
from desk.programs.swarm.builtin.fundamental import (
    ACCOUNTS,
    accounts_asked,
    company_words,
    read_company,
)
from desk.programs.swarm.builtin.market import (
    expected_range_words,
    move_words,
    trend_words,
    year_range_words,
)
from desk.programs.swarm.builtin.reading import (
    Questions,
    SpecialistReading,
    about,
    consulted,
    questions,
    read_analyses,
    stop_if_nobody_answered,
)
from desk.programs.swarm.builtin.sentiment import (
    KINDS,
    RATED,
    REVISED,
    besides,
    news_count_words,
    ratings_words,
    tone_sentence,
)
from desk.programs.swarm.builtin.technical import (
    averages_words,
    bands_words,
    momentum_words,
    patterns_words,
    strength_index_words,
    target_words,
    trend_strength_words,
)
from desk.programs.swarm.conclusion.wording import joined
from desk.programs.swarm.tasks import SPECIALITIES
from desk.trust.confidence import NOTHING_FOUND

_LIKE: Final = {
    StockAction.FETCH_NEWS: AgentId.SENTIMENT_SPECIALIST,
    StockAction.FETCH_SENTIMENT: AgentId.SENTIMENT_SPECIALIST,
    StockAction.FETCH_FUNDAMENTALS: AgentId.FUNDAMENTAL_SPECIALIST,
    StockAction.RUN_TA_BASIC: AgentId.TECHNICAL_SPECIALIST,
    StockAction.RUN_TA_ADVANCED: AgentId.TECHNICAL_SPECIALIST,
}
"""The specialist whose reach over the weeks ahead a part's signals have."""


_BESIDES: Final[Mapping[StockAction, tuple[Metric, ...]]] = {
    StockAction.FETCH_FUNDAMENTALS: (Metric.QUARTER_REVENUE_GROWTH, Metric.QUARTER_NET_MARGIN),
    StockAction.FETCH_SENTIMENT: (*RATED, *REVISED),
}
"""Optional figures of a part; it does not lack them if they are not available."""


def read_part(
    request: TurnRequest,
    action: StockAction,
    kinds: Mapping[Capability, type[Analysis]],
    *,
    figures_only: Collection[Capability] = (),
) -> SpecialistReading:
    """Reads the answers of the analysis tools for a part. What they lack for other parts is left to
    those."""
    own = PART_METRICS[action]
    others = {m for metrics in PART_METRICS.values() for m in metrics if m not in own}
    return read_analyses(request, kinds, figures_only=figures_only, elsewhere=others)


def deliver_part(
    reading: SpecialistReading, action: StockAction, notes: Iterable[Note]
) -> ResearchResult:
    """Builds the result with only the claims of its own part.

    It has a view if its signals point somewhere, and never a recommendation.
    """
    metrics = PART_METRICS[action]
    told = (*metrics, *_BESIDES.get(action, ()))
    own = own_figures(reading, metrics).with_claims(reading.only(told).known.values())
    judgement = judge(own.signals, SPECIALITIES[_LIKE[action]].reach, len(own.gaps))
    view = None if judgement.leaning is Leaning.ABSTAINS else direction(own, judgement, told)
    found = findings_of(own, judgement, notes)
    return found.model_copy(update={"views": (view,) if view else ()})


def own_figures(reading: SpecialistReading, metrics: Sequence[Metric]) -> SpecialistReading:
    """Restricts the reading to the claims of a part. Metrics that are absent without a stated
    reason are reported as missing."""
    own = reading.only(metrics)
    lacking = [metric.replace("_", " ") for metric in metrics if not own.has(metric)]
    if not lacking or own.gaps:
        return own
    return own.with_gaps([f"no figures for {listed(lacking)}"])


class _News(NamedTuple):
    """A news request for a part: its capability, what it is for, and how the answer is
    described."""

    action: StockAction
    capability: Capability
    what: str
    topic: str
    tell: Callable[[SpecialistReading], str]


_STORIES: Final = _News(
    StockAction.FETCH_NEWS, Capability.NEWS_DIGEST, "the news", "coverage", news_count_words
)
_TONE: Final = _News(
    StockAction.FETCH_SENTIMENT, Capability.SENTIMENT, "the tone of the news", "tone", tone_sentence
)


def fetch_news(request: TurnRequest) -> Turn:
    """Asks for news about the company; then delivers how much there is.

    The news themselves are not repeated: they are third-party text, and stay with the tool results.

    Raises:
        TaskNotPossible: the tool did not answer.
    """
    return _fetch(request, _STORIES)


def fetch_sentiment(request: TurnRequest) -> Turn:
    """Asks for the tone of the news about the company; then delivers it.

    Raises:
        TaskNotPossible: the tool did not answer.
    """
    return _fetch(request, _TONE)


def fetch_fundamentals(request: TurnRequest) -> Turn:
    """Asks for ratios, earnings and accounts concurrently; then delivers them.

    Raises:
        TaskNotPossible: no tool answered.
    """
    market = market_of(request)
    if not request.exchanges:
        return questions(request, accounts_asked(request, market), "the accounts")
    reading = read_company(request)
    stop_if_nobody_answered(reading, ACCOUNTS[0])
    notes = noted(company_words(reading))
    return Turn(result=deliver_part(reading, StockAction.FETCH_FUNDAMENTALS, notes))


def _fetch(request: TurnRequest, part: _News) -> Turn:
    kinds = {part.capability: KINDS[part.capability]}
    if part.action is StockAction.FETCH_SENTIMENT:
        more = besides(request)
        kinds |= {each: more[each] for each in (Capability.RATINGS,) if each in more}
    if not request.exchanges:
        return questions(request, about(market_of(request), *kinds), part.what)
    reading = read_part(request, part.action, kinds)
    stop_if_nobody_answered(reading, part.capability)
    evidence = tuple(source.evidence_id for source in reading.sources)[:8]
    told = ((part.topic, part.tell(reading)), ("analysts", ratings_words(reading)))
    notes = noted(told, evidence)
    return Turn(result=deliver_part(reading, part.action, notes))


BASIC: Final = (Capability.MARKET_DATA, Capability.INDICATORS)
ADVANCED: Final = (Capability.INDICATORS, Capability.CHART_PATTERNS, Capability.MARKET_DATA)

CHARTED: Final = timedelta(weeks=95)
"""How far back the prices of the chart go: a year, and the 200 days of trading before it that its
longest average needs."""

_OF_BASIC: Final = frozenset({"relative strength index", "long trend", "moving averages"})
_OF_ADVANCED: Final = frozenset({"MACD", "Bollinger bands", "regression line"})
"""The signals of the indicators, by the analysis that has their figures: each is used once."""


def basic(request: TurnRequest) -> Turn:
    """Asks for the market, its indicators and the prices of the chart concurrently; then delivers
    moves, ranges, averages and relative strength.

    The prices are evidence for the chart and make no claim.

    Raises:
        TaskNotPossible: no tool answered.
    """
    if not request.exchanges:
        return questions(request, _asked(request), "the price and its averages")
    action = StockAction.RUN_TA_BASIC
    reading = read_part(request, action, dict.fromkeys(BASIC, Analysis))
    reading = _with_prices(reading.without_signals(_OF_ADVANCED))
    stop_if_nobody_answered(reading, BASIC[0])
    told = (
        ("move", move_words(reading)),
        ("trend", trend_words(reading)),
        ("year", year_range_words(reading)),
        ("averages", averages_words(reading)),
        ("relative strength", strength_index_words(reading)),
    )
    return Turn(result=deliver_part(reading, action, noted(told)))


def advanced(request: TurnRequest) -> Turn:
    """Asks for indicators, chart patterns and the market concurrently; then delivers momentum, the
    strength of the trend, bands, target, patterns and the expected range.

    Raises:
        TaskNotPossible: no tool answered.
    """
    if not request.exchanges:
        return questions(request, about(market_of(request), *ADVANCED), "the indicators")
    action = StockAction.RUN_TA_ADVANCED
    kinds = dict.fromkeys(ADVANCED, Analysis)
    reading = read_part(request, action, kinds, figures_only=(Capability.MARKET_DATA,))
    reading = reading.without_signals(_OF_BASIC)
    stop_if_nobody_answered(reading, ADVANCED[0])
    told = (
        ("momentum", momentum_words(reading)),
        ("strength of the trend", trend_strength_words(reading)),
        ("bands", bands_words(reading)),
        ("target", target_words(reading)),
        ("chart patterns", patterns_words(reading)),
        ("expected range", expected_range_words(reading)),
    )
    return Turn(result=deliver_part(reading, action, noted(told)))


def _asked(request: TurnRequest) -> Questions:
    market = market_of(request)
    start = (request.assignment.window.end - CHARTED).date().isoformat()
    prices = {"symbol": market.market, "start": start}
    return {**about(market, *BASIC), Capability.PRICE_HISTORY: prices}


def _with_prices(reading: SpecialistReading) -> SpecialistReading:
    """Adds the prices of the chart to the sources, if they are this stock's."""
    evidence, reading = consulted(reading, Capability.PRICE_HISTORY, PriceHistory)
    if evidence is None:
        return reading
    if evidence.answer.symbol != reading.market.market:
        return reading.with_gaps(["the prices of the chart are of another market"])
    return reading.with_source(evidence).with_gaps(evidence.answer.missing)


MADE_AT, POSITION, COST = "made_at", "position", "cost"
"""The parameters of the query that identify the recommendation to evaluate."""

_FULL_REACH: Final = 1.0


def evaluate(request: TurnRequest) -> Turn:
    """Asks for the performance of the recommendation; then delivers its figures.

    Raises:
        TaskNotPossible: the query does not say what to evaluate, or no tool answered.
    """
    if not request.exchanges:
        return questions(request, _asked_to_evaluate(request), "what came of the recommendation")
    action = StockAction.EVALUATE_PERFORMANCE
    reading = read_part(request, action, {Capability.PERFORMANCE: Analysis})
    stop_if_nobody_answered(reading, Capability.PERFORMANCE)
    return Turn(result=_result(own_figures(reading, EVALUATION_METRICS)))


def _asked_to_evaluate(request: TurnRequest) -> Questions:
    parameters = query_of(request).parameters
    try:
        made_at, position, cost = (parameters[name] for name in (MADE_AT, POSITION, COST))
        percent = float(cost)
    except (KeyError, ValueError) as error:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=(
                    f"the task {request.assignment.task_id} does not say which recommendation is to"
                    f" be evaluated: it takes {MADE_AT}, {POSITION} and {COST}, a number ({error})"
                ),
                agent=request.assignment.agent,
            )
        ) from error
    asked: dict[str, JsonValue] = {"symbol": market_of(request).market}
    return {Capability.PERFORMANCE: {**asked, MADE_AT: made_at, POSITION: position, COST: percent}}


def _result(reading: SpecialistReading) -> ResearchResult:
    """Builds the result. A measurement has no leaning; its confidence is the share of figures that
    are known."""
    told = (
        ("price", _price(reading)),
        ("return over cash", _over_cash(reading)),
        ("return over holding", _over_holding(reading)),
        ("reward", _reward(reading)),
    )
    found = findings_of(reading, judge((), _FULL_REACH, 0), noted(told))
    share = len(reading.known) / len(EVALUATION_METRICS)
    sure = max(NOTHING_FOUND, round(share, 3))
    findings = tuple(each.model_copy(update={"confidence": sure}) for each in found.findings)
    return found.model_copy(update={"findings": findings, "confidence": sure})


def _price(reading: SpecialistReading) -> str:
    if not reading.has(Metric.ENTRY, Metric.EXIT):
        return ""
    entry, exit_ = reading.reference(Metric.ENTRY), reading.reference(Metric.EXIT)
    told = f"The price went from {entry} to {exit_}"
    if not reading.has(Metric.FORWARD_MOVE):
        return f"{told}."
    return f"{told}, a move of {reading.reference(Metric.FORWARD_MOVE)}."


def _over_cash(reading: SpecialistReading) -> str:
    told = []
    if reading.has(Metric.CASH_MOVE):
        told.append(f"Cash would have brought {reading.reference(Metric.CASH_MOVE)}.")
    if reading.has(Metric.OVER_CASH):
        over = reading.reference(Metric.OVER_CASH)
        told.append(f"After costs the recommendation's return over cash was {over}.")
    return joined(told)


def _over_holding(reading: SpecialistReading) -> str:
    if not reading.has(Metric.OVER_HOLDING):
        return ""
    over = reading.reference(Metric.OVER_HOLDING)
    return f"Its return over holding the stock was {over}."


def _reward(reading: SpecialistReading) -> str:
    if not reading.has(Metric.REWARD):
        return ""
    reward = reading.reference(Metric.REWARD)
    if not reading.has(Metric.RISK):
        return f"That is a reward of {reward}."
    risk = reading.reference(Metric.RISK)
    return f"Divided by the risk over that time, {risk}, this is a reward of {reward}."
