"""The tasks of agents: kinds, limits and assignments."""

import re
from datetime import date, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Instant, ShortText, Text, is_none
from desk.contracts.markets import AreaCode, MarketSpec
from desk.contracts.names import AgentId, RegisteredName
from desk.contracts.weeks import IsoWeek, TimeWindow


class TaskType(RegisteredName):
    """The kinds of tasks: on a market, a week, a question or a stock."""

    PLAN_WEEK = "plan_week"
    RESEARCH_FX = "research_fx"
    RESEARCH_RATES = "research_rates"
    VALIDATE = "validate"
    COMMENT_WEEK = "comment_week"
    PLAN_QUESTION = "plan_question"
    FETCH_TICKETS = "fetch_tickets"
    READ_DOCUMENTS = "read_documents"
    READ_PDFS = "read_pdfs"
    SEARCH_WEB = "search_web"
    SYNTHESISE = "synthesise"
    CHECK_FACTS = "check_facts"
    PLAN_SWARM = "plan_swarm"
    RESEARCH_CONDITIONS = "research_conditions"
    ANALYSE_TECHNICALS = "analyse_technicals"
    ANALYSE_FUNDAMENTALS = "analyse_fundamentals"
    GAUGE_SENTIMENT = "gauge_sentiment"
    MINE_PATTERNS = "mine_patterns"
    CONCLUDE_SWARM = "conclude_swarm"
    CHOOSE_ACTION = "choose_action"
    FETCH_NEWS = "fetch_news"
    FETCH_FUNDAMENTALS = "fetch_fundamentals"
    FETCH_SENTIMENT = "fetch_sentiment"
    RUN_TA_BASIC = "run_ta_basic"
    RUN_TA_ADVANCED = "run_ta_advanced"
    GENERATE_INSIGHT = "generate_insight"
    GENERATE_RECOMMENDATION = "generate_recommendation"
    EVALUATE_PERFORMANCE = "evaluate_performance"


