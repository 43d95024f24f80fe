"""A week's commentary as a model is asked for it, and as its answer is read."""

import json
from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import (
    Commentary,
    EventType,
    Finding,
    Impact,
    MarketEvent,
    Severity,
    ValidationIssue,
    ValidationResult,
)
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.programs.claude.turns import model_call, turn_of
from desk.programs.turns import builtin_turn
from tests.support.builders import claim, finding, pair_market, window

WEEK = "2026-W44"
MODEL = "claude-opus-5-5"
CLAIMS = (
    claim("USD/JPY", Metric.MOVE, "0.29", Unit.PERCENT),
    claim("USD/JPY", Metric.LAST, "157.25"),
)


STORY = "USD/JPY/news/research_fx.search_news.0"
THEME: dict[str, Any] = {"title": "The yen", "moved": "USD/JPY [[USD/JPY:move|moved]]."}


def with_theme(**changed: Any) -> dict[str, Any]:
    return {"headline": "The yen fell.", "themes": [{**THEME, **changed}]}


def event(impact: Impact, description: str) -> MarketEvent:
    return MarketEvent(
        event_id=f"USD/JPY/fx_movement/{impact}",
        event_type=EventType.FX_MOVEMENT,
        market="USD/JPY",
        event_date=date(2026, 10, 30),
        description=description,
        impact=impact,
    )


def asked(**changed: Any) -> TurnRequest:
    events = (
        event(Impact.HIGH, "USD/JPY rose ([[USD/JPY:move]])."),
        event(Impact.LOW, "It was calm at [[USD/JPY:last]]."),
    )
    assignment = TaskAssignment(
        task_id=f"{WEEK}/comment",
        task_type=TaskType.COMMENT_WEEK,
        agent=AgentId.PRODUCT_MANAGER,
        week=WEEK,
        window=window(WEEK),
        deadline=window(WEEK).end,
    )
    findings = (finding(*CLAIMS).model_copy(update={"events": events}),)
    request = TurnRequest(
        assignment=assignment, findings=findings, markets=(pair_market(),), model=MODEL
    )
    return request.model_copy(update=changed)


def turn(said: Any, request: TurnRequest | None = None) -> Turn:
    text = said if isinstance(said, str) else json.dumps(said)
    block: JsonValue = {"type": "text", "text": text}
    answer = ModelAnswer(
        content=(block,), text=text, stop_reason=StopReason.END_TURN, usage=Usage(model=MODEL)
    )
    return turn_of(request or asked(), answer)


def with_news() -> TurnRequest:
    story = event(Impact.MEDIUM, "A wire told of a speech.").model_copy(
        update={"event_id": STORY, "event_type": EventType.NEWS}
    )
    request = asked()
    (found,) = request.findings
    told = found.model_copy(update={"events": (*found.events, story)})
    return request.model_copy(update={"findings": (told,)})


def shown(request: TurnRequest) -> dict[str, Any]:
    (message,) = model_call(request).messages
    assert isinstance(message, dict) and isinstance(message["content"], list)
    (block,) = message["content"]
    assert isinstance(block, dict)
    data: dict[str, Any] = json.loads(str(block["text"]))
    return data


def written(said: Any, request: TurnRequest | None = None) -> Commentary:
    result = turn(said, request).result
    assert isinstance(result, Commentary), turn(said, request).feedback
    return result


def test_the_desk_by_itself_comments_nothing_and_asks_nothing() -> None:
    own = builtin_turn(asked())
    assert own.result == Commentary(task_id=f"{WEEK}/comment")
    assert own.usage == Usage() and not own.calls


def test_the_model_is_shown_what_matters_with_the_claims_that_it_may_refer_to() -> None:
    call, data = model_call(asked()), shown(asked())
    (told,) = data["events"]
    assert told["impact"] == "high"
    assert list(data["claims"]) == ["[[USD/JPY:move]]"]
    assert "USD/JPY rose" not in call.system
    assert call.tools == ()


