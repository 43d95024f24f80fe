"""The base class of contracts, their bounded types, and an upper bound on the values in a JSON
text."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, WithJsonSchema

MOST_SHORT: Final = 200

ShortText = Annotated[str, Field(max_length=MOST_SHORT)]
"""A name, an id or a label."""

Text = Annotated[str, Field(max_length=4_000)]
"""A sentence or a paragraph: long enough for an error message, short enough for a history."""

Figure = Annotated[
    Decimal, Field(allow_inf_nan=False, max_digits=24), WithJsonSchema({"type": "string"})
]
"""A printed number. It is finite, and its exponent is the precision it is printed with. In JSON it
is a string, and the schema says no more than that: clients check a year of fixings against it."""

Confidence = Annotated[float, Field(ge=0.0, le=1.0)]

Instant = AwareDatetime
"""A point in time. Compared as an instant; a time zone that matters is stored separately by
name."""


def is_none(value: object) -> bool:
    """Excludes fields that are absent in most histories, so that they take no space there."""
    return value is None


def is_empty(value: object) -> bool:
    """Excludes empty fields for the same reason."""
    return not value


class Contract(BaseModel):
    """A frozen record. Unknown fields are ignored, so that an older history still replays.

    The validator is built when the first record of a class is made or read: a command such as `desk
    status` imports about a hundred classes and reads a dozen.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


def most_values(text: bytes | str) -> int:
    """Returns an upper bound on the number of values in a JSON text: each but the first follows a
    bracket, a brace or a comma. Those within strings are counted too.

    As objects, a text can take up to a thousand times its bytes, when it holds only empty lists.
    """
    if isinstance(text, bytes):
        return 1 + sum(text.count(mark) for mark in (b"[", b"{", b","))
    return 1 + sum(text.count(mark) for mark in "[{,")
