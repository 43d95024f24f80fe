"""The gate: a writer's prose may contain no figure outside of a reference.

A fixed rule decides what a figure is; the text is not interpreted. Digits may only occur in dates,
periods, and a closed list of names. Number words from two on may only occur before spans of time.
No word may express a fraction, a multiple, or the ordinal of an event. No figure is attributed to a
claim by guessing: a writer who means a claim names it.

A reference names its claim, and is refused if the text says the figure of something else
(`desk.trust.prose.attribution`).

The rule is complete, and docs/method.md states it in the same words.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import category

from desk.analytics.figures import print_claim
from desk.analytics.names.aliases import SUBUNITS, UNITS
from desk.analytics.names.nearest import nearest
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.verdicts import RejectedFigure
from desk.trust.prose.attribution import misattributed, subjects_named
from desk.trust.prose.reference_faults import faults
from desk.trust.prose.references import LONGEST_TEXT, REFERENCE, found_in
from desk.trust.prose.sentences import split_sentences

RULES: Final = 1
"""The edition of the rules, which a document records: an audit reads its words by those that they
were written by. Since the first, a figure must be said of what its claim is about."""

LONGEST_NAME: Final = 200
"""The bound of `desk.contracts.base.ShortText`."""

ASKED: Final = "asked:"
"""What the name of a reference to a figure of the question begins with."""

MOST_REMEMBERED: Final = 1_000
"""The number of texts whose figures a process caches. A sentence is checked when it is written,
validated, and compiled; the texts of a week are a quarter of this."""

MOST_NAMED: Final = 6
"""The maximum number of claims that a reason names."""


MOST_IN_A_NUMBER: Final = 12
"""The most words that a number in words goes on for after its first. Without a bound, a text of
nothing but such words takes a time that grows with the square of its length."""


class Unbacked(NamedTuple):
    """A figure outside of a reference: its place in the text, and why the rule rejects it."""

    start: int
    end: int
    reason: str


DIGITS: Final = (
    "digits are allowed only in dates, periods and names: write a reference to a claim, or omit it"
)
WORDS: Final = (
    "a number in words is allowed only before a span of time, and a fraction or a multiple is a"
    " figure: write a reference to a claim, or omit it"
)
ORDINAL: Final = "an ordinal of an event is a figure: write a reference to a claim, or omit it"
SINCE: Final = (
    "since when something has been the highest is a figure: write a reference to highest_since or"
    " lowest_since, which prints the words too, or omit it"
)


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_DAYS: Final = rf"{_DAY}(?:(?:\s?[-–,/]\s?|\s?(?:,\s)?(?:and|to)\s){_DAY}){{0,5}}"
_YEAR: Final = r"(?:1[6-9]|20)\d\d"
_SPAN: Final = r"(?:minute|hour|day|week|month|quarter|year|decade|century)"
_ENDS: Final = (
    r"(?![\w%‰]|[.,:'’]\d|\s?(?:%|‰|per\s?cent|pct|b\.?ps?\b|basis|percentage|points?\b))"
)
"""What must not follow a phrase with digits: another digit or a unit."""

_DATES: Final = (
    rf"{_YEAR}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?",
    rf"{_YEAR}[\s-]?(?:W\d\d|Q[1-4]|H[12])|W\d\d|{_YEAR}-(?:0[1-9]|1[0-2])",
    rf"{_DAYS}(?:\sof)?[\s-]{_MONTH}(?:,?[\s-]{_YEAR})?",
    rf"{_MONTH}[\s-]{_DAYS}(?:,?[\s-]{_YEAR})?",
    rf"{_MONTH},?\s(?:of\s)?{_YEAR}",
    r"(?<!\bat )(?<!\bto )(?<!\bby )(?<!near )(?<!above )(?<!below )(?<!around )(?<!level of )"
    r"(?<!\bhit )(?<!past )(?<!under )(?<!reached )(?<!nearly )(?<!almost )"
    r"(?<!touched )(?<!roughly )(?<!some )"
    rf"(?:mid-|end-)?{_YEAR}(?:s|(?:[-–/]|\s(?:to|and)\s)(?:{_YEAR}|\d\d))?",
    rf"(?:by|to)\s(?:the\s)?(?:end|start|middle|end-)?(?:\sof\s)?{_YEAR}(?=[.,;)]|\s(?:and|as|when)\b|$)",
    r"(?<!low )(?<!mid )(?<!mid-)(?<!high )(?<!lower )(?<!upper )['’]?\d0s|['’]\d\d\b",
    rf"(?:Q[1-4]|[1-4]Q|H[12]|[12]H)(?:[\s/-]?['’]?(?:{_YEAR}|\d\d))?",
    rf"(?:FY|CY)\s?['’]?(?:{_YEAR}|\d\d)(?:[/-]\d\d)?",
    r"(?:Week|(?<=[Ii]n |of |by )(?:week|year)s?)\s\d\d?(?:\s(?:and|to)\s\d\d?)?"
    r"(?=\sof\b|[.,;:)]|$)",
    r"(?:[01]?\d|2[0-3])(?::[0-5]\d|(?:[:.][0-5]\d)?\s?[ap]\.?m\b\.?)",
    rf"(?:\d{{1,3}}(?:\s?(?:-|–|to|or)\s?)){{0,1}}\d{{1,3}}[\s-](?:{_SPAN}s?)\b(?!\sin\sa\srow|\srunning|\s(?:winning|losing)\b|\sof\s(?:gains?|losses|declines?|growth|falls?|rises?))",
    r"(?:on|until|by|from|of)\sthe\s\d{1,2}(?:st|nd|rd|th)\b",
    r"\d{1,2}(?:st|nd|rd|th)[\s-]century",
    r"\d\d?[yY](?:\d\d?[yY])?|\d\d?-yr|\d{1,2}s\d{1,2}s",
)
_NAMES: Final = (
    r"[GM]-?\d{1,2}(?!\d)|Group of (?:7|10|20)|[ML]\d[AB+]?",
    r"S&P\s?\d{3}|Nikkei(?:\s|-)225|FTSE\s?(?:100|250|350)|(?:Euro\s?)?S[Tt][Oo][Xx][Xx]\s?(?:50|600)",
    r"Russell\s?[123]000|Nasdaq[\s-]100|CAC\s?40|DAX\s?(?:30|40)|ASX\s?(?:200|300)|CSI\s?[35]00",
    r"Fortune\s500|COVID-?19|Covid-19|H\.(?:4\.1|8|10|15)|T\+[0-3]|ISO\s?4217|24/7|20/20|401\(k\)",
    r"(?:Article|Section|Chapter|Title|Rule|Regulation|Part|Appendix|Annex|Table|Chart|Figure|Box"
    r"|Footnote|Exhibit|Page|Basel|Resolution|No\.)\s\d{1,4}[a-z]?(?:\([a-z0-9]{1,2}\)|[/-]\d{1,4})*"
    r"|(?:Phase|Tier|Level|Grade)\s\d\b",
    r"(?:https?://|www\.)[^\s%]+",
    r"[A-Z]{2}\d{1,2}Y|[A-Za-z]+(?:_[A-Za-z]+)*_\d{1,2}|[A-Z]{2,}(?:_[A-Z]+\d{0,2})+",
)
_PASSING: Final = re.compile(
    rf"(?<![\w$€£¥₩₹])(?<!\d[.,])(?:{'|'.join((*_DATES, *_NAMES))}){_ENDS}", re.MULTILINE
)
_MARKERS: Final = re.compile(r"^\s*\(?\d{1,2}[.)]\s|\(\d\)\s|\[\d{1,3}\]", re.MULTILINE)
_DIGITS: Final = re.compile(
    r"(?:[A-Z]{2,3})?[$€£¥₩₹+\-–−~<>=≈]?\d(?:[\d.,'’/:]*\d)?(?:st|nd|rd|th)?"
    r"(?:\s?(?:%|‰|per\s?cent|bps?\b|basis\spoints?|percentage\spoints?|pips?\b|[kmbt]n?\b"
    r"|(?:m|b|tr)illion))?"
)

_ONES: Final = "two three four five six seven eight nine"
_TEENS: Final = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    " zero nil nought dozens hundreds thousands"
)
_COUNT: Final = (
    rf"(?:{_any('twenty thirty forty fifty sixty seventy eighty ninety')}"
    rf"(?:-(?:one|{_any(_ONES)}))?|{_any(_ONES)}|{_any(_TEENS)})\b"
)
_NUMBER: Final = (
    rf"(?:{_COUNT}|(?:one|half|quarter|third|hundred|thousand|million|billion|trillion"
    r"|a\scouple\sof|quarters|thirds)\b)"
)
_CURRENCY: Final = "|".join(
    rf"{unit}(?!\s?-?\s?(?:area|zone|bloc|system))" if unit.startswith("euro") else unit
    for unit in sorted({unit for units in UNITS.values() for unit in units}, reverse=True)
)
_UNIT: Final = (
    r"(?:per\s?cent(?:age)?(?:\spoints?)?|percent|pct|basis[\s-]points?|bps?|points?|pips?|ticks?"
    rf"|big\sfigures?|handles?|sigmas?|standard\sdeviations?|{'|'.join(SUBUNITS)}"
    rf"|(?:[A-Z]\w+\s|US\s|U\.S\.\s)?(?:{_CURRENCY})"
    r"|barrels?|ounces?|tons?|tonnes?|billion|million|trillion|thousand|hundred)\b"
)
_STREAK: Final = rf"(?:straight|consecutive|successive|{_SPAN}s?\s(?:in\sa\srow|running))"
_PERIOD: Final = (
    rf"(?:\s?(?:or|to|and|-|–)\s?{_COUNT})?[\s-](?:(?:more|further|full|calendar|trading|business)\s)?"
    rf"{_SPAN}s?\b(?!\sin\sa\srow|\srunning|\sof\s(?:gains?|losses|declines?|growth|falls?|rises?))"
    r"|-(?:tier|way|sided|part|step|stage|speed|track|pronged|thirty)"
)
"""What may follow a number word: a span of time, or the rest of a name."""
_EVENT: Final = (
    r"(?:time|cut|hike|increase|rise|fall|drop|decline|gain|loss|move|decision|meeting|session"
    r"|reduction|tightening|easing|intervention|advance|retreat|slide|rally|contraction|expansion"
    r"|pause|hold|vote|dissent|auction|round|month|week|day|quarter|year)s?"
)
_PARTS: Final = (
    "third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth"
    "|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth"
)
_MULTIPLE: Final = "(?:double|triple|treble|quadruple|quintuple)"
_QUARTER: Final = rf"(?!quarter\sthe\s|(?<!\ba )quarter\s(?:{_CURRENCY})\b)"
"""A quarter of the year, if a currency follows (`over the quarter the yen gained`). The quarter of
a unit has its own article directly before the unit."""
_WORDS: Final = re.compile(
    rf"(?<![\w-])(?!(?:at|from|on)\sone\spoint|one\sof\s)(?<!\bat ){_QUARTER}"
    rf"{_NUMBER}(?:[\s-](?:and\s)?(?:of\s)?(?:an?\s|the\s)?(?:{_NUMBER}|full|whole|more|or|to|fewer))"
    rf"{{0,{MOST_IN_A_NUMBER}}}"
    rf"[\s-](?:of\s)?(?:an?\s)?{_UNIT}"
    rf"|(?<![\w-]){_NUMBER}\s(?:\w+\s)?{_STREAK}\b|\bone\s(?:in|of|out\sof)\s{_COUNT}"
    rf"|\ba(?:nother)?\s(?:\w+\s)?quarter\s(?:{_CURRENCY})\b"
    r"|\b(?:hundred|thousand|million|billion|trillion)\b"
    r"|\ba\sdozen\b"
    rf"|\bone[\s-](?:half|quarter|hundredth|{_PARTS})\b(?!\s(?:quarter|meeting))"
    rf"|\ban?\s(?:quarter|{_PARTS})\sof\s(?!growth|the\syear)"
    rf"|\bby\s(?:an?|another)\s(?:quarter|{_PARTS})\b(?!\s(?:{_SPAN}|part(?:y|ies)))"
    rf"|\ban?\s(?:quarter|{_PARTS})\s(?:higher|lower|more|less|larger|smaller|above|below)\b"
    r"|\ban?\s(?:full\s|whole\s|single\s)?(?:(?:percentage|basis)[\s-]point|full\spoint)\b"
    r"|(?<!first )(?<!second )(?<!latter )(?<!other )(?<!better )(?<![\w-])half\b"
    r"(?![\s-](?:year|hour|of\s(?:the\s)?(?:year|month|quarter|week|decade|century|(?:19|20)\d\d))|-\w)"
    r"|\b(?:doubl|tripl|trebl|quadrupl|quintupl)(?:ed|es|ing)\b|\bhalv(?:ed|es|ing)\b"
    rf"|\b{_MULTIPLE}[\s-](?:digits?|the|its|their|that|those|what|{_EVENT})\b"
    rf"|\b(?:to|will|would|could|may|might|can|should|must)\s(?:{_MULTIPLE}|halve)\b(?!-)"
    r"|\b\w+fold\b(?<!unfold)(?<!scaffold)(?<!manifold)(?<!blindfold)(?<!\bfold)"
    rf"|\b(?:twice|thrice)\b|\bone\s(?:(?:more|further|final)\s)?(?!{_SPAN}|time){_EVENT}(?<!s)\b"
    rf"|(?<![\w-])(?<!Group\sof\s)(?<!Big\s){_COUNT}(?!-(?:one|{_any(_ONES)}))(?!{_PERIOD})",
    re.IGNORECASE,
)
_MOST: Final = _any(
    "highest lowest strongest weakest largest smallest biggest fastest slowest sharpest steepest"
    " deepest longest shortest heaviest best worst dearest cheapest tightest softest firmest"
)
_ORDINAL: Final = re.compile(
    rf"\b(?:first|second|{_PARTS}|\d+(?:st|nd|rd|th)|umpteenth)[\s-]"
    rf"(?:{_STREAK}\b|(?!{_SPAN}s?\b)(?:(?!(?:that|the|and)\b)\w+[\s-](?!of\b)){{0,3}}?(?!{_SPAN}s?\b){_EVENT}\b"
    rf"|{_SPAN}\sin\sa\srow|{_SPAN}\srunning|{_SPAN}\sof\s(?:gains?|losses|declines?|growth|falls?|rises?))"
    rf"|\bfor\san?\s(?:second|{_PARTS})\s\w+|\b(?:second|{_PARTS})[\s-]{_MOST}\b",
    re.IGNORECASE,
)
_MEASURED_SPANS: Final = r"more\sthan\s(?:a\smonth|three\smonths|twelve\smonths)\b"
"""The desk's own words for how far back a range is searched, which contain no day."""
_HOW_LONG: Final = (
    rf"in\s(?!{_MEASURED_SPANS})(?:the\s(?:last|past)\s)?(?:(?:more\sthan|over|at\sleast)\s)?"
    rf"(?:nearly\s|almost\s|about\s)?(?:(?:an?|several|many|{_COUNT}|\d+)\s)?"
    r"(?:week|month|quarter|year|decade|generation|centur(?:y|ie))s?\b"
    rf"|(?:of|for|over)\s(?:the\s)?(?:last\s|past\s)?(?:(?:several|many|{_COUNT}|\d+)\s"
    r"(?:week|month|quarter|year|decade)s|(?:decade|generation|century))\b"
)
_SINCE: Final = re.compile(
    rf"\b{_MOST}\b(?:[\s-][\w'’/-]+){{0,5}}?\s(?:since\b|(?:{_HOW_LONG}))", re.IGNORECASE
)
_DEFINITE: Final = re.compile(r"\b(?:the|these|those|all)\s$", re.IGNORECASE)
_COUNTS: Final = {word: n for n, word in enumerate(_ONES.split(), start=2)}
_AN_EVENT: Final = re.compile(rf"\s(?:\w+\s){{0,2}}?{_EVENT}\b", re.IGNORECASE)
_SINCE_WHEN: Final = (Metric.HIGHEST_SINCE, Metric.LOWEST_SINCE)
_PLAIN: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NUMERALS: Final = frozenset({"Nd", "Nl", "No"})
_MASK: Final = "￼"


