"""A publisher's signature: the signed statement, and the form of its file."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Final, Protocol

from desk.contracts.week.signature import Signature, SignedStatement

_PURPOSE: Final = b"research-desk signature 1\n"
"""Part of every signed message, so that no other signature by the key can be used as one of a
report."""


class Signer(Protocol):
    """A private key. The same message always has the same signature."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the public key: `sha256:` and 64 hexadecimal digits."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message: 64 bytes."""
        ...


def signature_file(signer: Signer, seal: str, files: Mapping[str, str]) -> str:
    """Returns the text of the signature file for the files published under a seal.

    Args:
        signer: The publisher's key.
        seal: The seal of the report or the answer.
        files: The text of each published file by its suffix.
    """
    digests = {suffix: digest_of(text) for suffix, text in sorted(files.items())}
    statement = SignedStatement(key=signer.fingerprint, seal=seal, files=digests)
    signature = b64encode(signer.sign(signed_bytes(statement))).decode()
    return Signature(**statement.model_dump(), signature=signature).model_dump_json(indent=2) + "\n"


def signed_bytes(statement: SignedStatement) -> bytes:
    """Returns the bytes of a statement that are signed."""
    return (
        _PURPOSE
        + SignedStatement.model_dump_json(
            SignedStatement(
                key=statement.key, seal=statement.seal, files=dict(sorted(statement.files.items()))
            )
        ).encode()
    )


def digest_of(text: str) -> str:
    """Returns the SHA-256 of a published file's text."""
    return hashlib.sha256(text.encode()).hexdigest()
