"""What came of a position in a stock, as the server `analysis` tells it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import TextContent

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.analytics.technical.measures import Unmeasured
from desk.analytics.technical.positions import CashRates
from desk.analytics.technical.series import Bar, Split, Traded, close_known_from
from desk.contracts.episode.analysis import Analysis, ShareSplit
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.sources.analysis.performance import PerformanceTools
from desk.sources.analysis.prices import SPLITS, PriceStore
from desk.sources.analysis.server import build_server
from desk.sources.ecb.store import RatesStore
from desk.sources.statistics.answers import rate_known_from
from desk.trust.claims.analysis_claims import analysis_claims
from tests.support.files.packaged_prices import PRICES, Day, packaged
from tests.support.files.price_series import walk, weekdays

STORE = PriceStore(RatesStore())
TOOL = PerformanceTools(STORE).performance
MADE, DUE = datetime(2024, 6, 3, 22, tzinfo=UTC), datetime(2024, 7, 1, 22, tzinfo=UTC)
COST = Decimal("0.10")


def figures_of(answer: Analysis) -> dict[Metric, Decimal]:
    return {figure.metric: figure.value for figure in answer.figures}


def walked(count: int = 120) -> list[Day]:
    """Weekdays of 2020 with a price that walks around 100."""
    closes = np.round(100 * walk(count, 5), 2)
    days = weekdays(count, date(2020, 1, 1))
    return [Day(day, float(close)) for day, close in zip(days, closes, strict=True)]


def known(day: Day) -> datetime:
    return close_known_from(day.day)


def test_the_figures_are_those_of_their_definitions_written_out() -> None:
    answer = TOOL("NVDA", MADE, "long", COST, DUE)
    found = {metric: float(value) for metric, value in figures_of(answer).items()}
    assert tuple(found) == EVALUATION_METRICS
    after = STORE.history("NVDA", DUE).between(date(2024, 6, 4), date(2024, 7, 1))
    assert found[Metric.ENTRY] == float(after.closes[0])
    assert found[Metric.EXIT] == float(after.last)
    then = STORE.series("NVDA", MADE).closes[-64:]
    swings = np.std(np.diff(np.log([float(c) for c in then])), ddof=1) * np.sqrt(252) * 100
    move = (found[Metric.EXIT] / found[Metric.ENTRY] - 1) * 100
    # The BIS has 5.375 percent for the end of April 2024, the newest known on the third of June.
    cash, risk = 5.375 * 28 / 365, swings * np.sqrt(28 / 365)
    assert found[Metric.FORWARD_MOVE] == pytest.approx(move, abs=0.006)
    assert found[Metric.CASH_MOVE] == pytest.approx(cash, abs=0.006)
    assert found[Metric.RISK] == pytest.approx(risk, abs=0.01)
    assert found[Metric.OVER_CASH] == pytest.approx(move - cash - 0.2, abs=0.006)
    assert found[Metric.OVER_HOLDING] == 0
    assert found[Metric.REWARD] == pytest.approx((move - cash - 0.2) / risk, abs=0.006)


def test_the_entry_has_its_own_day_and_all_else_that_of_the_exit() -> None:
    answer = TOOL("NVDA", MADE, "long", COST, DUE)
    days = {figure.metric: figure.as_of for figure in answer.figures}
    assert days.pop(Metric.ENTRY) == date(2024, 6, 4)
    assert set(days.values()) == {date(2024, 7, 1)}


def test_a_split_within_the_horizon_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten shares for one on the way: what was traded falls to a tenth, what was made does not."""
    plain = walked()
    at = 100
    split = [day if n < at else day._replace(close=day.close / 10) for n, day in enumerate(plain)]
    made, due = known(plain[at - 5]), known(plain[at + 10])
    with packaged(tmp_path, plain, "PLAIN") as store:
        one = PerformanceTools(store).performance("PLAIN", made, "short", COST, due)
    splits = {"SPLIT": (Split(plain[at].day, Decimal(10)),)}
    monkeypatch.setattr("desk.sources.analysis.prices.SPLITS", {**SPLITS, **splits})
    with packaged(tmp_path, split, "SPLIT") as store:
        other = PerformanceTools(store).performance("SPLIT", made, "short", COST, due)
    told, again = figures_of(one), figures_of(other)
    assert again[Metric.ENTRY] == told[Metric.ENTRY] / 10
    for metric in set(EVALUATION_METRICS) - {Metric.ENTRY, Metric.EXIT}:
        assert again[metric] == told[metric], metric
    assert one.splits == ()
    assert [*other.splits] == [ShareSplit(day=plain[at].day, ratio=Decimal(10))]
    assert -20 < again[Metric.FORWARD_MOVE] < 20


