"""`desk graph`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from desk.contracts.question.graph import GraphSpec, ParameterSpec
from desk.documents.publishing.files import published
from desk.documents.rendering.drawing.graph import agent_label, condition_words, graph_file
from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import load_settings, shipped_graphs
from desk.runs.graphs import Link, shape_of
from starters.questions.graph_file import GraphFileError, find_graph, read_graph
from starters.terminal.completion import graphs
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.options import AsJson
from starters.terminal.tables import folded

EXAMPLE = "Example: desk graph check my-graph.yaml; desk graph show tickets"

Graph = Annotated[
    str,
    typer.Argument(
        metavar="FILE|NAME",
        autocompletion=graphs,
        help="A graph's file, or the name of a shipped one.",
    ),
]

graph = typer.Typer(
    help="List the graphs that come with the desk; check or draw one; go back in a run.",
    epilog=EXAMPLE,
)


@graph.callback(invoke_without_command=True)
def list_them(context: typer.Context, as_json: AsJson = False) -> ExitStatus:
    """List the graphs that come with the desk, with what each is for and its parameters."""
    if context.invoked_subcommand is not None:
        return ExitStatus.COMPLETE
    return list_graphs(as_json=as_json)


@graph.command(epilog="Example: desk graph check my-graph.yaml")
def check(written: Graph, as_json: AsJson = False) -> ExitStatus:
    """Check a graph's file without running anything; each fault with its line and column.

    Exit status 2 when there is any.
    """
    return check_graph(written, as_json=as_json)


@graph.command(epilog="Example: desk graph runs")
def runs(as_json: AsJson = False) -> ExitStatus:
    """List the newest questions with their outcome and when they were answered."""
    from starters.questions.graph_runs import list_graph_runs

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
    return show_graph(written, svg=svg, mermaid=mermaid, as_json=as_json)


def tree_of(spec: GraphSpec) -> Tree:
    """Draws the graph for a terminal: the nodes in the order of the file, each with its agent, and
    its edges below it."""
    shape = shape_of(spec)
    leaving: dict[int, list[Link]] = {}
    for link in shape.links:
        leaving.setdefault(link.source, []).append(link)
    tree = Tree(spec.name)
    for place in sorted(shape.order):
        name = Text.assemble(
            (spec.nodes[place].name, "bold"), f" ({agent_label(spec.nodes[place])})"
        )
        branch = tree.add(name)
        for link in leaving.get(place, ()):
            branch.add(Text(_led_to(spec, link)))
    return tree


def _led_to(spec: GraphSpec, link: Link) -> str:
    target = spec.nodes[link.target]
    back = f"↺ {target.name}, {target.rounds} rounds at most" if link.back else f"→ {target.name}"
    condition = condition_words(spec, link)
    when = condition if condition in ("", "otherwise") else f"if {condition}"
    return f"{back}  {when}".rstrip()


def mermaid_of(spec: GraphSpec) -> str:
    """Formats the graph as Mermaid text, which GitHub and many editors draw."""
    return "\n".join(("flowchart TD", *_mermaid_lines(spec), ""))


def _mermaid_lines(spec: GraphSpec) -> Iterator[str]:
    shape = shape_of(spec)
    for place in sorted(shape.order):
        node = spec.nodes[place]
        yield f'    n{place}["{node.name}<br/>{agent_label(node)}"]'
    for link in sorted(shape.links, key=lambda link: link.back):
        when = condition_words(spec, link)
        arrow = "-.->" if link.back or when else "-->"
        label = f'|"{_quoted(when)}"|' if when else ""
        yield f"    n{link.source} {arrow}{label} n{link.target}"


def _quoted(text: str) -> str:
    """Escapes a text for Mermaid's quotation marks."""
    signs = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
    return "".join(signs.get(sign, sign) for sign in " ".join(text.split()))


_UNCUT: Final = 1_000
"""The width of the tree in a pipe: longer than any line, so that no line is wrapped."""


