"""`desk doctor` complains of every server that the roster needs and `.mcp.json` does not name."""

import json
from pathlib import Path

import pytest

from desk.agents.roster import ROSTER
from desk.contracts.agents.capabilities import LIVE_SOURCES
from desk.contracts.names import AgentId
from desk.platform.settings import load_settings
from desk.platform.settings.mcp_json import NEEDS, read_mcp_config, servers_to_serve
from starters.operations.doctor.check import Check, Level
from starters.operations.doctor.sources import built_checks, source_checks
from tests.support.processes.homes import PROJECT
from workers.needed_sources import needed_sources


def checks_with(directory: Path, *servers: str) -> list[Check]:
    ours = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    path = directory / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {name: ours[name] for name in servers}}))
    return list(source_checks(load_settings(PROJECT, {"DESK_MCP_CONFIG": str(path)})))


def test_our_own_list_of_servers_has_what_the_roster_needs() -> None:
    named = read_mcp_config(PROJECT / ".mcp.json").keys()
    assert named - needed_sources().keys() == LIVE_SOURCES & named
    assert needed_sources().keys() <= named
    assert {check.level for check in source_checks(load_settings(PROJECT, {}))} == {Level.OK}


def test_a_server_whose_package_is_absent_is_no_source_and_is_no_complaint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(NEEDS, "desk.sources.yahoo.server", "no_such_package")
    settings = load_settings(PROJECT, {})
    assert "yahoo_finance" not in settings.config.policy.sources
    assert "yahoo_finance" not in servers_to_serve(settings.mcp_config, {}, in_process=True)
    checks = {check.name: check for check in source_checks(settings)}
    assert checks["source yahoo_finance"].level is Level.OK
    assert checks["source yahoo_finance"].sentence == (
        "not here: it needs no_such_package; run `make install-live` in a checkout, or"
        " `pip install 'research-desk[live]'`"
    )


def test_a_server_of_the_desks_process_whose_module_cannot_be_imported_fails(
    tmp_path: Path,
) -> None:
    ours = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    ours["central_banks"]["inProcess"] = "desk.sources.nosuch"
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": ours}))
    settings = load_settings(PROJECT, {"DESK_MCP_CONFIG": str(path)})
    assert all(check.level is not Level.FAIL for check in source_checks(settings))
    (failed,) = built_checks(settings)
    assert failed.level is Level.FAIL
    assert failed.name == "source central_banks"
    assert "No module named 'desk.sources.nosuch'" in failed.sentence
    assert failed.sentence.endswith("; install what it needs, or correct its entry in .mcp.json")


def test_only_the_validator_needs_what_figures_are_compared_with() -> None:
    assert needed_sources()["official_statistics"] == (AgentId.VALIDATOR,)
    may = {
        profile.agent
        for profile in ROSTER.values()
        if profile.may_call("official_statistics", "get_month_averages")
        and profile.may_call("official_statistics", "get_month_end_rates")
    }
    assert may == {AgentId.VALIDATOR}


def test_every_server_that_is_not_named_is_complained_of_with_what_to_do(tmp_path: Path) -> None:
    listed, *complaints = checks_with(tmp_path, "ecb")
    assert listed.level is Level.OK
    assert [check.name for check in complaints] == [
        *("source central_banks", "source official_statistics", "source knowledge"),
        *("source analysis", "source sentiment"),
    ]
    assert {check.level for check in complaints} == {Level.WARN}
    assert (
        "research_agent_1, research_agent_2, validator_agent, search_agent, market_specialist, "
        in complaints[0].sentence
    )
    assert complaints[1].sentence == (
        f"validator_agent cannot ask 'official_statistics': {tmp_path / 'mcp.json'} "
        "does not name it; add its entry as docs/sources.md has it"
    )


def test_the_entry_that_is_advised_is_in_the_document() -> None:
    document = (PROJECT / "docs/sources.md").read_text(encoding="utf-8")
    ours = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    for server in needed_sources():
        assert f'"{server}": {json.dumps(ours[server])}' in document


def with_foreign(directory: Path, entry: dict[str, object], **environment: str) -> list[Check]:
    ours = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    path = directory / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {**ours, "foreign": entry}}))
    return list(
        source_checks(load_settings(PROJECT, {"DESK_MCP_CONFIG": str(path), **environment}))
    )


def test_another_server_under_a_name_of_the_projects_is_told_as_what_it_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mcp.json"
    elsewhere: dict[str, object] = {"url": "http://127.0.0.1:1/mcp"}
    own = {**elsewhere, "module": "desk.sources.central_banks.server"}
    path.write_text(json.dumps({"mcpServers": {"ecb": elsewhere, "central_banks": own}}))
    checks = source_checks(load_settings(PROJECT, {"DESK_MCP_CONFIG": str(path)}))
    (complaint,) = (check for check in checks if "its answers count as" in check.sentence)
    assert (complaint.name, complaint.level) == ("source ecb", Level.WARN)
    assert "derived and of the origin 'ecb'" in complaint.sentence


def test_a_variable_that_is_not_set_is_named(tmp_path: Path) -> None:
    headers = {"Authorization": "Bearer ${TOKEN}"}
    entry: dict[str, object] = {"url": "https://news.example/mcp", "headers": headers}
    unset = with_foreign(tmp_path, entry)[0]
    assert unset.level is Level.FAIL
    assert "server 'foreign'" in unset.sentence and "TOKEN is not set" in unset.sentence
    elsewhere = with_foreign(tmp_path, entry, TEMPORAL_ADDRESS="127.0.0.1:1")[0]
    assert elsewhere.level is Level.WARN


def test_a_value_that_is_filled_in_is_not_shown(tmp_path: Path) -> None:
    entry: dict[str, object] = {"command": "sh", "args": ["-c", "${TOKEN}"]}
    shown = with_foreign(tmp_path, entry, TOKEN="hush-hush")
    assert [(c.name, c.level) for c in shown[:1]] == [("source foreign", Level.OK)]
    assert "hush-hush" not in "".join(check.sentence for check in shown)


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    (missing, *_) = with_foreign(tmp_path, {"command": "${HOME_OF_IT:-/nowhere}/server"})
    assert missing.level is Level.FAIL and "is not on the PATH" in missing.sentence
