"""Payloads on disk."""

from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from infra.payload_store import DirectoryStore

STORING, RETRIEVING = StorageDriverStoreContext(), StorageDriverRetrieveContext()


async def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    payloads = [Payload(data=b"x" * 100_000), Payload(metadata={"encoding": b"json/plain"})]
    store = DirectoryStore(tmp_path)
    claims = await store.store(STORING, payloads)
    assert await DirectoryStore(tmp_path).retrieve(RETRIEVING, claims) == payloads


async def test_the_same_payload_is_kept_once(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    payload = Payload(data=b"the same")
    first, second = await store.store(STORING, [payload, payload])
    assert first == second
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


async def test_a_missing_payload_is_an_error(tmp_path: Path) -> None:
    claim = StorageDriverClaim(claim_data={"sha256": "0" * 64})
    with pytest.raises(FileNotFoundError):
        await DirectoryStore(tmp_path).retrieve(RETRIEVING, [claim])
