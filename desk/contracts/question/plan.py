"""What a model plans for a question: the graph of agents that is to answer it."""

from typing import Annotated, Literal

from pydantic import Field

from desk.contracts.agents.tasks import Query
from desk.contracts.base import Contract, ShortText, is_none
from desk.contracts.markets import MarketSpec
from desk.contracts.question.graph import GraphSpec
from desk.contracts.weeks import TimeWindow


class QuestionPlan(Contract):
    """What a question is put to, planned by a node of its graph: the run goes on with `graph` in
    place of its own, about `market`, over `window`, and with `query`. Without a graph it goes on as
    it began."""

    kind: Literal["question_plan"] = "question_plan"
    task_id: ShortText
    graph: Annotated[GraphSpec | None, Field(exclude_if=is_none)] = None
    query: Annotated[Query | None, Field(exclude_if=is_none)] = None
    market: Annotated[MarketSpec | None, Field(exclude_if=is_none)] = None
    window: Annotated[TimeWindow | None, Field(exclude_if=is_none)] = None
