"""A graph as text: a tree for a terminal, and Mermaid text for a diagram."""

from collections.abc import Iterator

from rich.text import Text
from rich.tree import Tree

from desk.contracts.question.graph import GraphSpec
from desk.documents.rendering.drawing.graph import agent_label, condition_words
from desk.runs.graphs import Link, shape_of


def tree_of(spec: GraphSpec) -> Tree:
    """The graph for a terminal: the nodes in the order of the file, each with its agent, and
    beneath it where it leads and when."""
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
    """The graph as Mermaid text, which GitHub and many editors draw."""
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
    """Text as Mermaid takes it between quotation marks."""
    signs = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
    return "".join(signs.get(sign, sign) for sign in " ".join(text.split()))
