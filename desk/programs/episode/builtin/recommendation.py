"""The recommendation agent: weighs the insights into a stock, with the reasons against."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Recommended, StockRecommendation
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ConflictKind, Leaning, Position, ResearchResult
from desk.contracts.question.knowledge import Section, Synthesis
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.builtin.disputes import by_agent, conflict_statement
from desk.programs.episode.builtin.shown import PARTS, founded, not_known, shown_board, topics
from desk.programs.episode.recommendation import LEAST_KNOWN, answers, known, recommend
from desk.programs.swarm.conclusion.recollection import memory_lines
from desk.programs.swarm.conclusion.wording import joined, line_on_missing, sentence
from desk.trust.prose import LONGEST_TEXT, claims_in, clip

MOST_MISSING: Final = 40
LONGEST_SECTION: Final = 20_000

LITTLE: Final = 0.25
FAIR: Final = 0.5
"""A confidence up to `LITTLE` is very low, below `FAIR` it is low, and from there on fair. A
convention."""

_ACTS: Final[Mapping[Recommended, str]] = MappingProxyType(
    {
        Recommended.BUY: "Buy {name} for {span}: the findings point up.",
        Recommended.SELL: "Sell {name} for {span}: the findings point down.",
        Recommended.HOLD: "Hold {name} for {span}: the findings point neither way enough.",
        Recommended.ABSTAIN: "Nothing is recommended on {name} for {span}: {why}.",
    }
)
_LEANS: Final[Mapping[Recommended, str]] = MappingProxyType(
    {
        **_ACTS,
        Recommended.BUY: "What is known leans to a buy of {name} for {span}, and not surely.",
        Recommended.SELL: "What is known leans to a sale of {name} for {span}, and not surely.",
    }
)
"""The same for a confidence that is less than fair."""

_COME_TO: Final[Mapping[Recommended, str]] = MappingProxyType(
    {
        Recommended.BUY: "a buy",
        Recommended.SELL: "a sale",
        Recommended.HOLD: "neither a buy nor a sale",
        Recommended.ABSTAIN: "nothing",
    }
)
_MADE_UP: Final = "Accounts and headlines are generated for practice and are no facts."
_TOO_LITTLE: Final = "too little is known"
_POINTS_NOWHERE: Final = "nothing that is known points either way"


class _Case(NamedTuple):
    """The basis of a recommendation: the blackboard, the recommendation, and the claims that its
    words may refer to."""

    request: TurnRequest
    board: StockBoard
    advised: StockRecommendation
    claims: Mapping[str, Claim]

    @property
    def name(self) -> str:
        """The stock's name in prose."""
        return market_in_a_sentence(self.board.symbol)

    @property
    def knows_too_little(self) -> bool:
        """Whether too little is known to recommend anything."""
        return known(self.board.values) < LEAST_KNOWN

    def without(self, names: Collection[str]) -> Recommended:
        """Returns what would be recommended without the insights on some topics."""
        left = [each for each in self.board.pointers if each.topic not in names]
        return recommend(left, self.board).action


def generate(request: TurnRequest) -> Turn:
    """Delivers the recommendation, in one turn, by rule from the insights on the blackboard, with a
    text on the reasons for and against it and on what is not known.

    Raises:
        TaskNotPossible: it is shown no blackboard.
    """
    board = StockBoard.read_back(shown_board(request))
    claims = claims_in(request.state, request.conflicts)
    case = _Case(request, board, recommend(board.pointers, board), claims)
    synthesis = Synthesis(
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        summary=clip(_summary(case), LONGEST_TEXT),
        sections=tuple(_sections(case)),
        answered=answers(board),
        missing=tuple(dict.fromkeys(_missing(case)))[:MOST_MISSING],
        recommendation=case.advised,
    )
    return Turn(result=synthesis)


def _summary(case: _Case) -> str:
    """Writes what to do and for how long, the current price, the reasons for and against, and the
    confidence."""
    advised = case.advised
    acts = _ACTS if advised.confidence >= FAIR else _LEANS
    act = acts[advised.action].format(
        name=case.name,
        span=span_of(case.board.weeks),
        why=_TOO_LITTLE if case.knows_too_little else _POINTS_NOWHERE,
    )
    last = claim_id(case.board.symbol, Metric.LAST)
    stands = f"The price stands at [[{last}]]." if last in case.claims else ""
    made_up = _MADE_UP if case.board.generated else ""
    return joined((act, stands, *_reasons(case), _sureness(case), _disputed(case), made_up))


def span_of(weeks: int) -> str:
    """`the next four weeks`."""
    return "the next week" if weeks == 1 else f"the next {_spelled(weeks)} weeks"


def _reasons(case: _Case) -> Iterator[str]:
    sides = ("For it", case.advised.reasons_for), ("Against it", case.advised.reasons_against)
    for lead, names in sides:
        told = topics(names, case.claims)
        if told:
            yield f"{lead}: {listed(told)}."


