"""The publisher's signature of what is published, as it stands in a file beside it."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from desk.contracts.base import Contract

SUFFIX: Final = "sig"
"""Of the file's name, which is otherwise that of the JSON."""

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256."""


class SignedStatement(Contract):
    """What is signed: the seal of a report or an answer, and the digests of the files in which it
    was published, by their suffixes. `key` is the fingerprint of the key that signs."""

    key: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    seal: Digest
    files: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z]{2,8}$")], Digest], Field(max_length=8)
    ]


class Signature(SignedStatement):
    """A statement with its signature by Ed25519, in Base64. Nothing else stands in its file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signature: Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]{86}==$")]
