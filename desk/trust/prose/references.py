"""References in prose: their syntax, parsing, and printing."""

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from desk.analytics.figures import POSITIONS, SIGNED_UNITS, print_claim, print_figure, print_weekday
from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import currency_name
from desk.analytics.names.shortening import ELLIPSIS, shortened
from desk.contracts.findings.claims import MOVES, SIDED, Claim, Metric, Unit
from desk.contracts.findings.results import MarketEvent, ValidationIssue
from desk.contracts.week.report import Sentence

REFERENCE: Final = re.compile(r"\[\[([^\[\]]*)\]\]")


class Form(StrEnum):
    """How a reference prints its claim."""

    PLAIN = ""
    """As every table prints it; after a word of direction, a change without its sign."""
    SIZE = "size"
    """Without its sign."""
    SIGNED = "signed"
    """With its sign, whatever comes before it."""
    ABOUT = "about"
    """To two digits, or three of a level: `about 4.2 %`."""
    DAY = "day"
    """The day of the claim, with its weekday: `Fri 4 Apr`."""
    MOVED = "moved"
    """With its verb: `fell 4.16 %`, `cut by 25 bp`; a differential with its side: `137.5 bp
    below`."""
    BASE = "base"
    """A pair's move as one of its base currency: `the US dollar fell 4.16 % against the Swiss
    franc`. Also written by the currency's code."""
    QUOTE = "quote"
    """A pair's move as one of its quote currency: `the Swiss franc rose against the US dollar
    (USD/CHF -4.16 %)`. Also written by the currency's code."""
    NAMED = "named"
    """As plain, with the name of its pair or bank: `0.6543 (AUD/USD)`, for a place where the text
    is about another one."""
    ALSO = "also"
    """A count directly after another of the same currencies, whose total is not repeated: `rose
    against 6`."""


SIDES: Final = frozenset({Form.BASE, Form.QUOTE})


class Reference(NamedTuple):
    """A reference in a text. `form` is None if the text names a form that does not exist."""

    name: str
    form: Form | None
    start: int
    end: int


class Printed(NamedTuple):
    """A figure at its place in a text."""

    name: str
    text: str


Piece: TypeAlias = str | Printed

UP: Final = (
    "above add added adds advance advanced advances appreciated climb climbed climbs firmed gain"
    " gained gains hiked higher increase increased jump jumped jumps lifted raised raises rallied"
    " rise risen rises rising rose soared strengthened surged up"
)
DOWN: Final = (
    "below cut cuts decline declined declines decrease decreased depreciated drop dropped drops"
    " eased fall fallen falling falls fell lose loses loss lost lower lowered lowers plunged"
    " reduced retreated sank shed slid slipped softened tumbled weakened down"
)
_SIDE: Final = {word: side for side, words in ((1, UP), (-1, DOWN)) for word in words.split()}
_WORD: Final = re.compile(rf"\b(?:{'|'.join(_SIDE)})\b", re.IGNORECASE)
_RIGHT_BEHIND: Final = re.compile(
    r"\s(?:by\s|of\s|another\s|a\s(?:further|total\sof)\s|(?:its\s)?(?:policy\s)?rates?\sby\s)?"
)
_OPENING: Final = re.compile(r"(?:^|[.!?]\s+|\n\s*)$")
_OPENS: Final = re.compile(r"\s\(")
_OPENS_LATER: Final = re.compile(r"(?:\s\w+){0,4}\s\(")
_OPENS_FOR_DECISION: Final = re.compile(r"(?:\s[\w'’./-]+){0,10}\s\(")
_VERBS: Final = {
    Unit.PERCENT: ("rose {}", "fell {}", "was unchanged"),
    Metric.DECISION_CHANGE: ("raised by {}", "cut by {}", "held"),
    Metric.DIFFERENTIAL: ("{} above", "{} below", "level"),
    Metric.YIELD_DIFFERENTIAL: ("{} above", "{} below", "level"),
    Metric.YIELD_2Y_CHANGE: ("rose by {}", "fell by {}", "was unchanged"),
    Metric.YIELD_DIFFERENTIAL_CHANGE: ("rose by {}", "fell by {}", "was unchanged"),
    Metric.STREAK: ("rose for {} in a row", "fell for {} in a row", "did not move"),
}

GROUP_WORDS: Final = {"ASIA": " Asian", "G10": " G10"}
"""The groups of markets as adjectives."""

COUNTED: Final = {
    Metric.DOLLAR_ROSE: "rose against {count}",
    Metric.DOLLAR_FELL: "fell against {count}",
    Metric.DOLLAR_LITTLE_CHANGED: "was little changed against {count}",
}
"""The counts that may follow one another."""

