"""Graphs of agents: their checks, their conditions, and which node is due next."""

from desk.runs.graphs.checks import faults, naming_faults
from desk.runs.graphs.fault import GraphFault
from desk.runs.graphs.machine import GraphMachine, NodeStart
from desk.runs.graphs.shape import Link, Shape, shape_of

__all__ = [
    "GraphFault",
    "GraphMachine",
    "Link",
    "NodeStart",
    "Shape",
    "faults",
    "naming_faults",
    "shape_of",
]
