"""How the learning system's record changed a week, and how the forecasts scored, in words."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

from desk.analytics.names.listing import listed
from desk.analytics.names.shortening import shortened as cut
from desk.contracts.findings.results import Forecast, Leaning, View, ViewKind
from desk.contracts.findings.source_results import History
from desk.contracts.learning.lessons import (
    Advice,
    AdviceKind,
    Recommendation,
    RecordWeight,
    Scorecard,
    ScoreRow,
    WeightOf,
)
from desk.contracts.names import LEARNING_SYSTEM_ID, AgentId
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.rendering.words.wording import NO_FIGURE, human, instant, one_line, share_words
from desk.learning.advice import AdviceUse, Judged, judged
from desk.learning.calibration import ALL
from desk.learning.forecasts import ForecastCount
from desk.learning.standing import IN_TIME
from desk.programs.week.document.judging.claims import returned_by
from desk.programs.week.document.sections.views import WORDINGS, standing_views

TITLE: Final = "What the desk's own record changed"
BACKTEST: Final = "Written afterwards: a back-test, not the desk's record"
OVERRULED: Final = "Overruled by a person: not what the desk held"
WEIGHT_COLUMNS: Final = ("Agent or source", "Weight", "Outcomes", "Why")
SCORE_COLUMNS: Final = (
    "Forecasts",
    "Scored",
    "Right",
    "Brier",
    "Random walk",
    "Carry",
    "Brier on carry's forecasts",
)
LONGEST_REASON: Final = 400
EVEN: Final = 0.03
"""A probability this close to one half is about even."""


CLEAR: Final = 0.1
"""A probability at least this far from one half is named on a report's first page."""

MOST_LEANINGS: Final = 3

LEANINGS_TITLE: Final = "Leaning"


class RecommendationLine(NamedTuple):
    """A recommendation: whether it was followed, what it says, and why."""

    taken: AdviceUse
    words: str
    reason: str


class ApartCard(NamedTuple):
    """Forecasts that are scored apart from the record: their title, their scores, and the
    reason."""

    title: str
    card: Scorecard
    notes: tuple[str, ...]


class ScoreTable(NamedTuple):
    """The rows of a scorecard: all forecasts, each agent's, and the hypotheses; each market's are
    separate."""

    of_all: tuple[tuple[str, ...], ...]
    of_markets: tuple[tuple[str, ...], ...]


def record_lead(report: ResearchReport) -> str | None:
    """Returns the section's first sentence; None if the run did not ask the learning system."""
    advice = report.advice
    if advice is None:
        return None
    if advice.unread is not None:
        reason = shortened(advice.unread).rstrip(".")
        return (
            f"The desk's own record could not be read: {reason}. The week was researched by the "
            "configured rules alone."
        )
    if advice.full:
        return f"{no_record_words(advice)} The week was researched by the configured rules alone."
    if not advice.weeks:
        return (
            f"There was no record yet: no run of a week before {instant(advice.as_of)} had "
            "reported its outcome. The week was researched by the configured rules alone."
        )
    told = (_followed_words(report, advice), _weights_words(advice))
    return f"The record rests on {_count(advice.weeks, 'earlier run')}. {' '.join(told)}"


def no_record_words(advice: Advice) -> str:
    """Says why a full record has nothing for an older week."""
    return (
        f"Nothing from before {instant(advice.as_of)} is kept: the desk's own record is full with "
        "later weeks."
    )


def recommendation_lines(report: ResearchReport) -> tuple[RecommendationLine, ...]:
    """Returns every recommendation, with what the run did with it."""
    return tuple(
        RecommendationLine(taken, recommendation_words(each), reason_words(each))
        for each, taken in _judged(report)
    )


