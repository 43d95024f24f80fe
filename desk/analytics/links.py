"""Accepts links to web pages only."""

import re
from typing import Final
from urllib.parse import urlsplit

LONGEST_LINK: Final = 2_000

_WEB: Final = re.compile(r"https?://[!-~]+", re.IGNORECASE)
_NEVER_IN_A_LINK: Final = frozenset("<>\"'`\\")


def web_link(written: str | None) -> str | None:
    """Returns the link unchanged, or None if it is not a link to a web page (http or https)."""
    link = (written or "").strip()
    if len(link) > LONGEST_LINK or not _WEB.fullmatch(link) or _NEVER_IN_A_LINK & set(link):
        return None
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.hostname and "@" not in parts.netloc else None
