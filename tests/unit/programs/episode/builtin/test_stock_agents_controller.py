"""The built-in controller of a stock's episode: what it chooses, and what it refuses."""

from collections.abc import Sequence
from datetime import date, timedelta

from desk.agents.capabilities import usual_route
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import (
    KnownSymbol,
    KnownSymbols,
)
from desk.contracts.episode.stock import ActionChoice
from desk.contracts.markets import MarketKind
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Exchange, StateEntry, Turn, TurnRequest
from desk.programs.episode.actions import DATA
from desk.programs.episode.blackboard import StockBoard
from desk.programs.turns import builtin_turn
from tests.support.builders import answered, failed
from tests.support.stocks.answers import (
    ACCOUNTS,
    ADVANCED,
    ADVICE,
    ALL,
    BASIC,
    COMPUTED,
    INSIGHT,
    NEWS,
    SENTIMENT,
    answer,
    entry,
    fetched,
)
from tests.support.stocks.asking import AS_OF, NVIDIA, choosing


def symbols(*named: str, nearest: Sequence[str] = (), last_day: date | None = None) -> KnownSymbols:
    """An answer of `find_symbols`."""
    found, near = (
        tuple(
            KnownSymbol(symbol=s, kind=MarketKind.STOCK, name=f"The {s}", last_day=last_day)
            for s in each
        )
        for each in (named, nearest)
    )
    return KnownSymbols(as_of=AS_OF, source=COMPUTED, query="$NVDA", named=found, nearest=near)


def chosen(
    number: int,
    *results: ToolResult,
    board: StockBoard | None = None,
    state: Sequence[StateEntry] = (),
    **parameters: str,
) -> Turn:
    """What the controller answers at a step; the first is asked about the symbol before."""
    shown = (board or StockBoard("NVDA", AS_OF)).snapshot()
    return builtin_turn(
        TurnRequest(
            assignment=choosing(number, **parameters),
            exchanges=tuple(Exchange(results=(each,)) for each in results),
            board=shown,
            state=tuple(state),
        )
    )


def action_of(turn: Turn) -> StockAction | None:
    assert isinstance(turn.result, ActionChoice), turn.failure
    return turn.result.action


def called(capability: Capability) -> ToolCall:
    """A call as the controller makes it."""
    route = usual_route(capability)
    name = f"controller/{route.tool}"
    return ToolCall(call_id=name, server=route.server, tool=route.tool, capability=capability)


SYMBOLS, PRICES = called(Capability.SYMBOLS), called(Capability.MARKET_DATA)


def test_the_controller_asks_about_the_symbol_once_and_then_takes_the_usual_order() -> None:
    (call,) = chosen(1).calls
    assert call.tool == "find_symbols"
    assert call.arguments == {"query": "$NVDA NVDA"}
    assert action_of(chosen(1, answered(SYMBOLS, symbols("NVDA")))) is NEWS
    board, state = fetched(ALL, NEWS, ACCOUNTS)
    assert action_of(chosen(3, board=board, state=state)) is SENTIMENT


def test_steps_that_were_asked_for_are_taken_as_they_stand_and_nothing_after_them() -> None:
    steps = f"{BASIC},{BASIC},{ADVICE}"
    taken = [action_of(chosen(n, answered(SYMBOLS, symbols("NVDA")), steps=steps)) for n in (1, 2)]
    assert taken == [BASIC, BASIC]
    assert action_of(chosen(3, steps=steps)) is ADVICE
    assert action_of(chosen(4, steps=steps)) is None


def test_the_number_of_a_step_in_the_query_goes_before_that_of_the_task() -> None:
    steps = f"{BASIC},{ADVANCED}"
    assert action_of(chosen(1, steps=steps, step="2")) is ADVANCED


