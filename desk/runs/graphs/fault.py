"""What is wrong with a graph, and where."""

from typing import Final, NamedTuple

MOST_HINTS: Final = 20
"""As many faults of one kind get a hint: to look for it among a thousand names takes its time."""


class GraphFault(NamedTuple):
    """One fault, in words for whoever wrote the graph.

    `node` is the name of the node it is about, None for the graph as a whole. `field` is the path
    to the value, such as `next.0.when`, with the field names of `NodeSpec` or `GraphSpec`; the name
    of the node itself where something is missing. `place` is the node's place in the file, from 0:
    two nodes can have one name.
    """

    node: str | None
    field: str
    words: str
    place: int | None = None