@pytest.mark.parametrize(
    ("made", "count"),
    [("2024-06-07T22:00", 1), ("2024-06-10T21:59", 1), ("2024-06-10T22:00", 0)],
)
def test_a_split_is_told_that_followed_the_shares_the_decision_was_made_in(
    made: str, count: int
) -> None:
    """On the evening of the split's day the price is known in the new shares."""
    answer = TOOL("NVDA", datetime.fromisoformat(f"{made}+00:00"), "long", COST, DUE)
    assert [str(split.day) for split in answer.splits] == ["2024-06-10"] * count
    assert count or "splits" not in answer.model_dump()


def test_short_is_the_other_side_after_its_own_costs_and_none_is_nothing() -> None:
    long, none, short = (
        figures_of(TOOL("NVDA", MADE, position, COST, DUE))
        for position in ("long", "none", "short")
    )
    assert long[Metric.OVER_CASH] + short[Metric.OVER_CASH] == Decimal("-0.40")
    assert none[Metric.OVER_CASH] == none[Metric.REWARD] == 0
    assert none[Metric.OVER_HOLDING] == -long[Metric.OVER_CASH]
    same = (Metric.ENTRY, Metric.EXIT, Metric.FORWARD_MOVE, Metric.RISK)
    assert [long[m] for m in same] == [short[m] for m in same] == [none[m] for m in same]


def test_the_entry_is_after_what_was_known_and_nothing_later_than_as_of_is_told(
    tmp_path: Path,
) -> None:
    plain, at, end = walked(), 90, 110
    planted = [
        day if at < n <= end or n < at - 1 else day._replace(close=day.close * 3)
        for n, day in enumerate(plain)
    ]
    answers = []
    for days, name in ((plain, "PLAIN"), (planted, "PLANTED")):
        with packaged(tmp_path, days, name) as store:
            tool = PerformanceTools(store).performance
            found = figures_of(tool(name, known(plain[at]), "long", COST, known(plain[end])))
            answers.append(found)
    one, other = answers
    for metric in (Metric.ENTRY, Metric.EXIT, Metric.FORWARD_MOVE, Metric.OVER_CASH):
        assert one[metric] == other[metric]
    assert one[Metric.ENTRY] == Decimal(str(plain[at + 1].close))
    assert one[Metric.EXIT] == Decimal(str(plain[end].close))


@pytest.mark.parametrize("later", [0, 1])
def test_before_there_are_two_later_closes_there_is_no_figure_and_a_reason(
    tmp_path: Path, later: int
) -> None:
    days = walked(100 + later)
    made = known(days[99])
    with packaged(tmp_path, days) as store:
        due = made + timedelta(days=5)
        answer = PerformanceTools(store).performance("ACME", made, "long", COST, due)
    assert answer.figures == ()
    assert answer.missing[0] == (
        f"entry: there are no two closes of ACME from {made.date() + timedelta(days=1)} up to "
        f"{due.date()}."
    )


def test_a_series_that_ended_before_the_horizon_has_no_exit() -> None:
    made = datetime(2013, 2, 20, 22, tzinfo=UTC)
    answer = TOOL("FB", made, "long", COST, made + timedelta(weeks=4))
    assert answer.figures == ()
    assert "the prices of FB end on 2013-03-01" in answer.missing[0]


def test_how_long_before_the_horizon_prices_end_is_the_reason_however_long_that_is() -> None:
    made = datetime(2022, 3, 20, 22, tzinfo=UTC)
    answer = TOOL("TSLA", made, "long", COST, made + timedelta(weeks=4))
    assert answer.missing[:2] == (
        "entry: the prices of TSLA end on 2022-03-23, 25 days before the horizon was over.",
        "exit: the prices of TSLA end on 2022-03-23, 25 days before the horizon was over.",
    )


