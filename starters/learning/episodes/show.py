"""The implementation of `desk episodes list` and `desk episodes show`."""

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
from desk.documents.answer.words import rendered_if_known
from desk.documents.rendering.words.wording import (
    NO_FIGURE,
    instant,
    one_line,
    share_words,
)
from desk.platform.settings import load_settings
from desk.programs.episode.actions import DATA, PART_FIELDS
from desk.programs.episode.recommendation import advised
from starters.learning.episodes.listing import (
    ListedEpisode,
    UnreadableEpisode,
    is_any_open,
    newest_episodes,
    read_episodes,
)
from starters.learning.hypotheses.table import in_words
from starters.learning.lines import columns
from starters.questions.stock.choice import read_symbol
from starters.questions.stock.printing import advice_words, reward_words
from starters.session import Desk, require_workers, say, with_desk, with_query_worker
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import folded

TITLES: Final = ("symbol", "as of", "weeks", "says", "sure", "reward", "due")
LABEL: Final = 14


def table_lines(listed: Sequence[ListedEpisode]) -> Iterator[str]:
    """Formats the episodes, each with its id below, and with remarks; empty if there are none."""
    if listed:
        yield from columns(TITLES, _rows(listed))


def _rows(listed: Sequence[ListedEpisode]) -> Iterator[tuple[str, ...] | str]:
    for each in listed:
        yield _cells(each)
        yield f"    {each.workflow_id}"
        if each.note:
            yield from folded(one_line(each.note), "    ")


def board_lines(listed: ListedEpisode) -> Iterator[str]:
    """Formats one episode with its steps and its blackboard, part by part."""
    request, board = listed.request, listed.board
    yield f"{request.symbol}  as of {instant(listed.as_of)}  {state_words(listed)}"
    yield _labelled("id", listed.workflow_id)
    yield _labelled("run", listed.run_id)
    yield _labelled("horizon", f"{request.weeks} weeks, {request.cost} % for each side")
    if listed.note:
        yield from _folded("note", one_line(listed.note))
    for step in listed.steps:
        yield from _folded(f"step {step.number}", _step(step))
    if board is not None:
        yield from _parts(board)
        yield from _conclusions(board, _least(listed))
    if listed.waits_for is not None:
        yield _labelled("waits", f"until {instant(listed.waits_for)}")
    if listed.files is not None:
        yield _labelled("report", listed.files.html)


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
        f"{_said(board, listed)}{MADE_UP if board.generated else ''}"
        if board and said
        else NO_FIGURE,
        share_words(board.confidence) if board and said else NO_FIGURE,
        f"{reward:+}" if reward is not None else NO_FIGURE,
        f"{listed.waits_for:%Y-%m-%d}" if listed.waits_for else NO_FIGURE,
    )


def _said(board: Blackboard, listed: ListedEpisode) -> str:
    """`buy`, or `leans to buy`, which is not a recommendation."""
    return advised(board, _least(listed))


MADE_UP: Final = " (practice)"
"""The remark on a recommendation that rests on generated facts."""


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
        made = f"no facts: generated by {part.generated}" if part.generated else ""
        told = "; ".join(filter(None, (made, known, lacking)))
        yield from _folded(name.removesuffix("_data"), told)


def _least(listed: ListedEpisode) -> float:
    """The confidence from which a side is recommended."""
    return listed.request.policy.thresholds.recommended


def _conclusions(board: Blackboard, least: float) -> Iterator[str]:
    known = {claim.claim_id: claim for claim in _claims(board)}
    for insight in board.insights:
        yield from _folded("insight", _insight(insight, known))
    if board.recommendation is not None:
        yield from _folded("advice", advice_words(board, least))
        for label, topics in (("for", board.reasons_for), ("against", board.reasons_against)):
            if topics:
                yield from _folded(label, ", ".join(topics))
    if board.evaluation is not None:
        yield from _folded("reward", reward_words(board.evaluation))
        yield from _folded("evaluation", _figures(board.evaluation.figures))


def _claims(board: Blackboard) -> Iterator[Claim]:
    """The figures of the parts with data, as claims that insights refer to."""
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
    strength = f"{insight.leaning}, {share_words(insight.strength)}"
    # A figure that a repeated action no longer measured is shown by its name.
    return f"{insight.topic} ({strength}): {in_words(rendered_if_known(insight.statement, known))}"


def _figures(figures: Sequence[MeasuredFigure]) -> str:
    """`last 125.20, rsi 76.8 on 12 Jun 2024`, grouped by day."""
    days = groupby(figures, key=lambda figure: figure.as_of)
    return "; ".join(f"{', '.join(map(_figure, day))} on {print_full_day(on)}" for on, day in days)


def _figure(figure: MeasuredFigure) -> str:
    signed = figure.metric not in POSITIONS
    return f"{figure.metric} {print_figure(figure.value, UNITS[figure.metric], signed=signed)}"


def _labelled(label: str, text: str) -> str:
    return f"{label:<{LABEL}}{text}"


def _folded(label: str, text: str) -> Iterator[str]:
    return folded(text, LABEL * " ", first=label.ljust(LABEL))


NONE = "no episodes; `desk stock` researches a stock and makes one"

BATCH: Final = 8
"""The number of episodes that are read at once."""

Found = TypeVar("Found")
Work = Callable[[Desk], Awaitable[Found]]


class EpisodeListing(NamedTuple):
    """The newest episodes, those that could not be read, and whether there are `more`."""

    found: tuple[ListedEpisode, ...]
    unreadable: tuple[UnreadableEpisode, ...]
    more: bool


def list_episodes(*, symbol: str | None, limit: int, as_json: bool) -> ExitStatus:
    """Prints the newest episodes, or those of one stock.

    Unreadable histories are reported and omitted; the exit status then says so.

    Raises:
        UsageError: it is not a symbol.
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
    """Reads the newest episodes, at most `limit`; older ones are not read.

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
        for each in await read_episodes(client, batch):
            if isinstance(each, UnreadableEpisode):
                unreadable.append(each)
            elif symbol in (None, each.request.symbol):
                found.append(each)
    return EpisodeListing(tuple(found), tuple(unreadable), more=read < len(runs))


def show_episode(written: str, *, as_json: bool) -> ExitStatus:
    """Prints one episode with its current blackboard.

    Raises:
        UsageError: none has that id, or more than one begins with it.
        CommandError: its history cannot be read.
    """

    async def work(desk: Desk) -> list[ListedEpisode | UnreadableEpisode]:
        return await read_episodes(
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
    """Returns the episode with this id, or the only one whose id starts with it.

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
            # Workers answer queries for open episodes.
            await require_workers(desk, Queue.DESK)
        if not await is_any_open(desk.client):
            return await work(desk)
        async with with_query_worker(desk):
            return await work(desk)

    return interruptible(with_desk(settings, asked, server_only=True))
