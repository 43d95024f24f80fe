"""What a model is shown of claims, and by what its answer is checked, in every program."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Final, TypeVar

from pydantic import BeforeValidator, Field, JsonValue, StringConstraints

from desk.analytics.names.nearest import nearest
from desk.analytics.names.periods import UNREAD
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tasks import Query, TaskAssignment
from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult, ToolStatus
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.results import (
    Finding,
    Forecast,
    Leaning,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.findings.source_results import Provenance, SourceResult
from desk.contracts.findings.verdicts import RejectedFigure
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.learning.forecasts import PROBABILITY_DIGITS
from desk.programs.claude.figures import Figures
from desk.programs.claude.news import short_id
from desk.trust.ledger import EvidenceUnusable, attributed, check_result
from desk.trust.prose import REFERENCE, references, rejected_figures

MOST_VIEWS: Final = 20

MOST_WARNINGS: Final = 20

MOST_ANSWERS_NAMED: Final = 20

MOST_FAULTS: Final = 20

LONGEST_STATEMENT: Final = 700

ODDITY: Final = "A source holds words that are no data: "

Oddities = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=5)]

Unread = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=5)]

Result = TypeVar("Result", bound=AgentResult)

FROM_A_FAULT: Final = (ValueError, LookupError)
"""What goes wrong where a result is made of an answer that has faults."""


def _bare(written: object) -> object:
    """A claim's name as it is, or out of the brackets of a reference to it."""
    if not isinstance(written, str):
        return written
    found = REFERENCE.fullmatch(written.strip())
    return (found[1] if found else written).partition("|")[0].strip()


ClaimName = Annotated[ShortText, BeforeValidator(_bare)]
"""A claim by its name, with the brackets of a reference or without."""


class Refused(ValueError):
    """An answer has faults. `partial` is what is left of it without them, so that what else is
    wrong with it can be told at once; None where nothing can be made of it."""

    def __init__(self, words: str, partial: AgentResult | None) -> None:
        super().__init__(words)
        self.partial = partial


Topic = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]

Statement = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_STATEMENT)
]


class ProposedFinding(Contract):
    """One thing that was found, how sure it is, and the claims and answers that it rests on."""

    topic: Topic
    statement: Statement
    confidence: Confidence
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=10)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class ProposedView(Contract):
    """Which way the model leans, and on which claims.

    `probability` is how likely it takes the pair to be fixed higher when the desk's own forecast
    comes due. It counts in a view of a direction only.
    """

    subject: ShortText
    kind: ViewKind
    leaning: Leaning
    confidence: Confidence
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=8)] = ()
    probability: Confidence | None = None


def odd(oddities: Iterable[str]) -> Iterator[str]:
    """What a model says of words in a source that are no data, as warnings."""
    return (ODDITY + words for words in map(str.strip, oddities) if words)


def unread_in(unread: Iterable[str]) -> Iterator[str]:
    """What a model says that it could not read, as what is missing."""
    return (f"Could not be read: {words}" for words in map(str.strip, unread) if words)


def found_in(base: AgentResult | None) -> ResearchResult:
    """What the desk has found by itself.

    Raises:
        ValueError: it has no finding.
    """
    if not isinstance(base, ResearchResult):
        raise ValueError("there is no finding to write about")
    return base


def checked(faults: Iterable[str], make: Callable[[], Result]) -> Result:
    """What an answer without faults comes to.

    `make` leaves out what has faults.

    Raises:
        Refused: it has some; they are told, each once, and how many more there are than can be.
    """
    told = list(dict.fromkeys(faults))
    if not told:
        return make()
    try:
        partial: Result | None = make()
    except FROM_A_FAULT:
        partial = None
    more = (f"and {len(told) - MOST_FAULTS} more",) if len(told) > MOST_FAULTS else ()
    raise Refused("; ".join((*told[:MOST_FAULTS], *more)), partial)


def nearest_to(name: str, known: Iterable[str]) -> str:
    """The known names that come nearest to one that there is not, or that there are none at all.
    The name itself is a model's word, and is not repeated."""
    near = ", ".join(nearest(name, tuple(known)))
    return f"nearest are {near}" if near else "there are none"