PHRASES: Final = {
    Metric.HIGHEST_SINCE: "highest since {day}",
    Metric.LOWEST_SINCE: "lowest since {day}",
    Metric.CUTS_IN_A_ROW: "{nth} cut in a row",
    Metric.RISES_IN_A_ROW: "{nth} rise in a row",
    Metric.HOLDS_IN_A_ROW: "{nth} hold in a row",
    Metric.CUTS_WITHIN: "{some} cut{s}",
    Metric.RISES_WITHIN: "{some} rise{s}",
    Metric.DECISIONS_WITHIN: "{some} decision{s}",
    Metric.BANKS_CUT: "{count} of the {of} banks that decided cut",
    Metric.BANKS_RAISED: "{count} of the {of} banks that decided raised",
    Metric.BANKS_HELD: "{count} of the {of} banks that decided held",
    **{metric: f"{words} of {{of}}{{group}} currencies" for metric, words in COUNTED.items()},
}
"""Claims that are printed together with the words that say what was counted. A writer cannot use
other words there: what is counted is part of the figure."""


def found_in(text: str) -> Iterator[Reference]:
    """Yields the references of a text, in order."""
    for match in REFERENCE.finditer(text):
        name, _, form = (part.strip() for part in match[1].partition("|"))
        yield Reference(name, _form(name, form), *match.span())


def _form(name: str, written: str) -> Form | None:
    """Returns the form with that name; for a currency's code, its side of the pair."""
    codes = currencies_of(name.partition(":")[0])
    if codes and written in codes:
        return Form.BASE if written == codes[0] else Form.QUOTE
    return Form(written) if written in set(Form) else None


def currencies_of(subject: str) -> tuple[str, str] | None:
    """Returns the base and the quote currency of a pair, or None for another subject."""
    base, _, quote = subject.partition("/")
    return (base, quote) if base and quote else None


def references(text: str) -> tuple[str, ...]:
    """Returns the claim ids that a text refers to, in order and with repetitions, without their
    forms."""
    return tuple(found.name for found in found_in(text))


def pieces(prose: str, claims: Mapping[str, Claim]) -> Iterator[Piece]:
    """Yields the text in order, split into literal text and figures.

    Raises:
        KeyError: a reference names no claim.
    """
    end = 0
    for each in found_in(prose):
        if each.start > end:
            yield prose[end : each.start]
        text = printed(claims[each.name], each.form or Form.PLAIN, prose[: each.start])
        yield Printed(each.name, text)
        end = each.end
    if end < len(prose):
        yield prose[end:]


def printed(claim: Claim, form: Form, before: str = "") -> str:
    """Prints a claim in a form, after the text before it."""
    if form is Form.DAY:
        return print_weekday(claim.as_of, claim.precision)
    if form is Form.NAMED:
        return f"{printed(claim, Form.PLAIN, before)} ({subject_name(claim)})"
    if claim.metric in PHRASES:
        return _phrase(claim, form)
    match form:
        case Form.SIZE:
            return _size(claim)
        case Form.SIGNED:
            return print_claim(claim)
        case Form.MOVED:
            rising, falling, level = _verbs(claim) or ("{}", "{}", "{}")
            words = rising if claim.value > 0 else falling if claim.value < 0 else level
            return words.format(_size(claim))
        case Form.BASE | Form.QUOTE:
            sided = _sided(claim, form)
            return sided[:1].upper() + sided[1:] if _OPENING.search(before) else sided
        case Form.ABOUT:
            rounded = _about(claim)
            return f"about {_size(rounded) if side_before(before) else print_claim(rounded)}"
        case _:
            return _size(claim) if is_change(claim) and side_before(before) else print_claim(claim)


def subject_name(claim: Claim) -> str:
    """Returns the name of what a claim is about: its pair, or the bank of its area."""
    bank = CENTRAL_BANKS.get(claim.subject)
    return bank.name if bank else claim.subject


def has_name(claim: Claim) -> bool:
    """Returns whether a claim is about a pair or an area, and can be printed with its name."""
    return currencies_of(claim.subject) is not None or claim.subject in CENTRAL_BANKS


def moves(claim: Claim) -> bool:
    """Returns whether a claim can be printed with its verb."""
    return claim.metric in _VERBS or claim.metric in MOVES


def has_sides(claim: Claim) -> bool:
    """Returns whether a claim can be printed from the side of either currency of its pair."""
    return claim.metric in SIDED and currencies_of(claim.subject) is not None


def is_change(claim: Claim) -> bool:
    """Returns whether the sign of a claim is a direction: a move, a change or a difference."""
    return claim.unit in SIGNED_UNITS and claim.metric not in POSITIONS


def side_before(text: str, claim: Claim | None = None) -> int:
    """Returns the direction of the word that a text ends in: 1, -1, or 0 if it is not a word of
    direction.

    If `claim` follows, the word may also be before an open bracket, and a few words earlier if the
    claim's subject is directly before it: `USD/JPY rose over the week (`. The object of a decision
    may be between its verb and the bracket: `cut its policy rate (`.
    """
    tail = text[-120:]
    found = list(_WORD.finditer(tail))
    if not found:
        return 0
    word = found[-1]
    between, side = tail[word.end() :], _SIDE[word[0].lower()]
    if _RIGHT_BEHIND.fullmatch(between):
        return side
    if claim is None:
        return 0
    if claim.metric is Metric.DECISION_CHANGE:
        return side if _OPENS_FOR_DECISION.fullmatch(between) else 0
    if not _OPENS_LATER.fullmatch(between):
        return 0
    named = re.search(rf"{re.escape(claim.subject)}\s(?:\w+\s)?$", tail[: word.start()])
    return side if named or _OPENS.fullmatch(between) else 0