def recommendation_words(recommendation: Recommendation) -> str:
    """Returns what to do: `ask yahoo_finance after the others for a quote`."""
    server = one_line(recommendation.server)
    tool = f"{server}.{one_line(recommendation.tool)}" if recommendation.tool else server
    asked = f" for {human(recommendation.capability)}" if recommendation.capability else ""
    if recommendation.kind is AdviceKind.PREFER_FALLBACK:
        return f"ask {server} after the others{asked}"
    if recommendation.kind is AdviceKind.AVOID_SOURCE:
        return f"ask {server} after the others{asked or ' for everything'}"
    if recommendation.kind is AdviceKind.ADD_SOURCE:
        return f"name another source besides {server}, in .mcp.json and [capabilities]"
    return f"give every call {recommendation.seconds or 0:g} s, because of {tool}"


def reason_words(recommendation: Recommendation) -> str:
    """Returns the reason for a recommendation, with its counts."""
    return shortened(recommendation.reason).rstrip(".")


def weight_cells(weight: RecordWeight) -> tuple[str, str, str, str]:
    """A row of the table of weights, in the order of `WEIGHT_COLUMNS`."""
    voice = human(weight.name) if weight.voice is WeightOf.AGENT else f"source {weight.name}"
    return voice, f"× {weight.factor:.2f}", f"{weight.outcomes}", shortened(weight.reason)


def score_table(scorecard: Scorecard) -> ScoreTable:
    """The rows of a scorecard as printed, in the order of `SCORE_COLUMNS`."""
    agents = set(AgentId.known())
    of_all = [row for row in scorecard.rows if row.of == ALL or row.of in agents]
    of_markets = [row for row in scorecard.rows if row not in of_all]
    if scorecard.hypotheses is not None:
        of_all.append(scorecard.hypotheses)
    of_all += scorecard.views
    return ScoreTable(tuple(map(score_cells, of_all)), tuple(map(score_cells, of_markets)))


def score_cells(row: ScoreRow) -> tuple[str, ...]:
    """One row of a scorecard."""
    return (
        "all forecasts" if row.of == ALL else human(row.of),
        f"{row.scored}",
        f"{row.hits} of {row.decided}",
        brier_words(row.brier),
        brier_words(row.random_walk),
        brier_words(row.carry),
        brier_words(row.brier_carried),
    )


def brier_words(score: float | None) -> str:
    """A Brier score to three decimals, or the sign for none."""
    return NO_FIGURE if score is None else f"{score:.3f}"


def score_notes(scorecard: Scorecard) -> tuple[str, ...]:
    """Returns the notes on a scorecard: open and void forecasts, a one-sided stance, how to read
    it, and its source."""
    lines = [_not_counted(scorecard)]
    if scorecard.monitor.one_sided:
        lines.append(f"One-sided: {shortened(scorecard.monitor.one_sided).rstrip('.')}.")
    if scorecard.rows or scorecard.hypotheses:
        lines.append(
            "Brier score: the mean squared error of the probabilities; 0 is perfect. A random "
            "walk says one half every time. Carry bets on the currency with the higher rate, "
            "where both rates are known; the last column is the desk's score on just those."
        )
    if words := hypothesis_note(scorecard):
        lines.append(words)
    lines.append(follows_from(scorecard.as_of))
    return tuple(lines)


def scored_apart(scorecard: Scorecard) -> tuple[ApartCard, ...]:
    """Returns what a scorecard counts apart from the record, and why."""
    why = (
        (
            BACKTEST,
            scorecard.backtest,
            f"Written more than {IN_TIME.days} days after the as-of instant, or after a third of a "
            "short horizon: part of what came could be seen by then.",
        ),
        (
            OVERRULED,
            scorecard.overruled,
            "A person decided that the direction, or the level that it starts from, is another.",
        ),
    )
    apart = "No other figure of the scorecard counts these, and no weight follows from them."
    return tuple(
        ApartCard(title, card, (f"{reason} {apart} {_not_counted(card)}",))
        for title, card, reason in why
        if card is not None
    )


