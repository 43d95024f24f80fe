"""`desk doctor` says who does the analysis."""

from infra.settings import load_settings
from starters.checks import configuration_check
from tests.support.homes import PROJECT


def told(**environment: str) -> str:
    return configuration_check(load_settings(PROJECT, environment)).sentence


def test_the_built_in_analysts_are_named_where_there_is_no_key() -> None:
    assert told().endswith("; the built-in analysts")


def test_a_key_makes_the_product_manager_a_model() -> None:
    keyed = told(ANTHROPIC_API_KEY="sk-x")
    assert keyed.endswith("; product_manager is claude-opus-5-5; the other agents are built in")
    assert "sk-x" not in keyed
    other = told(ANTHROPIC_API_KEY="sk-x", CLAUDE_MODEL_ORCHESTRATOR="claude-haiku-5-5")
    assert "product_manager is claude-haiku-5-5" in other
