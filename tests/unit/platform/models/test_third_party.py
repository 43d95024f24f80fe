"""Third-party models behind the Messages protocol: probed once, then asked in words."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from desk.contracts.agents.model_calls import ModelAnswer, ModelCall
from desk.contracts.agents.usage import Usage
from desk.platform.models.abilities import FILE, Abilities, TrialAnswer, probe
from desk.platform.models.claude import Claude
from desk.platform.models.model_calling import ModelFailed
from desk.platform.models.third_party import (
    LEAST_OUTPUT_TOKENS,
    MOST_OUTPUT_TOKENS,
    adapted_request,
    is_claude,
    json_object_in,
    most_output_tokens,
)
from starters.operations.doctor.models import ability_words, price_words
from tests.support.models.weak_endpoint import Request, is_probe, weak_endpoint

SCHEMA = {"type": "object", "properties": {"priority": {"type": "integer"}}}
TOOL = {"name": "ecb__get_quote", "description": "A quote.", "input_schema": {"type": "object"}}
USED = {"type": "tool_use", "id": "t1", "name": "ecb__get_quote", "input": {"symbol": "EUR/CHF"}}
GIVEN = {"type": "tool_result", "tool_use_id": "t1", "content": "0.9252"}


def call(**changed: Any) -> ModelCall:
    asked = ModelCall(
        model="gemma3:4b",
        system="You plan.",
        messages=({"role": "user", "content": [{"type": "text", "text": "{}"}]},),
        schema_of_result=SCHEMA,
    )
    return asked.model_copy(update=changed)


def prose(request: Request) -> str:
    """As a small model answers: words, a fence, and a remark."""
    told = '{"sure": true}' if is_probe(request) else '{"priority": 1}'
    return f"Sure! Here is the JSON:\n```json\n{told}\n```\nAnything else?"


def ask(url: str, home: Path, *calls: ModelCall) -> list[ModelAnswer]:
    async def work() -> list[ModelAnswer]:
        endpoint = Claude(SecretStr("none"), base_url=url, home=home)
        try:
            return [await endpoint.ask(each, timeout_seconds=20) for each in calls]
        finally:
            await endpoint.close()

    return asyncio.run(work())


def test_a_weak_endpoint_is_found_out_once_and_answers_in_words(tmp_path: Path) -> None:
    with weak_endpoint(prose) as weak:
        first, second = ask(weak.url, tmp_path, call(), call())
        asked = [each for each in weak.asked if not is_probe(each)]
        probes = len(weak.asked) - len(asked)
        (third,) = ask(weak.url, tmp_path, call())
        assert len(weak.asked) == probes + 3, "a later run of the desk knows it"
    assert {first.text, second.text, third.text} == {'{"priority": 1}'}
    assert set(weak.refused) == {"output_config", "tool_choice", "cache_control"}
    assert json.dumps(SCHEMA) in asked[0]["system"] and "JSON schema" in asked[0]["system"]
    assert not {"output_config", "cache_control", "tool_choice"} & asked[0].keys()
    assert first.usage.tokens > second.usage.tokens == 60, "finding out counts as spent"
    assert first.usage.unpriced_calls and second.usage.unpriced_calls == 1
    (kept,) = json.loads((tmp_path / FILE).read_text()).values()
    expected = Abilities(structured=False, tool_choice=False, caching=False, effort=False)
    assert Abilities(**kept) == expected


def test_a_strong_endpoint_is_asked_by_the_whole_protocol(tmp_path: Path) -> None:
    def says(request: Request) -> str:
        return '{"sure": true}' if is_probe(request) else '{"priority": 1}'

    with weak_endpoint(says, refuses=()) as strong:
        ask(strong.url, tmp_path, call(tools=(TOOL,)))
    sent = strong.asked[-1]
    assert sent["output_config"]["format"]["type"] == "json_schema"
    assert sent["tool_choice"] == {"type": "auto"} and sent["cache_control"]
    assert sent["system"] == "You plan."


def test_one_that_passes_over_the_schema_in_silence_is_told_it_in_words(tmp_path: Path) -> None:
    with weak_endpoint(prose, refuses=()) as silent:
        (answer,) = ask(silent.url, tmp_path, call())
    assert answer.text == '{"priority": 1}'
    assert json.dumps(SCHEMA) in silent.asked[-1]["system"]


def test_tokens_are_estimated_where_an_endpoint_counts_none(tmp_path: Path) -> None:
    with weak_endpoint(prose, counts=False) as weak:
        _, answer = ask(weak.url, tmp_path, call(), call())
    assert answer.usage.input_tokens > 20 and answer.usage.output_tokens > 10


def test_what_cannot_be_asked_is_no_ability(tmp_path: Path) -> None:
    with weak_endpoint(prose, refuses=("messages",)) as none, pytest.raises(ModelFailed) as failed:
        ask(none.url, tmp_path, call())
    assert "refuses a plain request" in str(failed.value) and not failed.value.again
    assert not (tmp_path / FILE).exists()


def test_for_its_last_answer_tools_are_taken_away_where_it_cannot_be_told_to_call_none() -> None:
    messages = (
        {"role": "user", "content": [{"type": "text", "text": "{}"}]},
        {"role": "assistant", "content": [USED]},
        {"role": "user", "content": [GIVEN]},
    )
    last = call(messages=messages, tools=(TOOL,), no_more_calls=True)
    sent = adapted_request(last, Abilities(tool_choice=False))
    assert "tools" not in sent
    assert [m["content"][0]["text"] for m in sent["messages"][1:]] == [
        '(I asked ecb__get_quote for {"symbol": "EUR/CHF"}.)',
        "The tool answered: 0.9252",
    ]
    assert adapted_request(last, Abilities())["messages"] == list(messages)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('Sure:\n```json\n{"a": {"b": 1}}\n```', '{"a": {"b": 1}}'),
        ('<think>{"a"} or {"x": 2}?</think> {"a": 1, "b": [2]}', '{"a": 1, "b": [2]}'),
        ("no object", "no object"),
        ("[1, 2]", "[1, 2]"),
        ("{" * 5_000, "{" * 5_000),
        ("", ""),
    ],
)
def test_the_object_is_found_among_words(text: str, found: str) -> None:
    assert json_object_in(text) == found


def test_a_model_is_claude_by_its_name() -> None:
    assert is_claude("claude-opus-5-5") and is_claude("anthropic/claude-sonnet-5-5")
    assert not is_claude("gemma3:4b") and not is_claude("qwen3")


def test_what_an_endpoint_can_is_said_in_plain_words() -> None:
    weak = " ".join(ability_words(Abilities(structured=False, tools=False, caching=False)))
    assert "the desk says the form in words" in weak and "it asks no tools" in weak
    assert "--budget-tokens" in price_words(None)


def test_a_slow_model_is_let_write_what_fits_the_time_for_a_call() -> None:
    slow, unknown = Abilities(tokens_a_second=25.0), Abilities()
    assert most_output_tokens(call(), unknown, 60) == MOST_OUTPUT_TOKENS
    assert most_output_tokens(call(), slow, 60) == 750
    assert most_output_tokens(call(), slow, 3_600) == MOST_OUTPUT_TOKENS
    assert most_output_tokens(call(), slow, 1) == LEAST_OUTPUT_TOKENS
    assert most_output_tokens(call(max_tokens=100), slow, 60) == 100


def test_how_fast_it_writes_is_told_by_its_longest_answers() -> None:
    took = iter([(10, 0.1), (64, 4.0), (64, 2.0), (64, 16.0), (64, 4.0), (64, 4.0)])

    async def answers(_: dict[str, Any]) -> TrialAnswer:
        tokens, seconds = next(took)
        return TrialAnswer({"content": []}, Usage(output_tokens=tokens), seconds)

    assert asyncio.run(probe(answers, "gemma3:4b")).abilities.tokens_a_second == 32.0
