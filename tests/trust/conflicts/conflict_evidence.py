"""Disputes that what the results cite can settle, before anybody votes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from pydantic import JsonValue

from desk.analytics.figures import level_step
from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import PolicyRate, PolicyRates, Quote, SourceResult
from desk.contracts.weeks import TimeWindow
from desk.trust.seals import content_hash
from tests.support.builders import ECB as ECB_SOURCE
from tests.support.builders import TABLE, pair_market, rate_market
from tests.trust.conflicts.conflict_cases import (
    SURE,
    Case,
    Decided,
    Expected,
    Level,
    Reading,
    Voice,
    all_decisions,
    claim_on,
    levels,
    of_level,
    stale,
)

LESSER = Voice("lesser", 0.8, SourceTier.SECONDARY, "source E")
SECOND_READER = replace(SURE, name="second reader", confidence=0.7)
TABLE_READER = Voice("table", 0.9, SourceTier.PRIMARY, "Federal Reserve")


def misread() -> Iterator[Case]:
    """The sounder source was read wrongly: by an agent whom a lesser source contradicts, and by
    one of two agents who cite the same answer."""
    for number, level in enumerate(levels()):
        true, wrong = (_as_printed(level, value) for value in (level.value, stale(level)))
        answer = _quote(SURE.name, level)
        reading = _reading(level, answer, _wire(LESSER.name, level.pair, true.value))
        results = SURE.result(wrong), LESSER.result(true)
        yield _case("the sounder source misread", results, number, LESSER, reading)
        again = _of_same(SECOND_READER.result(true), SURE.name)
        yield _case(
            "one answer read in two ways",
            (SURE.result(wrong), again),
            number,
            SECOND_READER,
            _reading(level, answer),
        )


def ranges() -> Iterator[Case]:
    """The midpoint of a target range beside one of its ends: one statement in two forms."""
    known = [d for d in all_decisions() if d.area == "US" and d.low and d.high][-18:]
    for number, decided in enumerate(known):
        end = (decided.low, decided.high)[number % 2]
        assert end is not None
        middle, other = (_rate(decided, rate) for rate in (decided.rate, end))
        evidence = _rates(TABLE_READER.name, decided), _wire(LESSER.name, "US", end)
        results = TABLE_READER.result(middle), LESSER.result(other)
        names = frozenset({TABLE_READER.name, LESSER.name})
        yield Case(
            "midpoint beside an end of the range",
            Expected.AGREEMENT,
            results if number % 4 < 2 else results[::-1],
            names,
            reading=Reading(rate_market("US"), evidence, _window(decided.day)),
        )


def _case(
    group: str,
    results: tuple[ResearchResult, ResearchResult],
    number: int,
    right: Voice,
    reading: Reading,
) -> Case:
    ordered = results if number % 4 < 2 else results[::-1]
    return Case(group, Expected.RIGHT, ordered, frozenset({right.name}), reading=reading)


def _as_printed(level: Level, value: Decimal) -> Claim:
    return of_level(level, value.quantize(level_step(value, 4)))


def _of_same(result: ResearchResult, evidence: str) -> ResearchResult:
    """The result with its figures and its source from another's tool result."""
    claims = tuple(c.model_copy(update={"evidence": (evidence,)}) for c in result.claims)
    sources = tuple(s.model_copy(update={"evidence_id": evidence}) for s in result.sources)
    return result.model_copy(update={"claims": claims, "sources": sources})


def _reading(level: Level, *evidence: ToolResult) -> Reading:
    return Reading(pair_market(level.pair), evidence, _window(level.day))


def _quote(name: str, level: Level) -> ToolResult:
    value, end = level.value, _window(level.day).end
    answer = Quote(as_of=end, source=ECB_SOURCE, symbol=level.pair, value=value, fixed_on=level.day)
    return _answer(name, "ecb", "get_quote", answer, symbol=level.pair)


def _rates(name: str, decided: Decided) -> ToolResult:
    rate = PolicyRate(
        area=decided.area,
        bank="Federal Reserve",
        instrument=decided.instrument,
        rate=decided.rate,
        low=decided.low,
        high=decided.high,
        since=decided.day,
        origin="Federal Reserve",
    )
    answer = PolicyRates(as_of=_window(decided.day).end, source=TABLE, rates=(rate,))
    return _answer(name, "central_banks", "get_policy_rate", answer, areas=[decided.area])


def _wire(name: str, subject: str, value: Decimal) -> ToolResult:
    """The answer of a source that is not of this project."""
    content: JsonValue = {"subject": subject, "value": str(value)}
    call = ToolCall(call_id=name, server="wire", tool="last", arguments={"of": subject})
    return ToolResult(
        call=call, status=ToolStatus.OK, content=content, content_hash=content_hash(content)
    )


def _answer(
    name: str, server: str, tool: str, answer: SourceResult, **arguments: JsonValue
) -> ToolResult:
    content = answer.model_dump(mode="json")
    call = ToolCall(call_id=name, server=server, tool=tool, arguments=arguments)
    return ToolResult(
        call=call, status=ToolStatus.OK, content=content, content_hash=content_hash(content)
    )


def _rate(decided: Decided, rate: Decimal) -> Claim:
    day = _window(decided.day).end.date()
    return claim_on(decided.area, Metric.POLICY_RATE, rate, Unit.PERCENT_A_YEAR, day)


def _window(day: date) -> TimeWindow:
    end = datetime.combine(day, time(22), UTC)
    return TimeWindow(start=end - timedelta(days=7), end=end, time_zone="UTC")
