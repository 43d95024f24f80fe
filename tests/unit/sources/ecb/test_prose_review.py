"""The figure gate over whole results: what is read, what is dropped, and who passes untouched."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import cache

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    EventType,
    Impact,
    MarketEvent,
    Position,
    ResearchResult,
    Severity,
    ValidationIssue,
    ValidationResult,
)
from desk.contracts.findings.verdicts import RejectedFigure
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import TurnRequest
from desk.contracts.week.plan import WeekPlan
from desk.programs.turns import builtin_turn
from desk.sources.central_banks.server import CentralBankTools
from desk.sources.ecb.server import EcbTools
from desk.sources.ecb.store import RatesStore
from desk.sources.statistics.server import OfficialStatisticsTools
from desk.trust.prose.prose_review import WORDS_DROPPED, review, without_rejected
from tests.support.builders import answered, claim, finding, pair_market, rate_market, request

LAST = claim("USD/JPY", Metric.LAST, "157.25")
MOVE = claim("USD/JPY", Metric.MOVE, "0.29", Unit.PERCENT)
WEEKS = ("2015-W03", "2016-W25", "2020-W12", "2022-W43", "2024-W31", "2026-W36", "2026-W44")
MARKETS = (
    *map(pair_market, ("EUR/USD", "USD/JPY", "USD/CHF", "USD/HKD", "USD/IDR", "USD/TWD")),
    *map(rate_market, ("US", "JP", "CN", "TH", "ID", "SG", "NO")),
)
BANKS = CentralBankTools()
ECB = EcbTools(RatesStore())
STATISTICS = OfficialStatisticsTools()


def event(description: str, *claims: Claim) -> MarketEvent:
    return MarketEvent(
        event_id="USD/JPY/fx_movement/2026-10-30",
        event_type=EventType.FX_MOVEMENT,
        market="USD/JPY",
        event_date=date(2026, 10, 30),
        description=description,
        impact=Impact.LOW,
        claims=tuple(c.claim_id for c in claims),
    )


def research(
    *descriptions: str, warnings: Sequence[str] = (), missing: Sequence[str] = ()
) -> ResearchResult:
    return finding(LAST, MOVE).model_copy(
        update={
            "events": tuple(event(text, LAST, MOVE) for text in descriptions),
            "warnings": tuple(warnings),
            "missing": tuple(missing),
        }
    )


def issue(description: str, recommendation: str) -> ValidationIssue:
    return ValidationIssue(
        issue_type="value",
        severity=Severity.HIGH,
        description=description,
        recommendation=recommendation,
        confidence=1.0,
    )


def validation(
    recommendation: str = "Publish.",
    issues: Sequence[ValidationIssue] = (),
    conflicts: Sequence[ConflictRecord] = (),
    checks: Sequence[Claim] = (),
) -> ValidationResult:
    return ValidationResult(
        validation_id="v",
        task_id="t",
        agent=AgentId.VALIDATOR,
        market="USD/JPY",
        research_results=("r",),
        recommendation=recommendation,
        issues=tuple(issues),
        conflicts=tuple(conflicts),
        checks=tuple(checks),
        confidence=0.9,
    )


def conflict(resolution: str, *stated: str) -> ConflictRecord:
    return ConflictRecord(
        conflict_id="c",
        market="USD/JPY",
        kind=ConflictKind.LEVEL,
        positions=tuple(
            Position(agent=AgentId.RESEARCH_AGENT_1, stated=words, source="ECB", confidence=0.9)
            for words in stated
        ),
        resolution=resolution,
        resolved=True,
    )


def places(rejected: Sequence[RejectedFigure]) -> list[tuple[str, str]]:
    return [(figure.place, figure.written) for figure in rejected]


def mended(result: ResearchResult) -> ResearchResult:
    cut = without_rejected(result, review(result))
    assert isinstance(cut, ResearchResult)
    return cut


def test_a_figure_that_a_claim_states_is_named_and_never_bound() -> None:
    (rejected, other) = review(research("USD/JPY rose 0.29 %, to 157.25."))
    assert (rejected.written, other.written) == ("0.29 %", "157.25")
    assert "[[USD/JPY:move]] prints +0.29 %" in rejected.reason
    assert "[[USD/JPY:last]] prints 157.25" in other.reason


def test_all_faults_of_a_text_are_told_at_once() -> None:
    told = "USD/JPY fell [[USD/JPY:move]], to [[USD/JPY:lats]], or 157.25; [[USD/JPY:last|up]]."
    reasons = [figure.reason for figure in review(research(told))]
    assert len(reasons) == 4
    assert "goes the other way" in reasons[0]
    assert "[[USD/JPY:last]]" in reasons[1]
    assert "[[USD/JPY:last]] prints 157.25" in reasons[2]
    assert "there is no such form" in reasons[3]


def test_every_printed_text_is_read_and_its_place_named() -> None:
    read = review(
        research("It is 1.11.", "It is 2.22.", warnings=("W 3.33.",), missing=("M.", "M 4.44."))
    )
    assert places(read) == [
        ("event 1, USD/JPY/fx_movement/2026-10-30", "1.11"),
        ("event 2, USD/JPY/fx_movement/2026-10-30", "2.22"),
        ("missing 2", "4.44"),
        ("warning 1", "3.33"),
    ]


def test_a_validator_s_texts_are_read_against_the_findings() -> None:
    read = review(
        validation(
            "Hold back [[USD/JPY:last]] and 9.99.",
            [issue("It was [[USD/JPY:last]], not 8.88.", "Take 7.77.")],
            [conflict("6.66 carries it.", "157.25", "156.80")],
        ),
        {LAST.claim_id: LAST},
    )
    assert sorted(places(read)) == [
        ("conflict 1", "6.66"),
        ("issue 1, description", "8.88"),
        ("issue 1, recommendation", "7.77"),
        ("recommendation", "9.99"),
    ]


def test_a_validator_speaks_of_the_claims_it_was_given() -> None:
    told = validation("It is [[USD/JPY:last]].", checks=[LAST])
    assert review(told, {LAST.claim_id: LAST}) == review(told) == ()
    assert places(review(validation("It is [[USD/JPY:last]]."))) == [
        ("recommendation", "[[USD/JPY:last]]")
    ]


def test_what_positions_state_stays_in_the_words_about_a_conflict() -> None:
    words = "157.25 carries the greatest weight (x, ECB). Dissent: 156.8 (y, H.10)."
    told = validation(conflicts=[conflict(words, "157.25", "156.8")])
    assert review(told, {LAST.claim_id: LAST}) == ()


def test_the_gate_does_not_read_the_plan_of_a_week() -> None:
    plan = WeekPlan(task_id="t", week="2026-W44", markets=(), note="Aim for 157.40.")
    assert review(plan) == ()
    assert without_rejected(plan, ()) == plan


def test_the_sentences_with_rejected_figures_go_and_are_told() -> None:
    cut = mended(research("USD/JPY rose [[USD/JPY:move]]. GDP grew 2.1 %. It was calm."))
    assert cut.events[0].description == "USD/JPY rose [[USD/JPY:move]]. It was calm."
    (dropped,) = cut.dropped
    assert dropped.place == "event 1, USD/JPY/fx_movement/2026-10-30"
    assert not re.search(r"\d", dropped.reason)
    assert review(cut) == ()


def test_a_result_with_nothing_rejected_is_itself() -> None:
    result = research("USD/JPY rose [[USD/JPY:move]].")
    assert mended(result) == result


def test_an_event_of_which_nothing_is_left_goes_and_is_told() -> None:
    cut = mended(research("GDP grew 2.1 %.", "It was calm."))
    assert [e.description for e in cut.events] == ["It was calm."]
    assert [d.place for d in cut.dropped] == ["event 1, USD/JPY/fx_movement/2026-10-30"] * 2
    assert "left out" in cut.dropped[-1].reason


def test_an_emptied_warning_goes() -> None:
    cut = mended(research(warnings=("It is 9.99.", "It is late."), missing=("No 3.3 %.",)))
    assert (cut.warnings, cut.missing) == (("It is late.",), ())
    assert [d.place for d in cut.dropped] == ["missing 1", "warning 1"]


def test_an_emptied_verdict_says_that_its_words_were_dropped() -> None:
    told = validation(
        "Aim for 9.99.",
        [issue("It is 8.88.", "Take 7.77.")],
        [conflict("It is 6.66.", "1", "2")],
    )
    cut = without_rejected(told, review(told))
    assert isinstance(cut, ValidationResult)
    texts = (
        cut.recommendation,
        cut.issues[0].description,
        cut.issues[0].recommendation,
        cut.conflicts[0].resolution,
    )
    assert texts == (WORDS_DROPPED,) * 4
    assert len(cut.dropped) == 4
    assert review(cut) == ()


def test_what_was_dropped_earlier_stays_told_and_the_number_is_bounded() -> None:
    result = mended(research("GDP grew 2.1 %. It was calm."))
    again = result.model_copy(update={"warnings": ("It is 9.99.",)})
    assert len(mended(again).dropped) == 2
    many = research(*["GDP grew 2.1 %."] * 100, warnings=("It is 1.11. It is 2.22. It is 3.33.",))
    assert len(mended(many).dropped) == 200
    ResearchResult.model_validate(mended(many).model_dump())


def test_a_mended_result_still_fits_its_contract() -> None:
    result = research("It closed at 157.25. It was calm. " * 110)
    cut = mended(result)
    assert ResearchResult.model_validate(cut.model_dump()) == cut


def test_a_word_about_a_conflict_cannot_smuggle_a_figure_in() -> None:
    words = "[[stated 7]] and 157.25 and 9.99"
    read = review(validation(conflicts=[conflict(words, "157.25", "156.8")]))
    assert places(read) == [("conflict 1", "[[stated 7]]"), ("conflict 1", "9.99")]


@cache
def answer(server: str, tool: str, arguments: str, as_of: datetime) -> ToolResult:
    """What a packaged server answers."""
    call = ToolCall.model_validate_json(arguments)
    given = {
        name: date.fromisoformat(value)
        if name in ("start", "end") and isinstance(value, str) and len(value) == 10
        else value
        for name, value in call.arguments.items()
    }
    tools = {"ecb": ECB, "central_banks": BANKS, "official_statistics": STATISTICS}[server]
    return answered(call, getattr(tools, tool)(**given, as_of=as_of))


def worked(asked: TurnRequest) -> ResearchResult | ValidationResult | None:
    """What a built-in analyst delivers on the packaged sources; None when it cannot."""
    calls = builtin_turn(asked).calls
    as_of = asked.assignment.window.end
    results = tuple(answer(call.server, call.tool, call.model_dump_json(), as_of) for call in calls)
    shown = request(
        asked.assignment.task_type,
        asked.assignment.market,
        asked.assignment.week,
        results=results,
        findings=asked.findings,
        evidence=(*asked.evidence, *results),
    )
    delivered = builtin_turn(shown).result
    return delivered if isinstance(delivered, ResearchResult | ValidationResult) else None


def delivered(market: MarketSpec, week: str) -> Iterator[ResearchResult | ValidationResult]:
    """The results of all built-in analysts on a market's week."""
    tasks = [TaskType.RESEARCH_RATES]
    if "/" in market.market:
        tasks.insert(0, TaskType.RESEARCH_FX)
    found = [result for task in tasks if (result := worked(request(task, market, week)))]
    yield from found
    findings = tuple(result for result in found if isinstance(result, ResearchResult))
    verdict = worked(request(TaskType.VALIDATE, market, week, findings=findings))
    if verdict:
        yield verdict


