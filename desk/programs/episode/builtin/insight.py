"""The insight agent: what the figures on a stock's blackboard say, and which insights contradict
each other."""

from collections.abc import Iterator, Sequence

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.contracts.agents.tools import DataSource
from desk.contracts.episode.stock import Blackboard
from desk.contracts.findings.claims import Claim, claim_id
from desk.contracts.findings.results import MOST_SOURCES, Finding, Leaning, ResearchResult
from desk.contracts.runs.turns import EpisodeContext, Turn, TurnRequest
from desk.programs.builtin.evidence import market_of
from desk.programs.episode.actions import Pointer
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.builtin.shown import not_known, shown_board
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import known
from desk.programs.episode.wording import statement
from desk.programs.swarm.builtin.reading import MOST_LINES
from desk.trust.confidence import NOTHING_FOUND
from desk.trust.prose import claims_in


def generate(request: TurnRequest) -> Turn:
    """Delivers the insights, in one turn, from the blackboard and the claims of its parts.

    The claims are those of the parts, with their evidence, so that the result can be verified
    alone. Its confidence is the share of figures that are known.

    Raises:
        TaskNotPossible: it is shown no blackboard, or the task names no market.
    """
    told = shown_board(request)
    board = StockBoard.read_back(told)
    pointers = insights(board.values)
    findings = tuple(_finding(pointer, told) for pointer in pointers)
    claims = _claims(request, findings)
    assignment = request.assignment
    result = ResearchResult(
        result_id=f"{assignment.task_id}/result",
        task_id=assignment.task_id,
        agent=assignment.agent,
        market=market_of(request).market,
        claims=claims,
        sources=_sources(request, claims),
        missing=tuple(_missing(board, pointers))[:MOST_LINES],
        findings=findings,
        contradictions=tuple(_contradictions(pointers)),
        confidence=max(NOTHING_FOUND, round(known(board.values), 3)),
    )
    return Turn(result=result)


def _finding(pointer: Pointer, board: Blackboard) -> Finding:
    return Finding(
        topic=pointer.topic,
        statement=statement(pointer, board.symbol),
        confidence=pointer.strength,
        claims=tuple(claim_id(board.symbol, metric) for metric in pointer.metrics),
        leaning=pointer.leaning,
    )


def _claims(context: EpisodeContext, findings: Sequence[Finding]) -> tuple[Claim, ...]:
    """The claims that the insights rest on, without duplicates."""
    surviving = claims_in(context.state, context.conflicts)
    named = dict.fromkeys(name for finding in findings for name in finding.claims)
    return tuple(surviving[name] for name in named if name in surviving)


def _sources(context: EpisodeContext, claims: Sequence[Claim]) -> tuple[DataSource, ...]:
    """The sources of the parts that the claims rest on, without duplicates."""
    evidence = {name for claim in claims for name in claim.evidence}
    found: dict[str, DataSource] = {}
    for entry in context.state:
        for source in entry.result.sources if isinstance(entry.result, ResearchResult) else ():
            if source.evidence_id in evidence:
                found.setdefault(source.evidence_id, source)
    return tuple(found.values())[:MOST_SOURCES]


def _missing(board: StockBoard, pointers: Sequence[Pointer]) -> Iterator[str]:
    yield from not_known(board)
    if not pointers:
        market = market_in_a_sentence(board.symbol)
        yield f"{market}: no figure that is known says anything of the weeks ahead."


def _contradictions(pointers: Sequence[Pointer]) -> Iterator[str]:
    """Sets what points up against what points down, if there are both."""
    up, down = (
        listed(pointer.topic for pointer in pointers if pointer.leaning is leaning)
        for leaning in (Leaning.UP, Leaning.DOWN)
    )
    if up and down:
        yield f"What points up: {up}. What points down: {down}."