def rejected_figures(
    prose: str,
    claims: Mapping[str, Claim],
    *,
    others: Collection[str] = (),
    names: Collection[str] = (),
    rests_on: Collection[str] = (),
    place: str = "",
    rules: int = RULES,
) -> tuple[RejectedFigure, ...]:
    """Returns everything that is wrong with the figures and references of a text, in order.

    Args:
        prose: The writer's text, with references such as `[[USD/JPY:move]]`.
        claims: The claims that it may refer to, by id.
        others: What else it may refer to, such as quotations.
        names: Names that may contain digits, such as those of a graph's nodes.
        rests_on: The claims that the text is about: a reason names them first.
        place: The place of the text, for the reasons.
        rules: The edition of the rules that the text was written by.
    """
    found = [*typed(_masked(prose, names), claims)]
    if rules:
        found += [Unbacked(each.start, each.end, why) for each, why in misattributed(prose, claims)]
    found += [Unbacked(each.start, each.end, why) for each, why in faults(prose, claims)]
    for each in found_in(prose):
        if each.name not in claims and each.name not in others:
            found.append(Unbacked(each.start, each.end, _unknown(each.name, claims, others)))
    sentences = list(_placed(prose))
    return tuple(
        RejectedFigure(
            place=place[:LONGEST_NAME],
            written=prose[each.start : each.end].strip()[:LONGEST_NAME] or "?",
            sentence=next(s for end, s in sentences if each.start < end)[:LONGEST_TEXT],
            reason=each.reason
            + _claim_hint(prose[each.start : each.end], each.reason, claims, rests_on)
            + _asked_hint(prose[each.start : each.end], others),
        )
        for each in sorted(found)
    )


