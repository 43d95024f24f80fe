"""`desk doctor` says who does the analysis."""

from pathlib import Path

from desk.platform.settings import load_settings
from starters.operations.doctor.check import Level
from starters.operations.doctor.machine import base_area_check, configuration_check
from tests.support.processes.homes import PROJECT


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


def test_a_base_area_that_nobody_knows_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    def checked(area: str) -> tuple[Level, str]:
        file = tmp_path / "desk.toml"
        usual = (PROJECT / "desk.toml").read_text()
        file.write_text(usual.replace('base_area = "US"', f'base_area = "{area}"'))
        check = base_area_check(load_settings(PROJECT, {"DESK_CONFIG": str(file)}).config)
        return check.level, check.sentence

    assert checked("JP") == (Level.OK, "rates are compared with those of JP")
    level, told = checked("XN")
    assert level is Level.FAIL
    assert told.startswith("markets.base_area is 'XN', of which no central bank is known")
    assert "known: AU, CA, CH, " in told
