"""The areas whose policy rates are known to the same day, in words."""

from typing import Final

from desk.analytics.names.currencies import country_of
from desk.contracts.week.report import RatesKnown

MOST_NAMED: Final = 4


def areas_words(known: RatesKnown) -> str:
    """Returns `United States, euro area, Japan`, or a count if there are many."""
    many = len(known.areas) > MOST_NAMED
    return f"{len(known.areas)} areas" if many else ", ".join(map(country_of, known.areas))
