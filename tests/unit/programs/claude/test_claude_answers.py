"""Answers of tools as a model reads them: what its claims say is not said again, and nothing absent
is told."""

import json
from datetime import date
from typing import Any

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolSpec, ToolStatus
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.source_results import DatePrecision
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.programs.claude.answers import answering, has_any_answer, shown, without_titles
from desk.programs.claude.figures import claims_for_model
from desk.programs.claude.findings import still_missing
from tests.support.builders import answered, claim, decision, decisions, pair_market, request

WEEK = "2026-W44"
CALL = ToolCall(
    call_id="USD/JPY/research_rates/get_rate_decisions.1.1",
    server="central_banks",
    tool="get_rate_decisions",
)
ACCOUNTS = ToolCall(
    call_id="NVDA/fetch/company_fundamentals", server="analysis", tool="company_fundamentals"
)


def asked(*own: ToolResult, by_model: tuple[ToolResult, ...] = ()) -> TurnRequest:
    exchanges = [Exchange(results=own)] if own else []
    if by_model:
        said: Any = {"type": "tool_use", "id": "toolu_1", "name": "x", "input": {}}
        exchanges.append(Exchange(results=by_model, said=(said,) * len(by_model)))
    blank = request(TaskType.RESEARCH_RATES, pair_market(), WEEK)
    return blank.model_copy(update={"exchanges": tuple(exchanges)})


def test_decisions_that_are_claims_are_not_told_again() -> None:
    known = answered(CALL, decisions(WEEK, decision("JP", "2026-09-18", "1.25", "25")))
    data = json.loads(shown(known, (claim_of("JP", "2026-09-18"),)))
    assert list(data["claims"]) == ["[[JP:decision_change@2026-09-18]]"]
    assert "decisions" not in data["content"] and "2026-09-18" not in json.dumps(data["content"])
    assert "as_of" not in data["content"] and "missing" not in data["content"]
    assert json.loads(shown(known))["content"]["decisions"][0]["bank"]


def claim_of(area: str, day: str) -> Any:
    made = claim(area, Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS)
    return made.model_copy(
        update={
            "claim_id": f"{area}:decision_change@{day}",
            "as_of": date.fromisoformat(day),
        }
    )


def test_of_a_decision_whose_day_is_not_known_the_month_is_told() -> None:
    """The last day of the month stands for it, and no sentence may tell that day."""
    given = decision("NO", "2026-05-31", "4.25", "25", precision=DatePrecision.MONTH)
    result = answered(CALL, decisions(WEEK, given))
    (told,) = json.loads(shown(result, (claim_of("NO", "2026-05-31"),)))["claims"].values()
    assert told == "+25 bp; |moved: raised by 25 bp; 2026-05, on a day that is not known"


def test_a_level_whose_day_is_not_known_is_told_up_to_which_day_was_looked() -> None:
    high = claim("EUR/NOK", Metric.YEAR_HIGH, "11.986")
    day = high.as_of.isoformat()
    reached = high.model_copy(update={"formula": "highest"})
    assert claims_for_model((high,)) == {"[[EUR/NOK:year_high]]": f"11.986; up to {day}"}
    assert claims_for_model((reached,)) == {"[[EUR/NOK:year_high]]": f"11.986; {day}"}


def test_a_policy_rate_is_told_up_to_the_day_that_its_changes_are_known() -> None:
    rate = claim("NZ", Metric.POLICY_RATE, "2.50", Unit.PERCENT_A_YEAR, day="2026-08-31")
    assert claims_for_model((rate,)) == {"[[NZ:policy_rate]]": "2.50 %; up to 2026-08-31"}


def nothing(call: ToolCall, **more: Any) -> ToolResult:
    content = {"symbol": "NVDA", "missing": ["NVDA: there are no accounts."], **more}
    return ToolResult(call=call, status=ToolStatus.OK, content=content)


def test_a_tool_that_had_nothing_but_words_on_what_is_missing_is_offered_to_nobody() -> None:
    spec = ToolSpec(server="analysis", tool="company_fundamentals", input_schema={})
    empty = asked(nothing(ACCOUNTS)).model_copy(update={"tools": (spec,)})
    assert not [*answering(empty)] and not has_any_answer(empty)
    some = asked(nothing(ACCOUNTS, figures=[{"metric": "net_margin"}]))
    some = some.model_copy(update={"tools": (spec,)})
    assert has_any_answer(some)


MINER = ToolCall(
    call_id="USD/JPY/patterns/pattern_miner",
    server="analysis",
    tool="pattern_miner",
    arguments={"symbol": "USD/JPY"},
)
GONE = "USD/JPY: pattern miner was not available from analysis"
ELSE = "USD/JPY: there is no yield"


@pytest.mark.parametrize(("symbol", "left"), [("USD/JPY", [ELSE]), ("USD/CHF", [GONE, ELSE])])
def test_what_a_tool_answered_the_model_later_is_not_missing(symbol: str, left: list[str]) -> None:
    failed = ToolResult(call=MINER, status=ToolStatus.UNAVAILABLE, error="it was busy")
    again = MINER.model_copy(
        update={"call_id": f"{MINER.call_id}.1.1", "arguments": {"symbol": symbol}}
    )
    came = ToolResult(call=again, status=ToolStatus.OK, content={"symbol": symbol})
    assert [*still_missing(asked(failed, by_model=(came,)), (GONE, ELSE))] == left


def test_a_schema_loses_its_titles_and_keeps_a_field_of_that_name() -> None:
    schema: dict[str, Any] = {
        "title": "Section",
        "properties": {"title": {"type": "string", "title": "Title"}},
        "anyOf": [{"title": "X", "type": "null"}],
    }
    assert without_titles(schema) == {
        "properties": {"title": {"type": "string"}},
        "anyOf": [{"type": "null"}],
    }
