"""What a source repeats of a secret is taken out, and what is none stays."""

import base64
import json
import re
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from mcp_types import CallToolResult, TextContent
from pydantic import JsonValue, SecretStr

from desk.platform.mcp.answers import LONGEST_TEXT, answer_of
from desk.platform.mcp.redaction import HIDDEN, Redaction, configured_secrets, redaction_for
from desk.platform.settings import load_settings
from desk.platform.settings.mcp_json import McpServerSpec
from tests.support.processes.homes import PROJECT

SECRET = 'op€n/"sesame"\\+4711 &co'
PLAIN = "sk-live-51Hx0aZ"


def redaction_of(**entry: Any) -> Redaction:
    return redaction_for(McpServerSpec.model_validate({"command": "x", **entry}))


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def in_small_letters(address: str) -> str:
    return re.sub("%..", lambda found: found[0].lower(), address)


FORMS: dict[str, str] = {
    "as it is": SECRET,
    "in JSON": json.dumps(SECRET)[1:-1],
    "in JSON, with its letters": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "in JSON within JSON": json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
    "in an address": quote(SECRET, safe=""),
    "in the path of an address": quote(SECRET),
    "in a form": quote_plus(SECRET),
    "in an address, in small letters": in_small_letters(quote(SECRET, safe="")),
    "in Base64": encoded(SECRET),
    "in Base64 for addresses": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "in Base64 behind a letter": encoded(f"u{SECRET}"),
    "in Base64 behind a name": encoded(f"me:{SECRET}"),
    "in Base64 before more": encoded(f"{SECRET} and more"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_secret_is_taken_out_however_it_is_written(form: str) -> None:
    told = redaction_of(env={"FEED_KEY": SECRET}).text(f"the key {form} is not known")
    assert HIDDEN in told
    for part in (form, "sesame", form[4:-4]):
        assert part not in told


def test_it_is_taken_out_of_every_depth_of_an_answer_and_of_the_names_of_fields() -> None:
    redaction = redaction_of(env={"FEED_KEY": PLAIN})
    content: JsonValue = {"a": [{PLAIN: [f"x {PLAIN}", 1, None, True]}], "b": "fine"}
    expected = {"a": [{HIDDEN: [f"x {HIDDEN}", 1, None, True]}], "b": "fine"}
    assert redaction.value(content) == expected


def test_a_secret_of_digits_is_taken_out_of_numbers() -> None:
    redaction = redaction_of(env={"FEED_KEY": "490154203237518"})
    assert redaction.value({"n": 490154203237518, "m": 2}) == {"n": HIDDEN, "m": 2}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FEED_KEY", "abc12"),
        ("FEED_KEY", "secret"),
        ("FEED_PASSWORD", "Password"),
        ("FEED_PASSWORD", "changeme"),
        ("FEED_PIN", "20261102"),
        ("FEED_KEY", "2026-11-02"),
        ("MODE", "production"),
        ("TITLE", "Weekly research of currencies"),
        ("TOOLS", "jira_get_issue,confluence_get_page"),
        ("REGION", "eu-1"),
        ("VERSION", "2026.11.2"),
        ("FEED_URL", "https://jira.example.com/browse"),
        ("FOLDER", str(PROJECT)),
        ("LANG", "en_US.UTF-8"),
    ],
)
def test_what_stands_in_answers_of_its_own_right_is_no_secret(name: str, value: str) -> None:
    text = f"it said {value}, and no more"
    assert redaction_of(env={name: value}).text(text) == text


@pytest.mark.parametrize(
    ("entry", "secret"),
    [
        ({"env": {"FEED_PASSWORD": "correct horse battery"}}, "correct horse battery"),
        ({"env": {"FEED_KEY": "abcdefghijklmnop"}}, "abcdefghijklmnop"),
        ({"env": {"FEED": "hunter2-swordfish"}}, "hunter2-swordfish"),
        ({"env": {"FEED_URL": f"postgres://me:{PLAIN}@db.example/feed"}}, PLAIN),
        ({"env": {"FEED_URL": f"https://rates.example/v3/{PLAIN}01"}}, f"{PLAIN}01"),
        ({"headers": {"Authorization": f"Bearer {PLAIN}"}}, PLAIN),
        ({"headers": {"Authorization": f"Basic {encoded(f'me:{PLAIN}')}"}}, PLAIN),
        ({"headers": {"Cookie": f"session={PLAIN}; theme=dark"}}, PLAIN),
        ({"url": f"https://rates.example/mcp?apikey={PLAIN}&as=json"}, PLAIN),
    ],
)
def test_what_a_server_is_given_in_secret_is_taken_out(entry: dict[str, Any], secret: str) -> None:
    assert redaction_of(**entry).text(f"<{secret}>") == f"<{HIDDEN}>"


def test_the_desks_own_secrets_are_taken_out_of_what_any_server_says() -> None:
    variables = {
        "ANTHROPIC_API_KEY": "sk-ant-0a1b2c3d",
        "REUTERS_API_TOKEN": "reuters-token-hush",
        "SMTP_PASSWORD": "letters-4711",
        "SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/T0/B0/0a1b2c3d4e5f6a7b8c9d",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCY",
    }
    traces = {"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20otel-0a1b2c"}
    secrets = configured_secrets(load_settings(PROJECT, {**variables, **traces}))
    redaction = redaction_for(McpServerSpec(command="x"), secrets)
    for value in (*variables.values(), "Bearer otel-0a1b2c", "0a1b2c3d4e5f6a7b8c9d"):
        assert redaction.text(f"it says {value}.") == f"it says {HIDDEN}."


def said(text: str, structured: dict[str, Any] | None = None, *, wrong: bool = False) -> JsonValue:
    """What is kept of an answer."""
    result = CallToolResult(
        content=[TextContent(text=text)], structured_content=structured, is_error=wrong
    )
    answer = answer_of(result, redaction_of(env={"FEED_KEY": PLAIN}))
    return answer.refusal or answer.content


def test_a_secret_is_hidden_in_every_part_of_an_answer() -> None:
    assert said(f"key {PLAIN}") == {"text": f"key {HIDDEN}"}
    assert said(f"Error: key {PLAIN}") == f"Error: key {HIDDEN}"
    assert said(f"key {PLAIN}", wrong=True) == f"key {HIDDEN}"
    assert said("", {"result": [PLAIN]}) == {"result": [HIDDEN]}
    wrapped = json.dumps({"key": PLAIN})
    assert said(wrapped, {"result": wrapped}) == {"key": HIDDEN}
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in PLAIN)
    assert said(f'{{"key": "{escaped}"}}') == {"key": HIDDEN}


def test_none_is_left_in_part_where_a_text_is_cut() -> None:
    kept = said("x" * (LONGEST_TEXT - 4) + PLAIN)
    assert isinstance(kept, dict)
    assert PLAIN[:4] not in str(kept["text"])


def test_an_answer_without_a_secret_is_the_same_answer() -> None:
    content: JsonValue = {"values": [1.5, "2"], "name": "ECB"}
    redaction = redaction_for(
        McpServerSpec(command="x", env={"FEED_KEY": SecretStr(PLAIN)}), [SecretStr("another-0a1b")]
    )
    assert redaction.value(content) is content
