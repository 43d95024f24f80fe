"""A graph as its file has it, turned into the form of the contract.

`next` and `fork` may name a node, list names, or list `{to, when}`; `reads` and `tools` may be one
name or a list; a tool is written `server.tool`, a duration `20 s`. `parameters` are a list of names
or a mapping of each to its description or its fields. An agent's task is its usual one where none
is named.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Final

from desk.agents.task_kinds import TASK_OF
from desk.contracts.agents.tasks import TaskType
from desk.contracts.config import RetryConfig
from desk.contracts.names import AgentId
from desk.contracts.question.graph import MOST_NODES, Edge, NodeSpec, ParameterSpec
from desk.platform.config.config_file import span
from desk.runs.graphs.fault import hint
from starters.graph_files_tree import FileFault, Tree

AGENTS: Final = tuple(str(agent) for agent in TASK_OF)
TOP_KEYS: Final = ("graph", "name", "description", "parameters", "merge")
_FIELDS: Final[Mapping[str, str]] = {"graph": "nodes", "merge": "merges"}
_KNOWN: Final = {
    "edge": tuple(Edge.model_fields),
    "node": tuple(NodeSpec.model_fields),
    "parameter": tuple(ParameterSpec.model_fields),
    "retries": tuple(RetryConfig.model_fields),
}


def contract_form(tree: Tree, file: PurePath) -> tuple[dict[str, Any], list[FileFault]]:
    """The fields of a `GraphSpec`, unchecked, and what is wrong with names that only a file has.

    An agent that does not exist is replaced by one that does, so that the rest can be checked.
    """
    if not isinstance(tree.value, dict) or "graph" not in tree.value:
        words = "a graph is a mapping with the key `graph`, a list of nodes"
        return {}, [*_unknown(tree), FileFault(tree.place_of(()), words)]
    nodes = tree.value["graph"]
    if isinstance(nodes, list) and len(nodes) > MOST_NODES:
        words = f"a graph has at most {MOST_NODES:,} nodes, and this one has {len(nodes):,}"
        return {}, [FileFault(tree.place_of(("graph", MOST_NODES)), words)]
    found = list(_unknown(tree))
    made: dict[str, Any] = {
        _FIELDS.get(key, key): tree.value[key] for key in TOP_KEYS if key in tree.value
    }
    made.setdefault("name", file.stem)
    if made.get("description") is None:
        made.pop("description", None)
    if made.get("merges", {}) is None:
        del made["merges"]
    if "parameters" in made:
        made["parameters"] = _parameters(made["parameters"])
    if isinstance(made["nodes"], list):
        made["nodes"] = [
            _node(node, place, tree, found) for place, node in enumerate(made["nodes"])
        ]
    return made, found


def known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys that there may be where an unknown one stands, by the contract's location."""
    if location[0] == "parameters":
        return _KNOWN["parameter"]
    if len(location) > 3:
        return _KNOWN["retries" if location[2] == "retries" else "edge"]
    return _KNOWN["node"]


def _unknown(tree: Tree) -> Iterable[FileFault]:
    keys = tree.value if isinstance(tree.value, dict) else ()
    for key in keys:
        if key not in TOP_KEYS:
            words = f"unknown key {key!r}; known: {', '.join(TOP_KEYS)}{hint(key, TOP_KEYS)}"
            yield FileFault(tree.place_of((key,), key=True), words)


def _node(written: Any, place: int, tree: Tree, found: list[FileFault]) -> Any:
    if not isinstance(written, dict):
        return written
    made = {key: value for key, value in written.items() if value is not None}
    for field in ("agent", "fallback"):
        _check_agent(made, field, place, tree, found)
    # An agent that is missing is one fault, and not two.
    agent = made.get("agent")
    usual = TASK_OF[AgentId(agent)] if agent in AGENTS else TaskType.READ_DOCUMENTS
    made.setdefault("task", usual)
    for field in ("next", "fork"):
        if field in made:
            made[field] = [_edge(entry) for entry in _listed(made[field])]
    if "reads" in made:
        made["reads"] = _listed(made["reads"])
    if "tools" in made:
        made["tools"] = [_tool(entry) for entry in _listed(made["tools"])]
    if "timeout" in made:
        made["timeout"] = span(made["timeout"])
    if isinstance(made.get("retries"), dict):
        made["retries"] = {key: span(value) for key, value in made["retries"].items()}
    return made


def _check_agent(
    made: dict[str, Any], field: str, place: int, tree: Tree, found: list[FileFault]
) -> None:
    written = made.get(field)
    if not isinstance(written, str) or written in AGENTS:
        return
    words = f"{field} is {written!r}, which works in no graph; known: {', '.join(AGENTS)}"
    found.append(FileFault(tree.place_of(("graph", place, field)), words + hint(written, AGENTS)))
    made[field] = AGENTS[0] if field == "agent" else AGENTS[1]


def _edge(written: Any) -> Any:
    return {"to": written} if isinstance(written, str) else written


def _listed(written: Any) -> list[Any]:
    return written if isinstance(written, list) else [written]


def _tool(written: Any) -> Any:
    server, dot, tool = written.partition(".") if isinstance(written, str) else ("", "", "")
    return {"server": server, "tool": tool} if server and dot and tool else written


def _parameters(written: Any) -> Any:
    if written is None:
        return []
    if isinstance(written, dict):
        return [_parameter(name, told) for name, told in written.items()]
    if isinstance(written, list):
        return [{"name": one} if isinstance(one, str) else one for one in written]
    return written


def _parameter(name: str, told: Any) -> Any:
    if isinstance(told, dict):
        return {"name": name, **told}
    return {"name": name} if told is None else {"name": name, "description": told}
