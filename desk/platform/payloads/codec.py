"""Compresses large payloads, so that histories stay small, and stores the largest on disk
instead."""

import hashlib
import os
import re
import tempfile
import zlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    PayloadCodec,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from desk.platform.files import explaining_full_disk

SMALLEST = 1_280
"""Payloads below this many bytes are not compressed, so that the Temporal UI and `temporal` can
show them."""

LARGEST = 64 * 1024 * 1024
"""A payload of more bytes than this is neither compressed nor decompressed."""

ANSWER = "desk-answer"
"""Marks a payload as the answer to a query, in its metadata, until it leaves the worker. Such an
answer is in no history. Clients other than the desk's, such as `temporal`, have no codec, so it is
not compressed."""

LARGEST_ANSWER = 2**20
"""Up to this many bytes a query's answer is not compressed. The server refuses one of 2 MB."""

ENCODING = b"binary/zlib"
LEVEL, FASTEST = 6, 1
"""Level 6 compresses to 86 % of the size that level 1 does, for half a millisecond more a
market."""

LONG = 320 * 1024
"""Above this many bytes, such as a long transcript, a payload is compressed at the fastest level:
it is stored on disk in any case, and at level 6 the worker would block four times as long."""


@cache
def dictionary() -> bytes:
    """The preset dictionary of the compression (RFC 1950, FDICT): the payloads of one market's
    week, with lists cut to three entries. Field names and the descriptions of sources are then not
    compressed again. It reduces the history of a market from 59 to 47 kB.

    Histories compressed with it need it to be decompressed: it must never change.
    """
    return files(__package__).joinpath("dictionary.txt").read_bytes()


class DamagedPayload(ValueError):
    """A payload differs from what was stored. The message says which one and why."""


class CompressingCodec(PayloadCodec):
    """Compresses JSON to about a fifth. Decodes its own payloads and passes all others through."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class."""
        return [_packed(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class.

        Raises:
            DamagedPayload: a compressed payload cannot be decompressed.
        """
        return [unpacked(payload) for payload in payloads]


def _packed(payload: Payload) -> Payload:
    if ANSWER in payload.metadata and payload.ByteSize() <= LARGEST_ANSWER:
        return payload
    size = payload.ByteSize()
    if len(payload.data) < SMALLEST or size > LARGEST:
        return payload
    packing = zlib.compressobj(LEVEL if size <= LONG else FASTEST, zdict=dictionary())
    data = packing.compress(payload.SerializeToString()) + packing.flush()
    return Payload(metadata={"encoding": ENCODING}, data=data)


def unpacked(payload: Payload, at_most: int = LARGEST) -> Payload:
    """Returns the decompressed payload, or any other payload unchanged. `at_most` limits the
    result, in bytes.

    Raises:
        DamagedPayload: the payload is damaged, or larger than allowed.
    """
    if payload.metadata.get("encoding") != ENCODING:
        return payload
    # Payloads that an earlier version compressed without it do not ask for it.
    unpacking = zlib.decompressobj(zdict=dictionary())
    try:
        # One byte more than allowed; zero would mean no limit.
        content = unpacking.decompress(payload.data, max(at_most, 0) + 1)
        if len(content) > at_most:
            raise DamagedPayload(f"a packed payload holds more than {at_most} bytes")
        if not unpacking.eof:
            raise DamagedPayload("a packed payload is cut short")
        return Payload.FromString(content)
    except (zlib.error, DecodeError) as error:
        raise DamagedPayload(f"a packed payload cannot be unpacked: {error}") from error


INLINE_LIMIT = 64 * 1024
"""Payloads up to this many bytes stay in the history, where the Temporal UI can show them."""

_SHA256 = re.compile("[0-9a-f]{64}")


class DirectoryStore(StorageDriver):
    """Stores each payload under its SHA-256, so that storing it twice leaves one file.

    Every process that reads or replays a history needs the same directory.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def name(self) -> str:
        """See base class."""
        return "desk-directory"

    async def store(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """See base class."""
        return [self._store(payload.SerializeToString()) for payload in payloads]

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """See base class.

        Raises:
            FileNotFoundError: the payload is not in this directory.
            DamagedPayload: its file holds something else, or the claim names no SHA-256.
        """
        return [self._retrieve(claim.claim_data.get("sha256", "")) for claim in claims]

    def _retrieve(self, digest: str) -> Payload:
        if not _SHA256.fullmatch(digest):
            raise DamagedPayload(f"a stored payload is named by '{digest}', which is no SHA-256")
        path = self._path(digest)
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise DamagedPayload(f"{path} is damaged: its content does not match its name")
        return Payload.FromString(content)

    def _store(self, content: bytes) -> StorageDriverClaim:
        digest = hashlib.sha256(content).hexdigest()
        path = self._path(digest)
        if path.exists():
            # The file's age is that of its last use, so that unused payloads can be found.
            os.utime(path)
        else:
            with explaining_full_disk(self._directory):
                path.parent.mkdir(parents=True, exist_ok=True)
                self._write(path, content)
        return StorageDriverClaim(claim_data={"sha256": digest})

    def _path(self, digest: str) -> Path:
        return self._directory / digest[:2] / digest

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        """Writes the file atomically: a reader sees the whole file or none, even if a process is
        killed."""
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".incoming-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
