"""Whether a level stands beyond everything that the known claims say was reached."""

import re
from collections.abc import Iterable
from typing import Final

from contracts.claims import Claim, Metric
from domain.claim_place import Place
from domain.number_reading import Measure, Sign, WrittenNumber

_PAIR: Final = r"(?P<pair>[A-Z]{3}/[A-Z]{3})"
_ABOVE: Final = r"(?P<above>above|over|beyond|past|through|north\sof)"
_BELOW: Final = r"(?:below|under|beneath|south\sof)"
_CURRENCY: Final = r"(?:[A-Z]{0,2}[$€£¥₩₹₱฿])?"
_WITH: Final = re.compile(rf"\bwith\s{_PAIR}\s(?:{_ABOVE}|{_BELOW})\s{_CURRENCY}$", re.IGNORECASE)
_MAY: Final = re.compile(r"\b(?:may|might|could|would|will)\b", re.IGNORECASE)
_NOTED: Final = re.compile(rf"{_PAIR}\s?(?:(?P<above>>)|<)=?\s?{_CURRENCY}$")
_NOTHING_MORE: Final = re.compile(r"\s*(?:[.;:!,→]|[-=]>|$|(?:and|or)\s(?:[A-Z]{3}/[A-Z]{3}|[<>]))")
_HIGHS: Final = frozenset({Metric.WINDOW_HIGH, Metric.YEAR_HIGH})
_LOWS: Final = frozenset({Metric.WINDOW_LOW, Metric.YEAR_LOW})


def is_unreached(number: WrittenNumber, place: Place, claims: Iterable[Claim]) -> bool:
    """Whether a number is a level of a condition that reads like a state, `with USD/JPY above 160,
    officials may act` or `USD/JPY > 160`, and the pair's highest or lowest fixing known says that
    it has not been there. Where none is known it may have been."""
    if number.measure is not Measure.BARE or number.scale or number.sign is not Sign.NONE:
        return False
    before = place.text[place.start : number.written_at]
    after = place.text[number.end : place.end]
    noted = _NOTED.search(before)
    found = noted or _WITH.search(before)
    if found is None or number.value is None:
        return False
    if not (_NOTHING_MORE.match(after) if noted else _is_condition(before[: found.start()], after)):
        return False
    level = number.value
    bounds = _HIGHS if found["above"] else _LOWS
    known = [c.value for c in claims if c.subject == found["pair"] and c.metric in bounds]
    return any(value < level if found["above"] else value > level for value in known)


def _is_condition(before: str, after: str) -> bool:
    """Whether what goes with a state only may come about: said behind it, or all before it."""
    behind = after.startswith(",") and _MAY.search(after)
    return bool(behind or (_MAY.search(before) and not after.strip(" .")))