def list_graphs(*, as_json: bool) -> ExitStatus:
    """Prints the shipped graphs.

    Raises:
        GraphFileError: one of the files is invalid.
    """
    folder = load_settings().project_dir
    specs = [read_graph(path) for path in shipped_graphs(folder)]
    if as_json:
        told = json.dumps([spec.model_dump(mode="json") for spec in specs], indent=2)
    else:
        told = "\n".join(line for spec in specs for line in _described(spec))
    sys.stdout.write(f"{told}\n")
    return ExitStatus.COMPLETE


def check_graph(written: str, *, as_json: bool) -> ExitStatus:
    """Prints the faults of a graph, or its size if it has none.

    Raises:
        UsageError: no graph has that name.
    """
    path = find_graph(written, load_settings().project_dir)
    spec = _read_or_print_faults(path, as_json=as_json)
    if spec is None:
        return ExitStatus.USAGE
    if as_json:
        told = _as_json(path, (), spec)
    else:
        leaving = {link.source for link in shape_of(spec).links if not link.back}
        ends = len(spec.nodes) - len(leaving)
        told = f"{path}: {_count(len(spec.nodes), 'node')}, {_count(ends, 'end')}, no fault"
    sys.stdout.write(f"{told}\n")
    return ExitStatus.COMPLETE


def show_graph(written: str, *, svg: Path | None, mermaid: bool, as_json: bool) -> ExitStatus:
    """Prints a graph as a tree, as Mermaid text or as JSON, or writes it as an SVG file.

    Raises:
        UsageError: no graph has that name, its file is invalid, or more than one form is requested.
        CommandError: the picture cannot be written.
    """
    if (svg is not None) + mermaid + as_json > 1:
        raise UsageError("--svg, --mermaid and --json: one of them at a time")
    path = find_graph(written, load_settings().project_dir)
    spec = _read_or_print_faults(path, as_json=as_json)
    if spec is None:
        return ExitStatus.USAGE
    if svg is not None:
        _write(svg, graph_file(spec))
        told = f"{svg}\n"
    elif mermaid:
        told = mermaid_of(spec)
    elif as_json:
        told = f"{_as_json(path, (), spec)}\n"
    else:
        told = "\n".join((*_described(spec), "", ""))
    sys.stdout.write(told)
    if not (svg or mermaid or as_json):
        Console(width=None if sys.stdout.isatty() else _UNCUT).print(tree_of(spec))
    return ExitStatus.COMPLETE


def _read_or_print_faults(path: Path, *, as_json: bool) -> GraphSpec | None:
    """Reads the graph of a file. Prints its faults and returns None if it has any."""
    try:
        return read_graph(path)
    except GraphFileError as error:
        _print_faults(error, as_json=as_json)
        return None


def _described(spec: GraphSpec) -> Iterator[str]:
    yield from folded(one_line(f"{spec.name}: {spec.description}").rstrip(": "))
    for parameter in spec.parameters:
        yield from folded(one_line(_parameter_words(parameter)), indent="    ")


def _parameter_words(parameter: ParameterSpec) -> str:
    told = f"--param {parameter.name}=…"
    if parameter.required:
        told += " (required)"
    if parameter.default is not None:
        told += f" (else {parameter.default})"
    return f"{told}  {parameter.description}".rstrip()


def _print_faults(error: GraphFileError, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(f"{_as_json(error.file, error.faults, None)}\n")
        return
    sys.stderr.write("".join(f"{line}\n" for line in error.lines()))


def _as_json(path: Path, faults: tuple[tuple[tuple[int, int], str], ...], spec: object) -> str:
    told = [{"line": at[0], "column": at[1], "words": words} for at, words in faults]
    graph = spec.model_dump(mode="json") if isinstance(spec, GraphSpec) else None
    return json.dumps({"file": str(path), "faults": told, "graph": graph}, indent=2)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _write(path: Path, text: str) -> None:
    try:
        new = not path.exists()
        path.write_text(text, encoding="utf-8")
        if new:
            published(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from None
