"""Stocks that the server `analysis` asks Yahoo Finance for."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from desk.analytics.technical.series import NoPrices
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.yahoo import YahooStocks
from desk.sources.ecb.store import RatesStore
from tests.support.addresses.yahoo import NOT_FOUND, Answer, in_json, yahoo

DAYS = tuple(date(2024, 6, day) for day in (3, 4, 5, 6, 7, 10, 11))
NOW = datetime(2024, 6, 11, 15, tzinfo=UTC)
SPLIT = date(2024, 6, 10)


def chart(
    closes: Mapping[date, float | None], volumes: int = 1_000, symbol: str = "NVDA"
) -> Answer:
    """A chart of a stock with one split, all told in the shares after it, as Yahoo does."""
    stamps = [int(datetime(d.year, d.month, d.day, 13, 30, tzinfo=UTC).timestamp()) for d in closes]
    prices = list(closes.values())
    opened = stamps[list(closes).index(SPLIT)]
    split = {"date": opened, "numerator": 10.0, "denominator": 1.0, "splitRatio": "10:1"}
    meta = {
        "currency": "USD",
        "symbol": symbol,
        "exchangeName": "NMS",
        "instrumentType": "EQUITY",
        "firstTradeDate": stamps[0],
        "regularMarketTime": stamps[-1],
        "gmtoffset": -14400,
        "timezone": "EDT",
        "exchangeTimezoneName": "America/New_York",
        "regularMarketPrice": prices[-1],
        "priceHint": 2,
        "dataGranularity": "1d",
        "range": "",
        "validRanges": ["1d", "max"],
        "currentTradingPeriod": {
            part: {"timezone": "EDT", "start": 0, "end": 0, "gmtoffset": -14400}
            for part in ("pre", "regular", "post")
        },
    }
    quote = dict.fromkeys(("open", "high", "low", "close"), prices)
    result = {
        "meta": meta,
        "timestamp": stamps,
        "events": {"splits": {str(opened): split}},
        "indicators": {
            "quote": [quote | {"volume": [volumes] * len(prices)}],
            "adjclose": [{"adjclose": prices}],
        },
    }
    return in_json({"chart": {"result": [result], "error": None}})


def store_at(url: str, now: datetime = NOW) -> PriceStore:
    return PriceStore(RatesStore(), live=YahooStocks(lambda: now, url))


CLOSES: dict[date, float | None] = {day: 100.0 + at for at, day in enumerate(DAYS)}


def test_a_live_price_is_told_in_the_shares_of_its_instant() -> None:
    with yahoo(always=chart(CLOSES)) as upstream:
        store = store_at(upstream.url)
        before = store.series("NVDA", datetime(2024, 6, 7, 22, tzinfo=UTC))
        after = store.series("NVDA", datetime(2024, 6, 11, tzinfo=UTC))
    assert (before.last_day, before.last) == (date(2024, 6, 7), Decimal("1040.00"))
    assert (after.last_day, after.last) == (SPLIT, Decimal("105.000"))
    assert (after.closes[0], after.adjusted, after.volumes[0]) == (Decimal("100.000"), True, 1_000)
    assert (before.volumes[0], after.source.origin) == (100, "Yahoo Finance")


def test_the_running_day_has_no_close_whatever_is_asked() -> None:
    with yahoo(always=chart(CLOSES)) as upstream:
        found = store_at(upstream.url).series("NVDA", datetime(2024, 6, 20, tzinfo=UTC))
    assert found.last_day == SPLIT


def test_a_day_without_a_price_is_no_day() -> None:
    with yahoo(always=chart(CLOSES | {DAYS[2]: None})) as upstream:
        found = store_at(upstream.url).series("NVDA", datetime(2024, 6, 8, tzinfo=UTC))
    assert DAYS[2] not in found.days
    assert len(found.days) == 4


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"", 429), "NVDA: Yahoo Finance limits the rate of requests"),
        (Answer(b"<html></html>"), "cannot be used: it is a web page and no JSON"),
        (chart(CLOSES, symbol="AMD"), "cannot be used: it is not about NVDA"),
        (
            in_json({"chart": {"result": None, "error": NOT_FOUND}}, 404),
            "there are no prices of NVDA",
        ),
    ],
    ids=["limited", "a page", "another", "unknown"],
)
def test_what_yahoo_does_not_give_is_refused_with_the_reason(answer: Answer, words: str) -> None:
    with yahoo(always=answer) as upstream, pytest.raises(NoPrices) as refused:
        store_at(upstream.url).series("NVDA", NOW)
    assert words in str(refused.value)


def test_a_pair_is_answered_by_the_ecb_and_yahoo_is_not_asked() -> None:
    with yahoo(always=Answer(b"", 500)) as upstream:
        found = store_at(upstream.url).series("USD/JPY", NOW)
        assert upstream.asked == []
    assert found.source.origin == "European Central Bank"
