"""Tools of the server `yahoo_finance` about companies: analysts' ratings, quarterly accounts."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Final, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.technical.companies import AccountLine
from desk.analytics.technical.measures import share, towards
from desk.analytics.technical.quarters import OF_QUARTERS, Quarters, figures_of, growth_signal
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import (
    MOST_RATINGS,
    AnalystRating,
    AnalystRatings,
    FundamentalItem,
    Hint,
    MeasuredFigure,
    QuarterlyAccounts,
    RatingAction,
    Signal,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.sources.serving.arguments import AsOf
from desk.sources.serving.market_symbol import MarketSymbol, areas_of
from desk.sources.yahoo.companies import Estimates, Opinions, YahooCompanies
from desk.sources.yahoo.failures import YahooRefused, YahooUnusable

RATINGS_SOURCE: Final = Provenance(
    name="Analysts' ratings on Yahoo Finance", tier=SourceTier.SECONDARY
)
"""No single origin: each rating is its firm's."""

ACCOUNTS_SOURCE: Final = Provenance(
    name="Yahoo Finance",
    tier=SourceTier.SECONDARY,
    origin="Yahoo Finance",
    url="https://finance.yahoo.com/",
)

USUAL_DAYS: Final = 90
LIKE_NOW: Final = timedelta(hours=24)
"""How long after an instant the revisions up to now may still count as those of that instant."""

MOST_STRENGTH: Final = 0.3
"""For analysts' opinions."""

RATED: Final = (
    "Analysts' ratings that Yahoo Finance lists, of the {days} days up to as_of; each counts as "
    "known from the end of its day (UTC). Revisions are those of estimates of the current year's "
    "earnings in the 30 days up to now. They are opinions, not facts."
)
NO_REVISIONS: Final = (
    "The revisions of estimates at that instant are not known: Yahoo Finance has current ones only."
)

_Found = TypeVar("_Found")

Days = Annotated[int, Field(ge=1, le=366, description="how many days back from as_of to look")]


class YahooCompanyTools:
    """The tools about companies. Each answers only with what was known at `as_of`."""

    def __init__(self, yahoo: YahooCompanies, now: Callable[[], datetime]) -> None:
        """`now` returns the present instant, because revisions of estimates exist only for that."""
        self._yahoo = yahoo
        self._now = now

    def analyst_ratings(
        self, symbol: MarketSymbol, as_of: AsOf, days: Days = USUAL_DAYS
    ) -> AnalystRatings:
        """Analysts' ratings of a company in the days before as_of, newest first.

        Ratings raised, cut, initiated and reiterated, with the price target, each with its day; if
        as_of is the present, the number of earnings estimates raised and cut. They are opinions,
        not facts. missing: what is not available, and why.
        """
        current = timedelta(0) <= self._now() - as_of <= LIKE_NOW

        def ask() -> Opinions:
            return self._yahoo.opinions(symbol, estimates=current)

        found, missing = self._asked(symbol, ask, Opinions(()))
        since = as_of.date() - timedelta(days=days)
        known = [each for each in found.ratings if each.known_from <= as_of and each.day > since]
        if not found.ratings and not missing:
            missing = (f"Yahoo Finance lists no ratings of {symbol}.",)
        elif found.ratings:
            missing = (*missing, *_left_out(known, found, current=current))
        return AnalystRatings(
            as_of=as_of,
            source=RATINGS_SOURCE,
            symbol=symbol,
            method=RATED.format(days=days),
            figures=_counted(known, found.estimates, as_of.date()) if found.ratings else (),
            signals=tuple(_signals(known, found.estimates)),
            missing=missing,
            items=tuple(known[:MOST_RATINGS]),
        )

    def quarterly_accounts(self, symbol: MarketSymbol, as_of: AsOf) -> QuarterlyAccounts:
        """A company's quarterly accounts known at as_of, oldest first, line by line.

        quarter_revenue_growth: the newest quarter's revenue against a year before, in percent.
        known_from: the end of the day of its report; if that is not known, of the 45th day after
        the quarter, or the 90th after the end of a financial year. missing: why there are none.
        """
        found, missing = self._asked(symbol, lambda: self._yahoo.quarters(symbol), Quarters())
        known = found.known(as_of)
        if not found.lines and not missing:
            missing = (f"Yahoo Finance has no quarterly accounts of {symbol}.",)
        elif found.lines and not known.lines:
            missing = (f"No quarterly accounts of {symbol} were known at {as_of.isoformat()}.",)
        figures, unmeasured = figures_of(known)
        grown = [each for each in figures if each.metric is Metric.QUARTER_REVENUE_GROWTH]
        return QuarterlyAccounts(
            as_of=as_of,
            source=ACCOUNTS_SOURCE,
            symbol=symbol,
            method=OF_QUARTERS,
            figures=figures,
            signals=tuple(growth_signal(each.value) for each in grown),
            missing=(*unmeasured, *missing, *known.notes),
            items=tuple(map(_item, known.lines)),
        )

    def _asked(
        self, symbol: str, ask: Callable[[], _Found], nothing: _Found
    ) -> tuple[_Found, tuple[str, ...]]:
        """Yahoo's answer, or an empty one and the reason.

        Raises:
            ToolError: it is not a market, or Yahoo could not be asked.
        """
        if areas_of(symbol):
            return nothing, (f"{symbol} is no company.",)
        try:
            return ask(), ()
        except YahooRefused as error:
            raise ToolError(f"{error}.") from error
        except YahooUnusable as error:
            return nothing, (f"Yahoo Finance's answer for {symbol} cannot be used: {error}.",)


