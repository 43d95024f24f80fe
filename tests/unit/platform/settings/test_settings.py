"""Settings: what is read from where, and what a person is told about what cannot be used."""

import json
import os
import re
import shutil
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from string import ascii_uppercase

import pytest

from desk.contracts.agents.budget import CHEAPER_MODEL
from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.agents.config import (
    USUAL_PUBLISHERS,
    HistoryConfig,
    MaterialityConfig,
    VotingConfig,
    Weekday,
)
from desk.contracts.agents.tools import SourceTier
from desk.contracts.markets import Band, MarketKind
from desk.contracts.names import AgentId
from desk.platform.settings import LogLevel, McpTransport, Settings, SettingsError, load_settings
from desk.platform.temporal.client import server_name
from tests.support.documents.published import PRIVATE
from tests.support.processes.homes import PROJECT, home_settings

SMALL = """
[markets]
pairs = [{ pair = "USD/JPY", group = "G10", areas = ["US", "JP"], digits = 2 }]
policy_rates = [{ area = "JP", group = "G10" }]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "desk.toml").write_text(SMALL)
    return tmp_path


def loaded(project: Path, toml: str = "", **environment: str) -> Settings:
    (project / "desk.toml").write_text(SMALL + toml)
    return load_settings(project, environment)


def refused(project: Path, toml: str = "", **environment: str) -> str:
    with pytest.raises(SettingsError) as caught:
        loaded(project, toml, **environment)
    return str(caught.value)


def test_our_own_desk_toml_has_every_market_quoted_the_way_the_market_quotes_it() -> None:
    config = load_settings(PROJECT, {}).config
    pairs = [spec for spec in config.markets if spec.kind is MarketKind.PAIR]
    rates = [spec for spec in config.markets if spec.kind is MarketKind.POLICY_RATE]
    assert len(pairs) == 19
    assert len(rates) == 19
    for spec in pairs:
        base, quote = spec.market.split("/")
        assert (base == "USD") is (quote not in {"USD"})
        assert "US" in spec.areas
        assert spec.areas.index("US") == (0 if base == "USD" else 1)
    digits = {spec.market: spec.digits for spec in pairs if spec.digits != 4}
    assert digits == {
        "USD/JPY": 2,
        "USD/KRW": 2,
        "USD/IDR": 0,
        "USD/THB": 3,
        "USD/PHP": 3,
        "USD/TWD": 3,
    }
    (pegged,) = (spec for spec in pairs if spec.band)
    assert pegged.band is not None
    assert (pegged.market, str(pegged.band.low), str(pegged.band.high)) == (
        *("USD/HKD", "7.75", "7.85"),
    )


def test_our_own_desk_toml_schedules_monday_morning_in_london() -> None:
    config = load_settings(PROJECT, {}).config
    schedule = config.schedule
    assert (schedule.weekday, schedule.hour, schedule.time_zone) == (
        *(Weekday.MONDAY, 7, "Europe/London"),
    )
    assert config.policy.thresholds.coverage == 0.9
    assert {agent.agent for agent in config.policy.agents} == set(AgentId)


def test_what_is_not_set_has_its_default(project: Path) -> None:
    settings = loaded(project)
    assert settings.home == project / ".desk"
    assert settings.reports_dir == project / "reports"
    assert settings.cache_dir == project / ".desk" / "cache"
    assert settings.mcp_config == project / ".mcp.json"
    assert settings.mcp_transport is McpTransport.IN_PROCESS
    assert settings.server.address == "127.0.0.1:7233"
    assert settings.ui_url == "http://127.0.0.1:8233"
    assert settings.log_level is LogLevel.INFO
    assert settings.cache_ttl_seconds == 300
    assert not settings.offline
    assert settings.anthropic_api_key is None
    assert not settings.external


def test_a_run_knows_which_servers_mcp_json_names(project: Path) -> None:
    named = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    assert {"ecb", "central_banks", "google_news"} <= named.keys()
    assert load_settings(PROJECT, {}).config.policy.sources == tuple(named)
    (project / "mine.json").write_text('{"mcpServers": {"mine": {"url": "http://127.0.0.1:1/"}}}')
    assert loaded(project, DESK_MCP_CONFIG="mine.json").config.policy.sources == ("mine",)


@pytest.mark.parametrize("content", [None, "{", '{"mcpServers": {"mine": {}}}'])
def test_without_a_usable_mcp_json_the_servers_are_not_known(
    project: Path, content: str | None
) -> None:
    if content is not None:
        (project / ".mcp.json").write_text(content)
    assert loaded(project).config.policy.sources == ()


def test_durations_are_written_in_words(project: Path) -> None:
    settings = loaded(
        project,
        '[deadlines]\nweek = "90 minutes"\ntask = "1.5 hours"\nopen_for_reruns = "1 day"\n'
        '[retries]\nfirst_pause = "250 ms"\nlongest_pause = "5 s"\n',
    )
    deadlines, retries = settings.config.policy.deadlines, settings.config.policy.retries
    assert deadlines.week == timedelta(minutes=90)
    assert deadlines.task == timedelta(minutes=90)
    assert deadlines.open_for_reruns == timedelta(days=1)
    assert retries.first_pause == timedelta(milliseconds=250)
    assert retries.longest_pause == timedelta(seconds=5)


def test_what_weighs_how_much_and_what_is_material_is_set_in_the_file(project: Path) -> None:
    policy = loaded(
        project,
        '[deadlines]\nescalation = "2 hours"\nreminder = "1 hour"\n'
        "[voting]\nwidest_spread = 0.3\n[voting.agents]\nvalidator_agent = 2\n"
        "[materiality]\nlevel = 0.5\nrate = 5\nconfidence = 0.2\n",
    ).config.policy
    assert policy.deadlines.escalation == timedelta(hours=2)
    assert policy.deadlines.reminder == timedelta(hours=1)
    assert policy.voting.widest_spread == 0.3
    assert policy.voting.agents == {AgentId.VALIDATOR: 2.0}
    changes = policy.materiality
    assert (changes.level, changes.rate, changes.confidence) == (0.5, 5.0, 0.2)


def test_a_tier_that_is_left_out_keeps_its_usual_weight(project: Path) -> None:
    voting = loaded(project, "[voting.tiers]\nsecondary = 0.6\n").config.policy.voting
    assert voting.tiers == {**VotingConfig().tiers, SourceTier.SECONDARY: 0.6}


def test_our_own_desk_toml_votes_and_compares_as_the_defaults_do() -> None:
    policy = load_settings(PROJECT, {}).config.policy
    bands = {"USD/HKD": Band(low=Decimal("7.75"), high=Decimal("7.85"), authority="HKMA")}
    assert policy.voting == VotingConfig(publishers=dict(USUAL_PUBLISHERS), bands=bands)
    assert policy.materiality == MaterialityConfig()


def test_a_publisher_that_is_named_goes_beside_the_usual_one(project: Path) -> None:
    named = '[voting.publishers]\n"USD/CNY" = "CFETS"\n'
    voting = loaded(project, named).config.policy.voting
    assert voting.publishers == {**USUAL_PUBLISHERS, "USD/CNY": "CFETS"}


def test_rules_without_publishers_or_bands_are_sealed_as_they_were_before_there_were_any() -> None:
    assert not {"publishers", "bands"} & VotingConfig().model_dump().keys()


def test_how_long_a_history_gets_is_set_in_the_file(project: Path) -> None:
    assert loaded(project, "[history]\nmost_events = 500\n").config.history.most_events == 500
    assert "history.most_events" in refused(project, "[history]\nmost_events = 0\n")


def test_the_usual_history_takes_no_place_in_what_is_sealed(project: Path) -> None:
    """A report that was published before there was such a setting keeps its seal."""
    ours = load_settings(PROJECT, {}).config
    assert ours.history == HistoryConfig()
    assert "history" not in ours.model_dump()
    other = loaded(project, "[history]\nmost_events = 500\n").config
    assert type(other).model_validate(other.model_dump(mode="json")) == other


def test_environment_goes_before_dotenv_and_dotenv_before_desk_toml(project: Path) -> None:
    (project / ".env").write_text(
        "DESK_SERVER_PORT=7001\nDESK_UI_PORT=8001\nMAX_RETRY_ATTEMPTS=7\nLOG_LEVEL=debug\n"
    )
    settings = loaded(
        project,
        "[server]\nport = 7000\nui_port = 8000\n[retries]\nmax_attempts = 2\n",
        DESK_SERVER_PORT="7002",
    )
    assert (settings.server.port, settings.server.ui_port) == (7002, 8001)
    assert settings.config.policy.retries.max_attempts == 7
    assert settings.log_level is LogLevel.DEBUG


def test_reading_dotenv_leaves_the_process_environment_alone(project: Path) -> None:
    (project / ".env").write_text("REUTERS_API_TOKEN=only-in-the-file\n")
    before = dict(os.environ)
    settings = load_settings(project, {})
    assert settings.reuters_api_token is not None
    assert settings.reuters_api_token.get_secret_value() == "only-in-the-file"
    assert dict(os.environ) == before


def test_the_network_can_be_left_alone(project: Path, tmp_path: Path) -> None:
    assert loaded(project, DESK_OFFLINE="1").offline
    assert not loaded(project, DESK_OFFLINE="0").offline
    assert home_settings(tmp_path).offline


def test_the_memory_is_embedded_unless_it_is_put_elsewhere(project: Path) -> None:
    assert loaded(project).memory.store == "embedded"
    in_a_folder = '[memory]\nstore = "chroma:.desk/chroma"\n'
    assert loaded(project, in_a_folder).memory.store == "chroma:.desk/chroma"
    server = "chroma+http://memory:8000"
    assert loaded(project, in_a_folder, DESK_MEMORY=server).memory.store == server


def test_an_empty_variable_is_as_good_as_none(project: Path) -> None:
    settings = loaded(project, ANTHROPIC_API_KEY="", DESK_HOME="", TEMPORAL_ADDRESS="")
    assert settings.anthropic_api_key is None
    assert settings.home == project / ".desk"
    assert not settings.external


def test_no_model_of_anthropics_goes_on_for_those_of_another_maker(project: Path) -> None:
    def cheaper(model: str, toml: str = "") -> str:
        settings = loaded(project, toml, CLAUDE_MODEL_EXECUTION=model)
        return settings.config.policy.budget.cheaper_model

    both = "[budget]\nusd = 20\ntokens = 1_000\n"
    theirs = loaded(project, both, CLAUDE_MODEL_EXECUTION="qwen3:8b").config.policy.budget
    assert (theirs.usd, theirs.tokens) == (None, 1_000), "their prices are not known"

    assert cheaper("qwen3:8b") == "qwen3:8b"
    assert cheaper("claude-sonnet-5-5") == CHEAPER_MODEL
    assert cheaper("qwen3:8b", '[budget]\ncheaper_model = "qwen3:1b"\n') == "qwen3:1b"


def test_secrets_are_not_printed(project: Path) -> None:
    settings = loaded(project, ANTHROPIC_API_KEY="sk-hush", TEMPORAL_API_KEY="hush")
    assert "hush" not in repr(settings)


@pytest.mark.parametrize("name", ["TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_PROFILE"])
def test_naming_a_server_makes_it_external(project: Path, name: str) -> None:
    settings = loaded(project, **{name: "somewhere", "DESK_UI_URL": "http://ui:8080"})
    assert settings.external
    assert settings.ui_url == "http://ui:8080"
    assert settings.temporal_environment == {name: "somewhere"}


def test_a_temporal_toml_beside_the_project_makes_it_external(project: Path) -> None:
    (project / "temporal.toml").write_text('[profile.default]\naddress = "elsewhere:7233"\n')
    settings = loaded(project)
    assert settings.external
    assert settings.temporal_config_file == project / "temporal.toml"
    assert settings.ui_url is None


def test_our_own_example_environment_is_usable_when_everything_in_it_is_switched_on(
    tmp_path: Path,
) -> None:
    shutil.copy(PROJECT / "desk.toml", tmp_path)
    (tmp_path / "temporal.toml").write_text("")
    example = (PROJECT / ".env.example").read_text()
    on = [line.removeprefix("#") for line in example.splitlines() if line.startswith("#")]
    lines = [line for line in on if line.partition("=")[0].isupper() and "=" in line]
    (tmp_path / ".env").write_text("\n".join(lines).replace("CONFIG_FILE=", "CONFIG_FILE=./x"))
    (tmp_path / "x").write_text("")
    (tmp_path / "publisher.key").write_text(PRIVATE)
    assert len(lines) > 15
    assert load_settings(tmp_path, {}).external


def test_an_unknown_key_is_named_with_the_nearest_known_one(project: Path) -> None:
    message = refused(project, "[deadlines]\nweak = '1 day'\n")
    assert message.startswith(
        "desk.toml: unknown key 'deadlines.weak'; known: escalation, open_for_reruns,"
    )
    assert message.endswith("did you mean week?")


def test_an_unknown_key_of_a_market_is_named_with_its_place(project: Path) -> None:
    (project / "desk.toml").write_text(SMALL.replace("digits", "digit"))
    with pytest.raises(SettingsError, match=r"'markets\.pairs\[1\]\.digit'.*did you mean digits"):
        load_settings(project, {})


def test_a_value_in_the_place_of_a_table_is_told_with_the_keys_of_the_table(project: Path) -> None:
    (project / "desk.toml").write_text('markets = ["USD/JPY"]\n')
    with pytest.raises(SettingsError, match=r"allowed: a table with the keys .*pairs"):
        load_settings(project, {})


def test_a_part_that_is_missing_is_told_with_where_a_whole_file_is(project: Path) -> None:
    (project / "desk.toml").write_text("[server]\nport = 7300\n")
    with pytest.raises(SettingsError, match=r"'markets' is missing; `desk init` in an empty"):
        load_settings(project, {})


def test_a_misspelt_key_is_named_rather_than_the_one_that_it_leaves_missing(project: Path) -> None:
    (project / "desk.toml").write_text(SMALL.replace("areas", "regions"))
    with pytest.raises(SettingsError, match=r"unknown key 'markets\.pairs\[1\]\.regions'"):
        load_settings(project, {})


@pytest.mark.parametrize(
    ("toml", "parts"),
    [
        (
            '[schedule]\nweekday = "mondy"\n',
            ["desk.toml: schedule.weekday is 'mondy'", "'sunday'", "did you mean monday?"],
        ),
        ("[schedule]\nhour = 24\n", ["schedule.hour is 24", "less than or equal to 23"]),
        (
            '[schedule]\ntime_zone = "Europe/Londn"\n',
            ["schedule.time_zone is 'Europe/Londn'", "did you mean Europe/London?"],
        ),
        ('[deadlines]\nweek = "soon"\n', ["deadlines.week is 'soon'", '"30 minutes"']),
        ('[deadlines]\nweek = "0 s"\n', ["deadlines.week", "greater than 0"]),
        ("[thresholds]\ncoverage = 90\n", ["thresholds.coverage is 90", "less than or equal to 1"]),
        ("[agents.reviewer]\n", ["agents.reviewer is 'reviewer'", "'validator_agent'"]),
        (
            "[agents.validator_agent]\nlimits = { max_turns = 2, max_tokens = 1000 }\n",
            ["agents.validator_agent.limits.max_turns is 2", "at least 3"],
        ),
        (
            '[agents.validator_agent]\nfallback = "validator_agent"\n',
            ["agents.validator_agent.fallback", "the agent itself", "research_agent_1"],
        ),
        ('[deadlines]\nescalation = "a while"\n', ["deadlines.escalation is 'a while'", "minutes"]),
        ('[deadlines]\nreminder = "0 s"\n', ["deadlines.reminder", "greater than 0"]),
        (
            "[voting]\nwidest_spread = 50\n",
            ["voting.widest_spread is 50", "less than or equal to 1"],
        ),
        (
            "[voting]\nspread = 0.5\n",
            ["unknown key 'voting.spread'", "did you mean widest_spread?"],
        ),
        (
            "[voting.tiers]\nprimery = 1\n",
            ["voting.tiers.primery is 'primery'", "did you mean primary?"],
        ),
        ("[voting.tiers]\nprimary = -1\n", ["voting.tiers.primary is -1", "equal to 0"]),
        (
            '[capabilities]\nqoute = ["ecb.get_quote"]\n',
            ["capabilities.qoute is 'qoute'", "did you mean quote?"],
        ),
        (
            '[capabilities]\nquote = ["ecb"]\n',
            ["capabilities.quote is ['ecb']", "a tool such as ecb.get_quote"],
        ),
        ("[capabilities]\nquote = []\n", ["capabilities.quote is []", "at least 1 item"]),
        (
            '[capabilities]\nquote = [{ sever = "ecb", tool = "get_quote" }]\n',
            ["unknown key 'capabilities.quote[1].sever'", "did you mean server?"],
        ),
        (
            '[capabilities]\nquote = [{ server = "a", tool = "b", fixed = { as_of = "now" } }]\n',
            ["capabilities.quote[1] is", "arguments other than as_of"],
        ),
        ("[voting.agents]\nvalidator = 1\n", ["voting.agents.validator", "validator_agent"]),
        ("[materiality]\nlevel = 0\n", ["materiality.level is 0", "greater than 0"]),
        ("[materiality]\nconfidence = 15\n", ["materiality.confidence is 15", "equal to 1"]),
        ("[materiality]\nbp = 1\n", ["unknown key 'materiality.bp'", "confidence, level, rate"]),
        ("[server]\nport = 8233\n", ["both 8233", "DESK_UI_PORT"]),
        ("[server]\nport = 70000\n", ["server.port is 70000", "less than or equal to 65535"]),
        (
            '[memory]\nstore = "redis"\n',
            ["memory.store is 'redis'", "embedded, chroma:FOLDER or chroma+http://HOST:PORT"],
        ),
        ("[memory]\nstor = 1\n", ["unknown key 'memory.stor'", "did you mean store?"]),
        ("[[[", ["desk.toml is no usable TOML"]),
        ("[a]\nb = 1\nc = [\n  2,\n", ["what begins on line ", " does not end: ", "at end of doc"]),
    ],
)
def test_a_bad_value_is_named_with_its_key_and_what_is_allowed(
    project: Path, toml: str, parts: list[str]
) -> None:
    message = refused(project, toml)
    assert [part for part in parts if part not in message] == []


def test_a_market_that_stands_there_twice_is_refused(project: Path) -> None:
    twice = SMALL.replace("policy_rates = [", 'policy_rates = [{ area = "JP", group = "G10" },')
    (project / "desk.toml").write_text(twice)
    with pytest.raises(SettingsError, match="JP stands there twice"):
        load_settings(project, {})


def test_more_markets_than_a_run_takes_are_refused_with_what_takes_them(project: Path) -> None:
    areas = [f"{first}{second}" for first in "QXYZ" for second in ascii_uppercase]
    pairs = [f"Q{area}/X{area}" for area in areas]
    rates = "".join(f'{{ area = "{area}", group = "G10" }},' for area in areas)
    written = "".join(
        f'{{ pair = "{pair}", group = "G10", areas = ["US", "JP"] }},' for pair in pairs
    )
    (project / "desk.toml").write_text(
        f"[markets]\npairs = [{written}]\npolicy_rates = [{rates}]\n"
    )
    with pytest.raises(SettingsError, match="at most 200 markets, and 208 stand there: a desk of"):
        load_settings(project, {})


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("LOG_LEVEL", "chatty", "'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
        ("DESK_MCP_TRANSPORT", "in-proces", "did you mean in-process?"),
        ("DESK_SERVER_PORT", "http", "integer"),
        ("MAX_RETRY_ATTEMPTS", "0", "greater than or equal to 1"),
        ("CACHE_TTL_SECONDS", "-1", "greater than or equal to 0"),
        ("LOG_JSON", "maybe", "boolean"),
        ("DESK_OFFLINE", "perhaps", "boolean"),
        ("TEMPORAL_CONFIG_FILE", "nowhere.toml", "a file that exists"),
        ("DESK_MEMORY", "chroma+http://host", "chroma+http://HOST:PORT"),
    ],
)
def test_a_bad_variable_is_named_with_its_value_and_what_is_allowed(
    project: Path, name: str, value: str, allowed: str
) -> None:
    message = refused(project, **{name: value})
    assert message.startswith(f"environment: {name} is '{value}'; allowed: ")
    assert allowed in message


def test_a_profile_that_temporal_toml_has_not_is_named(project: Path) -> None:
    (project / "temporal.toml").write_text('[profile.default]\naddress = "127.0.0.1:9"\n')
    settings = loaded(project, TEMPORAL_PROFILE="elsewhere")
    with pytest.raises(SettingsError, match=r"temporal\.toml: Profile 'elsewhere' not found"):
        server_name(settings)


def test_a_missing_desk_toml_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"mine\.toml is missing.*DESK_CONFIG"):
        load_settings(tmp_path, {"DESK_CONFIG": "mine.toml"})


def test_a_file_that_the_environment_names_is_relative_to_the_current_folder(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.toml").write_bytes((project / "desk.toml").read_bytes())
    monkeypatch.chdir(here)
    monkeypatch.setenv("DESK_CONFIG", "mine.toml")
    assert load_settings(project).desk_config == here / "mine.toml"
    monkeypatch.setenv("DESK_CONFIG", "other.toml")
    with pytest.raises(SettingsError, match=re.escape(f"{here / 'other.toml'} is missing")):
        load_settings(project)
    monkeypatch.delenv("DESK_CONFIG")
    (project / ".env").write_text("DESK_CONFIG=desk.toml\n")
    assert load_settings(project).desk_config == project / "desk.toml"


def test_a_folder_that_configures_nothing_runs_with_what_comes_with_the_desk(
    tmp_path: Path,
) -> None:
    settings = load_settings(tmp_path, {})
    assert settings.home == tmp_path / ".desk"
    assert settings.config == load_settings(PROJECT, {}).config
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"mine": {"url": "http://127.0.0.1:1/"}}}')
    assert load_settings(tmp_path, {}).config.policy.sources == ("mine",)


def test_the_project_is_found_from_a_folder_within_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = project / "reports" / "weekly"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert load_settings(environment={}).project_dir == project


def test_a_capability_has_the_routes_that_are_written_for_it(project: Path) -> None:
    toml = """
[capabilities]
quote = ["ecb.get_quote", { server = "my.terminal", tool = "last", names = { symbol = "ticker" } }]
"""
    assert loaded(project, toml).config.policy.capabilities == {
        Capability.QUOTE: (
            Route(server="ecb", tool="get_quote"),
            Route(server="my.terminal", tool="last", names={"symbol": "ticker"}),
        )
    }
    assert loaded(project).config.policy.capabilities == {}
