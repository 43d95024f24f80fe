"""How claims are shown to a model, and how its answer is checked, in every program."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Final, TypeVar

from pydantic import BeforeValidator, Field, JsonValue, StringConstraints

from desk.analytics.names.nearest import nearest
from desk.analytics.names.periods import UNREAD
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tasks import Query, TaskAssignment
from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult, ToolStatus
from desk.contracts.base import MOST_SHORT, Confidence, Contract, ShortText
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
from desk.learning.calibration import COIN
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
"""The exceptions that building a result from a faulty answer may raise."""


def _bare(written: object) -> object:
    """Strips the brackets of a reference from a claim's name."""
    if not isinstance(written, str):
        return written
    found = REFERENCE.fullmatch(written.strip())
    return (found[1] if found else written).partition("|")[0].strip()


ClaimName = Annotated[ShortText, BeforeValidator(_bare)]
"""A claim's name, with the brackets of a reference or without."""


class Refused(ValueError):
    """An answer has faults. `partial` is the answer without them, so that its other faults can be
    reported at the same time; None if nothing can be built from it."""

    def __init__(self, words: str, partial: AgentResult | None) -> None:
        super().__init__(words)
        self.partial = partial


Topic = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]

Statement = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_STATEMENT)
]


class ProposedFinding(Contract):
    """A finding, its confidence, and the claims and tool answers that it rests on."""

    topic: Topic
    statement: Statement
    confidence: Confidence
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=10)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class ProposedView(Contract):
    """A view of the model, and the claims that it rests on.

    `probability` is how likely the pair's fixing is higher when the desk's own forecast is due. It
    counts only in a view of a direction.
    """

    subject: ShortText
    kind: ViewKind
    leaning: Leaning
    confidence: Confidence
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=8)] = ()
    probability: Confidence | None = None


def odd(oddities: Iterable[str]) -> Iterator[str]:
    """Formats a model's remarks on suspicious text in a source, as warnings."""
    return (ODDITY + words for words in map(str.strip, oddities) if words)


def unread_in(unread: Iterable[str]) -> Iterator[str]:
    """Formats what a model could not read, as missing items."""
    return (f"Could not be read: {words}" for words in map(str.strip, unread) if words)


def found_in(base: AgentResult | None) -> ResearchResult:
    """Returns what the desk has found by itself.

    Raises:
        ValueError: there is no finding.
    """
    if not isinstance(base, ResearchResult):
        raise ValueError("there is no finding to write about")
    return base


def checked(faults: Iterable[str], make: Callable[[], Result]) -> Result:
    """Builds the result of an answer without faults.

    `make` leaves out what has faults.

    Raises:
        Refused: the answer has faults; the message has each once, up to `MOST_FAULTS`, and the
            number of further ones.
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
    """Lists the known names nearest to an unknown one, or says that there are none. Does not repeat
    the name itself, which is a model's text."""
    near = ", ".join(nearest(name, tuple(known)))
    return f"nearest are {near}" if near else "there are none"


def prose_faults(prose: str, figures: Figures) -> Iterator[str]:
    """Yields the faults of a text that belongs to an unusable line: the gate only checks usable
    lines, and all faults are to be reported at once."""
    return map(rejection, rejected_figures(prose, figures.known))


def rejection(figure: RejectedFigure) -> str:
    """Describes what is wrong with a figure, or with a whole sentence, for a model."""
    whole = figure.written in (figure.sentence, figure.sentence[:MOST_SHORT])
    part = "" if whole else f"'{figure.written}' in "
    return f"{part}'{figure.sentence}': {figure.reason}"


def duplicates(kind: str, named: Sequence[object]) -> Iterator[str]:
    """Yields which lines of one kind are about the same subject as an earlier one."""
    for place, name in enumerate(named):
        if named.index(name) < place:
            yield f"{kind}.{place}: it is about the same as {kind}.{named.index(name)}"


def views_faults(
    request: TurnRequest, views: Sequence[ProposedView], figures: Figures
) -> Iterator[str]:
    """Yields the faults of views: an unknown subject or claim, and two views of one kind on one
    subject."""
    market = request.assignment.market
    own = (market.market,) if market else ()
    areas = market.areas if market else ()
    for place, view in enumerate(views):
        subjects = (areas or own) if view.kind is ViewKind.STANCE else own
        if view.subject not in subjects:
            told = " or ".join(subjects)
            yield f"views.{place}: the subject of a {view.kind} must be {told} here"
        yield from figures.unknown(f"views.{place}.claims", view.claims)
    yield from duplicates("views", [(view.kind, view.subject) for view in views])


def contrary_views(found: ResearchResult, views: Sequence[ProposedView]) -> Iterator[str]:
    """Yields the directions whose own probability says the contrary. One that the desk has told
    like this may be repeated: its direction is of the past week, and its forecast of the next."""
    of_desk = {(view.subject, view.leaning): view for view in found.views}
    for place, view in enumerate(views):
        likely, own = _probability(view), of_desk.get((view.subject, view.leaning))
        told = own.forecast.probability if own and own.forecast else None
        if likely is not None and likely != told and _is_contrary(view.leaning, likely):
            yield (
                f"views.{place}: its leaning and its probability of a higher fixing contradict each"
                " other: make them agree"
            )


