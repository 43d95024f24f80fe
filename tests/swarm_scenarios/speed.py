"""Five specialists side by side, and the same five one after the other, at a fixed latency."""

import time
from datetime import timedelta

from temporalio.client import Client

from desk.contracts.names import Queue, WorkflowType
from desk.contracts.runs.swarm import SpecialistOutcome, SpecialistRequest
from starters.runs.server_runs import run_described, started_with
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.swarm_scenarios.desk import (
    ALL_FIVE,
    OBJECTIVE,
    children,
    failed_nodes,
    reported,
    researched,
    swarm_fleet,
    swarm_variables,
)

LATENCY_MS = 3_000
SPECIALISTS = 5
MOST = 1.25
"""Times the slowest specialist alone, where the machine does nothing else: how far each goes
differs, and none waits for another."""

WARM = "Is EUR/USD overbought?"
"""An objective that has everything loaded: what a worker reads once is not a swarm's own time."""


async def parallel(stage: Stage) -> Sight:
    """The time from the first specialist's start to the last one's end, against the same workflows
    with the same requests when each is alone: the slowest of them, and all in a row."""
    variables = swarm_variables(stage.place("parallel"), latency_ms=LATENCY_MS)
    options = ("--rounds", "1", *ALL_FIVE)
    async with swarm_fleet(variables) as fleet:
        await researched(variables, WARM, *options)
        report = reported(await researched(variables, OBJECTIVE, *options))
        client = await fleet.client()
        together, requests = await _together(client, report.workflow_id)
        alone = [await _alone(client, request) for request in requests]
    faults = [f"{node} failed" for node in failed_nodes(report)]
    if len(requests) != SPECIALISTS:
        faults.append(f"{len(requests)} specialists, and not {SPECIALISTS}")
    ratio, longer = sum(alone) / together, together / max(alone, default=together)
    if longer > MOST:
        faults.append(f"{longer:.2f} times the slowest, and not {MOST} at most")
    words = (
        f"{together:.1f} s side by side, {sum(alone):.1f} s one after the other"
        f" ({', '.join(f'{each:.1f}' for each in alone)}): {ratio:.1f} times as fast, {longer:.2f}"
        " times the slowest"
    )
    figures = {"together": together, "alone": sum(alone), "ratio": ratio, "longer": longer}
    return Sight(words, tuple(faults), figures)


async def _together(client: Client, run: str) -> tuple[float, list[SpecialistRequest]]:
    """How long the specialists of a run took together, and what each was started with."""
    found = await children(client, run, WorkflowType.SPECIALIST)
    requests = []
    for child in found:
        described = await run_described(client, child.id, SpecialistOutcome, child.run_id)
        assert described is not None
        requests.append(await started_with(described, SpecialistRequest))
    ends = [child.close_time for child in found if child.close_time is not None]
    took = max(ends) - min(child.start_time for child in found) if ends else timedelta(0)
    return took.total_seconds(), requests


async def _alone(client: Client, request: SpecialistRequest) -> float:
    """The seconds that the same work takes while nothing else is done."""
    began = time.perf_counter()
    await client.execute_workflow(
        WorkflowType.SPECIALIST,
        request,
        id=f"alone/{request.assignment.task_id}",
        task_queue=Queue.DESK,
        result_type=SpecialistOutcome,
    )
    return time.perf_counter() - began


SCENARIOS = (
    Scenario(
        "parallel",
        f"{SPECIALISTS} specialists whose tools take {LATENCY_MS:,} ms a call, side by side and one"
        " after the other",
        f"at most {MOST} times as long as the slowest alone",
        parallel,
        limit_seconds=150,
    ),
)