def test_what_came_to_nothing_is_not_tried_again_and_what_makes_no_sense_is_passed_over() -> None:
    board, state = fetched(ALL, NEWS)
    failures = tuple(entry(action, None, "the server is down") for action in DATA[1:])
    assert action_of(chosen(6, board=board, state=(*state, *failures))) is INSIGHT
    nothing = tuple(entry(action, None, "the server is down") for action in DATA)
    assert action_of(chosen(6, state=nothing)) is None


def test_a_choice_that_was_refused_is_not_made_again() -> None:
    refused = ActionChoice(task_id="controller", market=NVIDIA, action=NEWS)
    made = StateEntry(key="controller", node="controller", result=refused, error="refused")
    assert action_of(chosen(2, state=(made,))) is ACCOUNTS


def test_an_unknown_symbol_is_refused_with_the_nearest_names() -> None:
    found = answered(SYMBOLS, symbols("AMD", nearest=("NVDA", "MSFT")))
    assert [call.tool for call in chosen(1, found).calls] == ["market_data"]
    said = "there are no prices of NVDA; nearest: NVO"
    turn = chosen(1, found, failed(PRICES, ToolStatus.REFUSED, said))
    assert turn.failure is not None
    assert turn.failure.error_type == FailureType.UNUSABLE_REQUEST
    assert turn.failure.error_message.endswith("The nearest are NVDA (The NVDA), MSFT (The MSFT).")
    others = chosen(1, answered(SYMBOLS, symbols()), failed(PRICES, ToolStatus.REFUSED, said))
    assert others.failure is not None
    assert others.failure.error_message.endswith("The nearest are NVO.")
    for pairs, told in (("CHF/JPY, NVO", " The nearest are NVO."), ("CHF/JPY, CHF/USD", "")):
        said = f"there are no prices of TCEHY; nearest: {pairs}"
        alike = chosen(1, answered(SYMBOLS, symbols()), failed(PRICES, ToolStatus.REFUSED, said))
        assert alike.failure is not None
        assert alike.failure.error_message.endswith(f"such as NVDA.{told}")


def test_a_source_of_prices_that_could_not_be_asked_is_not_taken_for_an_unknown_symbol() -> None:
    down = failed(PRICES, ToolStatus.UNAVAILABLE, "Yahoo Finance did not answer")
    turn = chosen(1, answered(SYMBOLS, symbols()), down)
    assert turn.failure is not None
    assert turn.failure.error_type == FailureType.TOOL_UNAVAILABLE
    assert "Yahoo Finance did not answer" in turn.failure.error_message


def test_a_day_after_the_last_price_is_refused_with_the_days_that_there_are() -> None:
    old = symbols("NVDA", last_day=AS_OF.date() - timedelta(days=30))
    assert [call.tool for call in chosen(1, answered(SYMBOLS, old)).calls] == ["market_data"]
    said = failed(PRICES, ToolStatus.REFUSED, "the prices of NVDA end a month before")
    turn = chosen(1, answered(SYMBOLS, old), said)
    assert turn.failure is not None
    assert turn.failure.error_type == FailureType.UNUSABLE_REQUEST
    ended, until = AS_OF.date() - timedelta(days=30), AS_OF.date() - timedelta(days=16)
    assert f"they end on {ended}. Ask as of a day up to {until}" in turn.failure.error_message


def test_current_prices_of_another_source_and_steps_of_ones_own_go_before_old_prices() -> None:
    old = answered(SYMBOLS, symbols("NVDA", last_day=AS_OF.date() - timedelta(days=30)))
    priced = answered(PRICES, answer(Capability.MARKET_DATA, ALL))
    assert action_of(chosen(1, old, priced)) is NEWS
    assert action_of(chosen(1, old, steps=SENTIMENT)) is SENTIMENT


def test_a_symbol_that_has_prices_and_no_name_is_researched() -> None:
    priced = answered(PRICES, answer(Capability.MARKET_DATA, ALL))
    assert action_of(chosen(1, answered(SYMBOLS, symbols()), priced)) is NEWS
