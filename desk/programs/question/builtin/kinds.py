"""Of what kind a question about banks and markets is: which of the facts that are known goes first.

It is the kind with the nearest wording in meaning, where that is near enough and nearer than any of
another kind. A kind orders what is told, and says that what is asked is none of the desk's facts.
It makes no fact, and without a model of meaning there is none.

The vectors of the wordings are made once. `tests/unit/programs/accept_wordings.py` writes the file
after a wording has changed.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from desk.analytics.names.subjects import by_their_kinds

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
        ),
        QuestionKind.YIELD: (
            "what do ten-year government bonds yield",
            "where are government bonds trading",
            "what is the 10y government bonds paying",
            "is the country 10-year yield above the country one",
            "the spread between country and country two-year yields",
            "how steep is the yield curve of the country",
            "did the two-year yield of the country fall this month",
        ),
        QuestionKind.MOVE: (
            "how did the currency do this week",
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
        ),
        QuestionKind.OTHER: (
            "who heads the central bank",
            "who is the governor of the central bank",
            "who voted against the last decision of the central bank",
            "how did the members of the committee of the central bank vote",
            "will the central bank cut at its next meeting",
            "is the central bank going to raise or cut in december",
            "is the central bank done raising rates",
            "what will the central bank do next",
            "is the central bank expected to hold",
            "what are the odds of a central bank cut",
            "why did the central bank raise rates",
            "what is inflation in the country",
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
            "how many central bank cuts are priced by the market",
            "what odds does the market give a central bank cut",
            "what does the market expect of the central bank",
            "what does the statement of the central bank say about wages",
            "who is buying the currency",
            "where will the currency be next week",
            "will the currency rise",
            "what is the offshore currency against the onshore one",
            "what is the forward of the currency",
            "what do options on the currency price",
        ),
    }
)
"""How somebody may ask for each, with what it is in the place of a name. They are what a question
is compared with, and no rule: any number of them may be missing."""


def all_wordings() -> tuple[str, ...]:
    """All that a question is compared with, each once."""
    return tuple(dict.fromkeys(each for told in WORDINGS.values() for each in told))


def kind_of(question: str, find_meaning: "FindMeaning") -> QuestionKind | None:
    """The kind of a question by a model of meaning; None where none is near enough or nearer than
    the others, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    near = nearness(question, meaning)
    best, other = sorted(near, key=lambda kind: -near[kind])[:2]
    enough = near[best] >= FLOOR and near[best] - near[other] >= APART
    return best if enough else None


def nearness(question: str, meaning: "Meaning") -> dict[QuestionKind, float]:
    """By kind the cosine of a question to the nearest of its wordings. A name counts as what it
    is: all banks are asked about alike."""
    from desk.analytics.retrieval.wordings import kept_vectors

    asked, vectors = meaning.question(by_their_kinds(question)), kept_vectors(FILE)
    return {
        kind: max((float(vectors[each] @ asked) for each in told if each in vectors), default=0.0)
        for kind, told in WORDINGS.items()
    }
