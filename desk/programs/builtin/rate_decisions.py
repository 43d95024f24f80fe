"""How analysts describe what a central bank decided, and why it is not known."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from desk.contracts.findings.results import OutcomeMissing, RateInstrument
from desk.contracts.findings.source_results import DatePrecision

OUTCOMES: Final[Mapping[OutcomeMissing, str]] = MappingProxyType(
    {
        OutcomeMissing.NOT_IN_SOURCE: "The outcome is not in the source yet.",
        OutcomeMissing.NO_CHANGE: "The source covers that day and records no change.",
    }
)
"""The sentence for a day whose decision is not known, by the reason."""

_PRECISIONS: Final = {
    DatePrecision.MONTH: " The source gives the month of the decision only.",
    DatePrecision.EFFECTIVE: " The source gives the day on which the rate took effect.",
}


def what_was_decided(
    instrument: RateInstrument,
    change: Decimal,
    precision: DatePrecision,
    *,
    told_change: str,
    told_rate: str,
    told_in_a_row: str | None,
) -> str:
    """Describes what a bank did, to follow its name: by how much it moved its rate and to where,
    how many times in a row, and how exactly its day is known. The arguments are references to the
    claims."""
    rate = f"a midpoint of {told_rate}" if instrument.has_range else told_rate
    if told_in_a_row is not None:
        rate = f"{rate}, its {told_in_a_row}"
    known = _PRECISIONS.get(precision, "")
    if not change:
        return f"left its {instrument.name} unchanged at {rate}.{known}"
    verb = "raised" if change > 0 else "cut"
    return f"{verb} its {instrument.name} ({told_change}) to {rate}.{known}"
