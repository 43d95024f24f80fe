"""A stock's episode in words: its recommendation, blackboard and steps, and their Markdown."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.figures import print_claim, print_full_day
from desk.contracts.episode.analysis import Analysis, MeasuredFigure, ShareSplit
from desk.contracts.episode.stock import (
    BoardPart,
    EpisodeStep,
    Insight,
    Recommended,
    StockAction,
    StockRecord,
)
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.documents.answer.words import said
from desk.documents.rendering.markdown import bullets, escaped, table
from desk.documents.rendering.words.wording import NO_FIGURE, human, one_line, share_words
from desk.programs.episode.actions import DATA, PART_FIELDS
from desk.trust.ledger import EvidenceUnusable, read_answer

STEP_COLUMNS: Final = ("Step", "Action", "Result", "Reward", "Seconds")
NO_INSIGHT: Final = "No insights were generated."
NO_STEP: Final = "No step was taken."
UNTOLD: Final = "Nothing is recommended here."
SPLIT: Final = (
    "Entry and exit are in shares as of the end of the horizon: {became}. The blackboard's prices"
    " are in the shares before that."
)
UNHELD: Final = (
    "{symbol} cannot be held as such: what it costs to carry or store a fund, a future or"
    " the metal itself is not counted."
)

METHOD: Final = (
    "The figures of the blackboard are claims. What a part lacks is listed with the reason and"
    " never filled in.",
    "The built-in analysts draw insights and recommendation from the blackboard by fixed rules,"
    " which desk audit applies again; those of a model are its own.",
    "The chart holds prices known at the as-of instant: averages of 50 and 200 days, bands of two"
    " standard deviations around that of 20, and the relative strength index over 14.",
    "The evaluation begins at the close of the first day that begins after the as-of instant, its"
    " entry; a day of trading begins at 06:00 UTC. It ends at the last close known at the end of"
    " the horizon, its exit. The costs are paid for entering and again for leaving.",
    "Entry and exit are in shares as of the end of the horizon, the prices of the blackboard and of"
    " the chart in shares as of the as-of instant. A split between the two is listed with the"
    " evaluation.",
    "The recommendation is compared with cash, which earns the US policy rate as known at the"
    " as-of instant, and with holding the stock. Dividends and the fee for a borrowed stock are"
    " left out.",
    "The probability is an estimate. One outcome proves nothing, and no profit is claimed.",
)

_TITLES: Final[Mapping[StockAction, str]] = {
    StockAction.FETCH_NEWS: "News",
    StockAction.FETCH_FUNDAMENTALS: "Fundamentals",
    StockAction.FETCH_SENTIMENT: "Sentiment",
    StockAction.RUN_TA_BASIC: "Price and averages",
    StockAction.RUN_TA_ADVANCED: "Further indicators",
}
_NAMES: Final[Mapping[Metric, str]] = {
    Metric.RSI: "RSI",
    Metric.ADX: "ADX",
    Metric.SMA_50: "SMA 50",
    Metric.SMA_200: "SMA 200",
    Metric.MACD_HISTOGRAM: "MACD histogram",
    Metric.BOLLINGER_POSITION: "place in the Bollinger bands",
    Metric.PATTERN_COUNT: "candlestick patterns",
    Metric.TARGET: "regression target",
    Metric.MOVE: "week's move",
    Metric.MONTH_MOVE: "month's move",
    Metric.QUARTER_MOVE: "quarter's move",
    Metric.YEAR_MOVE: "year's move",
    Metric.YEAR_HIGH: "high of the year",
    Metric.YEAR_LOW: "low of the year",
    Metric.EXPECTED_LOW: "expected range, low",
    Metric.EXPECTED_HIGH: "expected range, high",
    Metric.NEWS_COUNT: "stories",
    Metric.NEWS_TONE: "tone of the news",
    Metric.FORWARD_MOVE: "move of the stock",
    Metric.CASH_MOVE: "return of cash over the same time",
    Metric.RISK: "risk: volatility over that time",
    Metric.OVER_CASH: "return over cash, after costs",
    Metric.OVER_HOLDING: "return over holding the stock",
    Metric.REWARD: "reward: return over cash divided by risk",
}
_LEANINGS: Final[Mapping[Leaning, str]] = {
    Leaning.UP: "points up",
    Leaning.DOWN: "points down",
    Leaning.NEUTRAL: "neither way",
    Leaning.ABSTAINS: "no direction",
}
_HELD: Final[Mapping[Recommended | None, str]] = {
    Recommended.BUY: ": bought at the entry, sold at the exit",
    Recommended.SELL: ": sold short at the entry, bought back at the exit",
    Recommended.HOLD: ": no position",
    Recommended.ABSTAIN: ": no position",
}


class Headline(NamedTuple):
    """What is recommended, at a glance. `facts` are names and what stands behind them."""

    action: Recommended
    title: str
    facts: tuple[tuple[str, str], ...]


class InsightLine(NamedTuple):
    """An insight as it is printed."""

    insight: Insight
    leaning: str
    strength: str
    claims: tuple[Claim, ...]


class PartLine(NamedTuple):
    """A part of the blackboard: its figures, and what it lacks with the reasons. `figures` is None
    where its action was not taken."""

    title: str
    action: StockAction
    figures: tuple[tuple[str, Claim], ...] | None
    lacking: str
    reasons: tuple[str, ...]


class StepLine(NamedTuple):
    """A step as a row of their table."""

    number: str
    action: StockAction
    refused: bool
    told: str
    reason: str
    reward: str
    seconds: str


def headline(answer: AnswerReport) -> Headline | None:
    """What is recommended, for how long and at which cost; None without a recommendation."""
    stock = answer.stock
    action = stock.board.recommendation if stock else None
    if stock is None or action is None:
        return None
    board = stock.board
    due = print_full_day(stock.due.date())
    likely = NO_FIGURE if board.probability is None else share_words(board.probability)
    weeks = f"{board.weeks} week" if board.weeks == 1 else f"{board.weeks} weeks"
    on = " on" if action is Recommended.ABSTAIN else ""
    return Headline(
        action=action,
        title=f"{action.capitalize()}{on} {board.symbol}",
        facts=(
            ("Confidence", share_words(board.confidence)),
            ("Probability of a higher price", likely),
            ("Horizon", f"{weeks}, to {due}"),
            ("Costs", f"{stock.cost:f} % each way"),
        ),
    )


def metric_words(metric: Metric) -> str:
    """What a figure is called where the stock is known."""
    return _NAMES.get(metric, human(metric))


def insight_lines(answer: AnswerReport) -> tuple[InsightLine, ...]:
    """The insights: what points up, what points down, and the rest, the strongest first."""
    insights = answer.stock.board.insights if answer.stock else ()
    order = list(_LEANINGS)
    known = {claim.claim_id: claim for claim in answer.claims}
    lines = (_insight(insight, answer, known) for insight in insights)
    return tuple(sorted(lines, key=lambda x: (order.index(x.insight.leaning), -x.insight.strength)))


def part_lines(answer: AnswerReport) -> tuple[PartLine, ...]:
    """The parts of the blackboard that hold figures, in their order."""
    return tuple(_part(answer, answer.stock, action) for action in DATA) if answer.stock else ()


def evaluation_rows(answer: AnswerReport) -> tuple[tuple[str, Claim], ...]:
    """The figures of the evaluation by name; none as long as there is none."""
    stock = answer.stock
    if stock is None or stock.board.evaluation is None:
        return ()
    return _claimed(answer, stock.board.symbol, stock.board.evaluation.figures)


def evaluation_words(answer: AnswerReport) -> str:
    """How far the recommendation was held against what happened."""
    stock = answer.stock
    if stock is None:
        return ""
    due = print_full_day(stock.due.date())
    if stock.board.evaluation is not None:
        lacking = lacking_words(stock.board.evaluation.lacking)
        if answer.finished_at < stock.due:
            return (
                f"It will not be evaluated when its horizon is over, on {due}. Lacking: {lacking}."
            )
        entered = any(f.metric is Metric.ENTRY for f in stock.board.evaluation.figures)
        held = _HELD.get(stock.board.recommendation, "") if entered else ": not known"
        return f"Outcome by {due}{held}.{f' Lacking: {lacking}.' if lacking else ''}"
    if stock.board.recommendation is None:
        return "There is no recommendation to evaluate."
    if stock.cut_off is not None:
        return f"It was not evaluated: the episode was cut off. Its horizon ends on {due}."
    if answer.finished_at < stock.due:
        return f"The outcome is known on {due}, when the horizon is over."
    return f"It was not evaluated. The horizon was over on {due}."


def evaluation_notes(answer: AnswerReport) -> tuple[str, ...]:
    """In which shares entry and exit are told, where a split lies between decision and exit; and
    that what is recommended on cannot be held as such, where that is so."""
    stock = answer.stock
    if stock is None or stock.board.recommendation is None:
        return ()
    symbol, splits = stock.board.symbol, _splits(answer)
    became = " and ".join(f"{_became(split)} on {print_full_day(split.day)}" for split in splits)
    told = (SPLIT.format(became=became),) if splits else ()
    return (*told, UNHELD.format(symbol=symbol)) if _is_unheld(symbol) else told


def evaluation_reasons(answer: AnswerReport) -> tuple[str, ...]:
    """Why figures of the evaluation are lacking."""
    evaluation = answer.stock.board.evaluation if answer.stock else None
    lacks = evaluation is not None and evaluation.lacking
    return reasons_of(answer, StockAction.EVALUATE_PERFORMANCE) if lacks else ()


def reasons_of(answer: AnswerReport, action: StockAction) -> tuple[str, ...]:
    """What is missing for an action, without its name."""
    plain, failed = f"{action}: ", f"{action} ("
    return tuple(
        line.removeprefix(plain) for line in answer.missing if line.startswith((plain, failed))
    )


def other_missing(answer: AnswerReport) -> tuple[str, ...]:
    """What is missing besides what the blackboard tells of its own parts, and the sections."""
    told = {line.action for line in part_lines(answer) if line.lacking or line.figures is None} | (
        {StockAction.EVALUATE_PERFORMANCE} if evaluation_reasons(answer) else set()
    )
    begun = tuple(f"{action}{sign}" for action in told for sign in (": ", " ("))
    written = "\n".join(section.content for section in answer.sections)
    said = {line.removeprefix("- ") for line in written.splitlines()}
    return tuple(
        line
        for line in answer.missing
        if not line.startswith(begun) and (line.partition(": ")[2] or line) not in said
    )


def lacking_words(metrics: Iterable[Metric]) -> str:
    """Names of figures, with commas between them."""
    return ", ".join(metric_words(metric) for metric in metrics)


def step_lines(answer: AnswerReport) -> tuple[StepLine, ...]:
    """The steps in their order."""
    failed = {x.node for x in answer.nodes if x.state is NodeState.FAILED and x.rounds == 1}
    steps = answer.stock.steps if answer.stock else ()
    before = (0, *(len(step.board.taken) for step in steps))
    return tuple(
        _step(step, wrote=len(step.board.taken) > taken, failed=step.action in failed)
        for step, taken in zip(steps, before, strict=False)
    )


def step_cells(line: StepLine) -> tuple[str, ...]:
    """A row of the table of steps, in the order of `STEP_COLUMNS`."""
    return line.number, line.action, line.told, line.reward, line.seconds


def ending_words(answer: AnswerReport) -> tuple[str, ...]:
    """What is told below the steps: why the episode was cut off, and why memory was not asked,
    where that was so."""
    stock = answer.stock
    told = (("Cut off", stock.cut_off), ("Memory", stock.memory)) if stock else ()
    return tuple(f"{name}: {one_line(why).removesuffix('.')}." for name, why in told if why)


def _splits(answer: AnswerReport) -> tuple[ShareSplit, ...]:
    """The splits between decision and exit, as the evidence of the entry tells them."""
    rows = (claim for _, claim in evaluation_rows(answer) if claim.metric is Metric.ENTRY)
    names = {name for claim in rows for name in claim.evidence}
    for result in answer.evidence:
        try:
            told = read_answer(result.content) if result.evidence_id in names else None
        except EvidenceUnusable:
            continue
        if isinstance(told, Analysis):
            return told.splits
    return ()


def _became(split: ShareSplit) -> str:
    """`one share became 10`, `20 shares became one`."""
    if split.ratio >= 1:
        return f"one share became {_plain(split.ratio)}"
    return f"{_plain(round(1 / split.ratio, 2))} shares became one"


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _is_unheld(symbol: str) -> bool:
    """An index or a spot price, by how Yahoo Finance writes them."""
    return symbol.startswith("^") or symbol.endswith("=X")


def _insight(insight: Insight, answer: AnswerReport, known: Mapping[str, Claim]) -> InsightLine:
    symbol = answer.stock.market.market if answer.stock else ""
    ids = (claim_id(symbol, metric) for metric in insight.metrics)
    return InsightLine(
        insight=insight,
        leaning=_LEANINGS[insight.leaning],
        strength=share_words(insight.strength),
        claims=tuple(known[name] for name in ids if name in known),
    )


def _part(answer: AnswerReport, stock: StockRecord, action: StockAction) -> PartLine:
    part: BoardPart | None = getattr(stock.board, PART_FIELDS[action])
    return PartLine(
        title=_TITLES[action],
        action=action,
        figures=None if part is None else _claimed(answer, stock.board.symbol, part.figures),
        lacking=lacking_words(part.lacking) if part else "",
        reasons=reasons_of(answer, action) if part is None or part.lacking else (),
    )


def _claimed(
    answer: AnswerReport, symbol: str, figures: Iterable[MeasuredFigure]
) -> tuple[tuple[str, Claim], ...]:
    """The claims that figures are, by the names of these."""
    known = {claim.claim_id: claim for claim in answer.claims}
    named = ((figure.metric, claim_id(symbol, figure.metric)) for figure in figures)
    return tuple((metric_words(metric), known[name]) for metric, name in named if name in known)


def _step(step: EpisodeStep, *, wrote: bool, failed: bool) -> StepLine:
    """A step that `wrote` took its action. One that did not has failed, as has one that wrote that
    all is lacking because nobody could do it, which is known of an action taken once."""
    done = wrote and not failed
    return StepLine(
        number=str(step.number),
        action=step.action,
        refused=step.refused is not None,
        told=f"refused: {one_line(step.refused)}" if step.refused else _wrote(step, done=done),
        reason=one_line(step.reason),
        reward=f"{step.reward:+f}" if step.reward else "0",
        seconds=f"{max((step.ended_at - step.started_at).total_seconds(), 0.0):.1f}",
    )


def _wrote(step: EpisodeStep, *, done: bool) -> str:
    """What a step put onto the blackboard."""
    board = step.board
    if not done:
        return "failed"
    if step.action is StockAction.GENERATE_INSIGHT:
        return _counted(len(board.insights), "insight")
    if step.action is StockAction.GENERATE_RECOMMENDATION:
        return str(board.recommendation) if board.recommendation else "nothing"
    part: BoardPart | None = getattr(board, PART_FIELDS[step.action])
    if part is None:
        return "nothing"
    lacking = f", {len(part.lacking)} lacking" if part.lacking else ""
    return f"{_counted(len(part.figures), 'figure')}{lacking}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def headline_markdown(answer: AnswerReport) -> str:
    """What is recommended, at a glance."""
    told = headline(answer)
    if told is None:
        return f"**{UNTOLD}**"
    facts = "; ".join(f"{escaped(name.lower())} {escaped(words)}" for name, words in told.facts)
    return f"**{escaped(told.title)}**: {facts}."


def insights_markdown(answer: AnswerReport) -> str:
    """What the figures say."""
    lines = [_insight_markdown(line, answer) for line in insight_lines(answer)]
    return bullets(lines) if lines else NO_INSIGHT


def evaluation_markdown(answer: AnswerReport) -> str:
    """What came of the recommendation."""
    rows = [
        (name, print_claim(claim), claim.as_of.isoformat())
        for name, claim in evaluation_rows(answer)
    ]
    parts = [escaped(evaluation_words(answer))]
    parts += [table(("Figure", "Value", "Day"), rows, ("Figure",))] if rows else []
    parts += [escaped(line) for line in evaluation_notes(answer)]
    reasons = [escaped(line) for line in evaluation_reasons(answer)]
    parts += [bullets(reasons)] if reasons else []
    return "\n\n".join(parts)


def blackboard_markdown(answer: AnswerReport) -> str:
    """The blackboard part by part, with what it lacks and why."""
    return "\n\n".join(_part_markdown(line) for line in part_lines(answer))


def steps_markdown(answer: AnswerReport) -> str:
    """The steps of the episode."""
    rows = [step_cells(line) for line in step_lines(answer)]
    lines = table(STEP_COLUMNS, rows, ("Action", "Result")) if rows else NO_STEP
    return "\n\n".join((lines, *map(escaped, ending_words(answer))))


def _insight_markdown(line: InsightLine, answer: AnswerReport) -> str:
    known = {claim.claim_id: claim for claim in answer.claims}
    rests = ", ".join(f"{metric_words(c.metric)} {print_claim(c)}" for c in line.claims)
    behind = f" Rests on {escaped(rests)}." if rests else ""
    statement = escaped(said(line.insight.statement, known))
    topic = escaped(line.insight.topic)
    return f"**{topic}**, {line.leaning}, strength {line.strength}: {statement}{behind}"


def _part_markdown(line: PartLine) -> str:
    head = f"### {line.title}"
    if line.figures is None:
        return "\n\n".join((head, "Not looked for.", *_reasons(line)))
    rows = [(name, print_claim(c), c.as_of.isoformat()) for name, c in line.figures]
    body = [table(("Figure", "Value", "Day"), rows, ("Figure",))] if rows else []
    body += [f"Lacking: {escaped(line.lacking)}."] if line.lacking else []
    return "\n\n".join((head, *body, *_reasons(line)))


def _reasons(line: PartLine) -> tuple[str, ...]:
    return (bullets([escaped(reason) for reason in line.reasons]),) if line.reasons else ()
