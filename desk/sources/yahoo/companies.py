"""Analysts' opinions of a company, and its quarterly accounts, from Yahoo Finance."""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from desk.analytics.technical.companies import UNKNOWN_FILING_DELAY, AccountItem, AccountLine
from desk.analytics.technical.quarters import QUARTER_DELAY, Quarters, longest_delay
from desk.contracts.episode.analysis import AnalystRating, RatingAction
from desk.sources.news.items import LONGEST_NAME
from desk.sources.news.text import plain_text
from desk.sources.yahoo.closes import as_figure
from desk.sources.yahoo.failures import UnknownAtYahoo, YahooRefused, YahooUnusable
from desk.sources.yahoo.statements import Place, StatementPeriod, reported_on, reports_of, statement
from desk.sources.yahoo.upstream import PAGES_URL, YAHOO_URL, YahooFinance

COOKIES_URL: Final = "https://fc.yahoo.com"
"""The source of the cookie without which Yahoo returns nothing about analysts."""

COMPANY_SECONDS: Final = 10.0
"""The timeout of all requests about one company together."""

LINES: Final = frozenset(
    {*AccountItem, "OperatingIncome", "GrossProfit", "OperatingCashFlow"}
    - {AccountItem.EARNINGS_A_SHARE, AccountItem.SHARES}
)
"""The lines of quarterly accounts that are returned: only money, which no split changes."""

NO_DAYS: Final = (
    f"The days of its reports could not be had: {{why}}. Its quarters count as known from "
    f"{QUARTER_DELAY.days} days after their ends, {UNKNOWN_FILING_DELAY.days} after a financial "
    "year's."
)

_ACTIONS: Final[Mapping[str, RatingAction]] = MappingProxyType(
    {"up": RatingAction.RAISED, "down": RatingAction.CUT, "init": RatingAction.BEGUN}
)
"""Yahoo's words. `main` and `reit`, maintained and reiterated, count as repeated."""

_LARGEST_TARGET: Final = 1e9
_RUNNING_YEAR: Final = "0y"


class Estimates(NamedTuple):
    """The number of estimates of the current year's earnings that were raised and cut in the last
    30 days."""

    raised: int
    cut: int


class Opinions(NamedTuple):
    """Analysts' opinions of a company as Yahoo has them now, newest first. Without `estimates`,
    `why_none` says why, unless they were not requested."""

    ratings: tuple[AnalystRating, ...]
    estimates: Estimates | None = None
    why_none: str | None = None


class YahooCompanies(YahooFinance):
    """Yahoo's ratings and quarterly accounts of companies, whenever they became known.

    Answers are cached for five minutes. Corrected figures are returned in their corrected version.
    """

    def __init__(
        self,
        url: str = YAHOO_URL,
        cookies_url: str = COOKIES_URL,
        pages_url: str = PAGES_URL,
        *,
        offline: bool = False,
    ) -> None:
        """Cookies are requested from `cookies_url`, the days of reports from `pages_url`, all else
        from `url`. `offline` is as for `YahooFinance`."""
        super().__init__(url, timeout_seconds=COMPANY_SECONDS, offline=offline)
        self._cookies_url = cookies_url
        self._pages_url = pages_url

    def opinions(self, symbol: str, *, estimates: bool) -> Opinions:
        """The ratings of a company, and with `estimates` their revisions up to now. Empty if Yahoo
        has no such company.

        Raises:
            YahooRefused: Yahoo could not be asked, or refused.
            YahooUnusable: its answer is not reliable.
        """

        def ask(library: Any, _: Any) -> Opinions:
            # yfinance needs its package curl_cffi for a session.
            from desk.sources.yahoo.company_sessions import SummarySession

            with SummarySession(self._url, self._cookies_url, COMPANY_SECONDS) as session:
                ticker = library.Ticker(symbol, session=session)
                ratings = _ratings(library, ticker)
                if not estimates or not ratings:
                    return Opinions(ratings)
                found_values, why = _estimates(ticker)
                return Opinions(ratings, found_values, why)

        return self._cached_or_asked(("opinions", symbol, estimates), ask)

    def quarters(self, symbol: str) -> Quarters:
        """The quarterly accounts of a company. Empty if Yahoo has none.

        Raises:
            YahooRefused: Yahoo could not be asked, or refused.
            YahooUnusable: its answer is not reliable.
        """

        def ask(library: Any, _: Any) -> Quarters:
            from desk.sources.yahoo.company_sessions import AccountsSession

            with AccountsSession(self._url, self._pages_url, COMPANY_SECONDS) as session:
                ticker = library.Ticker(symbol, session=session)
                found_values = statement(library, ticker.get_income_stmt, StatementPeriod.QUARTERLY)
                if not found_values:
                    return Quarters()
                found_values |= statement(
                    library, ticker.get_balance_sheet, StatementPeriod.QUARTERLY
                )
                years = statement(library, ticker.get_income_stmt, StatementPeriod.YEARLY)
                reports = reports_of(ticker)
                notes = (NO_DAYS.format(why=reports.why_none),) if reports.why_none else ()
                year_ends = {end for _, end in years}
                return Quarters(
                    _lines(found_values, session.currencies, reports.days, year_ends), notes
                )

        return self._cached_or_asked(("quarters", symbol), ask)


