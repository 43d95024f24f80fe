"""All forms of objective that code can decide. A new form is an entry in one of these modules."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.programs.swarm.objectives.companies import COMPANIES
from desk.programs.swarm.objectives.form import ObjectiveForm
from desk.programs.swarm.objectives.levels import LEVELS
from desk.programs.swarm.objectives.outlooks import OUTLOOKS
from desk.programs.swarm.objectives.pegs import PEGGED
from desk.programs.swarm.objectives.relations import RELATIONS
from desk.programs.swarm.objectives.trends import TRENDS

FORMS: Final[Mapping[str, ObjectiveForm]] = MappingProxyType(
    {form.name: form for form in (*OUTLOOKS, *LEVELS, *TRENDS, *RELATIONS, *PEGGED, *COMPANIES)}
)
"""The forms by name, in the order in which they are offered if none is nearer."""
