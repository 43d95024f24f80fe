"""Lines of tables for people: of a bounded width, whatever the words in them."""

from collections.abc import Iterator, Mapping
from typing import Final

from desk.contracts.names import AgentId

WIDTH: Final = 80

SHORT_NAMES: Final[Mapping[AgentId, str]] = {
    AgentId.PRODUCT_MANAGER: "PM",
    AgentId.RESEARCH_AGENT_1: "R1",
    AgentId.RESEARCH_AGENT_2: "R2",
    AgentId.VALIDATOR: "V",
    AgentId.JIRA_AGENT: "JI",
    AgentId.DOC_AGENT: "DO",
    AgentId.PDF_AGENT: "PD",
    AgentId.SEARCH_AGENT: "SE",
    AgentId.SYNTHESIS_AGENT: "SY",
    AgentId.RESEARCH_LEADER: "LE",
    AgentId.MARKET_SPECIALIST: "MA",
    AgentId.TECHNICAL_SPECIALIST: "TE",
    AgentId.FUNDAMENTAL_SPECIALIST: "FU",
    AgentId.SENTIMENT_SPECIALIST: "SN",
    AgentId.PATTERN_SPECIALIST: "PA",
    AgentId.RESERVE_SPECIALIST: "RE",
    AgentId.CONTROLLER_AGENT: "CO",
    AgentId.STOCK_RESEARCH_AGENT: "SR",
    AgentId.TA_AGENT: "TA",
    AgentId.INSIGHT_AGENT: "IN",
    AgentId.RECOMMENDATION_AGENT: "RC",
    AgentId.EVALUATOR_AGENT: "EV",
}


def cut(text: str, width: int) -> str:
    """A column of a width: the text with at least one blank after it."""
    room = width - 1
    return (text if len(text) <= room else f"{text[: room - 1]}…").ljust(width)


def folded(text: str, indent: str = "") -> Iterator[str]:
    """Lines of at most `WIDTH` columns, the second and later ones indented further."""
    line = indent
    for word in text.split():
        grown = f"{line} {word}" if line.strip() else f"{line}{word}"
        if len(grown) > WIDTH and line.strip():
            yield line[:WIDTH]
            grown = f"{indent}    {word}"
        line = grown
    yield line[:WIDTH]
