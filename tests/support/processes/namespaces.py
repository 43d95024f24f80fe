"""A Temporal server for many tests, each of which has a namespace of its own there.

A namespace takes a twentieth of the processor time of a server. Its runs, schedules, queues and
search attributes are nobody else's, so that what a test leaves open is in no other's way.
"""

import uuid
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client

from desk.platform.settings import Settings
from desk.platform.temporal.plugin import desk_plugin
from tests.support.processes.homes import home_settings
from tests.support.runs.desk import register_search_attributes

KEPT_SECONDS = 90 * 86_400


@dataclass(frozen=True)
class Namespace:
    """Where it is."""

    address: str
    name: str

    async def client(self, folder: Path, identity: str | None = None) -> Client:
        """A client with the desk's plugin, whose large payloads are in a folder."""
        return await Client.connect(
            self.address,
            namespace=self.name,
            identity=identity,
            plugins=[desk_plugin(folder / "payloads")],
        )

    def settings(self, directory: Path, **extra: str) -> Settings:
        """The settings of a desk in a directory, which finds the namespace at a server that it does
        not host."""
        at = {"TEMPORAL_ADDRESS": self.address, "TEMPORAL_NAMESPACE": self.name}
        return home_settings(directory, **at, **extra)


async def new_namespace(server: Client) -> Namespace:
    """A namespace that has the desk's search attributes, and nothing else."""
    name = f"test-{uuid.uuid4().hex}"
    await server.workflow_service.register_namespace(
        RegisterNamespaceRequest(
            namespace=name, workflow_execution_retention_period=Duration(seconds=KEPT_SECONDS)
        )
    )
    address = server.service_client.config.target_host
    await register_search_attributes(await Client.connect(address, namespace=name))
    return Namespace(address, name)
