"""`desk scorecard`."""

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Final

import typer
from pydantic import Field

from desk.contracts.base import Contract, is_empty
from desk.contracts.learning.lessons import (
    CalibrationBin,
    Count,
    RecordWeight,
    Scorecard,
    ScoredForecast,
    ScoreRow,
)
from desk.contracts.learning.record import MOST_SHOWN, MOST_SHOWN_HYPOTHESES, LearnedView
from desk.contracts.markets import MarketName
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.documents.rendering.words.wording import NO_FIGURE, instant, share_words
from desk.learning.hypotheses import statement_of_hypothesis
from desk.learning.standing import is_backtested
from desk.platform.settings import load_settings
from desk.programs.week.document.rendering.record_words import (
    SCORE_COLUMNS,
    brier_words,
    score_cells,
    score_notes,
    scored_apart,
)
from starters.learning.lines import INDENT, columns, weight_lines
from starters.learning.queries import NOTHING_YET, learned
from starters.runs.market_choice import known_market
from starters.terminal.completion import weeks
from starters.terminal.exit_status import ExitStatus
from starters.terminal.tables import folded

EXAMPLE = "Example: desk scorecard --as-of 2026-W44; desk scorecard --market USD/JPY"

BAR: Final = 40
CAME: Final = "█"
SAID: Final = "│"
SHORT_COLUMNS: Final = (*SCORE_COLUMNS[:5], "Carry", "On carry's")
HYPOTHESES_SHOWN: Final = 8
AFTERWARDS: Final = "afterwards"


def scorecard(
    week: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            "--week",
            metavar="WEEK",
            autocompletion=weeks,
            help="As a run of that week knew it, such as 2026-W44; without it, as of now.",
            show_default=False,
        ),
    ] = None,
    market: Annotated[
        str | None,
        typer.Option("--market", metavar="MARKET", help="One market alone.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print it as JSON, with every scored forecast.")
    ] = False,
) -> ExitStatus:
    """Score the desk's forecasts that have come due, and show what follows for the votes.

    Compares them with a random walk and carry, and shows the calibration, the weights with their
    reasons, and whether the forecasts lean one way. Includes the hypotheses of research swarms.
    Forecasts written afterwards, as by a backfill, are a back-test, shown separately at the end.
    """
    return show_scorecard(week, market, as_json=as_json)


class DeskScorecard(Contract):
    """What `desk scorecard --json` prints, for all markets or for one.

    `scored` are the newest forecasts whose horizon has passed, and `more_scored` is how many others
    there are; the same for `hypotheses`. The scorecard covers all of them.
    """

    market: MarketName | None = None
    scorecard: Scorecard
    weights: Annotated[tuple[RecordWeight, ...], Field(max_length=60)] = ()
    scored: Annotated[tuple[ScoredForecast, ...], Field(max_length=MOST_SHOWN)] = ()
    more_scored: Count = 0
    hypotheses: Annotated[
        tuple[ScoredHypothesis, ...], Field(max_length=MOST_SHOWN_HYPOTHESES, exclude_if=is_empty)
    ] = ()
    more_hypotheses: Annotated[Count, Field(exclude_if=is_empty)] = 0


def scorecard_of(view: LearnedView, market: str | None) -> DeskScorecard:
    """Builds the scorecard from the record, of all markets or of one."""
    advice = view.advice
    card = advice.scorecard or Scorecard(as_of=advice.as_of, open=0)
    if market is not None:
        card = _of_market(card, market)
    return DeskScorecard(
        market=market,
        scorecard=card,
        weights=advice.weights if market is None else (),
        scored=view.scored,
        more_scored=view.more_scored,
        hypotheses=view.hypotheses,
        more_hypotheses=view.more_hypotheses,
    )