def _is_contrary(leaning: Leaning, probability: float) -> bool:
    """Whether a direction is told as less likely than its contrary."""
    return (leaning is Leaning.UP and probability < COIN) or (
        leaning is Leaning.DOWN and probability > COIN
    )


def views_of(
    found: ResearchResult, proposed: Iterable[ProposedView], figures: Figures
) -> tuple[View, ...]:
    """Returns only the model's views: it does not hold those that it leaves out."""
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


def days_for_model(task: TaskAssignment) -> dict[str, str]:
    """What is researched: a week, or a question with the days that were measured for it."""
    if task.query is None:
        return {"week": task.week}
    first, last = window_days(task.window)
    return {"question": task.query.question, "days": f"{first} to {last}"}


def reading_for_model(query: Query | None) -> dict[str, JsonValue]:
    """The days of a question that the desk did not read. Other markets that it names have their own
    agents."""
    return {"days_not_read": query.parameters.get(UNREAD) if query else None}


def views_for_model(views: Iterable[View]) -> list[JsonValue]:
    """Formats views for a model: without the deviation of a forecast, with a probability only once
    if it is also the forecast's, and with `by_words` only for views that were read by a list of
    words."""
    return [
        {
            **view.model_dump(mode="json", exclude={"by_words": True, "forecast": _not_told(view)}),
            **({"by_words": True} if view.by_words else {}),
        }
        for view in views
    ]


def _not_told(view: View) -> set[str]:
    """The fields of a view's forecast that a model does not need, or that are beside it."""
    said = view.probability is not None
    return {"deviation", "probability"} if said else {"deviation"}


def _probability(line: ProposedView) -> float | None:
    """Returns the model's own probability, if it has a view of the direction."""
    told = line.kind is ViewKind.DIRECTION and line.leaning is not Leaning.ABSTAINS
    if not told or line.probability is None:
        return None
    return round(line.probability, PROBABILITY_DIGITS)


def _forecast(line: ProposedView, of_desk: View | None) -> Forecast | None:
    """Returns the model's probability over the desk's horizon. Without a probability there is no
    forecast. An abstention forecasts nothing."""
    made, own = of_desk.forecast if of_desk else None, _probability(line)
    if made is None or own is None:
        return None
    return made.model_copy(update={"probability": own})


def finding_faults(
    request: TurnRequest, findings: Sequence[ProposedFinding], figures: Figures
) -> Iterator[str]:
    """Yields the faults of findings: unknown claims or evidence, no evidence at all, and
    duplicates."""
    answers = usable(request)
    for place, finding in enumerate(findings):
        yield from figures.unknown(f"findings.{place}.claims", finding.claims)
        if not answers.keys() >= set(finding.evidence):
            there = ", ".join(list(answers)[:MOST_ANSWERS_NAMED]) or "none"
            yield f"findings.{place}.evidence: no tool answer has that name; there are {there}"
        if not (finding.claims or finding.evidence or references(finding.statement)):
            yield f"findings.{place}: it rests on nothing: name claims or evidence"
    yield from duplicates("findings", [finding.statement for finding in findings])


def findings_of(
    request: TurnRequest, proposed: Iterable[ProposedFinding], figures: Figures
) -> Iterator[Finding]:
    """Builds the findings, with all claims that they name or refer to."""
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
    """Returns the answers that findings can rest on, by the names that a model knows: unchanged,
    and of the task's as-of instant."""
    return {short_id(answer): answer for answer in request.results if is_usable(request, answer)}


def asked_by_model(request: TurnRequest) -> tuple[ToolResult, ...]:
    """The answers to the calls that a model made by itself."""
    return tuple(r for exchange in request.exchanges if exchange.said for r in exchange.results)


def still_missing(request: TurnRequest, missing: Iterable[str]) -> Iterator[str]:
    """Yields what the desk's own result says is missing, except tools that did not answer the desk
    and later answered the model's call on the task's market."""
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
    """Says which tools did not answer a model's calls, each once. Omits tools that answered another
    of its calls, and calls that the desk did not make, such as one too many. The reason is
    third-party text, and is in the tool result. A name with a digit in it is not printed."""
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
    """Returns whether the desk itself refused a call, so that no source was called."""
    return result.status is ToolStatus.REFUSED and result.retrieved_at is None


def sources_with(
    sources: Iterable[DataSource], evidence: Iterable[str], request: TurnRequest
) -> Iterator[DataSource]:
    """Yields the sources, the sources of further answers that something rests on, by their full
    names, and of all answers to the model's own calls."""
    listed = tuple(sources)
    yield from listed
    wanted = {*evidence, *(answer.evidence_id for answer in asked_by_model(request))}
    wanted -= {source.evidence_id for source in listed}
    for answer in request.results:
        if answer.evidence_id in wanted and is_usable(request, answer):
            yield attributed(answer, _published_by(answer))


def is_usable(request: TurnRequest, answer: ToolResult) -> bool:
    """Returns whether findings can rest on an answer: it is unchanged, and of the task's
    instant."""
    try:
        check_result(answer, request.assignment.window)
    except EvidenceUnusable:
        return False
    return True


def _published_by(answer: ToolResult) -> Provenance:
    """Returns who published an answer; the tool itself if the answer does not say."""
    try:
        return SourceResult.model_validate(answer.content).source
    except ValueError:
        name = f"{answer.call.server}.{answer.call.tool}"
        return Provenance(name=name[:200], tier=SourceTier.SECONDARY)