def _not_counted(scorecard: Scorecard) -> str:
    without = (
        (scorecard.open - scorecard.overdue, "not due yet"),
        (scorecard.overdue, "due, for which no fixing is known yet"),
        (scorecard.void, "without a fixing to be measured by"),
    )
    counted = [f"{_count(number, 'forecast')} {why}" for number, why in without if number]
    return f"Not counted: {', '.join(counted) or 'none'}."


def hypothesis_note(scorecard: Scorecard) -> str | None:
    """Says how to read the row of the hypotheses, and how many are not in it; None without any."""
    void = scorecard.void_hypotheses
    if scorecard.hypotheses is None and not void:
        return None
    left_out = f" Not counted: {void} without a price to decide by." if void else ""
    views = (
        " A specialist's row scores its views of direction, each by the price that decides the "
        "hypothesis with it."
        if scorecard.views
        else ""
    )
    return (
        "Hypotheses are those of research swarms and the recommendations on stocks. One is right "
        f"if it was called likely and came true, or unlikely and did not.{left_out}{views}"
    )


def follows_from(as_of: datetime) -> str:
    """Says where the figures of a scorecard come from."""
    return (
        "These figures follow from the outcomes that the desk's learning system has on record "
        f"(workflow {LEARNING_SYSTEM_ID}), due by {instant(as_of)}."
    )


def pair_and_odds(pair: str, forecast: Forecast) -> str:
    """`USD/IDR (74.4 %)`."""
    return f"{pair} ({probability_words(forecast)})"


def leaning_line(
    report: ResearchReport, shown: Callable[[str, Forecast], str] = pair_and_odds
) -> str | None:
    """Returns which floating pairs' past leans furthest from even over the weeks of the forecasts,
    and what that is; None for a report without counted forecasts. `shown` prints a pair with its
    probability."""
    counted = [*_counted_forecasts(report)]
    if not counted:
        return None
    weeks = _count(counted[0][1].weeks, "week")
    clear = [each for each in counted if abs(each[1].probability - 0.5) >= CLEAR]
    clear = sorted(clear, key=lambda each: -abs(each[1].probability - 0.5))[:MOST_LEANINGS]
    if not clear:
        return f"By their own past, no pair leans clearly either way over the next {weeks}."
    sides = (
        ("likeliest", [each for each in clear if each[1].probability > 0.5]),
        ("least likely", [each for each in clear if each[1].probability < 0.5]),
    )
    told = [
        f"{words} for {listed(shown(pair, odds) for pair, odds in side)}"
        for words, side in sides
        if side
    ]
    return (
        f"Over the next {weeks} a higher fixing is {' and '.join(told)}. This counts how often a"
        " pair stood higher after a move like this week's; it names no cause."
    )


def _counted_forecasts(report: ResearchReport) -> Iterator[tuple[str, Forecast]]:
    """Yields the forecasts of pairs without a band that no model estimated."""
    pegged = {spec.market for spec in report.config.markets if spec.band}
    for section in report.markets:
        topic = (ViewKind.DIRECTION, section.market)
        view = standing_views(section, report.conflicts).get(topic)
        if view is None or view.forecast is None or view.probability is not None:
            continue
        # The forecasts of the first analysts were no counts.
        if section.market not in pegged and section.version:
            yield section.market, view.forecast


def direction_words(market: MarketReport, report: ResearchReport) -> str | None:
    """Returns a market's view of its direction, with its probability and horizon if it has them."""
    view = standing_views(market, report.conflicts).get((ViewKind.DIRECTION, market.market))
    if view is None or view.forecast is None:
        return None
    return _direction(view, view.forecast, counted=market.version > 0)


