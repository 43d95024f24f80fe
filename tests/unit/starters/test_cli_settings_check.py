"""`desk doctor` says who does the analysis."""

from desk.platform.settings import load_settings
from starters.operations.doctor import configuration_check
from tests.support.homes import PROJECT


def told(**environment: str) -> str:
    return configuration_check(load_settings(PROJECT, environment)).sentence


def test_the_built_in_analysts_are_named_where_there_is_no_key() -> None:
    assert told().endswith("; the built-in analysts")


def test_a_key_makes_the_agents_models_with_a_budget() -> None:
    keyed = told(ANTHROPIC_API_KEY="sk-x")
    assert "product_manager is claude-opus-5-5, research_agent_1 is claude-sonnet-5-5" in keyed
    assert keyed.endswith("; at most $20.00 and 20,000,000 tokens")
    assert "sk-x" not in keyed
    other = told(
        ANTHROPIC_API_KEY="sk-x",
        CLAUDE_MODEL_ORCHESTRATOR="claude-haiku-5-5",
        CLAUDE_MODEL_EXECUTION="builtin",
        DESK_BUDGET_USD="1.5",
    )
    assert "product_manager is claude-haiku-5-5, the other agents are built in" in other
    assert other.endswith("; at most $1.50 and 20,000,000 tokens")
