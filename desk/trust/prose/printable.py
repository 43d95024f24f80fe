"""Text from outside that a report may print unchanged.

It is put on one line and contains nothing to act on. A headline is not a finding of the desk: a
figure in it is not a claim, and an address in it was not checked. A headline with any of these is
withheld entirely, because leaving words out would make another headline.
"""

import re
import unicodedata
from typing import Final

from desk.trust.prose.gate import unbacked

_UNSEEN: Final = frozenset({"Cf", "Cs", "Co", "Cn"})
"""Invisible characters, such as format characters, which can hide words or reverse their order."""

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
    """Returns the words on one line. None for a text without words, or with a figure, a reference
    or an address.

    Any digit counts as a figure, also in years and names, and so does any number word.
    """
    words = " ".join(_visible(text).split())
    plain = unicodedata.normalize("NFKC", words)
    if not words or any(sign.isnumeric() for sign in plain):
        return None
    if any(held.search(plain) for held in (_NUMBER_WORDS, _ADDRESS, _REFERENCE)):
        return None
    return None if unbacked(plain) else words


def quotable(text: str) -> str | None:
    """Returns the words on one line, to be printed in quotation marks with their source. None for a
    text without words, or with a reference or an address. A figure in it is the quoted author's."""
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
