"""A route that says where the fields of an answer are: what cannot be used is refused at once."""

from pathlib import Path

import pytest

from desk.contracts.agents.capabilities import Capability
from desk.platform.settings import SettingsError
from desk.platform.settings.desk_toml import read_desk_file

MARKETS = '[markets]\npolicy_rates = [{ area = "JP", group = "Asia" }]\n'


def refused(tmp_path: Path, answer: str, capability: str = "ticket") -> str:
    with pytest.raises(SettingsError) as told:
        routes(tmp_path, answer, capability)
    return str(told.value)


def routes(tmp_path: Path, answer: str, capability: str = "ticket") -> dict[str, str]:
    file = tmp_path / "desk.toml"
    second = f'{{ server = "atlassian", tool = "jira_get_issue", answer = {{ {answer} }} }}'
    lines = f'[capabilities]\n{capability} = ["knowledge.fetch_ticket", {second}]\n'
    file.write_text(MARKETS + lines)
    read = read_desk_file(file).run.policy.capabilities
    return dict(read[Capability(capability)][1].answer)


def test_a_route_says_where_the_fields_are_found(tmp_path: Path) -> None:
    told = 'id = "key", status = "status.name", missing = "error"'
    assert routes(tmp_path, told) == {"id": "key", "status": "status.name", "missing": "error"}
    hits = 'results = "[*].{title: title, snippet: content.value, url: url}"'
    assert routes(tmp_path, hits, "web_search")["results"].startswith("[*]")
    assert routes(tmp_path, "") == {}


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("status..name", "at character 8: '.' cannot stand there"),
        ("fields[?name", "at character 13: its end cannot stand there"),
        ("status.#", "at character 8: a sign that has no meaning there"),
        ("", "it is empty"),
        ("values[*].lenght(@)", "at character 11: there is no function lenght"),
    ],
)
def test_what_is_no_expression_is_named_with_its_key_and_the_place(
    tmp_path: Path, expression: str, words: str
) -> None:
    told = refused(tmp_path, f'id = "key", status = "{expression}"')
    key = "desk.toml: capabilities.ticket[2].answer.status"
    assert told == f"{key} is '{expression}'; allowed: a JMESPath expression; {words}"


def test_a_field_that_the_desk_does_not_know_is_refused(tmp_path: Path) -> None:
    told = refused(tmp_path, 'assigne = "assignee.name"')
    assert told.startswith("desk.toml: unknown key 'capabilities.ticket[2].answer.assigne'")
    assert told.endswith("did you mean assignee?")


def test_an_answer_in_another_form_is_refused_where_it_would_not_be_read(tmp_path: Path) -> None:
    told = refused(tmp_path, 'value = "price"', "quote")
    assert told.startswith("desk.toml: capabilities.quote[2].answer is not read: allowed for tick")
