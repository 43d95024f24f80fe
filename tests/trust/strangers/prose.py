"""Words of a report's prose, and what turns a true sentence into a false one."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

Json = Any
"""A published report or answer as its JSON holds it."""

REFERENCE: Final = re.compile(r"\[\[([^\[\]]+)\]\]")
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_OPPOSITES: Final = (
    ("rose", "fell"),
    ("risen", "fallen"),
    ("raised", "cut"),
    ("rising", "falling"),
    ("highest", "lowest"),
    ("high", "low"),
    ("top", "bottom"),
    ("upper", "lower"),
    ("above", "below"),
    ("higher", "lower"),
    ("upwards", "downwards"),
    ("up(?! to)", "down"),
    ("tightening", "easing"),
    ("strengthened", "weakened"),
    ("ahead of", "behind"),
)

DIRECTION: Final = (
    *(
        (re.compile(rf"\b{one}\b"), other.removesuffix("(?! to)"))
        for pair in _OPPOSITES
        for one, other in (pair, pair[::-1])
    ),
    (re.compile(r"\bleft its ([^.\[]+?) unchanged at"), r"raised its \1 to"),
    (re.compile(r"\bleft its ([^.\[]+?) unchanged at"), r"cut its \1 to"),
    (re.compile(r"\bheld at"), "cut to"),
)
"""Each with the word that makes the opposite of it."""

SIZE: Final = (
    (re.compile(r"\b(?:rose|fell)( sharply)? over"), "was little changed over"),
    (re.compile(r"\bwas little changed over"), "rose sharply over"),
    (re.compile(r"\b(rose|fell) over"), r"\1 sharply over"),
    (re.compile(r"\ban ordinary move\b"), "an exceptional move"),
    (re.compile(r"\ban exceptional move\b"), "an ordinary move"),
    (re.compile(r"\ba larger move than usual\b"), "a smaller move than usual"),
    (re.compile(r"\bthe most unusual move\b"), "the most ordinary move"),
    (re.compile(r"\bmore than a month\b"), "more than twelve months"),
    (re.compile(r"\bmore than three months\b"), "more than twelve months"),
    (re.compile(r"\bmore than a week after\b"), "within a week of"),
    (re.compile(r"\bwithin a week of\b"), "more than a week after"),
    (re.compile(r"\bmade a large move\b"), "made a small move"),
)

INVENTED: Final = (
    "The Swiss National Bank intervened on Thursday.",
    "Dealers spoke of heavy buying by Asian central banks.",
    "The finance minister called the move unwelcome.",
    "The governor hinted at an emergency meeting.",
    "Traders blamed a rumour of capital controls.",
    "The move followed a downgrade of the sovereign rating.",
    "Liquidity was thin after a holiday in Tokyo.",
    "The central bank denied that it had sold dollars.",
    "Exporters were said to be hedging heavily.",
    "A coalition partner left the government on Tuesday.",
    "Two officials dissented.",
    "The decision came as a surprise to the market.",
    "Further easing was ruled out by the governor.",
    "The bank signalled that a rise is likely at its next meeting.",
    "Options pointed to a further fall.",
    "The currency was the worst performer of its region.",
)
"""Sentences without a digit that nothing in a report's evidence says."""


def figures_in(prose: str, text: str) -> dict[str, str] | None:
    """What each reference of a prose is printed as; None where the two do not fit together."""
    parts = REFERENCE.split(prose)
    pattern = "".join(
        "(.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts)
    )
    found = re.fullmatch(pattern, text, re.DOTALL)
    return dict(zip(parts[1::2], found.groups(), strict=True)) if found else None


def printed(prose: str, figures: dict[str, str]) -> str:
    """A prose as it is printed, with a figure for each of its references."""
    return REFERENCE.sub(lambda found: figures[found[1]], prose)


def figures_of(report: Json) -> dict[str, str]:
    """What every reference in a report's prose is printed as."""
    figures: dict[str, str] = {}
    for sentence, prose_key in sentences_of(report):
        figures |= figures_in(sentence[prose_key], sentence["text"]) or {}
    return figures


def sentences_of(report: Json) -> Iterator[tuple[Json, str]]:
    """Every object of a report that holds a prose and its text, with the key of the prose."""
    for market in report["markets"]:
        yield from ((event, "description") for event in market["events"])
    for name in ("summary", "commentary", "cross_checks"):
        yield from ((sentence, "prose") for sentence in report[name])
    yield from ((entry, "prose") for entry in report["changes"]["entries"])
    yield from ((row["outcome"], "prose") for row in report["calendar"])


def reworded(
    sentence: Json,
    prose_key: str,
    words: tuple[tuple[re.Pattern[str], str], ...],
    random: Random,
    text_key: str = "text",
) -> tuple[str, str] | None:
    """Change one place of a sentence by one of some rules, in its prose and in its text.

    Gives the text before and after; None, and nothing changed, where no rule has a place.
    """
    prose, text = sentence[prose_key], sentence[text_key]
    figures = figures_in(prose, text)
    places = [(found, found.expand(new)) for old, new in words for found in old.finditer(prose)]
    if figures is None or not places:
        return None
    found, new = random.choice(places)
    sentence[prose_key] = prose[: found.start()] + new + prose[found.end() :]
    sentence[text_key] = printed(sentence[prose_key], figures)
    return text, sentence[text_key]
