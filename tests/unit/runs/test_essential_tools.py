"""Which tools an agent could not have done without, in a run and over many weeks."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.agents.tools import ToolResult, ToolSpec, ToolStatus
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.learning.lessons import Lesson, ToolUse, UncitedTool
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import monday_of, next_week
from desk.programs.turns import builtin_turn
from desk.runs.tools import Essential, described_for, essential, essential_tools
from tests.support.builders import (
    answered,
    calendar,
    call,
    claim,
    decision,
    decisions,
    failed,
    finding,
    policy_rates,
    rate_market,
    real_quote,
    request,
)

QUOTE = ToolName(server="ecb", tool="get_quote")
ELSEWHERE = ToolName(server="yahoo_finance", tool="get_quote")
WEEK = "2026-W44"


def resting_on(*evidence: ToolResult, results: tuple[ResearchResult, ...]) -> MarketOutcome:
    return MarketOutcome(
        market="USD/JPY", outcome=Outcome.RESEARCHED, results=results, evidence=evidence
    )


def one_claim(*evidence: ToolResult) -> ResearchResult:
    stated = claim("USD/JPY", Metric.LAST, "150.00")
    names = tuple(result.evidence_id for result in evidence)
    return finding(stated.model_copy(update={"evidence": names}))


def test_a_tool_that_a_claim_rests_on_is_essential_and_one_that_was_only_asked_is_not() -> None:
    used = answered(call("ecb", "get_quote"), real_quote("USD/JPY", WEEK))
    unused = answered(call("ecb", "search_symbols"), real_quote("USD/JPY", WEEK))
    found = essential_tools([resting_on(used, unused, results=(one_claim(used),))] * 2)
    assert found == {AgentId.RESEARCH_AGENT_1: {QUOTE: 2}}


def test_a_source_that_stood_in_for_another_is_the_one_that_counts() -> None:
    used = answered(call("yahoo_finance", "get_quote"), real_quote("USD/JPY", WEEK))
    found = essential_tools([resting_on(used, results=(one_claim(used),))])
    assert found == {AgentId.RESEARCH_AGENT_1: {ELSEWHERE: 1}}


def test_an_answer_that_was_not_given_is_not_essential() -> None:
    missed = failed(call("ecb", "get_quote"), ToolStatus.UNAVAILABLE, "gone")
    found = essential_tools([resting_on(missed, results=(one_claim(missed),))])
    assert not any(found.values())


def test_a_decision_that_is_yet_to_come_rests_on_the_calendar() -> None:
    ahead = calendar(WEEK, ("JP", "2026-11-05"))
    evidence = (
        answered(call("central_banks", "get_policy_rate"), policy_rates(WEEK, JP="0.75", US="4.0")),
        answered(call("central_banks", "get_rate_decisions"), decisions(WEEK)),
        answered(call("central_banks", "get_decision_calendar"), ahead),
    )
    asked = request(TaskType.RESEARCH_RATES, rate_market("JP"), WEEK, results=evidence)
    result = builtin_turn(asked).result
    assert isinstance(result, ResearchResult)
    (found,) = essential_tools([resting_on(*evidence, results=(result,))]).values()
    tools = {name.tool for name in found}
    assert tools == {"get_policy_rate", "get_decision_calendar"}


def test_a_decision_of_the_week_rests_on_the_decisions() -> None:
    decided = decision("JP", "2026-10-30", "1.00", "25")
    evidence = (
        answered(call("central_banks", "get_policy_rate"), policy_rates(WEEK, JP="1.00", US="4.0")),
        answered(call("central_banks", "get_rate_decisions"), decisions(WEEK, decided)),
        answered(call("central_banks", "get_decision_calendar"), calendar(WEEK)),
    )
    asked = request(TaskType.RESEARCH_RATES, rate_market("JP"), WEEK, results=evidence)
    result = builtin_turn(asked).result
    assert isinstance(result, ResearchResult)
    (found,) = essential_tools([resting_on(*evidence, results=(result,))]).values()
    assert "get_rate_decisions" in {name.tool for name in found}


FIRST, SECOND = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2


def weeks_from(first: str, number: int) -> list[str]:
    found = [first]
    while len(found) < number:
        found.append(next_week(found[-1]))
    return found


WEEKS = weeks_from("2025-W01", 60)


def use(cited: int, *, calls: int = 10, tool: str = "get_quote") -> ToolUse:
    return ToolUse(agent=FIRST, server="ecb", tool=tool, calls=calls, cited=cited)


def lesson(week: str, *tools: ToolUse, again: int = 0, whole: bool = True) -> Lesson:
    """What a run of a week told; `again` makes it a later run of the week."""
    return Lesson(
        workflow_id=f"weekly-{week}-{again}",
        week=week,
        as_of=datetime.combine(monday_of(week), datetime.min.time(), UTC) + timedelta(days=7),
        whole=whole,
        expected=1,
        researched=1,
        tools=tools,
    )


def told(cited: Sequence[int | None]) -> list[Lesson]:
    """A week for each number of citations; None where the tool was not asked."""
    return [
        lesson(week, *(() if number is None else (use(number),)))
        for week, number in zip(WEEKS, cited, strict=False)
    ]


def story(found: Essential) -> list[tuple[str, bool]]:
    return [(change.week, change.added) for change in found.changes]


def test_a_tool_is_essential_from_its_second_cited_week_in_four() -> None:
    assert essential(told([9, 0, 0, 0, 9])) == Essential()
    found = essential(told([9, 0, 0, 8]))
    assert story(found) == [(WEEKS[3], True)]
    assert found.changes[0].reason == "cited in 2 of the newest 4 weeks, 17 of 40 answers"
    (tool,) = found.tools
    assert (tool.agent, tool.tool, tool.since) == (FIRST, "get_quote", WEEKS[3])


def test_the_reason_of_a_tool_on_the_list_is_of_the_newest_weeks() -> None:
    (tool,) = essential(told([10] * 9 + [4])).tools
    assert tool.since == WEEKS[1]
    assert tool.reason == "cited in 8 of the newest 8 weeks, 74 of 80 answers"


def test_a_tool_that_is_asked_and_not_cited_any_more_leaves_after_eight_weeks() -> None:
    assert story(essential(told([9, 9] + [0] * 7))) == [(WEEKS[1], True)]
    found = essential(told([9, 9] + [0] * 8))
    assert story(found) == [(WEEKS[1], True), (WEEKS[9], False)]
    assert found.changes[1].reason == "asked 80 times in the newest 8 weeks and cited in none"
    assert found.tools == ()


def test_a_tool_that_is_not_asked_any_more_leaves_after_twelve_weeks() -> None:
    waiting = essential(told([9, 9] + [None] * 11))
    assert story(waiting) == [(WEEKS[1], True)]
    assert waiting.tools[0].reason == "cited before, and not asked in the newest 8 weeks"
    found = essential(told([9, 9] + [None] * 12))
    assert story(found) == [(WEEKS[1], True), (WEEKS[13], False)]
    assert found.changes[1].reason == "not asked in the newest 12 weeks"


def test_a_tool_that_left_can_come_back() -> None:
    found = essential(told([9, 9] + [0] * 8 + [9, 9]))
    assert [added for _, added in story(found)] == [True, False, True]
    assert found.tools[0].since == WEEKS[11]


def test_only_whole_weeks_count_and_each_once_by_its_latest_run() -> None:
    part = [lesson(week, use(9), whole=False) for week in WEEKS[:4]]
    assert essential(part) == Essential()
    twice = [lesson(WEEKS[0], use(9), again=run) for run in range(2)]
    assert essential(twice) == Essential()
    unlucky = [lesson(WEEKS[1], use(9)), lesson(WEEKS[1], use(0), again=1)]
    assert essential([lesson(WEEKS[0], use(9)), *unlucky]) == Essential()


@given(st.lists(st.sampled_from((None, 0, 0, 5)), max_size=40), st.randoms(use_true_random=False))
def test_the_list_does_not_hang_on_the_order_in_which_lessons_come(
    cited: list[int | None], dice: Random
) -> None:
    lessons = told(cited)
    found = essential(lessons)
    assert essential(dice.sample(lessons, len(lessons))) == found
    added = [change.added for change in found.changes]
    assert added == [place % 2 == 0 for place in range(len(added))], "it comes and goes in turns"
    assert bool(found.tools) == bool(added and added[-1])


def uncited_after(weeks: int, *, calls: int) -> tuple[UncitedTool, ...]:
    unused = use(0, calls=calls, tool="search_symbols")
    return essential([lesson(week, use(9), unused) for week in WEEKS[:weeks]]).uncited


def test_what_was_answered_often_and_never_cited_is_told_from_eight_weeks_on() -> None:
    assert uncited_after(7, calls=5) == ()
    assert uncited_after(9, calls=1) != ()
    (tool,) = uncited_after(8, calls=1)
    assert (tool.agent, tool.tool, tool.answered) == (FIRST, "search_symbols", 8)
    seldom = [lesson(week, use(9)) for week in WEEKS[:9]]
    seldom[0] = lesson(WEEKS[0], use(9), use(0, calls=7, tool="search_symbols"))
    assert essential(seldom).uncited == ()


def test_a_source_that_never_answered_is_not_told_as_uncited() -> None:
    away = ToolUse(agent=FIRST, server="reuters", tool="news", calls=9, failed=5, refused=4)
    assert essential([lesson(week, use(9), away) for week in WEEKS[:20]]).uncited == ()


SPECS = (
    ToolSpec(server="ecb", tool="a", description="Finds symbols, e.g. the yen. Of names alone."),
    ToolSpec(server="ecb", tool="b", description="A quote. As of an instant.\n\nAnd more."),
)


def test_a_tool_that_an_agent_never_cited_is_described_in_short_and_last() -> None:
    spare = UncitedTool(agent=FIRST, server="ecb", tool="a", answered=8)
    needed, short = described_for(FIRST, SPECS, [spare])
    assert needed == SPECS[1]
    assert (short.tool, short.description, short.last) == (
        "a",
        "Finds symbols, e.g. the yen.",
        True,
    )
    assert short.input_schema == SPECS[0].input_schema
    assert described_for(SECOND, SPECS, [spare]) == SPECS
    assert described_for(FIRST, SPECS, ()) == SPECS
