"""The two kinds of contract, the bounded types they are made of, and how much a JSON text holds."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, WithJsonSchema

MOST_SHORT: Final = 200

ShortText = Annotated[str, Field(max_length=MOST_SHORT)]
"""A name, an id or a label."""

Text = Annotated[str, Field(max_length=4_000)]
"""A sentence or a paragraph: long enough for an error, short enough for a history."""

Figure = Annotated[
    Decimal, Field(allow_inf_nan=False, max_digits=24), WithJsonSchema({"type": "string"})
]
"""A number that is printed. Finite; its exponent is the precision it is printed with. A string in
JSON, and said to be no more than that: clients check a year of fixings against the schema."""

Confidence = Annotated[float, Field(ge=0.0, le=1.0)]

Instant = AwareDatetime
"""A point in time. Compared as an instant; a zone that matters stands beside it as a name."""


def is_none(value: object) -> bool:
    """For fields that are absent from most histories, and take no place in them."""
    return value is None


def is_empty(value: object) -> bool:
    """The same for what holds nothing."""
    return not value


class Contract(BaseModel):
    """A frozen record. Unknown fields are ignored, so that an older history still replays.

    What checks a record is built when the first of its kind is made or read: a command such as
    `desk status` imports some hundred kinds and reads a dozen.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


def most_values(text: bytes | str) -> int:
    """At least as many as there are values in a JSON text: each but the first follows a bracket, a
    brace or a comma. Those within strings are counted too.

    As objects a text takes up to a thousand times its bytes, when it is nothing but empty lists.
    """
    if isinstance(text, bytes):
        return 1 + sum(text.count(mark) for mark in (b"[", b"{", b","))
    return 1 + sum(text.count(mark) for mark in "[{,")