@pytest.mark.parametrize("week", WEEKS)
def test_what_the_built_in_analysts_write_passes_untouched(week: str) -> None:
    read = 0
    for market in MARKETS:
        found = tuple(delivered(market, week))
        claims = {
            c.claim_id: c
            for result in found
            if isinstance(result, ResearchResult)
            for c in result.claims
        }
        for result in found:
            given = claims if isinstance(result, ValidationResult) else {}
            assert review(result, given) == ()
            read += 1
    assert read > len(MARKETS)


@pytest.mark.parametrize(
    "as_of", ["1998-12-10", "2014-06-01", "2020-03-20", "2026-11-02", "2027-12-01"]
)
def test_what_the_packaged_servers_write_passes_untouched(as_of: str) -> None:
    instant = datetime.fromisoformat(f"{as_of}T07:00:00+00:00")
    areas = ["AU", "CN", "HK", "IN", "JP", "SG", "TW", "US", "XM", "ZZ"]
    start, end = date(2009, 1, 1), date(2030, 1, 1)
    texts = [entry.missing for entry in BANKS.get_policy_rate(areas, instant).rates]
    texts += BANKS.get_rate_decisions(areas, start, end, instant).missing.values()
    texts += BANKS.get_decision_calendar(areas, start, end, instant).missing.values()
    for pair in ("USD/JPY", "USD/TWD", "EUR/HRK", "USD/RUB"):
        texts.append(ECB.get_quote(pair, instant).missing)
        texts.append(ECB.get_historical(pair, date(2030, 1, 1), instant).missing)
    for pair in ("USD/JPY", "EUR/GBP", "JPY/USD", "USD/RUB"):
        texts.append(STATISTICS.get_month_averages(pair, "2026-09", "2026-10", instant).missing)
    texts += STATISTICS.get_month_end_rates(areas, "2026-09", "2026-10", instant).missing.values()
    written = [text for text in texts if text]
    assert written
    for text in written:
        assert review(research(missing=(text,))) == ()