def test_a_quiet_market_is_told_in_the_words_of_the_model_that_researched_it() -> None:
    """What it wrote of a move that matters little is what there is to say of it; the desk's own
    words are not."""
    (found,) = asked().findings
    calm = found.model_copy(update={"events": found.events[1:]})
    (told,) = shown(asked(findings=(calm,)))["quiet"]
    assert told == {"market": "USD/JPY", "description": "It was calm at [[USD/JPY:last]]."}
    by_rule = calm.model_copy(update={"version": 3})
    data = shown(asked(findings=(by_rule,)))
    assert data["quiet"] == [{"market": "USD/JPY", "description": "[[USD/JPY:move]]"}]
    assert list(data["claims"]) == ["[[USD/JPY:move]]"]


def test_each_claim_is_told_once_and_those_that_a_validator_fetched_may_be_referred_to() -> None:
    fetched = claim("EUR/NOK", Metric.MOVE, "-1.48", Unit.PERCENT)
    objection = ValidationIssue(
        issue_type="overstated",
        severity=Severity.MEDIUM,
        description="EUR/NOK [[EUR/NOK:move|moved]] as well.",
        claims=("USD/JPY:move",),
        recommendation="Say so.",
        confidence=0.7,
    )
    verdict = ValidationResult(
        validation_id="USD/JPY/validate/result",
        task_id="USD/JPY/validate",
        agent=AgentId.VALIDATOR,
        market="USD/JPY",
        research_results=(),
        checks=(fetched,),
        issues=(objection,),
        recommendation="Publish.",
        confidence=0.9,
    )
    entry = StateEntry(key="USD/JPY", node="USD/JPY", result=verdict)
    request = asked(state=(entry,))
    assert list(shown(request)["claims"]) == ["[[USD/JPY:move]]", "[[EUR/NOK:move]]"]
    said = with_theme(why="The krone moved with it: EUR/NOK [[EUR/NOK:move|moved]].")
    taken = turn(said, request)
    assert taken.result is not None and not taken.rejected


def test_what_an_objection_takes_out_of_the_report_is_not_told() -> None:
    """A critical objection that nothing settles does; a high one stands beside what it is about."""
    texts = ("The Fed cut on Wednesday.", "Stimulus moved it.")
    found = tuple(
        Finding(topic="told", statement=text, confidence=0.8, claims=("USD/JPY:move",))
        for text in texts
    )

    def against(statement: str, severity: Severity) -> ValidationIssue:
        return ValidationIssue(
            issue_type="overstated",
            severity=severity,
            description=f"No source says so ({severity}).",
            finding=statement,
            recommendation="Leave it out.",
            confidence=0.9,
        )

    verdict = ValidationResult(
        validation_id="USD/JPY/validate/result",
        task_id="USD/JPY/validate",
        agent=AgentId.VALIDATOR,
        market="USD/JPY",
        research_results=(),
        issues=(against(texts[0], Severity.CRITICAL), against(texts[1], Severity.HIGH)),
        recommendation="Hold it back.",
        confidence=0.5,
    )
    results = (finding(*CLAIMS).model_copy(update={"findings": found}),)
    state = (StateEntry(key="USD/JPY", node="USD/JPY", result=verdict),)
    told = shown(asked(findings=results, state=state))
    assert [each["statement"] for each in told["findings"]] == [texts[1]]
    assert [each["objection"] for each in told["objections"]] == ["No source says so (high)."]


def test_it_is_told_of_nothing_that_is_not_there() -> None:
    bare, call = shown(asked()), model_call(asked())
    for part in ("news", "quiet", "decisions_ahead", "objections"):
        assert part not in bare and f"`{part}`" not in call.system
    assert "reported" not in json.dumps(call.schema_of_result)
    told = model_call(with_news())
    assert [each["event_id"] for each in shown(with_news())["news"]] == [STORY]
    assert "`news`" in told.system and "reported" in json.dumps(told.schema_of_result)
    assert "{{" not in call.system + told.system


