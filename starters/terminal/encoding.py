"""Output where the encoding of a terminal, a pipe or a file lacks signs that the desk prints."""

import codecs
from io import TextIOWrapper
from typing import Final, TextIO

PLAIN: Final = {
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{HORIZONTAL ELLIPSIS}": "...",
}
"""Signs in figures or beside them in ASCII: an escape's digits would read as the figure's."""

_HANDLER: Final = "desk-plain"


def print_in_any_encoding(*streams: TextIO | None) -> None:
    """Makes streams write a sign that their encoding lacks in plain ASCII or as an escape, which
    JSON reads as the sign, instead of failing in the middle of the output."""
    codecs.register_error(_HANDLER, _plain)
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    if sign in PLAIN:
        return PLAIN[sign], error.start + 1
    one = UnicodeEncodeError(
        error.encoding, error.object, error.start, error.start + 1, error.reason
    )
    return codecs.backslashreplace_errors(one)
