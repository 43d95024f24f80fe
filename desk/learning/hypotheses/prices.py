"""Makes the calls that fetch the price by which a hypothesis is scored, and parses the answers."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from desk.agents.answer_form import ParsedAnswer, UnreadableAnswer, parse_answer
from desk.agents.capabilities import call_by, configured, routes_to
from desk.analytics.prices.fixings import LONGEST_GAP, last_expected_day, last_known_day
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.base import Figure
from desk.contracts.episode.analysis import MOST_DAYS
from desk.contracts.markets import MarketKind
from desk.contracts.swarm.hypotheses import Hypothesis

CLOSE_KNOWN_FROM: Final = time(22)
"""The time in UTC from which on a day's close of stocks is known."""

LOOKED_BACK: Final = timedelta(days=21)

RESTATED: Final = 1.4
"""A restated price differs from the original by at least this factor: less than the smallest usual
split."""


class Price(NamedTuple):
    """The last price of a market that was known at an instant, and its day."""

    value: Figure
    day: date


class NoPrice(ValueError):
    """No price can score a hypothesis; the message says why. `final` means that there will not be
    one later either."""

    def __init__(self, words: str, *, final: bool = False) -> None:
        super().__init__(words)
        self.final = final


class _ParsedQuote(ParsedAnswer):
    value: Figure | None = None
    fixed_on: date | None = None


class _ParsedPrices(ParsedAnswer):
    days: Annotated[tuple[date, ...], Field(max_length=MOST_DAYS)] = ()
    closes: Annotated[tuple[Figure, ...], Field(max_length=MOST_DAYS)] = ()


def price_calls(hypothesis: Hypothesis, policy: RunPolicy) -> tuple[ToolCall, ...]:
    """Returns the calls for a hypothesis' outcome, by the routes of a run in their order.

    For pairs a quote is requested. For stocks the prices since the level was taken are requested,
    so that a split since then is noticed.
    """
    capability, arguments = _question(hypothesis)
    call = ToolCall(
        call_id=f"hypothesis/{hypothesis.market.market}",
        server="",
        tool="",
        arguments={**arguments},
        capability=capability,
    )
    return tuple(call_by(route, call) for route in routes_to(capability, policy))


def no_source_message(hypothesis: Hypothesis, policy: RunPolicy) -> str:
    """Returns the message that there is no call to make, with the servers that the run would
    need."""
    capability, _ = _question(hypothesis)
    servers = dict.fromkeys(route.server for route in configured(capability, policy))
    return f"no source {' or '.join(servers)} is configured in .mcp.json"


def expected_day(kind: MarketKind, instant: datetime) -> date:
    """Returns the last day for which a price should be known at an instant: for fixings by the
    ECB's calendar, for stocks the last weekday, without regard to holidays."""
    if kind is not MarketKind.STOCK:
        return last_expected_day(instant)
    day = _last_close(instant)
    while day.weekday() >= 5:
        day -= timedelta(days=1)
    return day


def last_price(hypothesis: Hypothesis, answer: ToolResult, instant: datetime) -> Price:
    """Returns the last price in an answer that was known at an instant.

    Raises:
        NoPrice: it is not an answer, or contains no price.
    """
    if answer.status is not ToolStatus.OK:
        raise NoPrice(_source_words(answer, answer.error or answer.status))
    last = _last_day(hypothesis.market.kind, instant)
    try:
        known = [price for price in _prices(hypothesis, answer) if price.day <= last]
    except UnreadableAnswer as error:
        raise NoPrice(_source_words(answer, str(error))) from None
    if not known:
        raise NoPrice(
            _source_words(answer, _missing(answer) or "it has no price that was known then")
        )
    return max(known, key=lambda price: price.day)


def price_when_due(hypothesis: Hypothesis, answer: ToolResult) -> Price:
    """Returns the price that scores a hypothesis: the last one known when it was due, newer than
    its level and not older than 14 days.

    Raises:
        NoPrice: there is none; final if the prices are stated in other terms than the level.
    """
    price = last_price(hypothesis, answer, hypothesis.due)
    if price.day <= hypothesis.level_on:
        words = f"its last price, of {price.day}, is no newer than the level of the hypothesis"
        raise NoPrice(_source_words(answer, words))
    if _last_day(hypothesis.market.kind, hypothesis.due) - price.day > LONGEST_GAP:
        raise NoPrice(_source_words(answer, f"its last price is of {price.day}, and too old"))
    _require_same_terms(hypothesis, answer)
    return price


def too_early(answer: ToolResult, price: Price, expected: date) -> str:
    """Returns the message that an older price is not accepted yet."""
    return _source_words(answer, f"it has nothing after {price.day}, and {expected} may still come")


def _question(hypothesis: Hypothesis) -> tuple[Capability, dict[str, str]]:
    market = hypothesis.market
    if market.kind is not MarketKind.STOCK:
        return Capability.QUOTE, {"symbol": market.market}
    start = min(hypothesis.level_on, hypothesis.due.date() - LOOKED_BACK)
    return Capability.PRICE_HISTORY, {"symbol": market.market, "start": start.isoformat()}


def _prices(hypothesis: Hypothesis, answer: ToolResult) -> Iterable[Price]:
    if hypothesis.market.kind is not MarketKind.STOCK:
        quote = parse_answer(answer, _ParsedQuote)
        if quote.value is None or quote.fixed_on is None:
            return ()
        return (Price(quote.value, quote.fixed_on),)
    prices = parse_answer(answer, _ParsedPrices)
    pairs = zip(prices.closes, prices.days, strict=False)
    return tuple(Price(close, day) for close, day in pairs)


def _require_same_terms(hypothesis: Hypothesis, answer: ToolResult) -> None:
    """Checks that the level is near the price of its day. A source of stocks restates all earlier
    prices after a split.

    Raises:
        NoPrice: the prices are stated in other terms; final.
    """
    if hypothesis.market.kind is not MarketKind.STOCK or hypothesis.level <= 0:
        return
    for price in _prices(hypothesis, answer):
        if price.day != hypothesis.level_on or price.value <= 0:
            continue
        ratio = float(price.value / hypothesis.level)
        if not 1 / RESTATED < ratio < RESTATED:
            words = (
                f"it gives {price.value} for {price.day}, where the level was {hypothesis.level}: "
                "the prices are stated in other terms since, as after a split"
            )
            raise NoPrice(_source_words(answer, words), final=True)


def _last_day(kind: MarketKind, instant: datetime) -> date:
    return _last_close(instant) if kind is MarketKind.STOCK else last_known_day(instant)


def _last_close(instant: datetime) -> date:
    at = instant.astimezone(UTC)
    return at.date() if at.time() >= CLOSE_KNOWN_FROM else at.date() - timedelta(days=1)


def _missing(answer: ToolResult) -> str | None:
    """Returns the reasons that an answer gives for having no price."""
    content = answer.content
    said = content.get("missing") if isinstance(content, dict) else None
    reasons = said if isinstance(said, list) else [said]
    return "; ".join(reason for reason in reasons if isinstance(reason, str)) or None


def _source_words(answer: ToolResult, words: str) -> str:
    return f"{answer.call.server}.{answer.call.tool}: {words}"[:1_000]
