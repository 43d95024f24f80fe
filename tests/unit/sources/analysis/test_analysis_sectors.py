"""How a market moved beside its group."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from desk.analytics.names.currencies import QUOTING_ORDER
from desk.analytics.technical.market_data import quarter_move
from desk.analytics.technical.standing import CURRENCY_BLOCS, STOCK_GROUPS, sector_analysis
from desk.contracts.episode.analysis import Analysis, Hint
from desk.contracts.findings.claims import Metric
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.symbols import COMPANIES
from desk.sources.ecb.store import RatesStore
from tests.support.files.price_series import weekdays
from tests.support.files.rates_files import write_rates

STORE = PriceStore(RatesStore())
DAYS = weekdays(80, date(2026, 6, 1))
AS_OF = datetime(2026, 9, 18, 20, tzinfo=UTC)
"""The evening of the last of them."""


def beside(store: PriceStore, symbol: str, as_of: datetime) -> Analysis:
    return sector_analysis(store, store.series(symbol, as_of), as_of)


def store_of(folder: Path, last: Mapping[str, str]) -> PriceStore:
    """Every currency at ten for a euro, until the last day, on which it has another rate."""
    before = dict.fromkeys(last, "10")
    rows = dict.fromkeys(DAYS[:-1], before) | {DAYS[-1]: dict(last)}
    return PriceStore(RatesStore(packaged=write_rates(folder / "rates.zip", rows)))


def figures_of(answer: Analysis) -> dict[Metric, Decimal]:
    return {figure.metric: figure.value for figure in answer.figures}


def test_each_currency_is_measured_in_its_own_direction_against_the_dollar(tmp_path: Path) -> None:
    """Yen up by a quarter, franc up by a tenth, euro unchanged: all against an unchanged dollar."""
    store = store_of(tmp_path, {"USD": "10", "JPY": "8", "CHF": "9.0909090909"})
    answer = beside(store, "USD/JPY", AS_OF)
    assert figures_of(answer) == {
        Metric.GROUP_MOVE: Decimal("5.00"),
        Metric.RELATIVE_MOVE: Decimal("20.00"),
        Metric.BREADTH: Decimal("50.00"),
    }
    group, relative = answer.signals
    # A dearer yen is a lower USD/JPY.
    assert (group.hint, relative.hint, relative.strength) == (Hint.DOWN, Hint.DOWN, 1)
    assert "JPY was stronger than the safe havens" in relative.words


def test_a_currency_that_moves_with_its_group_says_so(tmp_path: Path) -> None:
    store = store_of(tmp_path, dict.fromkeys(("AUD", "NZD", "CAD", "NOK"), "8") | {"USD": "10"})
    answer = beside(store, "AUD/USD", AS_OF)
    assert figures_of(answer)[Metric.RELATIVE_MOVE] == 0
    assert figures_of(answer)[Metric.BREADTH] == 100
    group, relative = answer.signals
    assert (group.hint, group.strength, relative.hint) == (Hint.UP, 1, Hint.NEUTRAL)
    assert answer.missing == ("no move of ZAR, BRL, without which the group is measured.",)


def test_too_few_others_are_a_reason_and_no_figure(tmp_path: Path) -> None:
    store = store_of(tmp_path, {"USD": "10", "AUD": "9", "NZD": "9"})
    answer = beside(store, "AUD/USD", AS_OF)
    assert (answer.figures, answer.signals) == ((), ())
    assert "fewer than 2 besides AUD have prices" in answer.missing[0]
    assert "CAD, NOK, ZAR, BRL" in answer.missing[0]


def test_stocks_are_measured_among_those_that_had_prices_then() -> None:
    then = datetime(2012, 6, 1, 7, tzinfo=UTC)
    answer = beside(STORE, "AMZN", then)
    names = ("NVDA", "MSFT", "AAPL", "IBM", "GOOG")
    moves = sorted(quarter_move(STORE.series(name, then)) for name in names)
    assert figures_of(answer)[Metric.GROUP_MOVE] == round(moves[2], 2)
    assert f"({', '.join(names)})" in answer.method
    assert answer.missing == ("no move of NFLX, TSLA, FB, without which the group is measured.",)


@pytest.mark.parametrize(
    ("symbol", "as_of", "words"),
    [
        ("NVDA", datetime(2025, 2, 17, tzinfo=UTC), "of the large technology companies fewer"),
        ("^GSPC", datetime(2020, 2, 17, tzinfo=UTC), "there is no group that ^GSPC is measured"),
    ],
)
def test_a_market_without_a_group_says_so(symbol: str, as_of: datetime, words: str) -> None:
    assert words in beside(STORE, symbol, as_of).missing[0]


def test_days_after_the_instant_are_in_no_move(tmp_path: Path) -> None:
    store = store_of(tmp_path, {"USD": "10", "JPY": "1", "CHF": "1"})
    before = datetime(2026, 9, 18, 13, tzinfo=UTC)
    assert set(figures_of(beside(store, "USD/JPY", before)).values()) == {Decimal(0), Decimal(100)}


def test_every_member_is_a_market_with_prices_and_has_one_group() -> None:
    known = set(QUOTING_ORDER)
    for bloc in CURRENCY_BLOCS:
        assert {*bloc.members, *bloc.home_of} <= known
        assert "USD" not in bloc.members
    for group in STOCK_GROUPS:
        assert set(group.members) <= set(COMPANIES)
    homes = [one for bloc in (*CURRENCY_BLOCS, *STOCK_GROUPS) for one in bloc.home_of]
    assert len(homes) == len(set(homes))
