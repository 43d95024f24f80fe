"""What `desk episodes list` and `desk episodes show` do."""

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeVar

from temporalio.client import Client, WorkflowExecution

from desk.analytics.figures import POSITIONS, print_figure, print_full_day
from desk.analytics.units import UNITS
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Blackboard, BoardPart, EpisodeStep, Insight
from desk.contracts.findings.claims import Claim, claim_id
from desk.contracts.names import Queue
from desk.documents.answer.words import said
from desk.documents.rendering.words.wording import NO_FIGURE, instant, one_line
from desk.platform.settings import load_settings
from desk.programs.episode.actions import DATA, PART_FIELDS
from starters.learning.episodes.look import (
    ListedEpisode,
    UnreadableEpisode,
    look_at,
    newest_episodes,
)
from starters.learning.hypotheses.table import in_words
from starters.learning.lines import columns
from starters.questions.stock.choice import read_symbol
from starters.questions.stock.printing import advice_words, reward_words
from starters.session import Desk, require_workers, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import folded

TITLES: Final = ("symbol", "as of", "weeks", "says", "sure", "reward", "due")
LABEL: Final = 14


def table_lines(listed: Sequence[ListedEpisode]) -> Iterator[str]:
    """The episodes, each with its id below, and what is to be said of it; nothing where there are
    none."""
    if listed:
        yield from columns(TITLES, _rows(listed))


def _rows(listed: Sequence[ListedEpisode]) -> Iterator[tuple[str, ...] | str]:
    for each in listed:
        yield _cells(each)
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
    return folded(text, LABEL * " ", first=label.ljust(LABEL))


NONE = "no episodes; `desk stock` researches a stock and makes one"

BATCH: Final = 8
"""Episodes that are read at once."""

Found = TypeVar("Found")
Work = Callable[[Desk], Awaitable[Found]]


class EpisodeListing(NamedTuple):
    """The newest episodes, those that could not be read, and whether `more` were left unread."""

    found: tuple[ListedEpisode, ...]
    unreadable: tuple[UnreadableEpisode, ...]
    more: bool


def list_episodes(*, symbol: str | None, limit: int, as_json: bool) -> ExitStatus:
    """Print the newest episodes that the server keeps, those of one stock alone where asked.

    The exit status says whether a history could not be read; those are told, and left out.

    Raises:
        UsageError: that is no symbol.
    """
    wanted = read_symbol(symbol) if symbol is not None else None

    async def work(desk: Desk) -> EpisodeListing:
        return await newest_listed(desk.client, wanted, limit)

    listing = _at_a_desk(work)
    if as_json:
        text = "[" + ",\n".join(each.model_dump_json(indent=2) for each in listing.found) + "]"
    else:
        none = NONE if wanted is None else f"no episodes of {wanted}"
        text = "\n".join(table_lines(listing.found)) or none
    sys.stdout.write(f"{text}\n")
    for each in listing.unreadable:
        say(f"desk: {each.why}")
    if listing.more:
        say(f"desk: these are the newest {limit}; `--limit N` looks further back")
    return ExitStatus.INCOMPLETE if listing.unreadable else ExitStatus.COMPLETE


async def newest_listed(client: Client, symbol: str | None, limit: int) -> EpisodeListing:
    """The newest episodes, `limit` at most; older ones are not read.

    Raises:
        RPCError: the server went away.
    """
    runs = await newest_episodes(client, symbol)
    found: list[ListedEpisode] = []
    unreadable: list[UnreadableEpisode] = []
    read = 0
    while read < len(runs) and len(found) < limit:
        batch = runs[read : read + min(BATCH, limit - len(found))]
        read += len(batch)
        for each in await look_at(client, batch):
            if isinstance(each, UnreadableEpisode):
                unreadable.append(each)
            elif symbol in (None, each.request.symbol):
                found.append(each)
    return EpisodeListing(tuple(found), tuple(unreadable), more=read < len(runs))


def show_episode(written: str, *, as_json: bool) -> ExitStatus:
    """Print one episode with its blackboard as it stands.

    Raises:
        UsageError: none has that id, or more than one begins with it.
        CommandError: its history cannot be read.
    """

    async def work(desk: Desk) -> list[ListedEpisode | UnreadableEpisode]:
        return await look_at(
            desk.client, [episode_named(await newest_episodes(desk.client), written)]
        )

    found = _at_a_desk(work)
    if not found:
        raise UsageError(f"no episode '{written}'; `desk episodes list` lists them")
    (episode,) = found
    if isinstance(episode, UnreadableEpisode):
        raise CommandError(episode.why)
    text = episode.model_dump_json(indent=2) if as_json else "\n".join(board_lines(episode))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def episode_named(runs: Sequence[WorkflowExecution], written: str) -> WorkflowExecution:
    """The episode whose id is, or alone begins with, what the user wrote.

    Raises:
        UsageError: there is none, or more than one.
    """
    wanted = written.strip()
    exact = [run for run in runs if run.id == wanted]
    matching = exact or [run for run in runs if wanted and run.id.startswith(wanted)]
    if not matching:
        raise UsageError(f"no episode '{written}'; `desk episodes list` lists them")
    if len(matching) > 1:
        ids = ", ".join(run.id for run in matching[:4])
        raise UsageError(
            f"{len(matching)} episodes begin with '{written}': {ids}; write more of it"
        )
    return matching[0]


def _at_a_desk(work: Work[Found]) -> Found:
    settings = load_settings()
    log_to_file(settings)

    async def asked(desk: Desk) -> Found:
        if not desk.hosting:
            # Workers answer for the open ones; without them there is nobody to ask.
            await require_workers(desk, Queue.DESK)
        return await work(desk)

    return interruptible(with_desk(settings, asked))
