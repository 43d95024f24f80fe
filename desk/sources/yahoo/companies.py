"""What analysts think of a company, and its quarterly accounts, asked of Yahoo Finance."""

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
"""Where Yahoo gives the cookie without which it tells nothing of analysts."""

COMPANY_SECONDS: Final = 10.0
"""For all requests about one company together."""

LINES: Final = frozenset(
    {*AccountItem, "OperatingIncome", "GrossProfit", "OperatingCashFlow"}
    - {AccountItem.EARNINGS_A_SHARE, AccountItem.SHARES}
)
"""The lines of quarterly accounts that are told: money alone, which no split changes."""

NO_DAYS: Final = (
    f"The days of its reports could not be had: {{why}}. Its quarters count as known from "
    f"{QUARTER_DELAY.days} days after their ends, {UNKNOWN_FILING_DELAY.days} after a financial "
    "year's."
)

_ACTIONS: Final[Mapping[str, RatingAction]] = MappingProxyType(
    {"up": RatingAction.RAISED, "down": RatingAction.CUT, "init": RatingAction.BEGUN}
)
"""Yahoo's words; `main` and `reit`, maintained and reiterated, are among what is repeated."""

_LARGEST_TARGET: Final = 1e9
_RUNNING_YEAR: Final = "0y"


class Estimates(NamedTuple):
    """How many estimates of the running year's earnings were raised and cut in the last 30 days."""

    raised: int
    cut: int


class Opinions(NamedTuple):
    """What analysts think of a company as Yahoo has it now, newest first. Without `estimates`,
    `why_none` says why, unless they were not asked for."""

    ratings: tuple[AnalystRating, ...]
    estimates: Estimates | None = None
    why_none: str | None = None


class YahooCompanies(YahooFinance):
    """Yahoo's ratings and quarterly accounts of companies, whenever they were known.

    What it answered is kept for five minutes. What was corrected later is told corrected.
    """

    def __init__(
        self,
        url: str = YAHOO_URL,
        cookies_url: str = COOKIES_URL,
        pages_url: str = PAGES_URL,
        *,
        offline: bool = False,
    ) -> None:
        """Cookies are asked of `cookies_url`, the days of reports of `pages_url`, all else of
        `url`. `offline` is as for `YahooFinance`."""
        super().__init__(url, timeout_seconds=COMPANY_SECONDS, offline=offline)
        self._cookies_url = cookies_url
        self._pages_url = pages_url

    def opinions(self, symbol: str, *, estimates: bool) -> Opinions:
        """The ratings of a company, and with `estimates` how those were revised up to now; nothing
        where Yahoo has no such company.

        Raises:
            YahooRefused: Yahoo could not be asked, or said no.
            YahooUnusable: its answer is not to be relied on.
        """

        def ask(library: Any, _: Any) -> Opinions:
            # yfinance needs its package curl_cffi for a session.
            from desk.sources.yahoo.company_sessions import SummarySession

            with SummarySession(self._url, self._cookies_url, COMPANY_SECONDS) as session:
                ticker = library.Ticker(symbol, session=session)
                ratings = _ratings(library, ticker)
                if not estimates or not ratings:
                    return Opinions(ratings)
                told, why = _estimates(ticker)
                return Opinions(ratings, told, why)

        return self._kept_or_asked(("opinions", symbol, estimates), ask)

    def quarters(self, symbol: str) -> Quarters:
        """The quarterly accounts of a company; none where Yahoo has none.

        Raises:
            YahooRefused: Yahoo could not be asked, or said no.
            YahooUnusable: its answer is not to be relied on.
        """

        def ask(library: Any, _: Any) -> Quarters:
            from desk.sources.yahoo.company_sessions import AccountsSession

            with AccountsSession(self._url, self._pages_url, COMPANY_SECONDS) as session:
                ticker = library.Ticker(symbol, session=session)
                told = statement(library, ticker.get_income_stmt, StatementPeriod.QUARTERLY)
                if not told:
                    return Quarters()
                told |= statement(library, ticker.get_balance_sheet, StatementPeriod.QUARTERLY)
                years = statement(library, ticker.get_income_stmt, StatementPeriod.YEARLY)
                reports = reports_of(ticker)
                notes = (NO_DAYS.format(why=reports.why_none),) if reports.why_none else ()
                year_ends = {end for _, end in years}
                return Quarters(_lines(told, session.currencies, reports.days, year_ends), notes)

        return self._kept_or_asked(("quarters", symbol), ask)


def _lines(
    told: Mapping[Place, Decimal],
    currencies: Mapping[Place, str],
    days: tuple[date, ...],
    year_ends: set[date],
) -> tuple[AccountLine, ...]:
    found = []
    for (name, end), value in told.items():
        if name in LINES:
            delay = longest_delay(end, year_ends)
            known_on = reported_on(end, days, delay) or end + delay
            found.append(AccountLine(name, value, currencies[name, end], end, known_on))
    return tuple(found)


def _ratings(library: Any, ticker: Any) -> tuple[AnalystRating, ...]:
    """The ratings that Yahoo lists, newest first; those of firms without a name are left out."""
    try:
        table = ticker.get_upgrades_downgrades()
    except (UnknownAtYahoo, library.exceptions.YFDataException):
        # The second is said of a list without any row.
        return ()
    rows = zip(table.index, table.to_dict("records"), strict=True)
    told = (_rating(stamp.to_pydatetime().replace(tzinfo=UTC), row) for stamp, row in rows)
    return tuple(sorted(filter(None, told), key=lambda each: each.day, reverse=True))


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
        # Older ratings come without their hour.
        known_from=datetime.combine(at.date() + timedelta(days=1), time(), UTC),
    )


def _words(text: Any) -> str | None:
    return plain_text(text, LONGEST_NAME) or None if isinstance(text, str) else None


def _target(price: Any) -> Decimal | None:
    """A target price; Yahoo writes 0 where there is none."""
    if not isinstance(price, (int, float)) or not math.isfinite(price):
        return None
    return as_figure(float(price)) if 0 < price < _LARGEST_TARGET else None


def _estimates(ticker: Any) -> tuple[Estimates | None, str | None]:
    """The revisions of estimates; ratings can do without, so that a failure is told."""
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
