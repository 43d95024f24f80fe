"""Titles that say the same in nearly the same words, found by the likeness of their words."""

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz, utils

NEARLY_THE_SAME: Final = 90.0
"""Above this likeness, of 100, two titles count as one story. A title whose words are all in the
other has 100. Titles that differ in the one word that matters, such as `cuts` and `holds`, stay
below: on headlines of rate decisions they come to 75 to 90."""


def grouped(titles: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The places of titles that are nearly the same, in groups, each with its first title before
    the others and the groups in the order of their first titles.

    A title belongs to the first group whose first title it is like (`token_set_ratio` of
    rapidfuzz: the order of words, capital letters and signs do not count).
    """
    groups: list[list[int]] = []
    for place, title in enumerate(titles):
        of_it = next((group for group in groups if _alike(titles[group[0]], title)), None)
        if of_it is None:
            groups.append([place])
        else:
            of_it.append(place)
    return tuple(map(tuple, groups))


def _alike(one: str, other: str) -> bool:
    likeness = fuzz.token_set_ratio(one, other, processor=utils.default_process)
    return likeness > NEARLY_THE_SAME
