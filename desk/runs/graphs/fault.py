"""A fault of a graph, and its place."""

from typing import Final, NamedTuple

MOST_HINTS: Final = 20
"""The maximum number of faults of one kind that get a hint. Searching a thousand names for it takes
time."""


class GraphFault(NamedTuple):
    """One fault, in words for the author of the graph.

    `node` is the name of the node it is about, None for the graph as a whole. `field` is the path
    to the value, such as `next.0.when`, with the field names of `NodeSpec` or `GraphSpec`; the name
    of the node itself if something is missing. `place` is the node's place in the file, from 0: two
    nodes can have one name.
    """

    node: str | None
    field: str
    words: str
    place: int | None = None
