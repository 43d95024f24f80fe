"""Sources that were not asked because they kept failing: what that cost a run. Workflows use it."""

from collections.abc import Iterable

from desk.contracts.agents.tools import OpenCircuit, SourceOutage


def outage_of(circuit: OpenCircuit) -> SourceOutage:
    """One call that was not made."""
    return SourceOutage(
        server=circuit.server, since=circuit.since, fault=circuit.fault, calls_not_made=1
    )


def together(outages: Iterable[SourceOutage]) -> tuple[SourceOutage, ...]:
    """Each source once, by its name: since when at the earliest, what failed then, and all calls
    that were not made. Each worker process has a circuit of its own, and it may open again."""
    found: dict[str, SourceOutage] = {}
    for outage in outages:
        known = found.get(outage.server)
        if known is None:
            found[outage.server] = outage
            continue
        first = min(known, outage, key=lambda one: one.since)
        calls = known.calls_not_made + outage.calls_not_made
        found[outage.server] = first.model_copy(update={"calls_not_made": calls})
    return tuple(found[server] for server in sorted(found))