def _lines(
    found_values: Mapping[Place, Decimal],
    currencies: Mapping[Place, str],
    days: tuple[date, ...],
    year_ends: set[date],
) -> tuple[AccountLine, ...]:
    found = []
    for (name, end), value in found_values.items():
        if name in LINES:
            delay = longest_delay(end, year_ends)
            known_on = reported_on(end, days, delay) or end + delay
            found.append(AccountLine(name, value, currencies[name, end], end, known_on))
    return tuple(found)


def _ratings(library: Any, ticker: Any) -> tuple[AnalystRating, ...]:
    """The ratings that Yahoo lists, newest first, without those of unnamed firms."""
    try:
        table = ticker.get_upgrades_downgrades()
    except (UnknownAtYahoo, library.exceptions.YFDataException):
        # The second is raised for a list without any row.
        return ()
    rows = zip(table.index, table.to_dict("records"), strict=True)
    found_values = (_rating(stamp.to_pydatetime().replace(tzinfo=UTC), row) for stamp, row in rows)
    return tuple(sorted(filter(None, found_values), key=lambda each: each.day, reverse=True))


def _rating(at: datetime, row: Mapping[str, Any]) -> AnalystRating | None:
    firm = _words(row["Firm"])
    if firm is None:
        return None
    return AnalystRating(
        firm=firm,
        action=_ACTIONS.get(str(row["Action"]), RatingAction.REPEATED),
        grade=_words(row["ToGrade"]),
        grade_before=_words(row["FromGrade"]),
        target=_target(row.get("currentPriceTarget")),
        target_before=_target(row.get("priorPriceTarget")),
        day=at.date(),
        # Older ratings have no hour.
        known_from=datetime.combine(at.date() + timedelta(days=1), time(), UTC),
    )


def _words(text: Any) -> str | None:
    return plain_text(text, LONGEST_NAME) or None if isinstance(text, str) else None


def _target(price: Any) -> Decimal | None:
    """A target price. Yahoo writes 0 if there is none."""
    if not isinstance(price, (int, float)) or not math.isfinite(price):
        return None
    return as_figure(float(price)) if 0 < price < _LARGEST_TARGET else None


def _estimates(ticker: Any) -> tuple[Estimates | None, str | None]:
    """The revisions of estimates, or the reason for their absence, because ratings are useful
    without them."""
    try:
        year = ticker.get_eps_revisions().loc[_RUNNING_YEAR]
        raised, cut = (int(year[name]) for name in ("upLast30days", "downLast30days"))
        if min(raised, cut) < 0:
            raise YahooUnusable("a count of it is below zero")
        return Estimates(raised, cut), None
    except UnknownAtYahoo:
        return None, "Yahoo Finance lists no revisions of estimates"
    except YahooRefused as error:
        return None, str(error)
    except (YahooUnusable, KeyError, TypeError, ValueError, AttributeError) as error:
        named = str(error) if isinstance(error, YahooUnusable) else type(error).__name__
        return None, f"Yahoo Finance's revisions of estimates cannot be used: {named}"
