"""Makes text from outside harmless: plain words of limited length."""

import html
import re
import unicodedata

from desk.analytics.names.shortening import shortened

LONGEST_READ = 50_000
"""The most characters of a field that are read. The rest is dropped."""

_MOST_PASSES = 4
_ACTIVE = re.compile(
    r"<(script|style|iframe|object)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BREAK = re.compile(r"</?(?:p|div|br|hr|li|ul|ol|tr|td|h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z!?/][^<>]*>")
_OPENS_A_TAG = re.compile(r"(?<!<)<++(?=[a-zA-Z!?/])")
_UNSEEN = frozenset({"Cf", "Cs", "Co", "Cn"})


def plain_text(markup: str, longest: int) -> str:
    """The words of a field without markup, control and invisible characters, on one line.

    At most `longest` characters, the last an ellipsis if words were cut off. Removes markup that
    was escaped several times, so that no tag is left for the next reader.
    """
    text = markup[:LONGEST_READ]
    for _ in range(_MOST_PASSES):
        stripped = html.unescape(_without_tags(_visible(text)))
        if stripped == text:
            break
        text = stripped
    words = " ".join(_OPENS_A_TAG.sub("", _visible(text)).split())
    return shortened(words, longest)


def _without_tags(text: str) -> str:
    return _TAG.sub("", _BREAK.sub(" ", _COMMENT.sub(" ", _ACTIVE.sub(" ", text))))


def _visible(text: str) -> str:
    """Removes invisible characters: format characters can hide words or reverse their order."""
    visible = []
    for character in text:
        kind = unicodedata.category(character)
        visible.append(" " if kind == "Cc" else "" if kind in _UNSEEN else character)
    return "".join(visible)
