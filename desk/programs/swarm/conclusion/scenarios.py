"""The scenarios of a market with a peg or a scheduled decision, each with what was counted."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from desk.analytics.figures import day_of
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.markets import MarketSpec
from desk.programs.swarm.conclusion.account import Account
from desk.programs.swarm.conclusion.wording import joined, sentence

AHEAD: Final = timedelta(weeks=4)
"""The horizon of the hypotheses."""

_THIRDS: Final = (
    (Metric.BAND_ENDED_LOW, "the lower third"),
    (Metric.BAND_ENDED_MIDDLE, "the middle third"),
    (Metric.BAND_ENDED_HIGH, "the upper third"),
)
_DECIDED: Final = (
    (Metric.HELD_SHARE, "no change"),
    (Metric.RAISED_SHARE, "a rise"),
    (Metric.CUT_SHARE, "a cut"),
)


def scenarios_of(account: Account, *, told_of_bands: bool) -> str:
    """Returns a line for each pegged market and each bank that decides within four weeks; empty if
    nothing was counted. With `told_of_bands` omits what the summary already says about bands."""
    end = account.request.assignment.window.end
    told = [*_bands(account, told_of_bands=told_of_bands), *_decisions(account, end)]
    return "\n".join(f"- {line}" for line in told)


def outside_of_the_band(account: Account, market: str) -> str:
    """Says how often four weeks ended outside of a band, and the upper bound of that frequency;
    empty if it was not counted."""
    if account.value(market, Metric.BAND_OUTSIDE) is None:
        return ""
    spans = _reference(market, Metric.BAND_SPANS)
    ended = f"Of {spans} spans of four weeks since it was announced"
    if account.value(market, Metric.BAND_BREAK_MOST) is None:
        return f"{ended}, {_reference(market, Metric.BAND_OUTSIDE)} ended outside of it."
    most = _reference(market, Metric.BAND_BREAK_MOST)
    return (
        f"{ended} none ended outside of it, which allows a probability of {most} at most: what"
        " has never happened is not impossible."
    )


def _bands(account: Account, *, told_of_bands: bool) -> Iterator[str]:
    for market in account.markets:
        name = market.market
        shares = [
            f"in {where} of its band {_reference(name, metric)}"
            for metric, where in _THIRDS
            if account.value(name, metric) is not None
        ]
        if shares:
            starts = _reference(name, Metric.BAND_STARTS)
            counted = f"of {starts} spans that began in the same third as now"
            yield sentence(f"{name} in four weeks, counted {counted}: {', '.join(shares)}")
        outside = outside_of_the_band(account, name)
        if outside and not told_of_bands:
            yield outside


def _decisions(account: Account, end: datetime) -> Iterator[str]:
    for area in dict.fromkeys(_areas(account.markets)):
        day = account.surviving.get(claim_id(area, Metric.NEXT_DECISION))
        known = day_of(day.value) if day is not None else None
        if known is None or known > (end + AHEAD).date():
            continue
        shares = [
            f"{what} {_reference(area, metric)}"
            for metric, what in _DECIDED
            if account.surviving.get(claim_id(area, metric)) is not None
        ]
        if not shares:
            continue
        bank, starts = bank_in_a_sentence(area), _reference(area, Metric.DECISION_STARTS)
        yield joined(
            (
                sentence(f"{bank} decides on {_reference(area, Metric.NEXT_DECISION)}"),
                f"Of {starts} meetings that followed one like the last known: {', '.join(shares)}.",
                "That is a count of its past, and not what the market expects.",
            )
        )


def _areas(markets: tuple[MarketSpec, ...]) -> Iterator[str]:
    for market in markets:
        yield from market.areas


def _reference(subject: str, metric: Metric) -> str:
    return f"[[{claim_id(subject, metric)}]]"
