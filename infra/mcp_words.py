"""What a server said, made fit for a message: short, on one line and without its own secrets."""

from typing import Final
from urllib.parse import unquote_plus

from infra.mcp_config import McpServerSpec
from infra.mcp_expansion import PASSED_ON

LONGEST_MESSAGE: Final = 2_000
HIDDEN: Final = "***"

_LEAST_SECRET = 8
"""Shorter values are words such as `INFO`, which say nothing and stand in many a message."""


def fit_for_a_message(text: str, spec: McpServerSpec | None = None) -> str:
    """One printable line of at most `LONGEST_MESSAGE` characters.

    What the server was given in `env`, `headers` and the query of its `url` is replaced: servers
    repeat a key that they do not accept.
    """
    shown = without_secrets(text, spec)
    line = " ".join(_printable(shown[: 4 * LONGEST_MESSAGE]).split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


def without_secrets(text: str, spec: McpServerSpec | None) -> str:
    """The text with `HIDDEN` in place of what the server was given in secret."""
    for secret in _secrets_of(spec) if spec else ():
        text = text.replace(secret, HIDDEN)
    return text


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _secrets_of(spec: McpServerSpec) -> list[str]:
    """The longest first, so that none is left in part where another is within it."""
    given = [value for name, value in spec.env.items() if name not in PASSED_ON]
    texts = [value.get_secret_value() for value in (*given, *spec.headers.values())]
    texts += [word for value in spec.headers.values() for word in value.get_secret_value().split()]
    texts += _values_in_query(spec.url or "")
    return sorted({text for text in texts if len(text) >= _LEAST_SECRET}, key=len, reverse=True)


def _values_in_query(url: str) -> list[str]:
    """As they are written and as they are meant."""
    written = [part.partition("=")[2] for part in url.partition("?")[2].split("&")]
    return written + [unquote_plus(value) for value in written]
