"""What failed for good, as `desk serve` shows it: by what it failed of."""

from desk.contracts.findings.results import AgentError
from desk.contracts.names import AgentId
from starters.operations.serve.pages.decide import ListedLetter, grouped_by_cause
from tests.unit.starters.weeks.test_cli_output import letter

DOWN = "central_banks: circuit open, next try at {}"


def failed(
    market: str, error: AgentError, *, redone: bool = False, cannot: str | None = None
) -> ListedLetter:
    found = letter(f"weekly-2026-W44/market/{market}/{error.error_type}", redone=redone)
    told = found.letter.model_copy(update={"market": market, "errors": (error,)})
    return ListedLetter(found.model_copy(update={"letter": told}), cannot)


def error(words: str, tool: str | None = None, kind: str = "ToolUnavailable") -> AgentError:
    return AgentError(
        error_type=kind, error_message=words, agent=AgentId.RESEARCH_AGENT_1, tool=tool
    )


def test_tasks_that_one_tool_failed_are_one_cause_whatever_each_was_told() -> None:
    markets = ("JP", "US", "GB", "CH")
    letters = [failed(m, error(DOWN.format(at), "get_rate")) for at, m in enumerate(markets)]
    other = failed("SE", error("no turn in time", kind="TurnTimedOut"))
    one, alone = grouped_by_cause([*letters, other])
    assert [each.found.letter.market for each in one.letters] == list(markets)
    assert one.cause == f"tool unavailable: {DOWN.format(0)}"
    assert len(one.to_retry) == 4
    assert [each.found.letter.market for each in alone.letters] == ["SE"]


def test_what_cannot_be_tried_again_stands_below_and_is_not_tried_with_the_others() -> None:
    done = failed("JP", error("gone"), redone=True)
    never = failed("CH", error("refused"), cannot="of a swarm")
    again = failed("US", error("away"))
    groups = grouped_by_cause([done, never, again])
    assert [group.to_retry for group in groups] == [(again.found.workflow_id,), (), ()]


def test_two_tasks_of_one_market_are_tried_again_once() -> None:
    first = failed("JP", error("away", "get_rate", kind="First"))
    second = failed("JP", error("away", "get_rate", kind="First"))
    (group,) = grouped_by_cause([first, second])
    assert len(group.letters) == 2
    assert len(group.to_retry) == 1
