"""Reads from histories which calls were skipped because their source kept failing."""

from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import TemporalError

from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import CallFault


async def circuit_in(converter: DataConverter, failure: Failure | None) -> OpenCircuit | None:
    """Returns the open circuit for which a call was skipped. Returns None if it failed for another
    reason, or if this cannot be read."""
    details = failure.application_failure_info.details.payloads if failure else ()
    if len(details) < 2:
        return None
    try:
        fault, circuit = await converter.decode(details[:2], [str, OpenCircuit])
    except (ValueError, RuntimeError, TemporalError):
        return None
    return circuit if fault == CallFault.CIRCUIT_OPEN else None
