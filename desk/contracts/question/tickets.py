"""The names of tickets in texts that people write."""

import re
from typing import Final

TICKET_ID: Final = re.compile(r"(?<![\w/-])([A-Za-z][A-Za-z0-9]{1,9}-\d{1,6})(?![\w-])")
"""A ticket's id as people write it: `DESK-101`."""


def ticket_ids(text: str) -> tuple[str, ...]:
    """Returns the ids of the tickets that a text names, each once, in the spelling of trackers."""
    return tuple(dict.fromkeys(found.upper() for found in TICKET_ID.findall(text)))