def _of_market(card: Scorecard, market: str) -> Scorecard:
    own = tuple(row for row in card.rows if row.of == market)
    apart = {"backtest": card.backtest, "overruled": card.overruled}
    parts = {name: each and _of_market(each, market) for name, each in apart.items()}
    return card.model_copy(update={"rows": own, **parts})


def scorecard_lines(found: DeskScorecard) -> Iterator[str]:
    """Formats the scorecard for people."""
    card = found.scorecard
    of = f" of {found.market}" if found.market else ""
    yield f"forecasts{of} as of {instant(card.as_of)}"
    yield from _card_lines(card)
    yield from _hypotheses(found)
    if found.weights:
        yield "weights in a vote"
        yield from weight_lines(found.weights)
    for note in score_notes(card):
        yield from folded(note)
    for apart in scored_apart(card):
        yield apart.title
        yield from _card_lines(apart.card)
        for note in apart.notes:
            yield from folded(note)


def rows_of(card: Scorecard) -> tuple[ScoreRow, ...]:
    """The rows of a scorecard in the order in which they are shown."""
    return (*card.rows, *((card.hypotheses,) if card.hypotheses else ()), *card.views)


def _card_lines(card: Scorecard) -> Iterator[str]:
    if rows := rows_of(card):
        yield from columns(SHORT_COLUMNS, [tuple(score_cells(row)) for row in rows])
    else:
        yield f"{INDENT}none has an outcome yet"
    if card.bins:
        yield "calibration: how often the pair was fixed higher, by forecast probability"
        yield from _chart(card.bins)


def _hypotheses(found: DeskScorecard) -> Iterator[str]:
    """The hypotheses that were due last. `desk hypotheses` lists the open ones."""
    if not found.hypotheses:
        return
    older = len(found.hypotheses) + found.more_hypotheses - HYPOTHESES_SHOWN
    yield "hypotheses" + (f" (and {older} older)" if older > 0 else "")
    rows = chain.from_iterable(map(_hypothesis_rows, found.hypotheses[:HYPOTHESES_SHOWN]))
    yield from columns(("said", "likely", "outcome", "price", "Brier"), rows)


def _hypothesis_rows(scored: ScoredHypothesis) -> Iterator[tuple[str, ...] | str]:
    """Its figures, and below them when it was written if that was afterwards."""
    yield (
        statement_of_hypothesis(scored.hypothesis),
        share_words(scored.hypothesis.probability),
        scored.state,
        NO_FIGURE if scored.value is None else f"{scored.value:,f}",
        brier_words(scored.score),
    )
    if is_backtested(scored) and scored.written_at is not None:
        of, written = (f"{each:%-d %b %Y}" for each in (scored.made_as_of, scored.written_at))
        yield f"{INDENT * 2}as of {of}, written {AFTERWARDS}, on {written}"


def _chart(bins: Sequence[CalibrationBin]) -> Iterator[str]:
    yield f"{INDENT}  said     came  times  0 %{'100 %'.rjust(BAR - 3)}"
    for each in bins:
        came = each.rose / each.count if each.count else 0.0
        yield (
            f"{INDENT}{each.mean:>6.1%}  {came:>7.1%}  {each.count:>5}  {_bar(came, each.mean)}"
        ).rstrip()


def _bar(came: float, said: float) -> str:
    """A bar whose length is the observed frequency, with a mark at the forecast probability."""
    signs = list((CAME * round(came * BAR)).ljust(BAR + 1))
    signs[round(said * BAR)] = SAID
    return "".join(signs).rstrip()


def show_scorecard(week: str | None, market: str | None, *, as_json: bool) -> ExitStatus:
    """Prints how the forecasts did, of all markets or of one.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    settings = load_settings()
    name = known_market(settings.config, market) if market else None
    view = learned(settings, week, name)
    if view is None:
        text = "null" if as_json else "\n".join(folded(NOTHING_YET))
    else:
        found = scorecard_of(view, name)
        text = found.model_dump_json(indent=2) if as_json else "\n".join(scorecard_lines(found))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE
