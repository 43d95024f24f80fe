"""What a server said, made fit for a message: short, on one line and without secrets."""

from typing import Final

from desk.platform.telemetry.redaction import NOTHING_SECRET, Redaction

LONGEST_MESSAGE: Final = 2_000


def fit_for_a_message(text: str, redaction: Redaction = NOTHING_SECRET) -> str:
    """One printable line of at most `LONGEST_MESSAGE` characters, without secrets: servers repeat
    a key that they do not accept."""
    shown = redaction.text(text)
    line = " ".join(_printable(shown[: 4 * LONGEST_MESSAGE]).split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