def _left_out(known: Sequence[AnalystRating], found: Opinions, *, current: bool) -> Iterator[str]:
    if len(known) > MOST_RATINGS:
        yield f"{len(known) - MOST_RATINGS} older ratings are counted, and not listed."
    if not current:
        yield NO_REVISIONS
    elif found.why_none:
        yield f"{found.why_none}."


def _counted(
    known: Sequence[AnalystRating], estimates: Estimates | None, day: date
) -> tuple[MeasuredFigure, ...]:
    counts = {
        Metric.ANALYST_RATINGS: len(known),
        Metric.RATINGS_RAISED: _count(known, RatingAction.RAISED),
        Metric.RATINGS_CUT: _count(known, RatingAction.CUT),
    }
    if estimates is not None:
        counts[Metric.ESTIMATES_RAISED] = estimates.raised
        counts[Metric.ESTIMATES_CUT] = estimates.cut
    return tuple(
        MeasuredFigure(metric=metric, value=Decimal(count), as_of=day)
        for metric, count in counts.items()
    )


def _count(known: Sequence[AnalystRating], action: RatingAction) -> int:
    return sum(each.action is action for each in known)


def _signals(known: Sequence[AnalystRating], estimates: Estimates | None) -> Iterator[Signal]:
    raised, cut = _count(known, RatingAction.RAISED), _count(known, RatingAction.CUT)
    if raised or cut:
        yield _signal("analysts' ratings", "ratings of analysts", raised, cut)
    if estimates is not None and any(estimates):
        yield _signal("earnings estimates", "estimates of earnings", *estimates)


def _signal(name: str, what: str, raised: int, cut: int) -> Signal:
    hint = towards(raised - cut)
    words = {
        Hint.UP: f"More {what} were raised than cut.",
        Hint.DOWN: f"More {what} were cut than raised.",
        Hint.NEUTRAL: f"As many {what} were raised as cut.",
    }
    strength = share(MOST_STRENGTH * abs(raised - cut) / (raised + cut))
    return Signal(name=name, hint=hint, strength=strength, words=words[hint])


def _item(line: AccountLine) -> FundamentalItem:
    return FundamentalItem(
        name=line.name,
        value=line.value,
        currency=line.currency,
        period_end=line.period_end,
        known_from=line.known_from,
    )
