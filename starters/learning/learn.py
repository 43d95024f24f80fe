"""`desk learn`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import typer

from desk.contracts.learning.lessons import AgentRecord, Recommendation, ScoreRow, ToolUse
from desk.contracts.learning.record import (
    ImprovementMetric,
    LearnedView,
    MetricName,
    PatternBy,
    TroublePattern,
    WeekLearned,
)
from desk.documents.rendering.words.wording import NO_FIGURE, instant, share_words
from desk.platform.settings import load_settings
from desk.programs.week.document.rendering.record_words import (
    brier_words,
    no_record_words,
    reason_words,
    recommendation_words,
    shortened,
)
from starters.learning.lines import INDENT, columns, cost_words, weight_lines
from starters.learning.queries import NOTHING_YET, learned
from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson
from starters.terminal.tables import folded, short_name

EXAMPLE = "Example: desk learn; desk learn --week 2026-W44"

WEEKS_SHOWN: Final = 8
PATTERNS_SHOWN: Final = 5
METRICS: Final = {
    MetricName.TROUBLES_PER_MARKET: "troubles per market",
    MetricName.COVERAGE: "coverage",
    MetricName.SECONDS_PER_CALL: "milliseconds per call",
    MetricName.CITED_SHARE: "share of calls that were cited",
}
SHARES: Final = {MetricName.COVERAGE, MetricName.CITED_SHARE}


def learn(
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            "--as-of",
            metavar="WEEK",
            help="What a run of that week is told: of the weeks before it, whenever they were run.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> ExitStatus:
    """Show what the desk has learned from its runs.

    What keeps going wrong, whether that is getting better, what is recommended, and how the tools
    did. `desk scorecard` shows how the forecasts did.
    """
    return show_learned(week, as_json=as_json)


def learned_lines(view: LearnedView) -> Iterator[str]:
    """Formats the whole record for people."""
    runs = "1 run" if view.advice.weeks == 1 else f"{view.advice.weeks} runs"
    before = f"weeks before {instant(view.advice.as_of)}"
    yield from folded(f"learned from {runs} of {before}, whenever they were run")
    if view.advice.full:
        yield from folded(no_record_words(view.advice), INDENT)
    yield from _recommendations(view.advice.recommendations)
    yield from _patterns(view.patterns)
    yield from _metrics(view.metrics)
    yield from _weeks(view.weeks)
    yield from _tools(view.tools)
    yield from _agents(view.agents)
    moved = [weight for weight in view.advice.weights if weight.factor != 1]
    if moved:
        yield "weights in a vote; `desk scorecard` has all, and how the forecasts did"
        yield from weight_lines(moved)
    if (card := view.advice.scorecard) and card.hypotheses:
        yield from folded(_hypotheses(card.hypotheses))


def _hypotheses(row: ScoreRow) -> str:
    return (
        f"hypotheses: {row.hits} of {row.decided} right, Brier score {brier_words(row.brier)} "
        f"where a coin has {brier_words(row.random_walk)}; `desk scorecard` has them"
    )


def _recommendations(recommended: Sequence[Recommendation]) -> Iterator[str]:
    yield "recommendations" if recommended else "recommendations: none"
    for each in recommended:
        yield from folded(f"{each.advice_id}: {recommendation_words(each)}", INDENT)
        yield from folded(reason_words(each), INDENT * 2)


def _patterns(patterns: Sequence[TroublePattern]) -> Iterator[str]:
    if not patterns:
        yield "what went wrong: nothing"
        return
    yield "what went wrong"
    for by in PatternBy:
        of_kind = [pattern for pattern in patterns if pattern.by is by]
        if not of_kind:
            continue
        shown = of_kind[:PATTERNS_SHOWN]
        more = len(of_kind) - len(shown)
        title = f"by {by}" + (f" (and {more} more)" if more else "")
        rows = [(each.name, f"{each.troubles}", f"{each.weeks}", each.last) for each in shown]
        yield from columns((title, "times", "weeks", "last"), rows)
        for each in shown:
            if each.words:
                yield from folded(shortened(f"{each.name}: {each.words}"), INDENT * 2)


def _metrics(metrics: Sequence[ImprovementMetric]) -> Iterator[str]:
    if not metrics or not (weeks := metrics[0].weeks):
        return
    span = "week against the one" if weeks == 1 else f"{weeks} weeks against the {weeks}"
    yield f"is it getting better: the last {span} before"
    rows = [
        (
            METRICS[each.name],
            _measured(each.name, each.recent),
            _measured(each.name, each.before),
            {True: "better", False: "worse", None: NO_FIGURE}[each.better],
        )
        for each in metrics
    ]
    yield from columns(("", "now", "before", ""), rows)


def _measured(name: MetricName, value: float | None) -> str:
    if value is None:
        return NO_FIGURE
    if name is MetricName.SECONDS_PER_CALL:
        return f"{1_000 * value:,.0f}"
    return share_words(value, places=1) if name in SHARES else f"{value:.2f}"


def _weeks(weeks: Sequence[WeekLearned]) -> Iterator[str]:
    if not weeks:
        return
    older = len(weeks) - WEEKS_SHOWN
    yield "runs" + (f" (and {older} older)" if older > 0 else "")
    rows = [
        (
            each.week if each.whole else f"{each.week} in part",
            f"{each.researched}/{each.expected}",
            f"{each.troubles}",
            f"{each.calls}",
            f"{each.failed}",
            f"{each.cited}",
            f"{each.forecasts}" + (" afterwards" if each.backtests else ""),
            f"{each.scored}",
            f"{each.hits}",
        )
        for each in weeks[:WEEKS_SHOWN]
    ]
    titles = ("week", "markets", "trouble", "calls", "failed", "cited", "made", "scored", "right")
    yield from columns(titles, rows)


def _tools(tools: Sequence[ToolUse]) -> Iterator[str]:
    if not tools:
        return
    yield "tools; `desk tools` says which are essential to whom, and why"
    costs, retried = any(each.cost_usd for each in tools), any(each.retried for each in tools)
    rows = [
        (
            f"{short_name(each.agent)} {each.server}.{each.tool}",
            f"{each.calls}",
            f"{each.failed + each.refused}",
            *([f"{each.retried}"] if retried else []),
            f"{each.kept}",
            f"{each.cited}",
            f"{1_000 * each.seconds / each.timed:.0f}" if each.timed else NO_FIGURE,
            *([cost_words(each.cost_usd)] if costs else []),
        )
        for each in tools
    ]
    again, cost = ["retried"] if retried else [], ["cost"] if costs else []
    titles = ("tool", "calls", "failed", *again, "kept", "cited", "ms", *cost)
    yield from columns(titles, rows)
    yield f"{INDENT}ms: mean of a call at its worker; `desk tools --week` has whole activities"


def _agents(agents: Sequence[AgentRecord]) -> Iterator[str]:
    """What the agents' work cost; empty if all of it is free."""
    if not any(each.cost_usd for each in agents):
        return
    yield "agents"
    rows = [
        (
            short_name(each.agent),
            f"{each.tasks}",
            f"{each.delivered}",
            f"{each.turns}",
            cost_words(each.cost_usd),
        )
        for each in agents
    ]
    yield from columns(("agent", "tasks", "delivered", "turns", "cost"), rows)


def show_learned(week: str | None, *, as_json: bool) -> ExitStatus:
    """Prints what the desk has learned.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    view = learned(load_settings(), week)
    if as_json:
        text = view.model_dump_json(indent=2) if view else "null"
    elif view is None:
        text = "\n".join(folded(NOTHING_YET))
    else:
        text = "\n".join(learned_lines(view))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE
