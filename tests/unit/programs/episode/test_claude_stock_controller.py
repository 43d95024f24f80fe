"""The next action by a model: one of the eight that makes sense, or none."""

from typing import Any

import pytest

from desk.contracts.agents.tools import ToolSpec
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import ActionChoice
from desk.contracts.names import AgentId
from desk.contracts.runs.episode import StockRequest
from desk.contracts.runs.turns import Exchange, StateEntry, TurnRequest
from desk.programs.claude.turns import model_call
from desk.programs.episode.actions import ORDER, why_not
from desk.programs.episode.claude.board import board_of
from desk.programs.episode.claude.recommendation import most_confidence
from desk.programs.episode.run.assignments import query_of
from desk.programs.turns import builtin_turn
from tests.support.builders import answered
from tests.support.models.model_stock import BOTH_WAYS, PRICES, blank, shown
from tests.support.questions import material
from tests.support.swarms.asking import AS_OF, NVIDIA, ORDERS, feedback, said, symbols

EVALUATE = StockAction.EVALUATE_PERFORMANCE
RECOMMEND = StockAction.GENERATE_RECOMMENDATION


def chosen(action: StockAction, refused: str | None = None) -> StateEntry:
    choice = ActionChoice(task_id="controller", market=NVIDIA, action=action)
    return StateEntry(key="controller", node="controller", result=choice, error=refused)


def asked(*parts: StockAction, **fields: Any) -> TurnRequest:
    """A later step, at which the symbol is known."""
    request = shown(None, *parts, **fields)
    task = request.assignment.model_copy(update={"task_id": "controller.3"})
    return request.model_copy(update={"assignment": task})


def answer(action: str | None, reason: str = "It is needed.", **more: Any) -> dict[str, Any]:
    return {"action": action, "reason": reason, **more}


def choice(request: TurnRequest, told: Any) -> ActionChoice:
    taken = said(request, told)
    assert isinstance(taken.result, ActionChoice), taken.feedback
    return taken.result


def test_the_model_chooses_another_action_than_the_usual_order() -> None:
    request = asked()
    made = choice(request, answer("RUN_TA_ADVANCED", market="AAPL", agent="ta_agent"))
    own = builtin_turn(request).result
    assert isinstance(own, ActionChoice) and own.action is StockAction.FETCH_NEWS
    assert (made.action, made.reason) == (StockAction.RUN_TA_ADVANCED, "It is needed.")
    assert (made.market, made.agent) == (NVIDIA, AgentId.CONTROLLER_AGENT)


def test_the_first_choice_waits_until_the_symbol_is_known() -> None:
    first = blank(None)
    (call,) = builtin_turn(first).calls
    known = Exchange(results=(answered(call, symbols("NVDA")),))
    request = first.model_copy(update={"exchanges": (known,)})
    assert choice(request, answer("FETCH_NEWS")).action is StockAction.FETCH_NEWS


def test_the_model_may_end_the_episode_or_repeat_an_action() -> None:
    assert choice(asked(*PRICES), answer(None)).action is None
    assert choice(asked(*PRICES), answer("RUN_TA_BASIC")).action is StockAction.RUN_TA_BASIC


@pytest.mark.parametrize("action", list(StockAction))
@pytest.mark.parametrize("parts", [(), PRICES])
def test_an_action_is_taken_where_it_makes_sense_and_objected_to_where_not(
    parts: tuple[StockAction, ...], action: StockAction
) -> None:
    request = asked(*parts)
    assert request.board
    reason = why_not(request.board, action)
    if reason is None:
        assert choice(request, answer(action)).action is action
    else:
        told = feedback(request, answer(action))
        assert f"action: it makes no sense yet: {reason}" in told


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (answer("BUY_4242"), "action: Input should be"),
        ({"reason": "It is needed."}, "action: Field required"),
        (answer("FETCH_NEWS", reason=" "), "reason: "),
        (answer("FETCH_NEWS", reason="w" * 401), "reason: String should have at most 400"),
        (answer("FETCH_NEWS", reason="It stands at 42.42."), "reason: it contains a figure"),
        (answer("FETCH_NEWS", reason="At [[NVDA:last]]."), "reason: it contains a figure"),
    ],
)
def test_what_cannot_be_used_is_objected_to(wrong: dict[str, Any], words: str) -> None:
    told = feedback(asked(), wrong)
    assert words in told and "4242" not in told


def test_the_model_is_offered_no_tool_for_its_choice() -> None:
    spec = ToolSpec(server="analysis", tool="find_symbols", input_schema={"type": "object"})
    assert model_call(asked().model_copy(update={"tools": (spec,)})).tools == ()


@pytest.mark.parametrize(("most", "left"), [({}, 18), ({"most_steps": 4}, 2)])
def test_the_model_is_told_how_often_it_may_still_choose(most: dict[str, int], left: int) -> None:
    query = query_of(StockRequest.model_validate({"symbol": NVIDIA.market, **most}), AS_OF)
    request = asked(*PRICES, state=(chosen(PRICES[0]), chosen(PRICES[1])))
    task = request.assignment.model_copy(update={"query": query})
    assert material(request.model_copy(update={"assignment": task}))["steps_left"] == left


def test_the_model_is_shown_what_each_action_would_bring_and_is_charged() -> None:
    request = asked(*PRICES, pointers=BOTH_WAYS)
    given = request.assignment.query
    assert given is not None
    charged = {**given.parameters, "charges": "FETCH_NEWS 0.005"}
    query = given.model_copy(update={"parameters": charged})
    task = request.assignment.model_copy(update={"query": query})
    told = material(request.model_copy(update={"assignment": task}))
    actions = {each["action"]: each for each in told["actions"]}
    assert list(actions) == list(ORDER)
    assert actions["FETCH_NEWS"]["writes"] == ["news_count"]
    assert actions["RUN_TA_BASIC"]["taken"] == 1
    assert "makes_no_sense_yet" not in actions[RECOMMEND]
    assert actions[EVALUATE]["makes_no_sense_yet"]
    assert all(each["writes"] for each in actions.values())
    charges = {name: each["charge"] for name, each in actions.items() if "charge" in each}
    assert charges == {"FETCH_NEWS": "0.005"}
    assert told["most_confidence"] == most_confidence(board_of(request))
    assert "charges" not in told.get("parameters", {})


def test_the_model_is_shown_what_was_chosen_and_what_came_to_nothing() -> None:
    failed = StateEntry(key="FETCH_NEWS", node="FETCH_NEWS", error="nobody could")
    state = (chosen(StockAction.FETCH_NEWS), chosen(EVALUATE, "not yet"), failed)
    told = material(asked(state=state))
    assert told["step"] == 3
    assert told["chosen_so_far"] == [
        {"action": "FETCH_NEWS"},
        {"action": "EVALUATE_PERFORMANCE", "refused": "not yet"},
    ]
    assert told["came_to_nothing"] == [{"action": "FETCH_NEWS", "error": "nobody could"}]


def test_orders_in_an_insight_stay_data() -> None:
    ordered = BOTH_WAYS[0]._replace(statement=ORDERS)
    request = asked(*PRICES, pointers=(ordered,))
    assert ORDERS not in model_call(request).system
    assert material(request)["board"]["insights"][0]["statement"] == ORDERS
