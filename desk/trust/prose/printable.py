"""Words from outside that a report may print as they are: on one line, and nothing to act on.

A headline is no finding of the desk. A figure in it is nobody's claim, a reference in it is not
the desk's, and an address in it was not looked at: one that holds any of these is withheld whole,
because a headline without some of its words is another headline.
"""

import re
import unicodedata
from typing import Final

from desk.trust.prose.gate import unbacked

_UNSEEN: Final = frozenset({"Cf", "Cs", "Co", "Cn"})
"""Format characters and their like can hide words or turn their order."""

_NUMBER_WORDS: Final = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven"
    r"|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?"
    r"|[mbtr]+illions?|dozens?|doubl(?:e[sd]?|ing)|tripl(?:e[sd]?|ing)|twice|twofold)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"://|\bwww\.|\S@\S|\b(?:javascript|vbscript|mailto|xmpp|tel)\s?:|\bdata\s?:\s?\w+/",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(r"\[\[|\]\]")


def printable(text: str) -> str | None:
    """The words on one line; None for a text without any, and for one that holds a figure, a
    reference or an address.

    Any digit counts as a figure, years and names of indices too, and so does any number word.
    """
    words = " ".join(_visible(text).split())
    plain = unicodedata.normalize("NFKC", words)
    if not words or any(sign.isnumeric() for sign in plain):
        return None
    if any(held.search(plain) for held in (_NUMBER_WORDS, _ADDRESS, _REFERENCE)):
        return None
    return None if unbacked(plain) else words


def quotable(text: str) -> str | None:
    """The words on one line, to be printed between quotation marks with their source; None for a
    text without any, and for one that holds a reference or an address. A figure in it is that of
    whoever is quoted."""
    words = " ".join(_visible(text).split())
    plain = unicodedata.normalize("NFKC", words)
    held = any(found.search(plain) for found in (_ADDRESS, _REFERENCE))
    return None if not words or held else words


def _visible(text: str) -> str:
    kept = []
    for sign in text:
        kind = unicodedata.category(sign)
        kept.append(" " if kind[0] in "Z" or kind == "Cc" else "" if kind in _UNSEEN else sign)
    return "".join(kept)
