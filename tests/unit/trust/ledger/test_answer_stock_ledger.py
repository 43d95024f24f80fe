"""The ledger of an episode: what came of a recommendation is told by its horizon, and nothing
else."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from pydantic import JsonValue

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.analytics.units import UNITS
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.run.assignments import market_of
from desk.trust.ledger.evidence import EvidenceUnusable, verified_answer
from desk.trust.ledger.rederivation import Ledger
from desk.trust.seals import content_hash
from tests.support.builders import answered
from tests.support.stocks.reports import ACCOUNTS, AS_OF

DUE = AS_OF + timedelta(weeks=4)
WINDOW = TimeWindow(start=AS_OF - timedelta(days=7), end=AS_OF, time_zone="UTC")
CALL = ToolCall(call_id="c1", server="analysis", tool="a_tool", arguments={"symbol": "NVDA"})


def measured(metric: Metric, as_of: datetime, day: datetime | None = None) -> ToolResult:
    """A tool of the desk's own that answers for an instant."""
    figure = MeasuredFigure(metric=metric, value=Decimal("1.25"), as_of=(day or as_of).date())
    answer = Analysis(
        as_of=as_of, source=ACCOUNTS, symbol="NVDA", method="as told", figures=(figure,)
    )
    return answered(CALL, answer)


def others(content: JsonValue) -> ToolResult:
    """The answer of another server's tool, in a form of its own."""
    return ToolResult(
        call=CALL, status=ToolStatus.OK, content=content, content_hash=content_hash(content)
    )


def claim(metric: Metric, day: datetime) -> Claim:
    return Claim(
        claim_id=claim_id("NVDA", metric),
        subject="NVDA",
        metric=metric,
        value=Decimal("1.25"),
        unit=UNITS[metric],
        as_of=day.date(),
        evidence=(CALL.call_id,),
    )


def failure(stated: Claim, evidence: ToolResult, due: datetime | None = DUE) -> str | None:
    ledger = Ledger((market_of("NVDA"),), WINDOW, "US", (evidence,), due)
    found = ledger.failed_check(stated, {stated.claim_id: stated})
    return found.words if found else None


@pytest.mark.parametrize("metric", EVALUATION_METRICS)
def test_what_came_of_it_rests_on_an_answer_for_the_horizon(metric: Metric) -> None:
    assert failure(claim(metric, DUE), measured(metric, DUE)) is None
    assert failure(claim(metric, AS_OF), measured(metric, AS_OF)) is not None
    before = AS_OF + timedelta(days=3)
    assert failure(claim(metric, before), measured(metric, before)) is not None


@pytest.mark.parametrize("metric", [m for m in Metric if m not in EVALUATION_METRICS])
def test_only_an_evaluation_rests_on_an_answer_for_the_horizon(metric: Metric) -> None:
    day = AS_OF - timedelta(days=1)
    stated = claim(metric, day)
    planted = measured(metric, DUE, day)
    assert failure(stated, planted) is not None
    with pytest.raises(EvidenceUnusable, match="more than what came of the recommendation"):
        verified_answer(planted, WINDOW, DUE)


def test_one_other_figure_spoils_an_answer_for_the_horizon() -> None:
    spoilt = measured(Metric.EXIT, DUE)
    assert isinstance(spoilt.content, dict) and isinstance(spoilt.content["figures"], list)
    last: JsonValue = {"metric": "last", "value": "1.25", "as_of": "2024-06-10"}
    content = {**spoilt.content, "figures": [*spoilt.content["figures"], last]}
    told = spoilt.model_copy(update={"content": content, "content_hash": content_hash(content)})
    assert failure(claim(Metric.EXIT, DUE), told) is not None


def test_without_a_horizon_no_answer_of_later_passes() -> None:
    assert failure(claim(Metric.EXIT, DUE), measured(Metric.EXIT, DUE), None) is not None
    day = AS_OF - timedelta(days=30)
    assert failure(claim(Metric.EXIT, day), measured(Metric.EXIT, AS_OF, day), None) is None


def test_an_answer_for_the_horizon_holds_nothing_of_after_it() -> None:
    late = DUE + timedelta(days=1)
    assert failure(claim(Metric.EXIT, late), measured(Metric.EXIT, DUE, late)) is not None


def test_another_servers_answer_is_held_to_the_same() -> None:
    later: JsonValue = {"ticker": "NVDA", "as_of": DUE.isoformat(), "exit": 1.25, "last": 1.25}
    now: JsonValue = {"ticker": "NVDA", "as_of": AS_OF.isoformat(), "exit": 1.25, "last": 1.25}
    undated: JsonValue = {"ticker": "NVDA", "exit": 1.25, "last": 1.25}
    assert failure(claim(Metric.EXIT, DUE), others(later)) is None
    assert failure(claim(Metric.LAST, AS_OF), others(later)) is not None
    assert failure(claim(Metric.LAST, AS_OF), others(now)) is None
    assert failure(claim(Metric.LAST, AS_OF), others(undated)) is None
    assert failure(claim(Metric.EXIT, AS_OF), others(now)) is not None
    assert failure(claim(Metric.EXIT, AS_OF), others(undated)) is not None
