"""Uploads a revision's files to a bucket, by the S3 protocol."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import (
    BaseError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from desk.contracts.week.delivery import ObjectStoreTarget
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.platform.delivery.deliveries import (
    ACCESS_KEY,
    SECRET_KEY,
    DeliveryFailed,
    DeliverySecrets,
    needed,
    store_words,
)

if TYPE_CHECKING:
    from obstore.store import S3Config

_TYPES = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    SIGNATURE: "application/json",
    "md": "text/markdown; charset=utf-8",
}


async def store_files(
    target: ObjectStoreTarget,
    files: Mapping[str, bytes],
    secrets: DeliverySecrets,
    timeout_seconds: float,
) -> str:
    """Uploads every file under its key. Returns, in words, where they are. Each is uploaded whole
    or not at all, and repeating the upload gives the same result.

    Raises:
        DeliveryFailed: a file could not be uploaded.
    """
    store = _store(target, secrets, timeout_seconds)
    try:
        async with asyncio.timeout(timeout_seconds):
            for key, content in files.items():
                kind = _TYPES[key.rpartition(".")[2]]
                attributes = {"Content-Type": kind}
                await obstore.put_async(
                    store, key, content, attributes=attributes, use_multipart=False
                )
    except TimeoutError:
        raise DeliveryFailed(f"{_of(target)} did not take the files in time") from None
    except (NotFoundError, FileNotFoundError):
        raise DeliveryFailed(f"{_of(target)} does not exist", permanent=True) from None
    except (PermissionDeniedError, UnauthenticatedError):
        words = f"{_of(target)} refuses the key in {ACCESS_KEY} and {SECRET_KEY}"
        raise DeliveryFailed(words, permanent=True) from None
    except BaseError as error:
        raise DeliveryFailed(
            f"{_of(target)} did not take the files: {store_words(error)}"
        ) from None
    return f"{len(files)} files in {_of(target)}"


def _store(target: ObjectStoreTarget, secrets: DeliverySecrets, timeout_seconds: float) -> S3Store:
    config: S3Config = {
        "access_key_id": needed(secrets.access_key, ACCESS_KEY),
        "secret_access_key": needed(secrets.secret_key, SECRET_KEY),
        "region": target.region,
    }
    if secrets.session_token is not None:
        config["session_token"] = secrets.session_token.get_secret_value()
    if target.endpoint is not None:
        config["endpoint"] = target.endpoint
    return S3Store(
        target.bucket,
        config=config,
        client_options={
            "timeout": timedelta(seconds=timeout_seconds),
            "allow_http": (target.endpoint or "").startswith("http://"),
        },
        # Retries are Temporal's.
        retry_config={"max_retries": 0},
    )


def _of(target: ObjectStoreTarget) -> str:
    return f"the bucket {target.bucket}"
