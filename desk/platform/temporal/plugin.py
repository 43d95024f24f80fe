"""The one plugin that makes client, worker and replayer agree."""

from pathlib import Path

import pydantic
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import DataConverter, ExternalStorage, PayloadCodec
from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkflowRunner

from desk.platform.payloads.codec import CompressingCodec
from desk.platform.payloads.keys import Keyring
from desk.platform.payloads.store import INLINE_LIMIT, DirectoryStore
from desk.platform.temporal.context_free import ContextFreeConverter
from desk.platform.temporal.sandbox import workflow_runner


def data_converter(payload_dir: Path, keys: Keyring | None = None) -> DataConverter:
    """Pydantic models as JSON, packed when large, encrypted where there are keys; what is still
    over the limit goes to disk. Answers to queries stay plain JSON unless there are keys."""
    packing = CompressingCodec()
    return ContextFreeConverter(
        payload_converter_class=PydanticPayloadConverter,
        payload_codec=packing if keys is None else _encrypting(packing, keys),
        external_storage=ExternalStorage(
            drivers=[DirectoryStore(payload_dir)], payload_size_threshold=INLINE_LIMIT
        ),
    )


def _encrypting(packing: PayloadCodec, keys: Keyring) -> PayloadCodec:
    # A process without keys need not load what encrypts.
    from desk.platform.payloads.encryption import EncryptingCodec

    return EncryptingCodec(packing, keys)


def desk_plugin(payload_dir: Path, keys: Keyring | None = None) -> SimplePlugin:
    """Data converter, sandbox and failure types, for `Client.connect` and `Replayer`.

    A validation error in workflow code fails the run: by default Temporal would retry the
    workflow task for ever, and the run would hang.
    """

    def runner(_: WorkflowRunner | None) -> WorkflowRunner:
        return workflow_runner()

    return SimplePlugin(
        "research-desk",
        data_converter=data_converter(payload_dir, keys),
        workflow_runner=runner,
        workflow_failure_exception_types=[pydantic.ValidationError],
    )