def _sureness(case: _Case) -> str:
    if case.advised.action is Recommended.ABSTAIN:
        return ""
    sure = case.advised.confidence
    much = "very low" if sure <= LITTLE else "low" if sure < FAIR else "fair"
    lacking = [PARTS[action] for action in case.board.lacking_parts]
    besides = f", because there is no data on {listed(lacking)}" if lacking else ""
    return f"Confidence is {much}{besides}."


def _disputed(case: _Case) -> str:
    """Says that the parts point opposite ways, and if their vote goes against the
    recommendation."""
    of_direction = [c for c in case.request.conflicts if c.kind is ConflictKind.DIRECTION]
    if not of_direction:
        return ""
    if any(not conflict.resolved for conflict in of_direction):
        return "The parts point opposite ways, and nobody has decided between them."
    chosen = {conflict.chosen for conflict in of_direction if conflict.chosen is not None}
    against = {Recommended.BUY: Leaning.DOWN, Recommended.SELL: Leaning.UP}
    how = ", and their vote went against this" if against.get(case.advised.action) in chosen else ""
    return f"The parts point opposite ways{how}."


def _sections(case: _Case) -> Iterator[Section]:
    advised, request = case.advised, case.request
    who = partial(_part_of, request.state)
    conflicts = [sentence(conflict_statement(each, case.claims, who)) for each in request.conflicts]
    recalled = memory_lines(request.recalled, [case.board.symbol], request.assignment.window.end)
    for title, content in (
        ("For", _lines(_founded_statements(case, advised.reasons_for))),
        ("Against", _lines(_founded_statements(case, advised.reasons_against))),
        ("What would change it", _lines(_turns(case))),
        ("What is not known", _lines(not_known(case.board))),
        ("Conflicts and dissent", _lines(conflicts)),
        ("What earlier research said", recalled),
    ):
        if content:
            yield Section(title=title, content=clip(content, LONGEST_SECTION))


def _part_of(state: Sequence[StateEntry], position: Position) -> str:
    """Names the part whose view a position is: one agent delivers several parts."""
    for entry in state:
        views = entry.result.views if isinstance(entry.result, ResearchResult) else ()
        held = {(view.leaning, view.confidence) for view in views}
        if entry.node in PARTS and (position.stated, position.confidence) in held:
            return PARTS[StockAction(entry.node)]
    return by_agent(position)


def _founded_statements(case: _Case, names: Sequence[str]) -> Iterator[str]:
    """Yields the statements of the insights on some topics, as far as claims support them."""
    for name in names:
        for pointer in case.board.pointers:
            if pointer.topic == name and pointer.statement:
                yield founded(pointer.statement, case.claims)


def _turns(case: _Case) -> Iterator[str]:
    """Says without which insights the recommendation would differ, and how: without a single one,
    or else without the strongest reasons together."""
    if case.knows_too_little:
        yield "By the desk's rule more must be known before anything is recommended."
        return
    others: dict[Recommended, list[str]] = {}
    for topic in dict.fromkeys(pointer.topic for pointer in case.board.pointers):
        action = case.without((topic,))
        if action is not case.advised.action:
            others.setdefault(action, []).append(topic)
    for action, names in others.items():
        told = " or ".join(topics(names, case.claims))
        if told:
            yield f"Without the insights on {told} what is known comes to {_COME_TO[action]}."
    if case.board.pointers and not others:
        yield f"No single insight decides it{_together(case)}."


def _together(case: _Case) -> str:
    """Says how many of the strongest reasons it takes; empty if even all of them together do not
    change it."""
    reasons = case.advised.reasons_for
    for count in range(2, len(reasons) + 1):
        action = case.without(reasons[:count])
        told = topics(reasons[:count], case.claims)
        if action is not case.advised.action and told:
            return f"; without the insights on {listed(told)} it comes to {_COME_TO[action]}"
    return ""


def _missing(case: _Case) -> Iterator[str]:
    """Yields what is missing for the parts with data, each with its reason."""
    passing = bool(case.claims)
    parts = ((PARTS[StockAction(e.node)], e) for e in case.request.state if e.node in PARTS)
    for part, entry in parts:
        if entry.error:
            told = f"{case.name}: no data on {part}"
            line = f"{told}: {entry.error}"
            yield line_on_missing(line, f"{told}.", figures_pass=passing)
        if isinstance(entry.result, ResearchResult):
            for line in entry.result.missing:
                told = f"{case.name}: some data on {part} is missing."
                yield line_on_missing(line, told, figures_pass=passing)


def _lines(lines: Sequence[str] | Iterator[str]) -> str:
    return "\n".join(f"- {line}" for line in dict.fromkeys(lines) if line)


_BELOW_TWENTY: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_FROM_TWENTY: Final = "twenty thirty forty fifty"


def _spelled(number: int) -> str:
    """Spells a number of weeks: a digit in prose would be taken for a figure."""
    units = _BELOW_TWENTY.split()
    if number < 20:
        return units[number - 1]
    tens, left = divmod(number, 10)
    return _FROM_TWENTY.split()[tens - 2] + (f"-{units[left - 1]}" if left else "")
