"""The publisher's signature of a publication, stored in a file next to it."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from desk.contracts.base import Contract

SUFFIX: Final = "sig"
"""The suffix of the signature file, whose name is otherwise that of the JSON file."""

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256."""


class SignedStatement(Contract):
    """The signed content: the seal of a report or an answer, and the digests of its published files
    by suffix. `key` is the fingerprint of the signing key."""

    key: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    seal: Digest
    files: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z]{2,8}$")], Digest], Field(max_length=8)
    ]


class Signature(SignedStatement):
    """A statement with its Ed25519 signature, in Base64: the whole content of its file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signature: Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]{86}==$")]
