"""What the agents of a stock's episode are shown: its blackboard, and the claims behind it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Blackboard
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import AgentError
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import TurnRequest
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.episode.blackboard import StockBoard
from desk.programs.swarm.conclusion.wording import MARKS
from desk.trust.prose import rejected_figures, split_sentences

PARTS: Final[Mapping[StockAction, str]] = {
    StockAction.FETCH_NEWS: "its news",
    StockAction.FETCH_FUNDAMENTALS: "its accounts",
    StockAction.FETCH_SENTIMENT: "the tone of its news",
    StockAction.RUN_TA_BASIC: "its price and averages",
    StockAction.RUN_TA_ADVANCED: "its further indicators",
}
"""The names of the parts with data in prose."""


def shown_board(request: TurnRequest) -> Blackboard:
    """Returns the blackboard that the agent is shown.

    Raises:
        TaskNotPossible: it is shown none.
    """
    if request.board is None:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=f"the task {request.assignment.task_id} shows no blackboard",
                agent=request.assignment.agent,
            )
        )
    return request.board


def not_known(board: StockBoard) -> Iterator[str]:
    """Yields a line for the parts without data, and one for those that were not looked for."""
    name = market_in_a_sentence(board.symbol)
    for taken, why in ((True, "there is no data on"), (False, "the research did not look for")):
        parts = [PARTS[each] for each in board.lacking_parts if (each in board.taken) == taken]
        if parts:
            yield f"{name}: {why} {listed(parts)}."


def founded(prose: str, claims: Mapping[str, Claim]) -> str:
    """Keeps the sentences of another agent whose references are known claims and that contain no
    other figures."""
    words = prose.translate(MARKS)
    kept = (piece for piece in split_sentences(words) if _stands(piece, claims))
    return "".join(kept).strip()


def topics(names: Iterable[str], claims: Mapping[str, Claim]) -> list[str]:
    """Returns the printable topics of insights, without duplicates, in lower case."""
    return list(dict.fromkeys(filter(None, (founded(name, claims) for name in names))))


def _stands(sentence: str, claims: Mapping[str, Claim]) -> bool:
    bare = not claims and any(sign.isnumeric() for sign in sentence)
    return not bare and not rejected_figures(sentence, claims)
