"""Replayers of the desk's workflows, for tests."""

from collections.abc import Collection, Sequence
from pathlib import Path

from temporalio.worker import Plugin, Replayer

from desk.platform.temporal.plugin import desk_plugin
from desk.platform.temporal.sandbox import workflow_runner
from workers.orchestrator import WORKFLOWS


def replayer(
    payloads: Path,
    workflows: Sequence[type] = WORKFLOWS,
    *,
    here: Collection[str] = (),
    plugin: Plugin | None = None,
) -> Replayer:
    """A replayer that is never too slow.

    The SDK fails a workflow that computes for two seconds, which on a busy machine is a false
    alarm; only its debug mode replays without that limit. `here` are the queues whose workers are
    in the same process. `plugin` replaces the one that reads large payloads from `payloads`.
    """
    return Replayer(
        workflows=workflows,
        plugins=[plugin or desk_plugin(payloads)],
        workflow_runner=workflow_runner(here=here),
        debug_mode=True,
    )