def test_a_hole_after_the_decision_leaves_no_entry(tmp_path: Path) -> None:
    days = walked()
    holed = [*days[:80], *days[95:]]
    # Days without trade are left out, and leave a hole; a hole in the file cuts the file.
    idle = [day._replace(volume=0, close=day.close + 0.01 * n) for n, day in enumerate(days[80:95])]
    with packaged(tmp_path, sorted([*holed, *idle])) as store:
        tool = PerformanceTools(store).performance
        answer = tool("ACME", known(days[79]), "long", COST, known(days[105]))
    assert answer.figures == ()
    apart = (days[95].day - days[79].day).days
    told = f"the prices of ACME go on on {days[95].day}, {apart} days after the decision"
    assert told in answer.missing[0]


def test_a_horizon_that_is_cut_off_is_not_told_as_a_whole_one() -> None:
    """The prices end two weeks before: cash and risk of four weeks do not belong to the move."""
    made = datetime(2025, 1, 31, 22, tzinfo=UTC)
    answer = TOOL("NVDA", made, "long", COST, made + timedelta(weeks=4))
    assert answer.figures == ()
    assert answer.missing[1] == (
        "exit: the prices of NVDA end on 2025-02-14, 14 days before the horizon was over."
    )


@pytest.mark.parametrize(("late", "told"), [(7, True), (8, False)])
def test_a_horizon_may_end_as_long_after_the_last_price_as_an_exchange_was_ever_closed(
    tmp_path: Path, late: int, told: bool
) -> None:
    days = walked()
    with packaged(tmp_path, days) as store:
        tool = PerformanceTools(store).performance
        due = known(days[-1]) + timedelta(days=late)
        answer = tool("ACME", known(days[90]), "long", COST, due)
    assert bool(answer.figures) is told


def test_when_new_york_was_closed_for_a_week_the_entry_is_after_it() -> None:
    made = datetime(2001, 9, 10, 22, tzinfo=UTC)
    answer = TOOL("AMZN", made, "long", COST, made + timedelta(weeks=4))
    assert answer.figures[0].as_of == date(2001, 9, 17)


@pytest.mark.parametrize(
    ("made_at", "entered"),
    [
        ("2024-06-04T05:59:59+00:00", 4),
        ("2024-06-04T06:00:00+00:00", 4),
        ("2024-06-04T06:00:01+00:00", 5),
        ("2024-06-04T12:00:00+00:00", 5),
        ("2024-06-04T21:30:00+00:00", 5),
        ("2024-06-04T22:00:00+00:00", 5),
        ("2024-06-04T23:59:59+01:00", 5),
        ("2024-06-05T02:00:00+09:00", 5),
        ("2024-06-07T12:00:00+00:00", 10),
    ],
)
def test_the_entry_is_of_a_day_that_begins_after_the_decision(made_at: str, entered: int) -> None:
    """New York closes at 20:00 UTC in summer: at 21:30 that day's close is past, if not known."""
    answer = TOOL("NVDA", datetime.fromisoformat(made_at), "long", COST, DUE)
    assert answer.figures[0].as_of == date(2024, 6, entered)


def test_too_little_history_has_no_risk_and_no_reward(tmp_path: Path) -> None:
    days = walked()
    with packaged(tmp_path, days) as store:
        tool = PerformanceTools(store).performance
        answer = tool("ACME", known(days[30]), "long", COST, known(days[50]))
    assert set(EVALUATION_METRICS) - set(figures_of(answer)) == {Metric.RISK, Metric.REWARD}
    assert answer.missing[0].startswith(
        "risk: volatility at made_at: it needs 64 days with prices, and 31 are known"
    )
    assert answer.missing[1] == "reward: it needs cash_move and a positive risk."


def test_before_the_table_of_rates_begins_there_is_nothing_to_compare_with() -> None:
    made = datetime(1999, 2, 19, 22, tzinfo=UTC)
    early = TOOL("AMZN", made, "long", COST, made + timedelta(weeks=4))
    lacking = {Metric.CASH_MOVE, Metric.OVER_CASH, Metric.OVER_HOLDING, Metric.REWARD}
    assert set(EVALUATION_METRICS) - set(figures_of(early)) == lacking
    assert "cash_move: no policy rate of US was known at 1999-02-19" in early.missing[0]
    assert len(early.missing) == 4
    later = TOOL("AMZN", made + timedelta(days=3), "long", COST, made + timedelta(weeks=4))
    assert figures_of(later)[Metric.CASH_MOVE] > 0


