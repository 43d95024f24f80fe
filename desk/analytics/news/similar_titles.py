"""Groups titles that are nearly the same, by the similarity of their words."""

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz, utils

NEARLY_THE_SAME: Final = 90.0
"""Above this similarity, of 100, two titles count as one story. A title whose words are all in the
other scores 100. Titles that differ in the decisive word, such as `cuts` and `holds`, stay below:
headlines of rate decisions score 75 to 90."""


def grouped(titles: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The indices of titles, grouped by near equality. Each group begins with its first title, and
    the groups are in the order of their first titles.

    A title joins the first group whose first title is similar (`token_set_ratio` of rapidfuzz:
    ignores the order of words, case and punctuation).
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
