"""How tickets are named in what people write."""

import re
from typing import Final

TICKET_ID: Final = re.compile(r"(?<![\w/-])([A-Za-z][A-Za-z0-9]{1,9}-\d{1,6})(?![\w-])")
"""A ticket as it is named: `DESK-101`."""


def ticket_ids(text: str) -> tuple[str, ...]:
    """The tickets that a text names, each once, as trackers write them."""
    return tuple(dict.fromkeys(found.upper() for found in TICKET_ID.findall(text)))
