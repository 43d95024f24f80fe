"""`desk graph`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk graph check my-graph.yaml; desk graph show tickets"

Graph = Annotated[
    str, typer.Argument(metavar="FILE|NAME", help="A graph's file, or the name of a shipped one.")
]

graph = typer.Typer(
    help="List the graphs that come with the desk; check or draw one; go back in a run.",
    epilog=EXAMPLE,
)


@graph.callback(invoke_without_command=True)
def list_them(context: typer.Context, as_json: AsJson = False) -> ExitStatus:
    """List the graphs that come with the desk, with what each is for and its parameters."""
    from starters.questions.graph.show import list_graphs

    if context.invoked_subcommand is not None:
        return ExitStatus.COMPLETE
    return list_graphs(as_json=as_json)


@graph.command(epilog="Example: desk graph check my-graph.yaml")
def check(written: Graph, as_json: AsJson = False) -> ExitStatus:
    """Check a graph's file without running anything; each fault with its line and column.

    Exit status 2 when there is any.
    """
    from starters.questions.graph.show import check_graph

    return check_graph(written, as_json=as_json)


@graph.command(epilog="Example: desk graph runs")
def runs(as_json: AsJson = False) -> ExitStatus:
    """List the newest questions with their outcome and when they were answered."""
    from starters.questions.graph.runs import list_graph_runs

    return list_graph_runs(as_json=as_json)


@graph.command(epilog='Example: desk graph reset ask-0123456789ab synthesis --reason "look again"')
def reset(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's workflow id.")],
    node: Annotated[
        str,
        typer.Argument(metavar="NODE", help="The node to go back to; NODE.2 is its second round."),
    ],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why; kept in the history.")
    ],
    as_json: AsJson = False,
) -> ExitStatus:
    """Run a node and what follows it once more, on the results before it as they stand."""
    from starters.questions.graph.reset import ResetOptions, reset_graph

    return reset_graph(ResetOptions(run, node, reason, as_json))


@graph.command(epilog="Example: desk graph show tickets --svg tickets.svg")
def show(
    written: Graph,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="OUT", help="Write an SVG picture to a file.", show_default=False
        ),
    ] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print it as Mermaid text.")] = False,
    as_json: AsJson = False,
) -> ExitStatus:
    """Show a graph as a tree: each of its nodes, where it leads, and when."""
    from starters.questions.graph.show import show_graph

    return show_graph(written, svg=svg, mermaid=mermaid, as_json=as_json)
