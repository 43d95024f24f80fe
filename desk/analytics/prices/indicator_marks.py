"""The marks by which indicators are read, the same wherever one is."""

from typing import Final

OVERBOUGHT: Final = 70
OVERSOLD: Final = 30
"""Of the relative strength index. Source: Wilder, New Concepts in Technical Trading Systems,
1978."""

TRENDING: Final = 25
"""The directional index from which on there is a trend, by the same source."""

FULL_TREND: Final = 50
"""The directional index from which on a trend counts as fully strong: a convention."""

FLAT: Final = 0.5
"""Within this share of the usual swing a move is none: a convention."""

NEAR_AN_END: Final = 0.2
"""The share of the year's range from either end within which a price counts as near it: a
convention."""

WITHIN: Final = 0.68
"""The share of cases in which a price is to be within its expected range four weeks later."""
