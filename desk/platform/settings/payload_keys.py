"""The encryption keys of payloads: one for new payloads, others for older ones."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

KEY_BYTES: Final = 32
"""AES-256."""

_LINE: Final = re.compile(r"([\w.-]{1,64}):(\S+)", re.ASCII)


class UnusableKeys(ValueError):
    """The keys cannot be read. The message says which is wrong and how keys are written, and
    contains no part of a key."""


@dataclass(frozen=True)
class Keyring:
    """Keys by their ids. `current` encrypts; all of them decrypt."""

    current: str
    keys: Mapping[str, bytes] = field(repr=False)


def read_keys(text: str) -> Keyring:
    """Parses keys written as `id:base64`, separated by white space or commas. The first is the
    current one. Lines that begin with # are comments.

    Raises:
        UnusableKeys: there is no key, two have the same id, or one is not base64 of 32 bytes.
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    keys: dict[str, bytes] = {}
    for number, word in enumerate(" ".join(lines).replace(",", " ").split(), start=1):
        match = _LINE.fullmatch(word)
        if match is None:
            raise UnusableKeys(f"key {number} is not written as id:base64, such as {_EXAMPLE}")
        name, key = match[1], _key(match[2], match[1])
        if name in keys:
            raise UnusableKeys(f"two keys have the id {name}: give the newer one another")
        keys[name] = key
    if not keys:
        raise UnusableKeys(f"there is no key: write one as {_EXAMPLE}")
    return Keyring(next(iter(keys)), keys)


_EXAMPLE: Final = '2026-11:"$(openssl rand -base64 32)"'


def _key(written: str, name: str) -> bytes:
    try:
        key = b64decode(written, validate=True)
    except NotBase64:
        raise UnusableKeys(f"the key {name} is no base64: write it as {_EXAMPLE}") from None
    if len(key) != KEY_BYTES:
        raise UnusableKeys(f"the key {name} has {len(key)} bytes, not {KEY_BYTES}: see {_EXAMPLE}")
    return key