def test_it_is_told_whose_decision_of_the_week_no_source_has() -> None:
    def scheduled(area: str, day: int) -> MarketEvent:
        return event(Impact.MEDIUM, "It was due.").model_copy(
            update={
                "event_id": f"USD/JPY/scheduled_decision/{area}",
                "event_type": EventType.SCHEDULED_DECISION,
                "event_date": date(2026, 10, day) if day < 32 else date(2026, 11, day - 31),
                "area": area,
                "central_bank": f"Bank of {area}",
            }
        )

    due = (scheduled("JP", 30), scheduled("AU", 34))
    request = asked(findings=(finding(*CLAIMS).model_copy(update={"events": due}),))
    told = shown(request)
    unknown = {"day": "2026-10-30", "area": "JP", "bank": "Bank of JP"}
    assert told["outcomes_unknown"] == [unknown]
    assert [each["area"] for each in told["decisions_ahead"]] == ["AU"]
    assert "`outcomes_unknown`" in model_call(request).system
    assert "outcomes_unknown" not in shown(asked())


def test_headline_and_themes_are_taken_as_they_are_written() -> None:
    theme = {**THEME, "why": " A wire told of a speech. ", "reported": STORY, "ahead": "More."}
    said = {"headline": " The yen fell. ", "standfirst": "It was calm.", "themes": [theme]}
    result = written(said, with_news())
    assert (result.headline, result.standfirst) == ("The yen fell.", "It was calm.")
    (told,) = result.themes
    assert told.why == "A wire told of a speech." and told.reported == STORY
    assert result.task_id == f"{WEEK}/comment" and result.sentences == ()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"headline": "  "}, "headline"),
        ({"headline": "x" * 201}, "headline"),
        ({"headline": "Calm.", "themes": [THEME] * 6}, "themes"),
        ({"headline": "Calm.", "themes": [{**THEME, "title": ""}]}, "themes.0.title"),
        ({}, "headline: Field required"),
        ("A calm week.", "Invalid JSON"),
        (with_theme(title="USD/JPY [[USD/JPY:move]]"), "themes.0.title: a title has no reference"),
        (
            with_theme(markets=["USD/XYZ"]),
            "themes.0.markets.0: no market in the data has that name; nearest are USD/",
        ),
        (with_theme(reported="USD/JPY/news/1"), "themes.0.reported: no event of the news"),
        (
            with_theme(why="Carry was unwound."),
            "themes.0.why: it rests on nothing: refer to a claim or leave it out",
        ),
    ],
)
def test_an_answer_that_does_not_hold_is_objected_to(said: Any, words: str) -> None:
    taken = turn(said)
    assert taken.result is None and taken.feedback and words in taken.feedback


def test_a_reason_is_asked_of_the_news_where_there_are_any() -> None:
    taken = turn(with_theme(why="Carry was unwound."), with_news())
    assert taken.feedback and "name the event in `reported`" in taken.feedback


def test_themes_lose_the_sentences_with_figures_that_are_no_claims() -> None:
    """A theme that has nothing left of what moved goes whole, and the headline as any text."""
    sound = {**THEME, "title": "What stays", "why": "It rose [[USD/JPY:move]]. Some say 163.70."}
    lost = {**THEME, "title": "What goes", "moved": "It rose to 163.70."}
    taken = turn({"headline": "The yen is at 163.70.", "themes": [sound, lost]})
    assert {figure.place for figure in taken.rejected} == {
        "headline",
        "theme 1, why",
        "theme 2, moved",
    }
    left = taken.without
    assert isinstance(left, Commentary) and left.headline is None
    (theme,) = left.themes
    assert (theme.title, theme.why) == ("What stays", "It rose [[USD/JPY:move]].")