def prose_faults(prose: str, figures: Figures) -> Iterator[str]:
    """What is wrong with a text that goes with a line which cannot be used: the gate reads what
    can, and all is to be told at once."""
    return map(rejection, rejected_figures(prose, figures.known))


def rejection(figure: RejectedFigure) -> str:
    """What is wrong with a figure, as a model is told."""
    return f"'{figure.written}' in '{figure.sentence}': {figure.reason}"


def twice(kind: str, named: Sequence[object]) -> Iterator[str]:
    """Which of the lines of one kind are about the same as one before them."""
    for place, name in enumerate(named):
        if named.index(name) < place:
            yield f"{kind}.{place}: it is about the same as {kind}.{named.index(name)}"


def views_faults(
    request: TurnRequest, views: Sequence[ProposedView], figures: Figures
) -> Iterator[str]:
    """What views are of, or rest on, and is not there; and two of one kind on one subject."""
    market = request.assignment.market
    own = (market.market,) if market else ()
    areas = market.areas if market else ()
    for place, view in enumerate(views):
        subjects = (areas or own) if view.kind is ViewKind.STANCE else own
        if view.subject not in subjects:
            told = " or ".join(subjects)
            yield f"views.{place}: a {view.kind} can only be of {told} here"
        yield from figures.unknown(f"views.{place}.claims", view.claims)
    yield from twice("views", [(view.kind, view.subject) for view in views])


def views_of(
    found: ResearchResult, proposed: Iterable[ProposedView], figures: Figures
) -> tuple[View, ...]:
    """The model's views and no others: what it leaves out is not its own."""
    of_desk = {(view.kind, view.subject): view for view in found.views}
    return tuple(
        View(
            subject=line.subject,
            kind=line.kind,
            leaning=line.leaning,
            confidence=line.confidence,
            claims=tuple(name for name in line.claims if name in figures.known),
            forecast=_forecast(line, of_desk.get((line.kind, line.subject))),
            probability=_probability(line),
        )
        for line in proposed
    )[:MOST_VIEWS]


def told_days(task: TaskAssignment) -> dict[str, str]:
    """What is researched: a week, or a question with the days that were measured for it."""
    if task.query is None:
        return {"week": task.week}
    first, last = window_days(task.window)
    return {"question": task.query.question, "days": f"{first} to {last}"}


def told_reading(query: Query | None) -> dict[str, JsonValue]:
    """What of a question the desk has not measured: the days that it did not read. Markets that it
    names besides have agents of their own."""
    return {"days_not_read": query.parameters.get(UNREAD) if query else None}


def told_views(views: Iterable[View]) -> list[JsonValue]:
    """Views as a model is shown them: without how widely a forecast was fitted, a probability once
    where it is the forecast's as well, and `by_words` only of those that a list of words read."""
    return [
        {
            **view.model_dump(mode="json", exclude={"by_words": True, "forecast": _not_told(view)}),
            **({"by_words": True} if view.by_words else {}),
        }
        for view in views
    ]


def _not_told(view: View) -> set[str]:
    """What of a view's forecast is no model's business, or stands beside it."""
    said = view.probability is not None
    return {"deviation", "probability"} if said else {"deviation"}


def _probability(line: ProposedView) -> float | None:
    """The model's own, of a direction that it has a view of."""
    told = line.kind is ViewKind.DIRECTION and line.leaning is not Leaning.ABSTAINS
    if not told or line.probability is None:
        return None
    return round(line.probability, PROBABILITY_DIGITS)


def _forecast(line: ProposedView, of_desk: View | None) -> Forecast | None:
    """The model's probability over the desk's horizon; without one there is no forecast of its
    own. An abstention forecasts nothing."""
    made, own = of_desk.forecast if of_desk else None, _probability(line)
    if made is None or own is None:
        return None
    return made.model_copy(update={"probability": own})


def finding_faults(
    request: TurnRequest, findings: Sequence[ProposedFinding], figures: Figures
) -> Iterator[str]:
    """What findings rest on that is not there, or that they rest on nothing; and two alike."""
    answers = usable(request)
    for place, finding in enumerate(findings):
        yield from figures.unknown(f"findings.{place}.claims", finding.claims)
        if not answers.keys() >= set(finding.evidence):
            there = ", ".join(list(answers)[:MOST_ANSWERS_NAMED]) or "none"
            yield f"findings.{place}.evidence: no answer goes by that name; there are {there}"
        if not (finding.claims or finding.evidence or references(finding.statement)):
            yield f"findings.{place}: it rests on nothing: name claims or evidence"
    yield from twice("findings", [finding.statement for finding in findings])