def counted_words(market: MarketReport, report: ResearchReport) -> str | None:
    """Says of which past weeks the probability of a market's direction is a count, by the fixings
    in the report's evidence. None if they do not give it, as for a model's estimate."""
    # These load numpy, which commands that print tallies do without.
    from desk.programs.week.document.judging.forecasts import counted_forecast
    from desk.programs.week.document.sections.evidence import SERIES_TOOL

    view = standing_views(market, report.conflicts).get((ViewKind.DIRECTION, market.market))
    if view is None or view.forecast is None or view.probability is not None:
        return None
    own = (r for r in report.evidence if r.call.call_id.startswith(f"{market.market}/"))
    for history in returned_by(SERIES_TOOL, History, own):
        made = counted_forecast(history, view.leaning, report.window)
        if history.symbol == market.market and made and made.forecast == view.forecast:
            return _counted(made.similar, view.leaning)
    return None


_LIKE: Final = {Leaning.UP: " that rose", Leaning.DOWN: " that fell"}


def _counted(count: ForecastCount, leaning: Leaning) -> str:
    weeks = f"{_count(count.weeks, 'past week')}{_LIKE.get(leaning, '')}"
    return f"counted from {count.higher:g} of {weeks}, drawn towards 50 %"


def view_words(market: MarketReport, report: ResearchReport) -> tuple[str, ...]:
    """Returns the other current views on a market with a model: a bank's stance, an action, and a
    direction without a forecast. Those of the built-in analysts are omitted: they follow from the
    events beside them."""
    if not any(line.usage.asked for line in market.agents):
        return ()
    told = direction_words(market, report) is not None
    return tuple(
        f"{WORDINGS[kind].about(subject)}: {WORDINGS[kind].of(view)}"
        f" (confidence in that {share_words(view.confidence)})"
        for (kind, subject), view in standing_views(market, report.conflicts).items()
        if kind is not ViewKind.DIRECTION or not told
    )


def _direction(view: View, forecast: Forecast, *, counted: bool) -> str:
    """Returns the week's own direction first, then the meaning of the probability. A direction that
    is counted from a past move has no confidence: it is arithmetic."""
    leaning = WORDINGS[view.kind].of(view)
    seen = " over the week" if view.probability is None else ""
    sure = "" if counted else f" (confidence in that {share_words(view.confidence)})"
    return (
        f"{leaning}{seen}{sure}; a higher fixing in"
        f" {_count(forecast.weeks, 'week')} is {_odds(forecast.probability)}:"
        f" {probability_words(forecast)}"
        f"{'' if view.probability is None else ', the estimate of a model'}"
    )


def _odds(probability: float) -> str:
    """Says which way a probability points."""
    if abs(probability - 0.5) < EVEN:
        return "about even"
    return "likelier than not" if probability > 0.5 else "less likely than not"


def probability_words(forecast: Forecast) -> str:
    """`54.2 %`."""
    return share_words(forecast.probability, places=1)


def shortened(text: str) -> str:
    """Shortens words that may quote a source to one line of at most `LONGEST_REASON` characters."""
    return cut(one_line(text), LONGEST_REASON)


def _judged(report: ResearchReport) -> tuple[Judged, ...]:
    if report.advice is None:
        return ()
    return judged(report.config.policy, report.advice, report.follows)


def _followed_words(report: ResearchReport, advice: Advice) -> str:
    if not advice.recommendations:
        return "It recommends nothing."
    counts = dict.fromkeys(AdviceUse, 0)
    for line in _judged(report):
        counts[line.taken] += 1
    told = ", ".join(_counts_in_words(counts))
    return f"It makes {_count(len(advice.recommendations), 'recommendation')}: {told}."


def _counts_in_words(counts: dict[AdviceUse, int]) -> Iterator[str]:
    for taken, count in counts.items():
        if count:
            yield f"{count} {taken}"


def _weights_words(advice: Advice) -> str:
    moved = sum(weight.factor != 1 for weight in advice.weights)
    if not moved:
        return "It changes no weight in a vote."
    return f"It changes {_count(moved, 'weight')} in a vote."


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
