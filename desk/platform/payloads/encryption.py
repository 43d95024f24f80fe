"""Encrypts payloads with AES-GCM, so that the server and the store hold nothing readable."""

import os
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from desk.platform.payloads.codec import DamagedPayload
from desk.platform.settings.payload_keys import Keyring

ENCODING: Final = b"binary/encrypted"
KEY_ID: Final = "encryption-key-id"
NONCE_BYTES: Final = 12


class UnknownKey(ValueError):
    """A payload is encrypted with a key that this process does not have. The message names the
    key's id and says what to do."""


class EncryptingCodec(PayloadCodec):
    """Encrypts the output of an inner codec with the current key, and decrypts with whichever key a
    payload names. Passes unencrypted payloads through, so that runs from before encryption
    continue.

    The key's id is authenticated with the content. Each payload has its own random nonce: for up to
    2^32 payloads a key, the chance that two nonces are equal stays below 2^-32.
    """

    def __init__(self, inner: PayloadCodec, keys: Keyring) -> None:
        self._inner = inner
        self._current = keys.current
        self._ciphers = {name: AESGCM(key) for name, key in keys.keys.items()}

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class."""
        return [self._encrypted(payload) for payload in await self._inner.encode(payloads)]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class.

        Raises:
            UnknownKey: a payload is encrypted with a key that is not here.
            DamagedPayload: an encrypted payload was changed.
        """
        return await self._inner.decode([self.decrypted(payload) for payload in payloads])

    def _encrypted(self, payload: Payload) -> Payload:
        name, nonce = self._current.encode(), os.urandom(NONCE_BYTES)
        sealed = self._ciphers[self._current].encrypt(nonce, payload.SerializeToString(), name)
        return Payload(metadata={"encoding": ENCODING, KEY_ID: name}, data=nonce + sealed)

    def decrypted(self, payload: Payload) -> Payload:
        """Returns the decrypted payload, or any other payload unchanged. Raises as `decode`."""
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        name = payload.metadata.get(KEY_ID, b"")
        cipher = self._ciphers.get(name.decode(errors="replace"))
        if cipher is None:
            raise UnknownKey(
                f"a payload is encrypted with the key {name.decode(errors='replace')!r}, which is"
                " not here: add it to DESK_PAYLOAD_KEYS or the key file, behind the current one"
            )
        nonce, sealed = payload.data[:NONCE_BYTES], payload.data[NONCE_BYTES:]
        try:
            return Payload.FromString(cipher.decrypt(nonce, sealed, name))
        except InvalidTag:
            raise DamagedPayload(
                "an encrypted payload was changed, or its key is not the one of that id"
            ) from None