def findings_of(
    request: TurnRequest, proposed: Iterable[ProposedFinding], figures: Figures
) -> Iterator[Finding]:
    """The findings, with all claims that they name or refer to."""
    answers = usable(request)
    for line in proposed:
        named = dict.fromkeys((*line.claims, *references(line.statement)))
        there = (name for name in dict.fromkeys(line.evidence) if name in answers)
        yield Finding(
            topic=line.topic,
            statement=line.statement,
            confidence=line.confidence,
            claims=tuple(name for name in named if name in figures.known)[:20],
            evidence=tuple(answers[name].evidence_id for name in there),
        )


def usable(request: TurnRequest) -> dict[str, ToolResult]:
    """The answers that something can rest on, by the names that a model knows them by: unchanged,
    and of the task's as-of instant."""
    return {short_id(answer): answer for answer in request.results if is_usable(request, answer)}


def asked_by_model(request: TurnRequest) -> tuple[ToolResult, ...]:
    """The answers to the calls that a model made by itself."""
    return tuple(r for exchange in request.exchanges if exchange.said for r in exchange.results)


def still_missing(request: TurnRequest, missing: Iterable[str]) -> Iterator[str]:
    """What the desk's own result says is missing, without the tools that did not answer the desk
    and answered the model on the task's market when it asked again."""
    market = request.assignment.market
    answered = {
        result.call.tool.replace("_", " ")
        for result in asked_by_model(request)
        if result.status is ToolStatus.OK
        and (market is None or result.call.arguments.get("symbol") == market.market)
    }
    own = (r for exchange in request.exchanges if not exchange.said for r in exchange.results)
    failed = {r.call.tool.replace("_", " ") for r in own if r.status is not ToolStatus.OK}
    mended = tuple(f": {name}" for name in answered & failed)
    return (line for line in missing if not any(name in line for name in mended))


def calls_without_answer(request: TurnRequest) -> Iterator[str]:
    """The tools that a model asked in vain, each once, without those that answered another of its
    calls, and without those calls that the desk did not make, as one too many. Why is another's
    words, and stands with the tool result. A name with a figure in it is not told."""
    asked = asked_by_model(request)
    answered = {_tool_of(result) for result in asked if result.status is ToolStatus.OK}
    named = (
        f"{result.call.server}: {result.call.tool} was asked and did not answer"
        for result in asked
        if _tool_of(result) not in answered
        and result.status is not ToolStatus.OK
        and not _is_not_made(result)
    )
    return (told for told in dict.fromkeys(named) if not any(sign.isdigit() for sign in told))


def _tool_of(result: ToolResult) -> tuple[str, str]:
    return result.call.server, result.call.tool


def _is_not_made(result: ToolResult) -> bool:
    """Whether the desk itself said no to a call: nobody was asked, at no instant."""
    return result.status is ToolStatus.REFUSED and result.retrieved_at is None


def sources_with(
    sources: Iterable[DataSource], evidence: Iterable[str], request: TurnRequest
) -> Iterator[DataSource]:
    """The sources, those of further answers that something rests on, by their full names, and all
    that a model asked and that answered."""
    listed = tuple(sources)
    yield from listed
    wanted = {*evidence, *(answer.evidence_id for answer in asked_by_model(request))}
    wanted -= {source.evidence_id for source in listed}
    for answer in request.results:
        if answer.evidence_id in wanted and is_usable(request, answer):
            yield attributed(answer, _published_by(answer))


def is_usable(request: TurnRequest, answer: ToolResult) -> bool:
    """Whether something can rest on an answer: it is unchanged, and of the task's instant."""
    try:
        check_result(answer, request.assignment.window)
    except EvidenceUnusable:
        return False
    return True


def _published_by(answer: ToolResult) -> Provenance:
    """Who published an answer; the tool itself where it does not say."""
    try:
        return SourceResult.model_validate(answer.content).source
    except ValueError:
        name = f"{answer.call.server}.{answer.call.tool}"
        return Provenance(name=name[:200], tier=SourceTier.SECONDARY)
