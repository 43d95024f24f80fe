"""The run of a graph as a pure state machine: ended nodes in, nodes to start out.

The first node is the start. An edge is resolved once the node that it leaves has ended or was
skipped: it is taken or not. Of `next` the first edge whose condition holds is taken, or none if
none holds; of `fork` all whose conditions hold. A node waits until all its forward edges are
resolved: it is started if one of them was taken, and skipped otherwise, which resolves its own
edges as not taken. With `join: any` it is started by the first edge that is taken, and later
arrivals start nothing. The edges of a failed node are resolved like those of one that succeeded.

A back edge (see `shape.py`) that is chosen resets its loop's nodes to waiting and starts the head
in its next round. If the head has run as often as its `rounds` allow since the loop was entered
from outside, the edge counts as not chosen and the next alternative is tried.

A condition sees the input and the result of its node: the entries of the nodes before it, and in a
loop those of its previous round. So nothing that runs concurrently affects a condition, and entries
depend on the order of arrival only with `join: any`.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import JsonValue

from desk.contracts.agents.tasks import Query
from desk.contracts.question.graph import Edge, GraphSpec, Join, NodeSpec, NodeState
from desk.contracts.runs.turns import StateEntry
from desk.runs.graphs.expressions import WHOLE, names_in
from desk.runs.graphs.loops import structure_faults
from desk.runs.graphs.shape import Link, Loop, shape_of
from desk.runs.graphs.state import StateAsJson, as_json, holds, view_of


class NodeStart(NamedTuple):
    """A node to start, in its round, counted from 1."""

    node: NodeSpec
    round: int


class GraphMachine:
    """The state of a graph's run.

    It never runs a node before those it waits for, and it ends: every node that can be reached is
    done, failed or skipped once `done` is true.
    """

    def __init__(self, spec: GraphSpec, query: Query) -> None:
        """Creates a machine at its beginning.

        Raises:
            ValueError: an edge leads to no node, or a loop has a form that cannot be run.
        """
        self._shape = shape_of(spec)
        wrong = structure_faults(spec, self._shape)
        if wrong:
            raise ValueError("; ".join(fault.words for fault in wrong))
        self._spec, self._query = spec, query
        count = len(spec.nodes)
        self._places = {node.name: place for place, node in enumerate(spec.nodes)}
        self._states = [NodeState.WAITING] * count
        self._rounds = [0] * count
        self._passes = [0] * count
        self._entries: list[list[StateEntry]] = [[] for _ in range(count)]
        self._contents: dict[tuple[int, int], StateAsJson] = {}
        self._failed: set[int] = set()
        self._writers: dict[str, list[int]] = {}
        for place, node in enumerate(spec.nodes):
            self._writers.setdefault(node.key, []).append(place)
        self._running = 0
        self._begun = False
        self._wire(count)

    def _wire(self, count: int) -> None:
        """Computes the edges that each node waits for and leaves by, and the loops that each is
        in."""
        self._leaving: list[list[Link]] = [[] for _ in range(count)]
        self._waits = [0] * count
        for link in self._shape.links:
            self._leaving[link.source].append(link)
            self._waits[link.target] += not link.back
        self._open = list(self._waits)
        self._taken = [0] * count
        self._loops = {(loop.latch, loop.head): loop for loop in self._shape.loops}
        self._loops_of: list[list[Loop]] = [[] for _ in range(count)]
        for loop in self._shape.loops:
            for place in loop.body:
                self._loops_of[place].append(loop)
        self._left: dict[Loop, dict[int, int]] = {}

    @property
    def nodes(self) -> tuple[NodeSpec, ...]:
        """The nodes, in the order of the file."""
        return self._spec.nodes

    def begin(self) -> tuple[NodeStart, ...]:
        """Returns what to start first.

        Raises:
            ValueError: it has begun before.
        """
        if self._begun:
            raise ValueError("the graph has begun already")
        self._begun = True
        for place in set(range(len(self._spec.nodes))).difference(self._shape.order):
            self._states[place] = NodeState.SKIPPED
        return (self._start(0),)

    def finish(self, entry: StateEntry) -> tuple[NodeStart, ...]:
        """Returns what to start now that a node has ended, in the order of the file.

        Raises:
            ValueError: that node is not running, or in another round.
        """
        place = self._places.get(entry.node, -1)
        if place < 0 or self._states[place] is not NodeState.RUNNING:
            raise ValueError(f"{entry.node} is not running")
        if entry.round != self._rounds[place]:
            raise ValueError(f"{entry.node} runs in round {self._rounds[place]}")
        self._states[place] = NodeState.DONE if entry.error is None else NodeState.FAILED
        self._running -= 1
        self._entries[place].append(entry)
        if entry.error is not None:
            self._failed.add(place)
        chosen = self._chosen(place)
        loop = next((self._loops[place, link.target] for link in chosen if link.back), None)
        if loop is not None:
            return (self._again(loop),)
        forward = [link for link in self._leaving[place] if not link.back]
        return self._resolve((link, link in chosen) for link in forward)

    @property
    def done(self) -> bool:
        """Whether it has begun and nothing is left to run."""
        return self._begun and self._running == 0

    def state_of(self, name: str) -> NodeState:
        """Returns the state of a node in its last round.

        Raises:
            KeyError: there is no such node.
        """
        return self._states[self._places[name]]

    def rounds_of(self, name: str) -> int:
        """Returns how often a node was started.

        Raises:
            KeyError: there is no such node.
        """
        return self._rounds[self._places[name]]

    @property
    def entries(self) -> tuple[StateEntry, ...]:
        """All entries, in the order of the file and then of the rounds."""
        return tuple(entry for entries in self._entries for entry in entries)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The nodes that were not reached in any round, in the order of the file."""
        return tuple(
            node.name
            for place, node in enumerate(self._spec.nodes)
            if self._states[place] is NodeState.SKIPPED and not self._entries[place]
        )

    def visible_to(self, node: NodeSpec) -> tuple[StateEntry, ...]:
        """Returns what a node is shown: of the nodes before it, the last entry of each, if it reads
        their keys. In a loop, also the entries of the previous round, its own included.

        Raises:
            KeyError: there is no such node.
        """
        place = self._places[node.name]
        seen = self._seen_by(place, self._before(place))
        found = (self._entries[other][number] for other, number in seen)
        return tuple(e for e in found if node.reads is None or e.key in node.reads)

    def _seen_by(self, place: int, among: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yields the entries that a node sees, each as the place of its node and its number
        there."""
        if place not in self._shape.earlier:
            return
        for other in sorted(among):
            count = self._count(place, other)
            if count:
                yield other, count - 1

    def _count(self, place: int, other: int) -> int:
        """Returns how many entries of another node a node may see: all if it waits for it, and
        otherwise those from before the current round of the loop that contains both."""
        if self._shape.comes_before(other, place):
            return len(self._entries[other])
        around = (loop for loop in reversed(self._loops_of[place]) if other in loop.body)
        return next((self._left[loop][other] for loop in around if loop in self._left), 0)

    def _before(self, place: int) -> set[int]:
        found = set(self._shape.ancestors(place)) if place in self._shape.earlier else set()
        return found.union(*(loop.body for loop in self._loops_of[place]))

    def _start(self, place: int) -> NodeStart:
        self._states[place] = NodeState.RUNNING
        self._rounds[place] += 1
        self._passes[place] += 1
        self._running += 1
        return NodeStart(self._spec.nodes[place], self._rounds[place])

    def _again(self, loop: Loop) -> NodeStart:
        """Starts the head again, with the loop reset to its state at entry."""
        left = {place: len(self._entries[place]) for place in loop.body}
        for place in loop.body - {loop.head}:
            self._states[place] = NodeState.WAITING
            self._open[place], self._taken[place] = self._waits[place], 0
        for inner in self._shape.loops:
            if inner.body <= loop.body:
                self._left[inner] = {place: left[place] for place in inner.body}
        return self._start(loop.head)

    def _chosen(self, place: int) -> set[Link]:
        """Returns the edges of a node that are taken."""
        edges = self._leaving[place]
        view = None
        if any(self._edge(link).when for link in edges):
            view = self._view_of(place)

        def may_go(link: Link) -> bool:
            when = self._edge(link).when
            if link.back and self._passes[link.target] >= self._spec.nodes[link.target].rounds:
                return False
            return when is None or view is None or holds(when, view)

        chosen = {link for link in edges if link.field == "fork" and may_go(link)}
        choice = next((link for link in edges if link.field == "next" and may_go(link)), None)
        return chosen if choice is None else chosen | {choice}

    def _edge(self, link: Link) -> Edge:
        node = self._spec.nodes[link.source]
        return (node.next if link.field == "next" else node.fork)[link.place]

    def _view_of(self, place: int) -> dict[str, JsonValue]:
        """Returns the view for the conditions of a node that has ended. A long document that no
        condition reads is not serialised."""
        edges = self._spec.nodes[place].edges
        names = frozenset(n for edge in edges if edge.when for n in names_in(edge.when))
        among = {other for name in names for other in self._writers.get(name, ())}
        if "errors" in names:
            among |= self._failed
        if WHOLE in names:
            among = {place, *self._before(place)}
        seen = dict(self._seen_by(place, among))
        if place in among:
            seen[place] = len(self._entries[place]) - 1
        told_of = (self._as_json(*kept) for kept in sorted(seen.items()))
        return view_of(self._spec.merges, self._query, told_of)

    def _as_json(self, place: int, number: int) -> StateAsJson:
        if (place, number) not in self._contents:
            self._contents[place, number] = as_json(self._entries[place][number])
        return self._contents[place, number]

    def _resolve(self, decided: Iterable[tuple[Link, bool]]) -> tuple[NodeStart, ...]:
        """Returns what starts by edges that are now taken or not, and by the nodes that this
        skips."""
        waiting = deque(decided)
        ready: list[int] = []
        while waiting:
            link, taken = waiting.popleft()
            place = link.target
            self._open[place] -= 1
            self._taken[place] += taken
            if self._states[place] is not NodeState.WAITING:
                continue
            if self._is_ready(place):
                self._states[place] = NodeState.RUNNING
                ready.append(place)
            elif not self._open[place]:
                self._states[place] = NodeState.SKIPPED
                waiting.extend((on, False) for on in self._leaving[place] if not on.back)
        return tuple(self._enter(place) for place in sorted(ready))

    def _is_ready(self, place: int) -> bool:
        any_will_do = self._spec.nodes[place].join is Join.ANY
        return bool(self._taken[place]) and (any_will_do or not self._open[place])

    def _enter(self, place: int) -> NodeStart:
        self._passes[place] = 0
        return self._start(place)
