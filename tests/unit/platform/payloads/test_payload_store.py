"""Payloads on disk."""

from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from desk.platform.payloads.codec import DamagedPayload, DirectoryStore

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


async def test_a_file_that_was_damaged_is_an_error_that_names_it(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    claims = await store.store(STORING, [Payload(data=b"x" * 1_000)])
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes()[:-1] + b"y")
    with pytest.raises(DamagedPayload, match=path.name):
        await store.retrieve(RETRIEVING, claims)


@pytest.mark.parametrize(
    "claim", [{"sha256": "../../etc/passwd"}, {"sha256": "0" * 63}, {"sha256": "0" * 65}, {}]
)
async def test_a_claim_that_names_no_digest_is_an_error(
    tmp_path: Path, claim: dict[str, str]
) -> None:
    with pytest.raises(DamagedPayload, match="no SHA-256"):
        await DirectoryStore(tmp_path).retrieve(RETRIEVING, [StorageDriverClaim(claim_data=claim)])
