"""What a server's tools could be used for."""

from pydantic import JsonValue

from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.agents.tools import ToolSpec
from desk.runs.tools import LEAST_LIKENESS, Proposal, proposals


def spec(tool: str, description: str, *required: str, **optional: str) -> ToolSpec:
    properties: dict[str, JsonValue] = {name: {"type": "string"} for name in (*required, *optional)}
    return ToolSpec(
        server="foreign",
        tool=tool,
        description=description,
        input_schema={"type": "object", "properties": properties, "required": list(required)},
    )


def proposed(*offered: ToolSpec) -> dict[Capability, Proposal]:
    return {one.capability: one for one in proposals(offered)}


def test_tools_that_others_name_differently_are_recognised() -> None:
    found = proposed(
        spec("get_stock_price", "Get the current price of a ticker", "ticker"),
        spec(
            "get_historical_prices",
            "Historical daily prices of a ticker",
            "ticker",
            start_date="",
            end_date="",
        ),
        spec("search_ticker", "Look up ticker symbols for a name", "query"),
        spec("get_news_by_keyword", "Find news articles by keyword", "keyword", period=""),
    )
    assert {capability: one.route.tool for capability, one in found.items()} == {
        Capability.QUOTE: "get_stock_price",
        Capability.HISTORY: "get_historical_prices",
        Capability.SYMBOL_SEARCH: "search_ticker",
        Capability.NEWS_SEARCH: "get_news_by_keyword",
    }
    assert found[Capability.HISTORY].route.names == {
        "symbol": "ticker",
        "start": "start_date",
        "end": "end_date",
    }


def test_what_no_question_of_the_desk_fills_is_named() -> None:
    (one,) = proposals([spec("get_quote", "The last price", "symbol", "exchange")])
    assert one.unfilled == ("exchange",)


def test_a_tool_for_something_else_is_proposed_for_nothing() -> None:
    assert not proposals(
        [
            spec("brew_coffee", "Brews a pot of coffee", "cups"),
            spec("send_email", "Sends a letter to somebody", "to", "body"),
        ]
    )


def test_each_of_the_desks_own_tools_is_likest_to_what_it_has() -> None:
    has = {
        (route.server, route.tool, capability)
        for capability, routes in USUAL_ROUTES.items()
        for route in routes
    }
    for server, tool in {(server, tool) for server, tool, _ in has}:
        for one in proposals([ToolSpec(server=server, tool=tool)]):
            assert (server, tool, one.capability) in has


def test_the_likelier_of_two_tools_is_proposed() -> None:
    rival = spec("quotes_of_the_day", "Famous quotes", "author")
    found = proposed(rival, spec("get_quote", "Last price of a ticker", "symbol"))
    assert found[Capability.QUOTE].route.tool == "get_quote"
    assert found[Capability.QUOTE].likeness > LEAST_LIKENESS


def test_a_description_counts_for_nothing() -> None:
    words = "quote price last current latest rate ticker " * 80
    assert not proposals([spec("zzz", words)])
    plain = spec("get_rates_history", "", "pair", since="", until="")
    assert proposals([plain]) != ()
    described = plain.model_copy(update={"description": words})
    assert proposals([plain]) == proposals([described])


def test_a_tool_is_proposed_for_what_its_registration_names_and_for_nothing_else() -> None:
    misnamed = spec("get_quote", "", "symbol").model_copy(
        update={"capability": Capability.POLICY_RATE}
    )
    (one,) = proposals([misnamed])
    assert (one.capability, one.likeness, one.unfilled) == (Capability.POLICY_RATE, 1, ("symbol",))
