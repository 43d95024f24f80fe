"""A desk is upgraded by build id while a week is open: the week goes on with the version that it
began with, new weeks are the next version's, and the first is drained once its week has closed.

Real processes of both versions, a real server, and Temporal's own command line.
"""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from temporalio.api.deployment.v1 import WorkerDeploymentVersion
from temporalio.api.enums.v1 import EventType, VersionDrainageStatus
from temporalio.api.workflowservice.v1 import DescribeWorkerDeploymentVersionRequest
from temporalio.client import Client, WorkflowHandle

from desk.contracts.names import Message, market_run_id, week_run_id
from desk.contracts.runs.week import WeekStatus
from desk.platform.temporal.deployment import DEPLOYMENT
from desk.platform.temporal.plugin import desk_plugin
from tests.support.processes.command import BINARIES, DeskCommand
from tests.support.processes.forks import forked_command
from tests.support.processes.homes import home_environment
from tests.support.processes.local_server import local_server
from tests.support.runs.desk import desk_config, pair, register_search_attributes, start_week

EARLIER, LATER = "2026-W43", "2026-W44"
SOON_DRAINED: Final = (
    "--dynamic-config-value",
    'matching.wv.VersionDrainageStatusVisibilityGracePeriod="1s"',
    "--dynamic-config-value",
    'matching.wv.VersionDrainageStatusRefreshInterval="3s"',
)
"""A server looks after three minutes whether a version is drained, and every three again."""


class Refused(Exception):
    """What Temporal's command line says where it does not do what it was asked for."""


class Upgraded:
    """A desk at a server of its own, on which versions come and go."""

    def __init__(self, client: Client, directory: Path) -> None:
        self.client = client
        self._directory = directory
        self._address = client.service_client.config.target_host
        self.environment = home_environment(
            directory, TEMPORAL_ADDRESS=self._address, DESK_VERSIONING="pinned"
        )
        self.desk = DeskCommand(directory, **self.environment)

    @contextmanager
    def workers(self, build: str) -> Iterator[None]:
        """A process of all roles of a build."""
        out = self._directory / f"{build}.out"
        variables = {**self.environment, "DESK_BUILD_ID": build}
        process = forked_command(["worker", "all"], variables, out, out.with_suffix(".err"))
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)

    def temporal(self, *words: str) -> Any:
        """What Temporal's own command line answers."""
        done = subprocess.run(
            [BINARIES / "temporal", *words, "--address", self._address, "--output", "json"],
            capture_output=True,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
        if done.returncode:
            raise Refused(f"{words}: {done.stderr or done.stdout}")
        return json.loads(done.stdout or "null")

    def make_current(self, build: str) -> None:
        """As docs/operations.md says: refused until workers of the build poll."""
        words = ("worker", "deployment", "set-current-version", "--yes")
        self.temporal(*words, "--deployment-name", DEPLOYMENT, "--build-id", build)

    async def drains(self, build: str, status: "VersionDrainageStatus.ValueType") -> None:
        """Wait until the server says of a version that it is draining, or drained: none of its runs
        is open."""
        version = WorkerDeploymentVersion(deployment_name=DEPLOYMENT, build_id=build)
        asked = DescribeWorkerDeploymentVersionRequest(
            namespace=self.client.namespace, deployment_version=version
        )

        async def is_so() -> bool:
            service = self.client.workflow_service
            told = await service.describe_worker_deployment_version(asked)
            return told.worker_deployment_version_info.drainage_info.status == status

        await until(is_so, f"{build} {VersionDrainageStatus.Name(status)}")

    def drainage(self, build: str) -> str:
        """What Temporal's own command line says of that."""
        words = ("worker", "deployment", "describe-version", "--deployment-name", DEPLOYMENT)
        told = self.temporal(*words, "--build-id", build)
        return str(told["drainageInfo"]["drainageStatus"])

    async def week(self, week: str) -> WorkflowHandle[Any, Any]:
        """A week of one market, once its report is out and it is open for reruns."""
        config = desk_config(pair("USD/JPY"))
        handle = await start_week(
            self.client, config, run_id=week_run_id(week), week=week, learn=True
        )
        await self.published(handle, 1)
        return handle

    async def published(self, handle: WorkflowHandle[Any, Any], revision: int) -> None:
        """Wait for a revision."""

        async def is_out() -> bool:
            status: WeekStatus = await handle.query(Message.STATUS, result_type=WeekStatus)
            return status.revision == revision

        await until(is_out, f"revision {revision} of {handle.id}")

    async def builds_of(self, run: str) -> set[str]:
        """The versions that have worked on a run, on its workflow tasks and its activities."""
        seen: set[str] = set()
        async for event in self.client.get_workflow_handle(run).fetch_history_events():
            assert event.event_type != EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED, event
            if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
                done = event.workflow_task_completed_event_attributes
                seen.add(done.deployment_version.build_id)
            if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
                seen.add(event.activity_task_started_event_attributes.worker_version.build_id)
        return seen - {""}


async def until(condition: Any, what: str) -> None:
    """Wait for an asynchronous condition; a refusal counts as not yet."""

    async def holds() -> None:
        while True:
            try:
                if await condition():
                    return
            except Exception as error:
                last.append(error)
            await asyncio.sleep(0.5)

    last: list[Exception] = []
    try:
        await asyncio.wait_for(holds(), 120)
    except TimeoutError:
        raise AssertionError(f"{what} did not come about; {last[-1:]}") from None


@asynccontextmanager
async def upgraded(directory: Path) -> AsyncIterator[Upgraded]:
    plugin = desk_plugin(directory / "home/payloads")
    async with local_server(*SOON_DRAINED, plugins=[plugin]) as client:
        await register_search_attributes(client)
        yield Upgraded(client, directory)


async def test_an_open_week_stays_with_its_version_and_new_weeks_are_the_next_ones(
    tmp_path: Path,
) -> None:
    async with upgraded(tmp_path) as there:

        async def second_is_current() -> bool:
            await asyncio.to_thread(there.make_current, "2.0")
            return True

        async def learning_is_with_the_second() -> bool:
            return "2.0" in await there.builds_of("learning-system")

        with there.workers("1.0"):
            earlier = await there.week(EARLIER)
            with there.workers("2.0"):
                await until(second_is_current, "2.0 as the current version")
                later = await there.week(LATER)
                rerun = there.desk("rerun", "USD/JPY", "--week", EARLIER, "--reason", "the upgrade")
                assert rerun.code == 0, rerun.err
                await there.published(earlier, 2)
                await there.drains("1.0", VersionDrainageStatus.VERSION_DRAINAGE_STATUS_DRAINING)

                again = f"{market_run_id(earlier.id, 'USD/JPY')}/rerun/2"
                for run in (earlier.id, again):
                    assert await there.builds_of(run) == {"1.0"}
                for run in (later.id, market_run_id(later.id, "USD/JPY")):
                    assert await there.builds_of(run) == {"2.0"}

                await until(learning_is_with_the_second, "2.0 told what the week taught")
                await earlier.cancel()
                await there.drains("1.0", VersionDrainageStatus.VERSION_DRAINAGE_STATUS_DRAINED)
                assert there.drainage("1.0") == "drained"
        with there.workers("2.0"):
            rerun = there.desk("rerun", "USD/JPY", "--week", LATER, "--reason", "1.0 is gone")
            assert rerun.code == 0, rerun.err
