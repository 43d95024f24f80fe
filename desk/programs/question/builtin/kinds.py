"""Of what kind a question about banks and markets is: which of the facts that are known goes first,
and what would be so if its answer were yes.

It is the kind with the nearest wording in meaning, where that is near enough and nearer than any of
another kind. A kind orders what is told, and says that what is asked is none of the desk's facts.
It makes no fact, and without a model of meaning there is none.

The vectors of the wordings are made once. `tests/unit/programs/accept_wordings.py` writes the file
after a wording has changed.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from desk.analytics.names.currency_mentions import without_other_markets
from desk.analytics.names.subjects import by_their_kinds
from desk.analytics.retrieval.alike import NamedWordings
from desk.analytics.retrieval.frames import without_frame

if TYPE_CHECKING:
    # A command that asks for no kind loads no numpy.
    from desk.analytics.retrieval.meaning import FindMeaning, Meaning

FILE: Final = Path(__file__).with_name("kinds.npz")


class QuestionKind(StrEnum):
    """What a question asks for, of what the desk knows of banks and markets."""

    NEXT = "the next decision day"
    DECIDED = "the last decision"
    CHANGED = "the last change of the rate"
    RATE = "the policy rate"
    YIELD = "the yield of government bonds"
    MOVE = "the move of a currency"
    LEVEL = "the level of a currency"
    AHEAD = "what a bank will decide"
    OTHER = "what the desk does not know"


OF_A_BANK: Final = frozenset(
    {
        QuestionKind.NEXT,
        QuestionKind.DECIDED,
        QuestionKind.CHANGED,
        QuestionKind.RATE,
        QuestionKind.YIELD,
    }
)
"""What is asked of a bank or its country, and not of its currency."""

NOT_KNOWN: Final = frozenset({QuestionKind.AHEAD, QuestionKind.OTHER})
"""What no fact of the desk answers."""

_TOLD_ALIKE: Final = (
    frozenset({QuestionKind.DECIDED, QuestionKind.CHANGED}),
    frozenset({QuestionKind.MOVE, QuestionKind.LEVEL}),
    NOT_KNOWN,
)
"""Kinds of which each is answered with the facts of the other: they need not be told apart."""

OF_RATES: Final = frozenset({QuestionKind.RATE, QuestionKind.YIELD})
"""What of that is asked of it beside a currency as well."""

FLOOR: Final = 0.55
"""The cosine of a question to the nearest wording of its kind. Of 82 building questions this and
`APART` take 72, of which 68 are right."""

APART: Final = 0.03
"""How much nearer that has to be than any wording of another kind."""

WORDINGS: Final[Mapping[QuestionKind, tuple[str, ...]]] = MappingProxyType(
    {
        QuestionKind.NEXT: (
            "when does the central bank meet next",
            "when is the next rate decision of the central bank",
            "what is the date of the next meeting of the central bank",
            "which central bank meets first",
            "who decides first, the central bank or the central bank",
            "which of the two central banks is up next",
            "does the central bank meet before the central bank",
            "is a decision of the central bank due today",
            "central bank decision due today",
            "is there a rate meeting of the central bank coming up this month",
            "how many weeks until the central bank meets again",
            "what is on the calendar of the central bank",
            "next central bank date",
            "when is the central bank up again",
            "the central bank or the central bank, which one is up first",
            "are there any central bank meetings left this year",
            "on which dates will the central bank still meet this year",
            "when does the central bank decide next",
            "on what day will the central bank decide next, please",
            "whose next decision comes first, the central bank or the central bank",
            "whose meeting is sooner, the central bank's or the central bank's",
            "the central bank and the central bank: whose next decision comes first",
            "who decides sooner, the central bank or the central bank",
            "the central bank and the central bank: whose meeting is sooner",
        ),
        QuestionKind.DECIDED: (
            "what did the central bank do last",
            "what did the central bank decide at its last meeting",
            "what did the central bank do with its rate in october",
            "did the central bank raise, cut or hold in september",
            "did the central bank move in august",
            "did the central bank hold or cut this month",
            "what happened at the september central bank meeting",
            "what was the outcome of the central bank meeting",
            "how did the last decision of the central bank turn out",
            "central bank, latest decision please",
            "what was the latest call of the central bank",
            "did the central bank do anything at its october meeting",
            "did the central bank hold in september",
            "what have the central bank and the central bank decided since then",
            "what has the central bank done with rates",
            "what has the central bank done with its rate this year",
            "what did the central bank do in the year",
            "what did the central bank decide in the year",
            "did the central bank change its rate on that day",
            "did the central bank do anything on that day",
            "what has the central bank done since then",
            "what did the central bank decide today",
            "central bank latest decision",
            "central bank decisions this year",
        ),
        QuestionKind.CHANGED: (
            "when did the central bank last cut",
            "when did the central bank last raise its rate",
            "when did the central bank last change its rate",
            "what was the last hike of the central bank",
            "has the central bank cut rates this year",
            "how long has the central bank been on hold",
            "when was the last time that the country changed rates",
            "how many times did the central bank change its rates",
            "did the central bank cut in the year",
            "has the central bank gone up or down since then",
            "which has cut most over the year, the central bank or the central bank",
            "who raised rates last, the central bank or the central bank",
            "which central bank was the last to cut",
            "who cut last, the central bank or the central bank",
            "who hiked last, the central bank or the central bank",
            "which raised more recently, the central bank or the central bank",
            "how often did the central bank move in the year",
            "how many times did the central bank cut in the year",
            "how many times has the central bank eased since then",
            "has the central bank eased yet",
            "have the country cut yet",
            "has the country hiked yet",
            "which central bank cut more in the year",
            "the central bank or the central bank, who cut more since then",
        ),
        QuestionKind.RATE: (
            "what is the policy rate of the central bank",
            "what is the rate of the central bank",
            "what is the policy rate of the country",
            "where is the cash rate now",
            "key rate of the country please",
            "how high are interest rates in the country",
            "which central bank has the higher policy rate",
            "is the country policy rate above the country one",
            "is the policy rate in the country lower than in the country",
            "who has the higher cash rate, the currency or the currency",
            "in which currency is it cheaper to borrow, the currency or the currency",
            "the policy rate now versus a year ago",
            "the central bank now versus a year ago",
            "how much more does the central bank pay than the central bank",
            "is the rate of the central bank below the central bank's",
            "how much does cash in the currency pay",
            "what was the rate of the central bank on that day",
            "where were interest rates in the country at the end of the year",
            "which pays more for overnight money, the central bank or the central bank",
            "what was the repo rate of the central bank on that day",
            "what was the cash rate of the central bank in june, and what is it now",
            "what is the gap between the policy rates of the currency and the currency",
            "are interest rates in the country the same as in the country",
            "are country rates equal to country rates",
            "what is the difference between the central bank and the central bank rate",
            "by how much is the central bank below the central bank",
            "how far is the central bank above the central bank",
            "how many basis points lie between the central bank and the central bank",
            "is the rate of the central bank higher than a year ago",
            "what was the central bank rate on that day",
            "who has the lower rate, the central bank or the central bank",
            "how much more do i get overnight in the currency than in the currency",
            "how much more does cash in the currency earn than cash in the currency",
            "the central bank against the central bank rate",
            "country central bank rate",
            "the central bank cash rate",
            "what was the central bank rate on 1 march",
            "what is the current rate of the central bank",
        ),
        QuestionKind.YIELD: (
            "what do ten-year government bonds yield",
            "where are government bonds trading",
            "what is the 10y government bonds paying",
            "is the country 10-year yield above the country one",
            "the spread between country and country two-year yields",
            "how steep is the yield curve of the country",
            "how steep is the government bonds curve",
            "country 2s10s",
            "where is the 2s10s of the country",
            "slope of the curve of government bonds",
            "government bonds over government bonds spread",
            "did the two-year yield of the country fall this month",
        ),
        QuestionKind.MOVE: (
            "how did the currency do this week",
            "how is the currency doing",
            "has the currency gained or lost since january",
            "did the currency rise or fall last month",
            "by how much did the currency move in september",
            "which currency did best",
            "which of the currency, currency and currency fell most",
            "was the currency stronger than the currency in october",
            "how far is the currency from where it began the year",
            "how has the currency performed this year",
            "what moved the currency last week",
            "why did the currency fall",
            "what was the currency's performance against the currency over the period",
            "how did the currency fare against the currency last year",
            "was the currency up or down on the month",
            "has the currency lost ground since then",
            "the currency, change on the month",
            "biggest loser among the currencies",
            "between the currencies, who lost more since then",
            "what did the currency do on that day",
            "what happened to the currency on that day",
            "how did the currency react on that day",
            "what has the currency done this quarter",
            "what was the biggest daily move in the currency last month",
            "the currency from then to then",
            "is the currency stronger than it was then",
            "has the currency been falling since then",
            "which fell more in october, the currency or the currency",
            "is the currency down against the currency this year",
            "what did the currency do since the start of the year",
        ),
        QuestionKind.LEVEL: (
            "is the currency at a record",
            "where does the currency trade now",
            "what is the exchange rate of the currency",
            "what is the currency rate against the currency",
            "how many currency is one currency",
            "how far is the currency from its best level this year",
            "is the currency near its high of the year",
            "where did the currency fix",
            "where was the currency on that day",
            "what was the highest fixing of the currency in the year",
            "is the currency at an all time low",
            "is the currency at a record high against the currency",
            "what was the currency a year ago",
            "is the currency close to its low of the year",
        ),
        QuestionKind.AHEAD: (
            "will the central bank cut at its next meeting",
            "will the central bank hike on the day",
            "is the central bank going to raise or cut in december",
            "is the central bank going to cut on the day",
            "is the central bank done raising rates",
            "what will the central bank do next",
            "is the central bank expected to hold",
            "what are the odds of a central bank cut",
            "how many central bank cuts are priced by the market",
            "what odds does the market give a central bank cut",
            "what does the market expect of the central bank",
            "how many central bank cuts are priced in for december",
            "what is priced in for the next central bank meeting",
            "does the central bank raise this week",
            "will the central bank hike on tuesday",
            "will the central bank cut on thursday",
        ),
        QuestionKind.OTHER: (
            "who heads the central bank",
            "who is the governor of the central bank",
            "who voted against the last decision of the central bank",
            "how did the members of the committee of the central bank vote",
            "why did the central bank raise rates",
            "what is inflation in the country",
            "is inflation in the country above the target of the central bank",
            "is the consumer price index of the country above the central bank target",
            "what is the inflation target of the central bank",
            "is cpi in the country above the central bank target",
            "is cpi in the country above target",
            "where is inflation in the country",
            "who dissented at the last meeting of the central bank",
            "who voted for the last cut of the central bank",
            "what did the chair of the central bank say at the last press conference",
            "what was the consumer price index print in september",
            "what was unemployment in the country last month",
            "how fast does the economy of the country grow",
            "what did the governor of the central bank say",
            "when was the central bank founded",
            "where does the central bank have its offices",
            "how large is the balance sheet of the central bank",
            "what are the foreign exchange reserves of the country",
            "how much gold does the central bank own",
            "does the central bank intervene in the currency market",
            "what does the statement of the central bank say about wages",
            "who is buying the currency",
            "where will the currency be next week",
            "will the currency rise",
            "what is the offshore currency against the onshore one",
            "what is the forward of the currency",
            "what do options on the currency price",
            "how many contracts are short the currency",
            "how many traders are long the currency",
            "what are the net speculative positions in the currency",
            "how is the market positioned in the currency",
            "what will the currency be in a year",
            "how volatile was the currency",
            "what is the implied volatility of the currency",
            "who chairs the central bank",
        ),
    }
)
"""How somebody may ask for each, with what it is in the place of a name. They are what a question
is compared with, and no rule: any number of them may be missing."""


SIDES: Final = NamedWordings(Path(__file__).with_name("sides.toml"), FILE)
"""How somebody may ask for each side, and for something else than yes or no."""


class AskedSide(StrEnum):
    """What would be so if the answer to a question were yes."""

    UP = "up"
    DOWN = "down"
    ABOVE = "above"
    BELOW = "below"
    LEVEL = "level"
    RAISED = "raised"
    CUT = "cut"
    MOVED = "moved"


OPEN: Final = "open"
"""The name of the wordings that ask for something else than yes or no."""

SIDE_FLOOR: Final = 0.95
"""How near the nearest wording of a side has to be, in meaning and in words together: at most 2."""

SIDE_APART: Final = 0.07
"""How much nearer that has to be than any wording of another side, or of an open question."""


def all_wordings() -> tuple[str, ...]:
    """All that a question is compared with, each once."""
    told = (*WORDINGS.values(), *SIDES.told.values())
    return tuple(dict.fromkeys(wording for each in told for wording in each))


def kind_of(question: str, find_meaning: "FindMeaning") -> QuestionKind | None:
    """The kind of a question by a model of meaning; None where none is near enough or nearer than
    the others that have other facts, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    near = nearness(question, meaning)
    best = max(near, key=lambda kind: near[kind])
    alike = next((kinds for kinds in _TOLD_ALIKE if best in kinds), {best})
    other = max(near.keys() - alike, key=lambda kind: near[kind])
    enough = near[best] >= FLOOR and near[best] - near[other] >= APART
    return best if enough else None


