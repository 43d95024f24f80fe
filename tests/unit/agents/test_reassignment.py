"""Who takes over."""

from hypothesis import given
from hypothesis import strategies as st

from desk.agents.roster import fallbacks
from desk.contracts.names import AgentId
from desk.runs.assignments.failures import next_agent

agents = st.sampled_from(AgentId)
chains = st.dictionaries(agents, st.none() | agents)


def test_the_research_agents_stand_in_for_each_other() -> None:
    chain = fallbacks()
    first, second = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2
    assert next_agent([first], chain) is second
    assert next_agent([second], chain) is first
    assert next_agent([first, second], chain) is None


def test_nobody_stands_in_for_the_validator() -> None:
    assert next_agent([AgentId.VALIDATOR], fallbacks()) is None


@given(st.lists(agents, min_size=1, unique=True), chains)
def test_nobody_is_asked_twice_and_the_search_ends(
    tried: list[AgentId], chain: dict[AgentId, AgentId | None]
) -> None:
    for _ in AgentId:
        agent = next_agent(tried, chain)
        if agent is None:
            return
        assert agent not in tried
        tried.append(agent)
    assert next_agent(tried, chain) is None
