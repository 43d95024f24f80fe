"""How LSEG can fail to answer, and how long an answer of it is kept."""

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.sources.reuters.access import access_from
from desk.sources.reuters.platform import MOST_CACHED, LsegNews
from desk.sources.reuters.server import ReutersTools
from tests.support.addresses.feeds import Answer
from tests.support.addresses.lseg import (
    HEADLINES,
    TOKEN_V1,
    UNUSABLE,
    Platform,
    denied,
    failed,
    in_json,
    lseg,
)
from tests.support.processes.homes import free_port
from tests.unit.sources.reuters.test_reuters import (
    AS_OF,
    CLAIM,
    HOUR,
    MACHINE,
    NOW,
    SECOND,
    reuters,
    story,
    tools_of,
)

SLOW = {
    "silent": Answer(stalls=True),
    "stops": Answer(b'{"data"', stalls=True),
    "drips": Answer(b'{"data": [       ]}', pause_seconds=0.2),
}


@pytest.mark.parametrize("path", [HEADLINES, TOKEN_V1])
@pytest.mark.parametrize("name", UNUSABLE)
def test_what_is_no_answer_is_missing_with_the_reason(name: str, path: str) -> None:
    answer, reason = UNUSABLE[name]
    if path == TOKEN_V1 and "`" in reason:
        reason = "`access_token` of its sign-on is missing or has changed"
    with reuters(story(CLAIM)) as (tools, platform):
        platform.instead[path] = answer
        news = tools.get_market_news(AS_OF, "yen")
        check = tools.verify_story(CLAIM, AS_OF)
    assert (news.items, check.items, check.carried) == ((), (), None)
    assert news.missing == check.missing
    assert (news.missing or "").startswith("LSEG could not be read: ")
    assert reason in (news.missing or "")


@pytest.mark.parametrize("path", [HEADLINES, TOKEN_V1])
@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW.keys())
def test_what_is_too_slow_is_missing_with_the_reason(answer: Answer, path: str) -> None:
    with lseg() as platform:
        platform.instead[path] = answer
        news = tools_of(platform, seconds=0.5).get_market_news(AS_OF, "yen")
    assert news.missing == "LSEG could not be read: it did not answer within 0.5 seconds."


def test_all_that_a_question_needs_shares_its_time() -> None:
    with lseg(story(CLAIM)) as platform:
        platform.matches = lambda query, _: "HeadlineOnly" in query
        platform.instead[TOKEN_V1] = _slowly(platform)
        check = tools_of(platform, seconds=0.5).verify_story(CLAIM, AS_OF)
    assert check.carried is None
    assert "within 0.5 seconds" in (check.missing or "")
    assert platform.queries() == []


def _slowly(platform: Platform) -> Answer:
    platform.tokens.add("slow-token")
    token = in_json({"access_token": "slow-token", "expires_in": "600"})
    return Answer(token.content, headers=token.headers, pause_seconds=0.02)


def test_an_address_where_nobody_answers_is_missing_with_the_reason() -> None:
    access = access_from(MACHINE | {"LSEG_BASE_URL": f"http://127.0.0.1:{free_port()}"})
    news = ReutersTools(LsegNews(access, now=lambda: NOW)).get_market_news(AS_OF, "yen")
    assert news.missing == (
        "LSEG could not be read: it could not be reached: nothing answers at its address."
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            failed(429, "slow", Retry_After="30"),
            "429 Too Many Requests and asks to wait 30 seconds$",
        ),
        (failed(429, "slow"), "429 Too Many Requests$"),
        (failed(403, "denied"), r"403 Forbidden; .* right to read news \(trapi.data.news.read\)$"),
        (failed(400, "Validation error"), "400 Bad Request$"),
        (failed(404, "<script>"), "404 Not Found$"),
    ],
)
def test_a_refusal_is_a_tool_error_that_says_what_lseg_said(answer: Answer, said: str) -> None:
    with reuters() as (tools, platform):
        platform.instead[HEADLINES] = answer
        for ask in (
            lambda: tools.get_market_news(AS_OF),
            lambda: tools.get_central_bank_news(["JP"], AS_OF),
            lambda: tools.verify_story(CLAIM, AS_OF),
        ):
            with pytest.raises(ToolError, match=f"^LSEG refused to answer: it answered {said}"):
                ask()


@pytest.mark.parametrize("status", [429, 404])
def test_a_sign_on_may_be_refused_for_other_reasons_than_the_credentials(status: int) -> None:
    with reuters() as (tools, platform):
        platform.instead[TOKEN_V1] = denied(status, "error", "later")
        with pytest.raises(ToolError, match=f"refused to answer: it answered {status}"):
            tools.get_market_news(AS_OF)
        platform.instead.clear()
        assert tools.get_market_news(AS_OF).items == ()


def test_an_answer_is_kept_for_ten_minutes() -> None:
    now = [0.0]
    with lseg(story(CLAIM, text="opens")) as platform:
        access = access_from(MACHINE | {"LSEG_BASE_URL": platform.url})
        platform.expires_in = 10_000
        tools = ReutersTools(LsegNews(access, now=lambda: NOW, clock=lambda: now[0]))
        first = (tools.get_market_news(AS_OF), tools.verify_story(CLAIM, AS_OF))
        asked = len(platform.asked)
        now[0] = 599.0
        assert (tools.get_market_news(AS_OF), tools.verify_story(CLAIM, AS_OF)) == first
        assert len(platform.asked) == asked
        now[0] = 601.0
        tools.get_market_news(AS_OF)
        tools.verify_story(CLAIM, AS_OF)
    assert len(platform.asked) == 2 * asked - 1


def test_another_instant_is_asked_for_anew_and_a_failure_is_not_kept() -> None:
    with reuters(story("known", AS_OF - HOUR)) as (tools, platform):
        tools.get_market_news(AS_OF, "yen")
        tools.get_market_news(AS_OF - SECOND, "yen")
        assert len(platform.queries()) == 2
        platform.instead[HEADLINES] = Answer(b"", 503)
        for _ in range(2):
            tools.get_market_news(AS_OF, "won")
    assert len(platform.queries()) == 4


def test_only_so_many_answers_are_kept() -> None:
    with reuters() as (tools, platform):
        for number in range(MOST_CACHED + 1):
            tools.get_market_news(AS_OF, f"yen {number}")
        tools.get_market_news(AS_OF, f"yen {MOST_CACHED}")
        assert len(platform.queries()) == MOST_CACHED + 1
        tools.get_market_news(AS_OF, "yen 0")
    assert len(platform.queries()) == MOST_CACHED + 2
