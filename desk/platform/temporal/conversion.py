"""How payloads are converted: by client, worker and replayer alike."""

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
    """A data converter that is the same wherever it is used."""

    def _with_store_context(self, store_ctx: StorageDriverStoreContext) -> DataConverter:
        """See base class: there, a copy whose store knows for whom it stores."""
        return self

    async def _external_store_payload_sequence(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class. An answer that the codec left as it is stays so, and loses its mark:
        `temporal` shows only payloads as text that have no metadata but their encoding."""
        if not any(ANSWER in payload.metadata for payload in payloads):
            return await super()._external_store_payload_sequence(payloads)
        for payload in payloads:
            payload.metadata.pop(ANSWER, None)
        return list(payloads)


def data_converter(
    payload_dir: Path, keys: Keyring | None = None, store: StoreSettings | None = None
) -> DataConverter:
    """Pydantic models as JSON, packed when large, encrypted where there are keys; what is still
    over the limit goes to the store where there is one, else to disk. Answers to queries stay plain
    JSON unless there are keys."""
    packing = CompressingCodec()
    return ContextFreeConverter(
        payload_converter_class=PydanticPayloadConverter,
        payload_codec=packing if keys is None else _encrypting(packing, keys),
        external_storage=_external(DirectoryStore(payload_dir), store),
    )


def _external(directory: DirectoryStore, store: StoreSettings | None) -> ExternalStorage:
    """Where there is a store the directory is still read: it has what is older than the store."""
    if store is None:
        return ExternalStorage(drivers=[directory], payload_size_threshold=INLINE_LIMIT)
    # Needs an extra, and most desks share a folder or are one process.
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
    # A process without keys need not load what encrypts.
    from desk.platform.payloads.encryption import EncryptingCodec

    return EncryptingCodec(packing, keys)
