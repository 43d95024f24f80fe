"""Levels as dealers say them: `one fifty-eight`, `one oh seven`, `one fifty-eight ninety`.

What such a level is worth is not certain: `one twenty-eight` is 128 of the yen and 1.28 of the
pound. Hours of the day are told the same way (`at two thirty`), and so are years; they are none.
"""

import re
from collections.abc import Iterator
from typing import Final

_DIGIT: Final = "(?:one|two|three|four|five|six|seven|eight|nine)"
_TEENS: Final = "(?:eleven|twelve|(?:thir|four|fif|six|seven|eigh)teen)"
_TENS: Final = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_PAIR_OF_DIGITS: Final = (
    rf"(?:(?:oh|zero)[\s-]{_DIGIT}|{_TENS}(?:[\s-]{_DIGIT})?|ten|{_TEENS}|nineteen)"
)
_SPOKEN: Final = re.compile(
    rf"(?<!-)\b(?:{_DIGIT}|ten|{_TEENS})[\s-](?:{_PAIR_OF_DIGITS}(?:[\s-]{_PAIR_OF_DIGITS})?"
    r"|(?P<decade>(?:twen|thir|for|fif|six|seven|eigh|nine)ties))\b"
    r"(?!-|\s(?:hundred|thousand|[mbtr]+illion|basis|bps?\b|per\s?cent|percent|pips?|points?|times"
    r"|years?|months?|weeks?|days?|hours?|minutes?|local|sharp|GMT|UTC|[A-Z]{2,3}T\b|[ap]\.?m\b"
    r"|in\sthe\s(?:morning|afternoon|evening)|o'clock))",
    re.IGNORECASE,
)
_SIDE: Final = re.compile(
    r"\b(?:above|below|beneath|beyond|through|breach(?:es|ed)?|br(?:eak|eaks|oke|oken)|hit|hits|test(?:s|ed)?"
    r"|touch(?:es|ed)?|reach(?:es|ed)?|(?:north|south|shy|short|break|high|low|close)\sof)\s(?:the\s)?$",
    re.IGNORECASE,
)
"""What leads to a level and never to an hour."""

_TOWARDS: Final = re.compile(
    r"\b(?:(?P<at>at|near|around)|(?P<side>over|under)|to|from|past|towards?|between|of)\s(?:about\s|the\s)?$",
    re.IGNORECASE,
)
_STANDS: Final = re.compile(
    r"\b(?:trad(?:es?|ed|ing)|clos(?:es?|ed|ing)|end(?:s|ed)|settled|stands?|stood|is|was|now|still|last"
    r"|hover(?:s|ed|ing)?|fix(?:ed|ing)|quoted|high|low|back|held|holds|holding)"
    r"\s(?:just\s|right\s|well\s|a\stouch\s)?$",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(
    r"\b(?:rose|rise[sn]?|rising|fell|falls?|fall(?:en|ing)|climb(?:s|ed|ing)?|drop(?:s|ped|ping)?"
    r"|slip(?:s|ped|ping)?|slid|back|down|up|jump(?:s|ed)?|trad(?:es?|ed|ing)|moved?|eased|sank|surged"
    r"|either\sside|range|high|low|higher|lower|weakened|strengthened|pushed|spiked)\s(?:back\s)?$",
    re.IGNORECASE,
)
_TRADED: Final = re.compile(
    r"\b(?:(?-i:[A-Z]{3}/?[A-Z]{3})|pair|spot|dollar|greenback|yen|euro|sterling|pound|cable|franc|won|yuan"
    r"|rupee|rupiah|baht|ringgit|peso|aussie|kiwi|loonie|kron[ae])\b",
    re.IGNORECASE,
)
_HANDLE: Final = re.compile(r"\s(?:handle|level|mark|area|figure|line|yen|won|dollars?)\b")
_NAMED_LAST: Final = re.compile(rf"(?:{_TRADED.pattern})\s$", re.IGNORECASE)
_LINK: Final = re.compile(r"\s(?:to|and|or)\s|\s?[-/]\s?")
_FAR: Final = 60


def read_spoken_levels(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text (in its `plain` form) a level of a currency is spoken out."""
    reached = None
    for found in _SPOKEN.finditer(text):
        before = text[max(0, found.start() - _FAR) : found.start()]
        linked = reached is not None and _LINK.fullmatch(text, reached, found.start())
        if (
            linked
            or found["decade"]
            or _HANDLE.match(text, found.end())
            or _SIDE.search(before)
            or _is_traded(before)
        ):
            reached = found.end()
            yield found.span()


def _is_traded(before: str) -> bool:
    """Whether something that trades moved to or stands at what follows: `the yen is at`, but
    neither `the yen jumped at` nor `the decision came at`."""
    leads = _TOWARDS.search(before)
    if leads is None or _TRADED.search(before) is None:
        return False
    led = before[: leads.start()]
    if leads["at"]:
        return _STANDS.search(led) is not None or _NAMED_LAST.search(led) is not None
    return _MOVED.search(led) is not None or bool(leads["side"] and _STANDS.search(led))
