"""`desk doctor` says who does the analysis."""

from infra.settings import load_settings
from starters.checks import configuration_check
from tests.support.homes import PROJECT


def test_the_built_in_analysts_are_named_with_and_without_a_key() -> None:
    plain = configuration_check(load_settings(PROJECT, {})).sentence
    keyed = configuration_check(load_settings(PROJECT, {"ANTHROPIC_API_KEY": "sk-x"})).sentence
    assert plain.endswith("the built-in analysts")
    assert keyed == f"{plain}; ANTHROPIC_API_KEY is set and not used yet"
    assert "sk-x" not in keyed