def without(prose: str, rejected: Collection[RejectedFigure]) -> str:
    """Returns the text without the sentences that contain rejected figures."""
    gone = {figure.sentence for figure in rejected}
    kept = (p for p in split_sentences(prose) if p.strip()[:LONGEST_TEXT] not in gone)
    return "".join(kept).strip()


def typed(prose: str, claims: Mapping[str, Claim]) -> Iterator[Unbacked]:
    """Yields the figures of a text outside of references, without counts of what it names: `the two
    policy rates` beside the names of two banks or references to two banks' rates."""
    figures = unbacked(prose)
    digits = [each for each in figures if each.reason == DIGITS]
    for each in figures:
        number = _COUNTS.get(prose[each.start : each.end].lower())
        counts = number is not None and _DEFINITE.search(prose, each.start - 6, each.start)
        if not counts or _AN_EVENT.match(prose, each.end):
            yield each
            continue
        start, end = _around(prose, each.start)
        near = sum(start <= figure.start < end for figure in digits)
        if number not in {near, *subjects_named(prose[:end], start, claims)}:
            yield each


def _around(prose: str, place: int) -> tuple[int, int]:
    """Returns the start and the end of the sentence at a place."""
    ends = [0, *(end for end, _ in _placed(prose))]
    at = next(number for number, end in enumerate(ends) if place < end)
    return ends[at - 1], ends[at]