class Effort(StrEnum):
    """How much a model should think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


FEWEST_TURNS: Final = 3
"""The minimum of turns: the desk's own questions, the calls that follow from them, and a result; or
the first, a model's answer and one correction. `desk.toml` cannot give an agent fewer. A model that
also calls its tools takes one more turn; the default of 8 allows that at every effort, because at
least half of the turns remain."""


class AgentLimits(Contract):
    """The limits of an agent's work on a task, besides the assignment's deadline. After `max_calls`
    tool calls the agent must deliver."""

    max_turns: Annotated[int, Field(ge=1, le=200)] = 8
    max_tokens: Annotated[int, Field(ge=1)] = 200_000
    max_calls: Annotated[int | None, Field(ge=1, le=130, exclude_if=is_none)] = None


class ToolName(Contract):
    """A tool an agent may use."""

    server: ShortText
    tool: ShortText


DAYS_ASKED: Final = "period_days"
"""The parameter with the first and the last day of each period in a question about a bank, as ISO
8601 intervals separated by commas. The research covers more days than these."""

DAYS_READ: Final = "period_days_read"
"""The parameter with the words that named these days, when other words named the days of a pair in
the same question."""

SINCE_DECISION: Final = "since_decision"
"""The parameter with the words of a question that name a decision of a bank since which it asks how
a pair did."""

EVENT_DAYS: Final = "event_days"
"""The parameter with the first and the last day of the decision, or else of the high or low, from
which a question measures a pair up to now, as an ISO 8601 interval."""

EVENT_READ: Final = "event_read"
"""The parameter with the words that named these days."""

LOOKED_BACK: Final = timedelta(weeks=3 * 52)
"""How far back a bank's decisions are read, before the days of the question or before now: some
banks change their rate only once in several years."""

MOST_LOOKED_BACK: Final = timedelta(weeks=8 * 52)
"""The longest such span: a result could not hold the decisions of more years."""

DaysAsked = tuple[date, date]
"""The first and the last day of a period."""


RANK: Final = "rank"
"""The parameter that names the group of pairs a question ranks."""

PAPERS: Final = "papers"
"""The parameter with which documents take precedence over measurements."""

SIDE_BY_SIDE: Final = "side_by_side"
"""The parameter of a question that compares so many markets by their figures alone: a model is not
asked about each of them."""

SPELLED: Final = "words_spelled"
"""The parameter with the misspelled words of a question and what each is read as:
`febuary=february`."""

UNKNOWN_WORDS: Final = "words_unknown"
"""The parameter with the words of a question that are in no vocabulary: they may be names."""


class Query(Contract):
    """A question to the desk. `parameters` are the values of the graph's own parameters."""

    question: Annotated[str, Field(min_length=1, max_length=4_000)]
    parameters: Annotated[dict[ShortText, Text], Field(max_length=50)] = Field(default_factory=dict)

    @property
    def respelled(self) -> tuple[tuple[str, str], ...]:
        """Each misspelled word of the question with the word that it is read as."""
        read = (each.partition("=") for each in self.parameters.get(SPELLED, "").split(", "))
        return tuple((written, word) for written, _, word in read if written)

    @property
    def as_read(self) -> "Query":
        """The query with each misspelled word of its question as it is read."""
        words = self.question
        for written, word in self.respelled:
            words = re.sub(rf"\b{re.escape(written)}\b", word, words)
        return self.model_copy(update={"question": words}) if words != self.question else self

    @property
    def undecided(self) -> str:
        """The question without the words that name a bank's decision."""
        since = self.parameters.get(SINCE_DECISION)
        return self.question.replace(since, " ").strip() if since else self.question

    @property
    def periods_asked(self) -> tuple[DaysAsked, ...]:
        """The first and the last day of each period in a question about a bank, in order."""
        return _days_in(self.parameters.get(DAYS_ASKED, ""))

    @property
    def is_from_extreme(self) -> bool:
        """Whether the question measures a pair up to now from a high or low of days that it
        names."""
        return EVENT_DAYS in self.parameters and SINCE_DECISION not in self.parameters

    @property
    def event_days(self) -> DaysAsked | None:
        """The first and the last day of the decision, high or low from which the question measures
        up to now; None if it names no days of one."""
        return next(iter(_days_in(self.parameters.get(EVENT_DAYS, ""))), None)

    @property
    def days_asked(self) -> DaysAsked | None:
        """The span from the first day of these periods to the last; None without periods."""
        periods = self.periods_asked
        return (min(p[0] for p in periods), max(p[1] for p in periods)) if periods else None


def _days_in(written: str) -> tuple[DaysAsked, ...]:
    """Parses ISO 8601 intervals of two days each, separated by commas."""
    spans = (each.split("/") for each in written.split(",") if each)
    return tuple((date.fromisoformat(first), date.fromisoformat(last)) for first, last in spans)


class TaskAssignment(Contract):
    """One task, with everything needed to do it and nothing that changes meanwhile.

    `priority` runs from 1 (most urgent) to 5, as in Temporal. `base_area` is the area that rate
    differentials are taken against. `instructions` is prose for a model; it holds no data. `query`
    is the question of a task outside a week's research; the `week` of such a task is the week of
    its as-of instant.
    """

    task_id: ShortText
    task_type: TaskType
    agent: AgentId
    week: IsoWeek
    market: MarketSpec | None = None
    window: TimeWindow
    deadline: Instant
    priority: Annotated[int, Field(ge=1, le=5)] = 3
    tools: Annotated[tuple[ToolName, ...], Field(max_length=40)] = ()
    limits: AgentLimits = AgentLimits()
    base_area: AreaCode = "US"
    instructions: Annotated[Text | None, Field(exclude_if=is_none)] = None
    query: Annotated[Query | None, Field(exclude_if=is_none)] = None
