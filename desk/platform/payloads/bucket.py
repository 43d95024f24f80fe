"""Stores large payloads in an S3 bucket, for workers that share no folder."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store
from temporalio.contrib.aws.s3driver import S3StorageDriver, S3StorageDriverClient

from desk.platform.settings.store import StoreSettings

if TYPE_CHECKING:
    from obstore.store import S3Config

DRIVER: Final = "desk-bucket"
"""The store's name in the histories that refer to it. It must never change."""

TIMEOUT: Final = timedelta(seconds=20)
LARGEST: Final = 64 * 1024 * 1024
FOLDER: Final = "payloads"
TRIED: Final = "doctor"
"""The key of the object that `desk doctor` writes to test a bucket."""


def opened(store: StoreSettings, bucket: str | None = None) -> S3Store:
    """Opens a bucket, by default the one of the settings, with their credentials: keys, or the
    identity that the platform gives a workload."""
    config: S3Config = {"region": store.region, **store.credentials}  # type: ignore[typeddict-item]
    if store.endpoint is not None:
        config["endpoint"] = store.endpoint
    return S3Store(
        bucket or store.bucket,
        config=config,
        client_options={
            "timeout": TIMEOUT,
            "allow_http": (store.endpoint or "").startswith("http://"),
        },
        # Retries are Temporal's.
        retry_config={"max_retries": 0},
    )


def fault_of(store: StoreSettings) -> str | None:
    """Writes a small object into the bucket and reads it back. Returns None if that works, else the
    reason why it does not."""
    key = "/".join(part for part in (store.prefix, TRIED) if part)
    bucket = opened(store)
    try:
        obstore.put(bucket, key, b"desk", use_multipart=False)
        obstore.get(bucket, key).bytes()
    except (BaseError, OSError) as error:
        return " ".join(str(error).split("\n")[0].split())[:300]
    return None


def bucket_driver(store: StoreSettings) -> S3StorageDriver:
    """The driver that stores payloads in the bucket, each under its SHA-256, and reads them
    back."""
    return S3StorageDriver(
        _BucketClient(store), store.bucket, driver_name=DRIVER, max_payload_size=LARGEST
    )


class _BucketClient(S3StorageDriverClient):
    """The SDK's bucket client, implemented with obstore, which the desk also delivers reports
    with."""

    def __init__(self, store: StoreSettings) -> None:
        self._settings = store
        self._opened: dict[str, S3Store] = {}

    async def put_object(self, *, bucket: str, key: str, data: bytes) -> None:
        """See base class."""
        await obstore.put_async(self._in(bucket), self._key(key), data, use_multipart=False)

    async def object_exists(self, *, bucket: str, key: str) -> bool:
        """See base class. Always False, so that a payload stored again is written again: an
        object's age is then that of its last use, and a rule of the bucket may delete old ones."""
        return False

    async def get_object(self, *, bucket: str, key: str) -> bytes:
        """See base class."""
        found = await obstore.get_async(self._in(bucket), self._key(key))
        return bytes(await found.bytes_async())

    def describe(self) -> Mapping[str, str]:
        """See base class."""
        return {"endpoint": self._settings.endpoint or "Amazon S3"}

    def _in(self, bucket: str) -> S3Store:
        if bucket not in self._opened:
            self._opened[bucket] = opened(self._settings, bucket)
        return self._opened[bucket]

    def _key(self, key: str) -> str:
        return "/".join(part for part in (self._settings.prefix, FOLDER, key) if part)
