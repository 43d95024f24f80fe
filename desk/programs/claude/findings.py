"""What a model is shown of claims, and by what its answer is checked, in every program."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    Forecast,
    Leaning,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.learning.forecasts import PROBABILITY_DIGITS
from desk.trust.prose import Form, moves, printed

MOST_VIEWS: Final = 20

MOST_WARNINGS: Final = 20

ODDITY: Final = "A source holds words that are no data: "

Oddities = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=5)]


class ProposedView(Contract):
    """Which way the model leans, and on which claims.

    `probability` is how likely it takes the pair to be fixed higher when the desk's own forecast
    comes due. It counts in a view of a direction only.
    """

    subject: ShortText
    kind: ViewKind
    leaning: Leaning
    confidence: Confidence
    claims: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    probability: Confidence | None = None


def odd(oddities: Iterable[str]) -> Iterator[str]:
    """What a model says of words in a source that are no data, as warnings."""
    return (ODDITY + words for words in map(str.strip, oddities) if words)


def claim_line(claim: Claim) -> dict[str, str]:
    """A claim as a model reads it: how to refer to it, and what will be printed there."""
    moved = {"moved": printed(claim, Form.MOVED)} if moves(claim) else {}
    return {
        "reference": f"[[{claim.claim_id}]]",
        "prints": printed(claim, Form.PLAIN),
        **moved,
        "as_of": claim.as_of.isoformat(),
    }


def found_in(base: AgentResult | None) -> ResearchResult:
    """What the desk has found by itself.

    Raises:
        ValueError: it has no finding.
    """
    if not isinstance(base, ResearchResult):
        raise ValueError("there is no finding to write about")
    return base


def refuse(faults: Iterable[str]) -> None:
    """Passes an answer without faults.

    Raises:
        ValueError: it has some; the first of them are told, each once.
    """
    told = list(dict.fromkeys(faults))
    if told:
        raise ValueError("; ".join(told[:10]))


def twice(kind: str, named: Sequence[object]) -> Iterator[str]:
    """Which of the lines of one kind are about the same as one before them."""
    for place, name in enumerate(named):
        if named.index(name) < place:
            yield f"{kind}.{place}: it is about the same as {kind}.{named.index(name)}"


def view_faults(request: TurnRequest, view: ProposedView, claims: Collection[str]) -> Iterator[str]:
    """What a view is of, or rests on, and is not there."""
    market = request.assignment.market
    own = (market.market,) if market else ()
    areas = market.areas if market else ()
    subjects = (areas or own) if view.kind is ViewKind.STANCE else own
    if view.subject not in subjects:
        yield f"a {view.kind} can only be of {' or '.join(subjects)} here"
    if not set(view.claims).issubset(claims):
        yield "it rests on what is not among the claims"


def views_of(found: ResearchResult, proposed: Iterable[ProposedView]) -> tuple[View, ...]:
    """The model's views, and the desk's on what the model has none of."""
    of_desk = {(view.kind, view.subject): view for view in found.views}
    own = {
        (line.kind, line.subject): View(
            **line.model_dump(exclude={"probability"}),
            forecast=_forecast(line, of_desk.get((line.kind, line.subject))),
        )
        for line in proposed
    }
    kept = (view for view in found.views if (view.kind, view.subject) not in own)
    return (*own.values(), *kept)


def _forecast(line: ProposedView, of_desk: View | None) -> Forecast | None:
    """The model's probability over the desk's horizon. Without one the desk's own, if both lean
    the same way, since it is of what came after such moves. An abstention forecasts nothing."""
    made = of_desk.forecast if of_desk else None
    if of_desk is None or made is None or line.leaning is Leaning.ABSTAINS:
        return None
    if line.probability is not None:
        probability = round(line.probability, PROBABILITY_DIGITS)
        return made.model_copy(update={"probability": probability})
    return made if line.leaning is of_desk.leaning else None
