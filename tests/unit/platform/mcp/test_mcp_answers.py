"""What the result of a tool means, and what is left of it in a message."""

import json

import pytest
from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import JsonValue, SecretStr

from desk.platform.mcp.answers import LONGEST_MESSAGE, LONGEST_TEXT, answer_of, message_line
from desk.platform.mcp.redaction import redaction_for
from desk.platform.mcp.transports.http import HttpAnswer
from desk.platform.settings.mcp_json import McpServerSpec

SECRET = "sk-do-not-print-me"


def result(
    *texts: str, structured: dict[str, JsonValue] | None = None, error: bool = False
) -> CallToolResult:
    parts: list[ContentBlock] = [TextContent(text=text) for text in texts]
    return CallToolResult(content=parts, structured_content=structured, is_error=error)


def test_a_result_marked_as_an_error_is_a_refusal() -> None:
    answer = answer_of(result("no such table", structured={"a": 1}, error=True))
    assert (answer.content, answer.refusal) == (None, "no such table")
    assert answer_of(result(error=True)).refusal == "refused without a reason"


@pytest.mark.parametrize("text", ["Error: no such ticker", "  ERROR: no such ticker", "error:x"])
def test_ordinary_text_that_begins_with_error_is_a_refusal(text: str) -> None:
    assert answer_of(result(text)).refusal == text.strip()
    assert answer_of(result(text, structured={"result": text})).refusal == text.strip()


@pytest.mark.parametrize("text", ["Errors: 0", "No error: all well", "Erroneous"])
def test_text_that_only_mentions_errors_is_content(text: str) -> None:
    assert answer_of(result(text)).content == {"text": text}


def test_structured_content_counts_more_than_its_text() -> None:
    structured: dict[str, JsonValue] = {"headline": "Error: a novel", "rows": []}
    assert answer_of(result("Error: a novel", structured=structured)).content == structured


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('{"rate": 0.5}', {"rate": 0.5}),
        ("[1, 2]", [1, 2]),
        ("42", {"text": "42"}),
        ("null", {"text": "null"}),
        ('{"rate": NaN}', {"text": '{"rate": NaN}'}),
        ('{"a": "\\ud800"}', {"text": '{"a": "\\ud800"}'}),
        ("[" * 10_000, {"text": "[" * 10_000}),
        ("a\x00b\x1bc\nd", {"text": "a b c\nd"}),
    ],
)
def test_text_is_parsed_where_it_is_an_object_or_a_list(text: str, content: JsonValue) -> None:
    assert answer_of(result(text)).content == content


def test_no_answer_has_a_control_character() -> None:
    seen: dict[str, JsonValue] = {"the \x1bname": ["\x9b31mred\r\n\tand \x00", {"n": 0.5}]}
    left = {"the  name": [" 31mred\r\n\tand  ", {"n": 0.5}]}
    assert answer_of(result(structured=seen)).content == left
    assert answer_of(result(json.dumps(seen))).content == left


def test_long_text_is_cut_and_says_so() -> None:
    assert answer_of(result("x" * LONGEST_TEXT)).content == {"text": "x" * LONGEST_TEXT}
    cut = answer_of(result("x" * (LONGEST_TEXT + 1))).content
    assert cut == {"text": "x" * LONGEST_TEXT, "cut": True}


def test_parts_that_are_no_text_are_left_out() -> None:
    picture = ImageContent(data="aGk=", mime_type="image/png")
    mixed = CallToolResult(content=[picture, TextContent(text="a chart")])
    assert answer_of(mixed).content == {"text": "a chart"}


def test_a_message_is_one_short_printable_line() -> None:
    said = message_line("no\nway\x1b[31m  \u202eback" + "x" * 10_000)
    assert said.startswith("no way [31m back")
    assert len(said) == LONGEST_MESSAGE
    assert said.isprintable()


def test_a_message_keeps_no_secret_that_the_server_was_given() -> None:
    spec = McpServerSpec(
        url=f"https://h/mcp?key=query%2F{SECRET}",
        env={"KEY": SecretStr(f"env {SECRET}"), "LEVEL": SecretStr("INFO")},
        headers={"Authorization": SecretStr(f"Bearer header-{SECRET}")},
    )
    said = message_line(
        f"INFO env {SECRET}; header-{SECRET}; Bearer header-{SECRET}; query/{SECRET}; "
        f"query%2F{SECRET}",
        redaction_for(spec),
    )
    assert said == "INFO ***; ***; ***; ***; ***"


@pytest.mark.parametrize(
    ("status", "refuses", "passing"),
    [
        (401, True, False),
        (403, True, False),
        (404, False, False),
        (408, False, True),
        (429, False, True),
        (500, False, True),
        (503, False, True),
        (599, False, True),
    ],
)
def test_a_status_says_whether_asking_again_may_do(
    status: int, refuses: bool, passing: bool
) -> None:
    answer = HttpAnswer(status, None)
    assert (answer.refuses, answer.passing) == (refuses, passing)
    assert f"it answered {status}" in str(answer)
