"""Converts payloads, in the same way for client, worker and replayer."""

from collections.abc import Sequence
from pathlib import Path

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    DataConverter,
    ExternalStorage,
    PayloadCodec,
    StorageDriverStoreContext,
)

from desk.platform.payloads.codec import ANSWER, INLINE_LIMIT, CompressingCodec, DirectoryStore
from desk.platform.settings import SettingsError
from desk.platform.settings.payload_keys import Keyring
from desk.platform.settings.store import VARIABLE, StoreSettings


class ContextFreeConverter(DataConverter):
    """A data converter that behaves in the same way for every payload, whatever it belongs to."""

    def _with_store_context(self, store_ctx: StorageDriverStoreContext) -> DataConverter:
        """See base class, which returns a copy whose store knows the workflow or activity it stores
        for."""
        return self

    async def _external_store_payload_sequence(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class. A query's answer is not stored externally, and loses its mark: `temporal`
        shows a payload as text only if it has no metadata but its encoding."""
        if not any(ANSWER in payload.metadata for payload in payloads):
            return await super()._external_store_payload_sequence(payloads)
        for payload in payloads:
            payload.metadata.pop(ANSWER, None)
        return list(payloads)


def data_converter(
    payload_dir: Path, keys: Keyring | None = None, store: StoreSettings | None = None
) -> DataConverter:
    """Converts Pydantic models to JSON, compressed when large, and encrypted if there are keys.
    Payloads still over the limit go to the store if there is one, else to disk. Answers to queries
    stay plain JSON unless there are keys."""
    packing = CompressingCodec()
    return ContextFreeConverter(
        payload_converter_class=PydanticPayloadConverter,
        payload_codec=packing if keys is None else _encrypting(packing, keys),
        external_storage=_external(DirectoryStore(payload_dir), store),
    )


def _external(directory: DirectoryStore, store: StoreSettings | None) -> ExternalStorage:
    """The external storage. With a store the directory is still read, for payloads older than the
    store."""
    if store is None:
        return ExternalStorage(drivers=[directory], payload_size_threshold=INLINE_LIMIT)
    # Imported here because it needs an extra: most desks share a folder or are one process.
    try:
        from desk.platform.payloads.bucket import bucket_driver
    except ImportError:
        raise SettingsError(f"{VARIABLE} needs what `make install-deliver` installs") from None
    bucket = bucket_driver(store)
    return ExternalStorage(
        drivers=[bucket, directory],
        driver_selector=lambda _context, _payload: bucket,
        payload_size_threshold=INLINE_LIMIT,
    )


def _encrypting(packing: PayloadCodec, keys: Keyring) -> PayloadCodec:
    # Imported here, so that a process without keys does not load the cipher.
    from desk.platform.payloads.encryption import EncryptingCodec

    return EncryptingCodec(packing, keys)
