"""Removes secrets from the answers of a source before any of it is stored.

Secrets are the desk's own keys and passwords, and from a server's entry in `.mcp.json` the values
of `env` and `headers` and the credentials in its `url`. Not every such value is a secret. Values
shorter than `SHORTEST` characters, single words, numbers, days and versions occur in answers
anyway. An address or a folder is a location, and only the credentials within an address count. If a
value's name does not indicate a key, a password or the like, several words are not a secret either.
"""

import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from binascii import Error as NoBase64
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from pydantic import JsonValue, SecretStr
from pydantic_core import to_json

from desk.platform.delivery.deliveries import DeliverySecrets
from desk.platform.settings import Settings
from desk.platform.settings.mcp_json import PASSED_ON, McpServerSpec
from desk.platform.telemetry.otlp import otlp_headers

HIDDEN: Final = "***"
SHORTEST: Final = 6
SHORTEST_UNNAMED: Final = 8
"""For a value whose name does not indicate a secret."""

_FEW_DIGITS: Final = 10
_GENERATED: Final = 16
"""The fewest characters of a part of an address's path that is a generated key and not a name."""

_SPEAKS_OF_SECRETS: Final = frozenset(
    {"KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PWD", "PASSPHRASE", "PAT"}
    | {"AUTH", "AUTHORIZATION", "CREDENTIAL", "CREDENTIALS", "COOKIE", "BEARER", "LOGIN"}
)
_WORD: Final = r"(?:[A-Z]?[a-z]{1,10}|[A-Z]{1,11})"
_ONE_WORD: Final = re.compile(_WORD)
_WORDS: Final = re.compile(rf"{_WORD}(?:[ ._/,:;-]+{_WORD})*")
_NUMBER: Final = re.compile(r"[\d.,:/+ TZ-]+")
_BETWEEN: Final = re.compile(r"[\s;=,]+")


class Redaction:
    """Replaces secrets in any of their forms: plain, escaped in JSON, URL-encoded, or in Base64
    with whatever surrounds them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._pattern = re.compile("|".join(map(re.escape, self._forms)))

    def text(self, text: str) -> str:
        """The text with every secret replaced by `HIDDEN`."""
        return self._pattern.sub(HIDDEN, text) if self._is_in(text) else text

    def value(self, value: JsonValue) -> JsonValue:
        """Redacts every text in a value, field names included, and numbers."""
        # Nearly every answer contains none, and answers can be long.
        return self._redacted(value) if self._is_in(to_json(value).decode()) else value

    def _is_in(self, text: str) -> bool:
        return any(form in text for form in self._forms)

    def _redacted(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._redacted(each) for each in value]
        if isinstance(value, dict):
            return {self.text(name): self._redacted(each) for name, each in value.items()}
        if isinstance(value, int | float) and self._is_in(str(value)):
            return HIDDEN
        return value


NO_SECRETS: Final = Redaction(())


def redaction_for(spec: McpServerSpec, own: Iterable[SecretStr] = ()) -> Redaction:
    """The redaction for a server's answers: its own secrets and those of the desk."""
    return Redaction({*_of_the_desk(own), *_of_the_server(spec)})


def _of_the_desk(secrets: Iterable[SecretStr]) -> Iterator[str]:
    for secret in secrets:
        value = secret.get_secret_value()
        yield from (each for each in (value, *_in_address(value)) if _counts(each, named=True))


def _of_the_server(spec: McpServerSpec) -> Iterator[str]:
    for name, secret in spec.env.items():
        if name not in PASSED_ON:
            yield from _in_value(secret.get_secret_value(), named=_speaks_of_secrets(name))
    for secret in spec.headers.values():
        header = secret.get_secret_value()
        words = (header, *_BETWEEN.split(header))
        yield from (word for word in words if _counts(word, named=True))
        yield from (word for word in _in_basic(header) if _counts(word, named=True))
    yield from _in_address(spec.url or "")


def _in_value(value: str, *, named: bool) -> Iterator[str]:
    if _is_address(value):
        yield from _in_address(value)
    elif _counts(value, named=named) and not _is_place(value):
        yield value


def _counts(value: str, *, named: bool) -> bool:
    """Whether a value is a secret, and not one that occurs in answers anyway."""
    if len(value) < (SHORTEST if named else SHORTEST_UNNAMED):
        return False
    if _NUMBER.fullmatch(value) and sum(map(str.isdigit, value)) < _FEW_DIGITS:
        return False
    return not (_ONE_WORD if named else _WORDS).fullmatch(value)


def _speaks_of_secrets(name: str) -> bool:
    return not _SPEAKS_OF_SECRETS.isdisjoint(re.split(r"[^A-Z]+", name.upper()))


def _is_address(value: str) -> bool:
    try:
        return bool(urlsplit(value).scheme and urlsplit(value).netloc)
    except ValueError:
        return False


def _is_place(value: str) -> bool:
    try:
        return value.startswith(("/", "~")) and Path(value).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _in_address(url: str) -> Iterator[str]:
    """The credentials in an address: user name and password, the values of its query, and parts of
    its path that look generated."""
    if not _is_address(url):
        return
    parts = urlsplit(url)
    asked = [value for _, value in parse_qsl(f"{parts.query}&{parts.fragment}")]
    written = [pair.partition("=")[2] for pair in parts.query.split("&")]
    given = (parts.username, parts.password, *asked, *written)
    yield from (
        v for value in given if value for v in (value, unquote(value)) if _counts(v, named=True)
    )
    yield from (part for part in parts.path.split("/") if _is_generated(part))


def _is_generated(part: str) -> bool:
    mixed = any(map(str.isdigit, part)) and any(map(str.isalpha, part))
    return mixed and len(part) >= _GENERATED


def _in_basic(header: str) -> Iterator[str]:
    """The user name and password of HTTP basic authentication."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return
    try:
        yield from b64decode(encoded).decode().split(":", 1)
    except (NoBase64, ValueError):
        return


def _forms(secret: str) -> Iterator[str]:
    yield secret
    for escaped in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        yield escaped[1:-1]
        yield json.dumps(escaped[1:-1])[1:-1]
    for encoded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    yield from _in_base64(secret.encode())


def _in_base64(secret: bytes) -> Iterator[str]:
    """The characters that encode only the secret, for each of the three positions at which it can
    begin in the encoded bytes."""
    for before in range(3):
        whole = bytes(before) + secret
        first, last = (8 * before + 5) // 6, 8 * len(whole) // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(whole).decode()[first:last]


def configured_secrets(settings: Settings) -> tuple[SecretStr, ...]:
    """Every secret among the settings, those of the deliveries, and those sent with metrics and
    traces."""
    named = (settings, DeliverySecrets.of(settings.variables))
    secrets = [value for model in named for _, value in model if isinstance(value, SecretStr)]
    if settings.store is not None:
        secrets += map(SecretStr, settings.store.credentials.values())
    return (*secrets, *map(SecretStr, otlp_headers(settings.variables).values()))
