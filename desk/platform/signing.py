"""The publisher's key: Ed25519, as OpenSSL writes it."""

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
    """A key cannot be read. The message says what is expected; it holds nothing of the key."""


class PublisherKey:
    """A public key."""

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
    """A private key. Nothing of it is in its `repr`."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.fingerprint = PublisherKey(key.public_key()).fingerprint

    def sign(self, message: bytes) -> bytes:
        """The signature of a message: 64 bytes, always the same."""
        return self._key.sign(message)


def read_signing_key(pem: str) -> SigningKey:
    """The private key of a PEM text without a passphrase.

    Raises:
        UnusableKey: it is something else.
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
    """The public key of a PEM text.

    Raises:
        UnusableKey: it is something else.
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
