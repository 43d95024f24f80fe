"""Large payloads on disk instead of in history: Temporal's external storage in a directory."""

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from desk.platform.effects.disk_space import naming_space
from desk.platform.payloads.codec import DamagedPayload

INLINE_LIMIT = 64 * 1024
"""Payloads up to this many bytes stay in history, where they can be read in the Temporal UI."""

_SHA256 = re.compile("[0-9a-f]{64}")


class DirectoryStore(StorageDriver):
    """Stores each payload under its SHA-256, so that storing one twice leaves one file.

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
            # Its age is that of its last use, so that old payloads can be told from needed ones.
            os.utime(path)
        else:
            with naming_space(self._directory):
                path.parent.mkdir(parents=True, exist_ok=True)
                self._write(path, content)
        return StorageDriverClaim(claim_data={"sha256": digest})

    def _path(self, digest: str) -> Path:
        return self._directory / digest[:2] / digest

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        """A reader sees the whole file or none, whichever process is killed and when."""
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
