"""Companies' accounts point in time, and the carry of pairs."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.analytics.technical.companies import (
    AccountItem,
    AccountLine,
    Accounts,
    EarningsReport,
    NoAccounts,
    ratios_of,
)
from desk.analytics.technical.market_data import carry_of, volatility
from desk.analytics.technical.series import PriceSeries
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import Analysis, Hint
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketKind
from desk.sources.analysis.companies import CompanyTools
from desk.sources.analysis.prices import PriceStore
from desk.sources.central_banks.facts.policy import PolicyFacts, read_facts
from desk.sources.central_banks.policy_answers import policy_rate
from desk.sources.ecb.store import RatesStore
from tests.support.files.facts_files import write_facts
from tests.support.files.price_series import evening_of, store_of, walk

FILED = Provenance(name="Filings", tier=SourceTier.SECONDARY)
AS_OF = datetime(2024, 5, 1, 12, tzinfo=UTC)
PRICES = PriceSeries(
    "NVDA", MarketKind.STOCK, "USD", FILED, (date(2024, 4, 30),), (Decimal("90.00"),)
)


def year_of(end: date, filed: date | None, **values: str) -> tuple[AccountLine, ...]:
    """The accounts of a year, with figures that differ from the usual ones where given."""
    usual = {
        AccountItem.REVENUE: "200",
        AccountItem.NET_INCOME: "50",
        AccountItem.EARNINGS_A_SHARE: "3",
        AccountItem.EQUITY: "400",
        AccountItem.DEBT: "100",
        AccountItem.SHARES: "20",
    }
    told = {line: values.get(line.name.lower(), value) for line, value in usual.items()}
    return tuple(
        AccountLine(line, Decimal(value), None if line is AccountItem.SHARES else "USD", end, filed)
        for line, value in told.items()
    )


THIS = year_of(date(2023, 12, 31), date(2024, 2, 20))
BEFORE = year_of(date(2022, 12, 31), date(2023, 2, 20), revenue="160")


class Filings:
    """A source of accounts that has what it is given."""

    source = FILED

    def __init__(self, *lines: AccountLine, reports: tuple[EarningsReport, ...] = ()) -> None:
        self._held = Accounts(lines, reports)

    def accounts(self, symbol: str) -> Accounts:
        """Those of one company."""
        if symbol != "NVDA":
            raise NoAccounts(f"There are no filings of {symbol}.")
        return self._held


class OneStock(PriceStore):
    """A store that has the prices of one stock."""

    def __init__(self) -> None:
        super().__init__(RatesStore(), ())

    def series(self, symbol: str, as_of: datetime, *, since: date | None = None) -> PriceSeries:
        """The same prices, whatever is asked."""
        del symbol, as_of, since
        return PRICES


def tools(*lines: AccountLine, reports: tuple[EarningsReport, ...] = ()) -> CompanyTools:
    return CompanyTools(OneStock(), Filings(*lines, reports=reports))


def figures(answer: Analysis) -> dict[Metric, str]:
    return {figure.metric: str(figure.value) for figure in answer.figures}


def test_ratios_are_of_the_newest_accounts_and_the_last_price() -> None:
    answer = tools(*BEFORE, *THIS).ratio_calculator("NVDA", AS_OF)
    assert figures(answer) == {
        Metric.PRICE_TO_EARNINGS: "30.00",
        Metric.PRICE_TO_BOOK: "4.50",
        Metric.NET_MARGIN: "25.00",
        Metric.DEBT_TO_EQUITY: "0.25",
    }
    assert answer.source == FILED


def test_accounts_are_known_from_the_end_of_the_day_of_their_filing() -> None:
    asked = tools(*BEFORE, *THIS)
    before = asked.company_fundamentals("NVDA", datetime(2024, 2, 20, 23, 59, tzinfo=UTC))
    after = asked.company_fundamentals("NVDA", datetime(2024, 2, 21, tzinfo=UTC))
    assert {item.period_end for item in before.items} == {date(2022, 12, 31)}
    assert {item.period_end for item in after.items} == {date(2022, 12, 31), date(2023, 12, 31)}
    assert all(item.known_from <= after.as_of for item in after.items)


def test_accounts_without_a_day_of_filing_are_known_ninety_days_after_their_period() -> None:
    asked = tools(*year_of(date(2023, 12, 31), None))
    assert asked.company_fundamentals("NVDA", datetime(2024, 3, 30, 23, tzinfo=UTC)).items == ()
    assert asked.company_fundamentals("NVDA", datetime(2024, 3, 31, tzinfo=UTC)).items


def test_ratios_use_no_accounts_that_were_filed_later() -> None:
    early = datetime(2024, 2, 1, tzinfo=UTC)
    known = tools(*BEFORE, *THIS).ratio_calculator("NVDA", early)
    assert known == tools(*BEFORE).ratio_calculator("NVDA", early)


@pytest.mark.parametrize(
    ("values", "metric", "reason"),
    [
        ({"earnings_a_share": "-3"}, Metric.PRICE_TO_EARNINGS, "not positive"),
        ({"equity": "0"}, Metric.PRICE_TO_BOOK, "not positive"),
        ({"revenue": "0"}, Metric.NET_MARGIN, "not positive"),
    ],
)
def test_a_ratio_that_means_nothing_is_missing(
    values: dict[str, str], metric: Metric, reason: str
) -> None:
    lines = year_of(date(2023, 12, 31), date(2024, 2, 20), **values)
    answer = tools(*lines).ratio_calculator("NVDA", AS_OF)
    assert metric not in figures(answer)
    assert any(line.startswith(f"{metric}: ") and reason in line for line in answer.missing)


def test_a_price_is_not_divided_by_earnings_in_another_currency() -> None:
    foreign = tuple(
        AccountLine(line.name, line.value, line.currency and "TWD", line.period_end, line.filed_on)
        for line in THIS
    )
    answer = ratios_of(Accounts(foreign), PRICES, AS_OF, FILED)
    assert set(figures(answer)) == {Metric.NET_MARGIN, Metric.DEBT_TO_EQUITY}


def test_earnings_are_told_as_growth_and_as_surprise() -> None:
    report = EarningsReport(datetime(2024, 2, 20, 21, tzinfo=UTC), Decimal("1.10"), Decimal(1))
    later = EarningsReport(datetime(2024, 5, 20, 21, tzinfo=UTC), Decimal(9), Decimal(1))
    answer = tools(*BEFORE, *THIS, reports=(later, report)).earnings_analyzer("NVDA", AS_OF)
    assert figures(answer) == {
        Metric.REVENUE_GROWTH: "25.00",
        Metric.EARNINGS_SURPRISE: "10.00",
    }
    assert [signal.hint for signal in answer.signals] == [Hint.UP, Hint.UP]
    assert all(re.search(r"\d", signal.words) is None for signal in answer.signals)


def test_accounts_of_two_years_apart_give_no_growth() -> None:
    old = year_of(date(2021, 12, 31), date(2022, 2, 20))
    answer = tools(*old, *THIS).earnings_analyzer("NVDA", AS_OF)
    assert answer.figures == ()
    assert len(answer.missing) == 2


def test_without_a_source_of_accounts_there_is_a_reason_and_no_number() -> None:
    offline = CompanyTools(OneStock())
    for answer in (
        offline.ratio_calculator("NVDA", AS_OF),
        offline.earnings_analyzer("NVDA", AS_OF),
    ):
        assert (answer.figures, answer.signals) == ((), ())
        assert len(answer.missing) == 1
    told = offline.company_fundamentals("NVDA", AS_OF)
    assert told.items == ()
    assert told.missing


def test_a_source_that_fails_gives_its_reason() -> None:
    answer = tools(*THIS).ratio_calculator("MSFT", AS_OF)
    assert answer.missing == ("There are no filings of MSFT.",)


def test_a_pair_and_an_area_have_no_accounts() -> None:
    for symbol in ("EUR/USD", "JP"):
        answer = tools(*THIS).earnings_analyzer(symbol, AS_OF)
        assert answer.missing == (f"{symbol} is no company, and has no accounts.",)
    with pytest.raises(ToolError, match="is not a market"):
        tools().company_fundamentals("nvda stock", AS_OF)


def carry(facts: PolicyFacts, series: PriceSeries, as_of: datetime) -> Analysis:
    return carry_of(lambda area: policy_rate(facts, area, as_of), series, as_of)


@pytest.mark.parametrize(("base", "quote", "sign"), [("USD", "JPY", 1), ("JPY", "USD", -1)])
def test_the_carry_is_the_rates_announced_by_then_over_the_swings(
    tmp_path: Path, base: str, quote: str, sign: int
) -> None:
    facts = read_facts(write_facts(tmp_path / "facts"))
    as_of = datetime(2024, 7, 30, 12, tzinfo=UTC)
    made = store_of(tmp_path, walk(200, 1)).series("EUR/USD", evening_of(199))
    series = PriceSeries(f"{base}/{quote}", made.kind, quote, FILED, made.days, made.closes)
    answer = carry(facts, series, as_of)
    # The Fed stood at 0.125 and the Bank of Japan at 0.05; it raised on the day after.
    expected = sign * (0.125 - 0.05) / volatility(series)
    assert [figure.metric for figure in answer.figures] == [Metric.CARRY_TO_VOLATILITY]
    assert float(answer.figures[0].value) == pytest.approx(expected, abs=0.005)
    assert answer.missing == ()
    after = carry(facts, series, datetime(2024, 8, 1, tzinfo=UTC))
    assert after.figures != answer.figures


def test_a_rate_that_may_have_changed_since_is_said(tmp_path: Path) -> None:
    facts = read_facts(write_facts(tmp_path / "facts"))
    made = store_of(tmp_path, walk(200, 1)).series("EUR/USD", evening_of(199))
    series = PriceSeries("USD/JPY", made.kind, "JPY", FILED, made.days, made.closes)
    answer = carry(facts, series, datetime(2026, 10, 15, tzinfo=UTC))
    assert answer.figures
    assert [line for line in answer.missing if "up to 2026-09-30 only" in line]


@pytest.mark.parametrize(
    ("symbol", "reason"),
    [("USD/SGD", "No policy rate"), ("USD/DKK", "no central bank of DKK")],
)
def test_a_pair_without_two_policy_rates_has_no_carry(
    tmp_path: Path, symbol: str, reason: str
) -> None:
    facts = read_facts(write_facts(tmp_path / "facts"))
    made = store_of(tmp_path, walk(200, 1)).series("EUR/USD", evening_of(199))
    series = PriceSeries(symbol, made.kind, symbol[4:], FILED, made.days, made.closes)
    answer = carry(facts, series, AS_OF)
    assert (answer.figures, answer.signals) == ((), ())
    assert any(reason in line for line in answer.missing)


def test_the_tool_gives_the_carry_of_a_pair_in_the_desks_own_tables() -> None:
    answer = CompanyTools(PriceStore(RatesStore(), ())).ratio_calculator(
        "USD/JPY", datetime(2026, 9, 21, 6, tzinfo=UTC)
    )
    (told,) = answer.figures
    assert told.metric is Metric.CARRY_TO_VOLATILITY
    assert 0 < told.value < 2
    assert answer.signals[0].hint is Hint.UP
    assert answer.missing == ()