def side_of(word: str) -> int:
    """Returns the direction of a word: 1, -1, or 0."""
    return _SIDE.get(word.lower(), 0)


def _verbs(claim: Claim) -> tuple[str, str, str] | None:
    if claim.metric in _VERBS:
        return _VERBS[claim.metric]
    return _VERBS.get(claim.unit) if is_change(claim) else None


def _sided(claim: Claim, form: Form) -> str:
    codes = currencies_of(claim.subject)
    if codes is None:
        return print_claim(claim)
    base, quote = (f"the {currency_name(code)}" for code in codes)
    if form is Form.BASE:
        return f"{base} {printed(claim, Form.MOVED)} against {quote}"
    verb = "rose" if claim.value < 0 else "fell" if claim.value > 0 else "was unchanged"
    return f"{quote} {verb} against {base} ({claim.subject} {print_claim(claim)})"


def _phrase(claim: Claim, form: Form) -> str:
    count, words = int(claim.value), PHRASES[claim.metric]
    if form is Form.ALSO:
        words = COUNTED.get(claim.metric, words)
    return words.format(
        day=print_claim(claim),
        nth=_ordinal(count),
        count=count or "none",
        some=count or "no",
        s="" if count == 1 else "s",
        of=len(claim.inputs),
        group=GROUP_WORDS.get(claim.subject, ""),
    )


def _ordinal(count: int) -> str:
    teen = count % 100 in (11, 12, 13)
    return f"{count}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(count % 10, 'th')}"


def _size(claim: Claim) -> str:
    return print_figure(abs(claim.value), claim.unit, signed=False)


def _about(claim: Claim) -> Claim:
    digits = 2 if is_change(claim) else 3
    if not claim.value:
        return claim
    last = claim.value.adjusted() - digits + 1
    exponent = max(last, int(claim.value.as_tuple().exponent))
    rounded = claim.value.quantize(Decimal((0, (1,), exponent)), ROUND_HALF_EVEN)
    # A number like 1.6E+2 is printed in plain notation.
    return claim.model_copy(update={"value": Decimal(f"{rounded:f}")})


LONGEST_TEXT: Final = 4_000
"""The maximum length of `desk.contracts.base.Text`."""


class UnknownReferenceError(ValueError):
    """A text refers to claims that are not known. `references` are their ids."""

    def __init__(self, references: tuple[str, ...]) -> None:
        self.references = references
        super().__init__(f"no such claim: {', '.join(references)}")


def reference(claim: Claim) -> str:
    """Returns the reference to a claim, as prose contains it."""
    return f"[[{claim.claim_id}]]"


def unknown_references(text: str, claims: Mapping[str, Claim]) -> tuple[str, ...]:
    """Returns the references of a text to unknown claims, each once."""
    return tuple(dict.fromkeys(ref for ref in references(text) if ref not in claims))


def render(text: str, claims: Mapping[str, Claim]) -> str:
    """Returns the text with every reference replaced by its printed figure.

    Raises:
        UnknownReferenceError: a reference is not among the claims; nothing is rendered then.
    """
    unknown = unknown_references(text, claims)
    if unknown:
        raise UnknownReferenceError(unknown)
    printed = (p if isinstance(p, str) else p.text for p in pieces(text, claims))
    return "".join(printed)


def sentence(prose: str, claims: Mapping[str, Claim]) -> Sentence:
    """Returns a sentence of the report: its prose, and its printed text.

    Raises:
        UnknownReferenceError: a reference is not among the claims.
    """
    kept = clip(prose)
    return Sentence(prose=kept, text=clip(render(kept, claims)))


def clip(text: str, limit: int = LONGEST_TEXT) -> str:
    """Returns the text, shortened to the limit of a report and ending in an ellipsis if it is
    longer. References are not cut in two."""
    kept = shortened(text, limit)
    if kept == text:
        return text
    kept = kept.removesuffix(ELLIPSIS)
    if kept.rfind("[[") > kept.rfind("]]"):
        kept = kept[: kept.rfind("[[")]
    return f"{kept.rstrip('[')}{ELLIPSIS}"


def is_about(issue: ValidationIssue, event: MarketEvent) -> bool:
    """Returns whether an objection is about an event: the one that it names; if it names neither
    event nor finding, every event whose prose refers to one of its claims."""
    if issue.event is not None or issue.finding is not None:
        return issue.event == event.event_id
    named = {found.name for found in found_in(event.description)}
    return not named.isdisjoint(issue.claims)


def is_about_finding(issue: ValidationIssue, statement: str) -> bool:
    """Returns whether an objection is about a finding that is not an event: the one that it names;
    if it names neither event nor finding, the one that refers to exactly its claims."""
    if issue.finding is not None:
        return issue.finding == statement
    named = {found.name for found in found_in(statement)}
    return issue.event is None and bool(named) and named == {*issue.claims}
