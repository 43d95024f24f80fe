"""The speciality of a specialist of the swarm: a part of its task's declaration."""

from dataclasses import dataclass
from typing import NamedTuple

from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.contracts.markets import MarketKind


class Clause(NamedTuple):
    """A clause of figures: each metric with the words around it, in which `{}` is the figure.

    `first` is the metric whose sign counts: above zero is up, or above `beside` if that is a level.
    """

    first: Metric
    parts: tuple[tuple[Metric, str], ...]
    beside: Metric | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Speciality:
    """A specialist's work.

    `name` is the name of its work within a round, and begins the name of every further one of its
    kind. `field` is its field, as the boundaries of the others name it, and `looks_at` what it is
    to find out; `company_field` and `company_looks_at` are the same for a company, if different.
    `title` is the heading of its findings, and `voice` what speaks through it. `asks` are the
    capabilities that every market needs, `of_pairs` and `of_stocks` those that only these do.
    `reach` is how much its findings can say about the weeks ahead, from 0 to 1: a convention of the
    desk.

    `forms` are the kinds of objective, as `desk swarm --about` names them, that it works on
    although the form names others. A further round recognises by `asked_as` that it is asked. Of
    the `clauses`, the first whose figures stand and point where its view does is the evidence that
    a conclusion names.
    """

    name: str
    title: str
    voice: str
    field: str
    looks_at: str
    asks: tuple[Capability, ...]
    of_pairs: tuple[Capability, ...] = ()
    of_stocks: tuple[Capability, ...] = ()
    company_field: str | None = None
    company_looks_at: str | None = None
    reach: float = 0.8
    asked_as: str
    forms: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()

    def field_on(self, kind: MarketKind) -> str:
        """Returns its field on a kind of market."""
        return (kind is MarketKind.STOCK and self.company_field) or self.field

    def task_on(self, kind: MarketKind) -> str:
        """Returns what it is to find out about a kind of market."""
        return (kind is MarketKind.STOCK and self.company_looks_at) or self.looks_at

    def capabilities(self, kind: MarketKind) -> tuple[Capability, ...]:
        """Returns the capabilities that it asks for on a kind of market."""
        own = self.of_stocks if kind is MarketKind.STOCK else self.of_pairs
        return (*self.asks, *own)
