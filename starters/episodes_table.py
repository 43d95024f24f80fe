"""Episodes for people: a table, and one with all that stands on its blackboard."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from desk.analytics.figures import POSITIONS, print_figure, print_full_day
from desk.analytics.units import UNITS
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Blackboard, BoardPart, EpisodeStep, Insight
from desk.contracts.findings.claims import Claim, claim_id
from desk.documents.rendering.answer.swarm_words import said
from desk.documents.rendering.wording import NO_FIGURE, instant, one_line
from desk.programs.episode.run.actions import DATA, PART_FIELDS
from starters.episodes_look import ListedEpisode
from starters.hypotheses_table import in_words
from starters.learned_words import columns
from starters.stock_print import advice_words, reward_words
from starters.table_lines import folded

TITLES: Final = ("symbol", "as of", "weeks", "says", "sure", "reward", "due")
LABEL: Final = 14


def table_lines(listed: Sequence[ListedEpisode]) -> Iterator[str]:
    """The episodes, each with its id below, and what is to be said of it; nothing where there are
    none."""
    if not listed:
        return
    titles, *rows = columns(TITLES, [_cells(each) for each in listed], {})
    yield titles
    for each, row in zip(listed, rows, strict=True):
        yield row
        yield f"    {each.workflow_id}"
        if each.note:
            yield from folded(one_line(each.note), "    ")


def board_lines(listed: ListedEpisode) -> Iterator[str]:
    """One with its steps and its blackboard, part by part."""
    request, board = listed.request, listed.board
    yield f"{request.symbol}  as of {instant(listed.as_of)}  {state_words(listed)}"
    yield _told("id", listed.workflow_id)
    yield _told("run", listed.run_id)
    yield _told("horizon", f"{request.weeks} weeks, {request.cost} % for each side")
    if listed.note:
        yield from _folded("note", one_line(listed.note))
    for step in listed.steps:
        yield from _folded(f"step {step.number}", _step(step))
    if board is not None:
        yield from _parts(board)
        yield from _conclusions(board)
    if listed.waits_for is not None:
        yield _told("waits", f"until {instant(listed.waits_for)}")
    if listed.files is not None:
        yield _told("report", listed.files.html)


def state_words(listed: ListedEpisode) -> str:
    """`under way`, `waits for its horizon`, `complete`, `incomplete`, or how else it ended."""
    if listed.open:
        return "waits for its horizon" if listed.waits_for else "under way"
    return str(listed.outcome) if listed.outcome else "ended without a result"


def _cells(listed: ListedEpisode) -> tuple[str, ...]:
    board = listed.board
    evaluation = board.evaluation if board else None
    reward = evaluation.reward if evaluation else None
    said = board.recommendation if board else None
    return (
        listed.request.symbol,
        f"{listed.as_of:%Y-%m-%d}",
        str(listed.request.weeks),
        str(said) if said else NO_FIGURE,
        f"{board.confidence:.0%}" if board and said else NO_FIGURE,
        f"{reward:+}" if reward is not None else NO_FIGURE,
        f"{listed.waits_for:%Y-%m-%d}" if listed.waits_for else NO_FIGURE,
    )


def _step(step: EpisodeStep) -> str:
    words = f"{step.action}" + (f": {one_line(step.reason)}" if step.reason else "")
    return f"{words} (refused: {one_line(step.refused)})" if step.refused else words


def _parts(board: Blackboard) -> Iterator[str]:
    for name in (PART_FIELDS[action] for action in DATA):
        part: BoardPart | None = getattr(board, name)
        if part is None:
            continue
        known = _figures(part.figures)
        lacking = f"lacking: {', '.join(part.lacking)}" if part.lacking else ""
        yield from _folded(name.removesuffix("_data"), "; ".join(filter(None, (known, lacking))))


def _conclusions(board: Blackboard) -> Iterator[str]:
    known = {claim.claim_id: claim for claim in _claims(board)}
    for insight in board.insights:
        yield from _folded("insight", _insight(insight, known))
    if board.recommendation is not None:
        yield from _folded("advice", advice_words(board))
        for label, topics in (("for", board.reasons_for), ("against", board.reasons_against)):
            if topics:
                yield from _folded(label, ", ".join(topics))
    if board.evaluation is not None:
        yield from _folded("reward", reward_words(board.evaluation))
        yield from _folded("evaluation", _figures(board.evaluation.figures))


def _claims(board: Blackboard) -> Iterator[Claim]:
    """The figures of the parts with data, as insights refer to them."""
    for name in (PART_FIELDS[action] for action in DATA):
        part: BoardPart | None = getattr(board, name)
        for figure in part.figures if part is not None else ():
            yield Claim(
                claim_id=claim_id(board.symbol, figure.metric),
                subject=board.symbol,
                metric=figure.metric,
                value=figure.value,
                unit=UNITS[figure.metric],
                as_of=figure.as_of,
            )


def _insight(insight: Insight, known: Mapping[str, Claim]) -> str:
    strength = f"{insight.leaning}, {insight.strength:.0%}"
    # Of a figure that an action brought no more, taken again, the name is left.
    return f"{insight.topic} ({strength}): {in_words(said(insight.statement, known))}"


def _figures(figures: Sequence[MeasuredFigure]) -> str:
    """`last 125.20, rsi 76.8 on 12 Jun 2024`: day by day, as they come."""
    days = groupby(figures, key=lambda figure: figure.as_of)
    return "; ".join(f"{', '.join(map(_figure, day))} on {print_full_day(on)}" for on, day in days)


def _figure(figure: MeasuredFigure) -> str:
    signed = figure.metric not in POSITIONS
    return f"{figure.metric} {print_figure(figure.value, UNITS[figure.metric], signed=signed)}"


def _told(label: str, text: str) -> str:
    return f"{label:<{LABEL}}{text}"


def _folded(label: str, text: str) -> Iterator[str]:
    first, *others = folded(text, LABEL * " ")
    yield f"{label:<{LABEL}}{first[LABEL:]}"
    yield from others