def test_a_rate_counts_from_the_day_it_was_known_until_half_a_year_later() -> None:
    rates = CashRates(
        {"2024-01": Decimal(5), "2024-02": Decimal("5.25")}, partial(rate_known_from, "US")
    )
    for instant, rate in (
        (datetime(2024, 2, 21, tzinfo=UTC), "5"),
        (datetime(2024, 3, 20, 23, 59, tzinfo=UTC), "5"),
        (datetime(2024, 3, 21, tzinfo=UTC), "5.25"),
        (datetime(2024, 8, 31, tzinfo=UTC), "5.25"),
    ):
        assert rates.at(instant) == Decimal(rate)
    with pytest.raises(Unmeasured, match="no policy rate of US was known"):
        rates.at(datetime(2024, 2, 20, 23, tzinfo=UTC))
    with pytest.raises(Unmeasured, match="is of 2024-02, more than 6 months before"):
        rates.at(datetime(2024, 9, 1, tzinfo=UTC))


class InEuro:
    """A live source that has one stock, priced in euro."""

    source: Provenance = PRICES

    def __init__(self, days: Sequence[Day]) -> None:
        self._bars = tuple(Bar(day.day, Decimal(str(day.close))) for day in days)

    def traded(self, symbol: str, last: date) -> Traded:
        return Traded(tuple(bar for bar in self._bars if bar.day <= last), currency="EUR")


def test_a_stock_that_is_not_priced_in_dollars_is_not_held_against_cash_in_dollars() -> None:
    days = walked()
    tool = PerformanceTools(PriceStore(RatesStore(), (), InEuro(days))).performance
    answer = tool("SAP.DE", known(days[80]), "long", COST, known(days[100]))
    assert set(figures_of(answer)) == set(EVALUATION_METRICS[:3]) | {Metric.RISK}
    assert answer.missing[0] == "cash_move: SAP.DE is priced in EUR, and cash is in USD here."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"made_at": "2024-07-01T23:00:00Z"}, "made_at 2024-07-01T23:00:00+00:00 lies after as_of"),
        ({"made_at": "2024-07-01T00:00:00Z"}, "less than a day apart"),
        ({"made_at": "2024-06-03"}, "made_at"),
        ({"position": "both"}, "'both' is no position; write long, none, short"),
        ({"cost": -0.1}, "cost -0.1 is not between 0 and 10 percent"),
        ({"cost": 11}, "cost 11 is not between 0 and 10 percent"),
        ({"symbol": "NVDIA"}, "there are no prices of NVDIA; nearest: NVDA."),
        ({"symbol": "USD/JPY"}, "USD/JPY is no stock"),
        ({"symbol": "JP"}, "JP is no stock"),
    ],
)
async def test_a_mistake_is_refused_in_plain_words(
    arguments: dict[str, str | float], words: str
) -> None:
    usual = {
        "symbol": "NVDA",
        "made_at": MADE.isoformat(),
        "position": "long",
        "cost": 0.1,
        "as_of": DUE.isoformat(),
    }
    async with Client(build_server()) as client:
        answer = await client.call_tool("performance", usual | arguments)
    (said,) = answer.content
    assert answer.is_error and isinstance(said, TextContent)
    assert words in said.text


async def test_an_answer_over_the_protocol_has_a_claim_for_each_figure() -> None:
    asked = {
        "symbol": "NVDA",
        "made_at": MADE.isoformat(),
        "position": "long",
        "cost": 0.1,
        "as_of": DUE.isoformat(),
    }
    async with Client(build_server()) as client:
        answer = await client.call_tool("performance", asked)
    told = Analysis.model_validate(answer.structured_content)
    assert told == TOOL("NVDA", MADE, "long", COST, DUE)
    claims = analysis_claims(told, "tool-1")
    assert tuple(claim.metric for claim in claims) == EVALUATION_METRICS


def test_without_the_packages_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desk.sources.analysis.prices._folder", lambda package: None)
    tool = PerformanceTools(PriceStore(RatesStore())).performance
    with pytest.raises(ToolError, match="run `make install-swarm`"):
        tool("NVDA", MADE, "long", COST, DUE)


def test_a_price_below_a_dollar_is_told_with_all_its_digits(tmp_path: Path) -> None:
    days = [day._replace(close=day.close / 1000) for day in walked()]
    with packaged(tmp_path, days) as store:
        tool = PerformanceTools(store).performance
        found = figures_of(tool("ACME", known(days[80]), "long", COST, known(days[100])))
    exact = (days[100].close / days[81].close - 1) * 100
    assert float(found[Metric.FORWARD_MOVE]) == pytest.approx(exact, abs=0.01)
