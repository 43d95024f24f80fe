"""The words of questions and of texts, brought to a form in which they can be compared.

English, and no more of it than questions at a desk need: endings, irregular verbs, and groups of
words that stand for one thing.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(r"[^\W_]+(?:[.,:'’][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s?$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: Final = _words(
    "a an and or the of to in on at by for from with within without into over under about as is are"
    " was were be been being am do does did has have had having can could may might must shall"
    " should will would it its this that these those there their they them he his him she her we"
    " our us you your i me my mine who whom whose what which when where why how if than then so not"
    " no any some anybody somebody anyone someone nobody all each every both either up out still"
    " just only also please tell give show list let know find say says said asked ask many much"
    " long often large big far old new one ones get got make made use used per since until till"
    " such same other ago now today currently at's whether before after during between again"
    " exactly present matter behind name named against through among towards beyond above below via"
    " happen become becomes became go goes going"
)
"""Words that say nothing about what is asked."""

_IRREGULAR: Final = {
    "kept": "keep", "paid": "pay", "sent": "send", "given": "give", "gave": "give", "took": "take",
    "taken": "take", "lost": "lose", "wrote": "write", "written": "write", "held": "hold",
    "bought": "buy", "ran": "run", "led": "lead", "people": "person", "men": "man", "came": "come",
    "began": "begin", "begun": "begin", "rose": "rise", "fell": "fall", "fallen": "fall",
    "met": "meet", "told": "tell", "left": "leave", "chosen": "choose", "chose": "choose",
    "drew": "draw", "drawn": "draw", "grew": "grow", "grown": "grow", "worse": "bad",
}  # fmt: skip

_GROUPS: Final = (
    "cost price fee charge expense",
    "own owner ownership",
    "chair chairman chairwoman chairperson",
    "head lead leader",
    "end expire expiry",
    "begin start",
    "month monthly",
    "year yearly annual annually",
    "week weekly",
    "quarter quarterly",
    "day daily",
    "cause reason because",
    "delete deletion erase remove removal",
    "keep retain retention",
    "rate rating",
    "merge merger",
    "delay delayed late",
    "author write writer",
    "compress compression",
    "cancel cancellation",
    "amend amendment",
    "terminate termination",
    "recommend recommendation",
    "estimate estimator estimation",
    "approve approval",
    "address street",
    "firm company bank",
    "worker staff employee person",
    "percent percentage",
    "review check",
    "mentor mentoring",
    "settle settlement",
    "release publish publication",
    "annualise annualisation annualize annualization",
    "encrypt encryption",
    "renew renewal",
    "liable liability",
    "redistribute redistribution",
    "mistake error fault",
    "comment consultation",
    "length lengthen longer",
    "shorten shortening shorter",
    "method methodology",
    "deliver delivery",
    "africa african",
    "america american",
    "asia asian",
    "australia australian",
    "britain british",
    "canada canadian",
    "china chinese",
    "europe european",
    "india indian",
    "indonesia indonesian",
    "japan japanese",
    "korea korean",
    "malaysia malaysian",
    "norway norwegian",
    "sweden swedish",
    "switzerland swiss",
    "thailand thai",
    "vietnam vietnamese",
    "reconcile reconciliation",
)

CURRENCIES: Final = _words(
    "yen won baht rupee rupiah ringgit peso yuan renminbi euro dollar pound sterling franc krona"
    " krone dong lira rand real shekel zloty forint koruna rouble ruble taka kip"
)
"""Names of currencies, as stems: what is asked of one is not answered by another."""

_FIGURE: Final = re.compile(r"\d")


class Token(NamedTuple):
    """A word of a text: as it is compared, as it is written, and where."""

    stem: str
    written: str
    start: int

    @property
    def is_figure(self) -> bool:
        """Whether it holds a digit."""
        return _FIGURE.search(self.written) is not None


def tokens(text: str) -> Iterator[Token]:
    """The words of a text in their order. What a hyphen joins are several."""
    for found in _TOKEN.finditer(text):
        written = _POSSESSIVE.sub("", found[0])
        yield Token(stem(written), written, found.start())


def telling(text: str) -> tuple[Token, ...]:
    """The words of a text that say what it is about."""
    return tuple(
        token
        for token in tokens(text)
        if not is_empty_word(token.written) and (len(token.written) > 1 or token.is_figure)
    )


def is_empty_word(word: str) -> bool:
    """Whether a word says nothing about what is asked, in whatever form."""
    plain = word.lower()
    base = _IRREGULAR.get(plain, plain)
    return bool({plain, base, _without_ending(base)} & STOP_WORDS)


def stems(text: str) -> frozenset[str]:
    """All words of a text, as they are compared."""
    return frozenset(token.stem for token in tokens(text))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending; that of its group, where it is in one."""
    plain = word.lower()
    plain = _IRREGULAR.get(plain, plain)
    cut = _without_ending(plain)
    return _GROUP_OF.get(cut) or _GROUP_OF.get(plain) or cut


def _without_ending(word: str) -> str:
    if len(word) < 4 or _FIGURE.search(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ing", 3), ("ed", 3), ("ly", 5)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


_GROUP_OF: Final = {
    _without_ending(_IRREGULAR.get(word, word)): group.split()[0]
    for group in _GROUPS
    for word in group.split()
}
