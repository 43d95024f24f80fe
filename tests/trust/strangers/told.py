"""What is told of a damage."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.trust.strangers.prose import Json


@dataclass(frozen=True)
class Told:
    """What was changed: where it stands, and what stood there before and stands there now."""

    where: str
    before: str
    after: str


Damage = Callable[[Json, Random], Told | None]
"""Changes a report in place, at a place that it draws. None where the report, as it is or at the
place drawn, has nothing that it could change; what it has changed then counts for nothing."""
