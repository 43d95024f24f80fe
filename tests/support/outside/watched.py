"""What is watched: the metrics that docs/operations.md names, and those that the files ask for."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import promql_parser
import yaml

from tests.support.processes.homes import PROJECT

OBSERVE = PROJECT / "deploy/observe"
ALERTS: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((OBSERVE / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((OBSERVE / "grafana/dashboards/desk.json").read_text())
_PARTS = re.compile(r"_(bucket|sum|count)$")
_NOT_OURS = {"le", "instance", "job"}


class Asked(NamedTuple):
    """A metric as an expression asks for it, with the labels that it goes by."""

    metric: str
    labels: frozenset[str]


def documented() -> dict[str, frozenset[str]]:
    """Every metric in the table of the document, with its labels."""
    text = (PROJECT / "docs/operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| `(desk_\w+)` \|([^|]*)\|", text)
    return {name: frozenset(re.findall(r"`(\w+)`", labels)) for name, labels in rows}


def expressions() -> Iterator[str]:
    """Everything that the dashboard and the alerts ask Prometheus."""
    yield from (rule["expr"] for rule in ALERTS)
    yield from (t["expr"] for panel in DASHBOARD["panels"] for t in panel["targets"])


def asked_in(expression: str) -> list[Asked]:
    """What an expression asks for, without the labels that are Prometheus's own.

    Raises:
        ValueError: it is no PromQL.
    """
    grouped: set[str] = set()
    found: list[Asked] = []
    _look_through(promql_parser.parse(expression), found, grouped)
    return [
        Asked(_PARTS.sub("", metric), (labels | grouped) - _NOT_OURS) for metric, labels in found
    ]


def _look_through(part: Any, found: list[Asked], grouped: set[str]) -> None:
    if isinstance(part, promql_parser.AggregateExpr) and part.modifier is not None:
        grouped |= set(part.modifier.labels)
    if isinstance(part, promql_parser.VectorSelector):
        labels = frozenset(matcher.name for matcher in part.matchers.matchers)
        found.append(Asked(str(part.name), labels))
    for inner in ("expr", "lhs", "rhs", "param", "vector_selector"):
        if (value := getattr(part, inner, None)) is not None:
            _look_through(value, found, grouped)
    for argument in getattr(part, "args", None) or ():
        _look_through(argument, found, grouped)
