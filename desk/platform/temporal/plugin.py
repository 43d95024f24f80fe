"""The plugin that gives client, worker and replayer the same configuration."""

from pathlib import Path

import pydantic
from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkflowRunner

from desk.platform.settings.payload_keys import Keyring
from desk.platform.settings.store import StoreSettings
from desk.platform.temporal.conversion import data_converter
from desk.platform.temporal.sandbox import ContextFreeRunner, workflow_runner


def desk_plugin(
    payload_dir: Path, keys: Keyring | None = None, store: StoreSettings | None = None
) -> SimplePlugin:
    """The data converter, sandbox and failure types, for `Client.connect` and `Replayer`.

    A validation error in workflow code fails the run. By default Temporal would retry the workflow
    task for ever, and the run would hang.
    """

    def runner(given: WorkflowRunner | None) -> WorkflowRunner:
        return given if isinstance(given, ContextFreeRunner) else workflow_runner()

    return SimplePlugin(
        "research-desk",
        data_converter=data_converter(payload_dir, keys, store),
        workflow_runner=runner,
        workflow_failure_exception_types=[pydantic.ValidationError],
    )