def likeliest(
    question: str, among: Collection[QuestionKind], find_meaning: "FindMeaning"
) -> QuestionKind | None:
    """Of some kinds the nearest to a question, however near another is; None where none is near
    enough."""
    meaning = find_meaning()
    if meaning is None:
        return None
    near = nearness(question, meaning)
    best = max(among, key=lambda kind: near[kind])
    return best if near[best] >= FLOOR else None


def nearness(question: str, meaning: "Meaning") -> dict[QuestionKind, float]:
    """By kind the cosine of a question to the nearest of its wordings. A name counts as what it
    is: all banks are asked about alike."""
    from desk.analytics.retrieval.wordings import kept_vectors

    asked, vectors = meaning.question(_compared(question)), kept_vectors(FILE)
    return {
        kind: max((float(vectors[each] @ asked) for each in told if each in vectors), default=0.0)
        for kind, told in WORDINGS.items()
    }


def side_of(
    question: str, among: Iterable[AskedSide], find_meaning: "FindMeaning"
) -> AskedSide | None:
    """Of some sides the one that a question asks for, so that it is answered with yes or no; None
    where none is near enough or nearer than the others, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    near = SIDES.nearness(_compared(question), (*among, OPEN), meaning)
    best, other = sorted(near, key=lambda name: -near[name])[:2]
    enough = near[best] >= SIDE_FLOOR and near[best] - near[other] >= SIDE_APART
    return AskedSide(best) if enough and best != OPEN else None


def _compared(question: str) -> str:
    """A question as it is compared: without its polite frame, with what each name is."""
    return by_their_kinds(without_other_markets(without_frame(question), "the currency"))
