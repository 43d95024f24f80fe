"""`desk hypotheses`."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from desk.analytics.names.nearest import nearest
from desk.contracts.swarm.hypotheses import HypothesisState
from desk.platform.settings import load_settings
from starters.learning.answering import answering
from starters.learning.hypotheses.listing import (
    ListedHypothesis,
    open_hypotheses,
    stored_hypotheses,
)
from starters.learning.hypotheses.table import hypothesis_lines, table_lines
from starters.session import Desk, with_desk
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk hypotheses list --state open"

hypotheses = typer.Typer(
    help="List the hypotheses of swarms with their scores, or show one.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@hypotheses.command("list", epilog=EXAMPLE)
def list_them(
    state: Annotated[
        str | None,
        typer.Option(
            "--state",
            metavar="open|held|refuted|void",
            help="Only those that stand so.",
            show_default=False,
        ),
    ] = None,
    market: Annotated[
        str | None,
        typer.Option("--market", metavar="MARKET", help="Only of one.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> ExitStatus:
    """List the hypotheses, those that are due next first, then those that are scored."""
    return list_hypotheses(state=state, market=market, as_json=as_json)


@hypotheses.command(epilog="Example: desk hypotheses show swarm-0123456789ab/hypothesis/USD-JPY")
def show(
    identity: Annotated[
        str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")
    ],
    as_json: AsJson = False,
) -> ExitStatus:
    """Show a hypothesis: what it says, what would refute it, what it rests on, its outcome."""
    return show_hypothesis(identity, as_json=as_json)


@hypotheses.command(epilog="Example: desk hypotheses ranges --first 2022")
def ranges(
    markets: Annotated[
        str | None,
        typer.Option(
            metavar="PAIR,...",
            help="Of these; of all pairs of the desk without.",
            show_default=False,
        ),
    ] = None,
    first: Annotated[int, typer.Option(metavar="YEAR", help="The first year tested.")] = 2022,
    last: Annotated[int, typer.Option(metavar="YEAR", help="The last one.")] = 2199,
) -> ExitStatus:
    """Measure how often ranges called 68 % held in the past, market by market, as told then."""
    from desk.training.ranges import lines, measure

    named = [name.strip() for name in (markets or "").split(",") if name.strip()]
    pairs = [name for name in load_settings().config.market_names if "/" in name]
    found = measure(named or pairs, first, last)
    sys.stdout.write("\n".join(lines(found)) + "\n")
    return ExitStatus.COMPLETE if found.markets else ExitStatus.INCOMPLETE


def list_hypotheses(*, state: str | None, market: str | None, as_json: bool) -> ExitStatus:
    """Prints the hypotheses on the server, or those of a state or a market.

    Raises:
        UsageError: there is no such state.
    """
    wanted = state_named(state) if state is not None else None
    found = chosen_hypotheses(_kept(), wanted, market)
    if as_json:
        text = "[" + ",\n".join(each.model_dump_json(indent=2) for each in found) + "]"
    else:
        text = "\n".join(table_lines(found)) or _none(state, market)
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def show_hypothesis(written: str, *, as_json: bool) -> ExitStatus:
    """Prints one hypothesis.

    Raises:
        UsageError: none has that id, or more than one begins with it.
    """
    found = hypothesis_named(_kept(), written)
    now = datetime.now(UTC)
    text = found.model_dump_json(indent=2) if as_json else "\n".join(hypothesis_lines(found, now))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def chosen_hypotheses(
    kept: list[ListedHypothesis], state: HypothesisState | None, market: str | None
) -> list[ListedHypothesis]:
    """Returns the hypotheses of a state and a market, open ones first, each sorted by due day."""
    chosen = [
        each
        for each in kept
        if state in (None, each.state)
        and (market is None or _key(market) == _key(each.request.hypothesis.market.market))
    ]
    return sorted(
        chosen,
        key=lambda each: (
            each.state is not HypothesisState.OPEN,
            each.request.hypothesis.due,
            each.workflow_id,
        ),
    )


def hypothesis_named(kept: list[ListedHypothesis], written: str) -> ListedHypothesis:
    """Returns the hypothesis with this id, or the only one whose id starts with it.

    Raises:
        UsageError: there is none, or more than one.
    """
    exact = [each for each in kept if each.workflow_id == written.strip()]
    matching = exact or [each for each in kept if each.workflow_id.startswith(written.strip())]
    if not matching:
        raise UsageError(f"no hypothesis '{written}'; `desk hypotheses list` lists them")
    if len(matching) > 1:
        ids = ", ".join(each.workflow_id for each in matching[:4])
        raise UsageError(
            f"{len(matching)} hypotheses begin with '{written}': {ids}; write more of it"
        )
    return matching[0]


def state_named(written: str) -> HypothesisState:
    """Parses the name of a state.

    Raises:
        UsageError: there is no such state.
    """
    word = written.strip().lower()
    if word in set(HypothesisState):
        return HypothesisState(word)
    near = ", ".join(nearest(word, [*HypothesisState]))
    known = ", ".join(HypothesisState)
    raise UsageError(f"--state is '{written}'; there are {known}; nearest: {near}")


def _kept() -> list[ListedHypothesis]:
    settings = load_settings()
    log_to_file(settings)

    async def work(desk: Desk) -> list[ListedHypothesis]:
        async with answering(desk, await open_hypotheses(desk.client)):
            return await stored_hypotheses(desk.client)

    return interruptible(with_desk(settings, work, server_only=True))


def _none(state: str | None, market: str | None) -> str:
    if state is None and market is None:
        return "no hypotheses; `desk swarm` researches an objective and makes some"
    return "no such hypotheses"


def _key(name: str) -> str:
    return name.strip().upper().replace("/", "").replace("-", "")