def asked_in(question: str) -> Mapping[str, str]:
    """Returns what references to the figures in digits of a question print, by their names: `160
    (as asked)` by `asked:160`. An answer prints these as the question's and not as measured."""
    digits = (each for each in unbacked(question) if each.reason == DIGITS)
    written = (question[each.start : each.end] for each in digits)
    return {f"{ASKED}{figure}": f"{figure} (as asked)" for figure in written}


@lru_cache(maxsize=MOST_REMEMBERED)
def unbacked(prose: str) -> tuple[Unbacked, ...]:
    """Returns the figures of a text outside of references, in order."""
    text = REFERENCE.sub(lambda found: _MASK * len(found[0]), prose)
    found = [*_of_digits(text)]
    found += [Unbacked(*each.span(), WORDS) for each in _WORDS.finditer(text)]
    found += [Unbacked(*each.span(), ORDINAL) for each in _ORDINAL.finditer(text)]
    found += [Unbacked(*each.span(), SINCE) for each in _SINCE.finditer(text)]
    return tuple(_without_overlap(sorted(found)))


def _masked(text: str, names: Collection[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, _MASK * len(name))
    return text


def _of_digits(text: str) -> Iterator[Unbacked]:
    left = text
    for passing in (_MARKERS, _PASSING):
        left = passing.sub(lambda found: _MASK * len(found[0]), left)
    at = 0
    for place, sign in enumerate(left):
        if place < at or category(sign) not in _NUMERALS:
            continue
        number = next(
            (n for n in _DIGITS.finditer(left, max(place - 4, at)) if n.end() > place), None
        )
        start, at = (number.start(), number.end()) if number else (place, place + 1)
        yield Unbacked(min(start, place), at, DIGITS)


def _without_overlap(found: list[Unbacked]) -> Iterator[Unbacked]:
    """Yields the matches with overlapping ones merged, each with the reason of the first."""
    last: Unbacked | None = None
    for each in found:
        if last is not None and each.start < last.end:
            last = last._replace(end=max(last.end, each.end))
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


def _placed(prose: str) -> Iterator[tuple[int, str]]:
    """Yields each sentence with the position of its end."""
    end = 0
    for piece in split_sentences(prose):
        end += len(piece)
        yield end, piece.strip()


def _unknown(name: str, claims: Mapping[str, Claim], others: Collection[str]) -> str:
    near = [f"[[{each}]]" for each in nearest(name, [*claims, *others])]
    return f"unknown name{'; the nearest are ' + ', '.join(near) if near else ''}"


def _claim_hint(
    written: str, reason: str, claims: Mapping[str, Claim], rests_on: Collection[str]
) -> str:
    """Names the claims that print the written figure, or else those that the text is about."""
    if "[[" in written:
        return ""
    if reason == SINCE:
        known = [claim for claim in claims.values() if claim.metric in _SINCE_WHEN]
    else:
        known = [claim for claim in claims.values() if _prints_number(claim, written)]
        known = known or [claims[name] for name in rests_on if name in claims]
    named = ", ".join(f"[[{c.claim_id}]] prints {print_claim(c)}" for c in known[:MOST_NAMED])
    return f". Of the claims {named}" if named else ""


def _asked_hint(written: str, others: Collection[str]) -> str:
    """Says how to print a figure that the question has."""
    name = f"{ASKED}{written.strip()}"
    return f". If only the question has it, write [[{name}]]" if name in others else ""


def _prints_number(claim: Claim, written: str) -> bool:
    """Returns whether a claim prints the number that was written, as far as its digits go, whatever
    its sign. A day is not a number."""
    if claim.unit is Unit.CALENDAR_DAY:
        return False
    meant, printed = _number_in(written), _number_in(print_claim(claim))
    if meant is None or printed is None:
        return False
    return round(printed, max(0, -int(meant.as_tuple().exponent))) == meant


def _number_in(words: str) -> Decimal | None:
    """Returns the first number of a text, without its sign."""
    found = _PLAIN.search(words.replace(",", ""))
    return Decimal(found[0]) if found else None
