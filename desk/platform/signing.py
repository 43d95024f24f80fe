"""The publisher's signing key: Ed25519, in OpenSSL's PEM form."""

import hashlib

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)


class UnusableKey(ValueError):
    """A key cannot be read. The message says what is expected and contains no part of the key."""


class PublisherKey:
    """The public key of a publisher."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        written = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.fingerprint = f"sha256:{hashlib.sha256(written).hexdigest()}"

    def signed(self, message: bytes, signature: bytes) -> bool:
        """Whether a signature is that of the message by this key."""
        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


class SigningKey:
    """The private key of a publisher. Its `repr` contains no part of it."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.fingerprint = PublisherKey(key.public_key()).fingerprint

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message: 64 bytes, the same each time."""
        return self._key.sign(message)


def read_signing_key(pem: str) -> SigningKey:
    """Reads a private key from PEM text without a passphrase.

    Raises:
        UnusableKey: the text is anything else.
    """
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except TypeError:
        raise UnusableKey("the key has a passphrase; allowed: one without") from None
    except (ValueError, UnsupportedAlgorithm):
        raise UnusableKey(f"there is no private key in PEM form; {_MADE_BY}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UnusableKey(f"the key is not of Ed25519; {_MADE_BY}")
    return SigningKey(key)


def read_publisher_key(pem: str) -> PublisherKey:
    """Reads a public key from PEM text.

    Raises:
        UnusableKey: the text is anything else.
    """
    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm):
        raise UnusableKey(f"there is no public key in PEM form; {_PUBLISHED_BY}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UnusableKey("the key is not of Ed25519")
    return PublisherKey(key)


_MADE_BY = "`openssl genpkey -algorithm ed25519 -out publisher.key` makes one"
_PUBLISHED_BY = "`openssl pkey -in publisher.key -pubout -out publisher.pub` writes it"
