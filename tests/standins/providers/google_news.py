"""The RSS search of Google News: RSS 2.0, headlines of the decisions of the stand-ins' world.

Format: https://news.google.com/rss/search?q=…, at most 100 items, each with its publisher in
`source`, dated by `pubDate`. A title ends with its publisher.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.standins.providers.ecb import header, rows_until
from tests.standins.world import Decision, decisions
from tests.support.addresses.feeds import item, rss

PATH = "rss/search"

BESIDE: tuple[tuple[str, str, datetime], ...] = (
    (
        "Invented: Euro steady before European Central Bank decision",
        "Invented Wire",
        datetime(2026, 10, 29, 8, 30, tzinfo=UTC),
    ),
    (
        "Invented: Krona and krone gain as oil rises",
        "Invented Wire",
        datetime(2026, 10, 27, 9, 0, tzinfo=UTC),
    ),
)
"""Headlines that tell of no decision: title, publisher and instant."""


@cache
def headlines() -> tuple[tuple[str, str, datetime], ...]:
    """All headlines, the newest first: title, publisher and instant. Of each decision of the
    stand-ins' world three tell, what it was and how its currency was fixed next."""
    found = [headline for decision in decisions() for headline in _of(decision)]
    return tuple(sorted((*found, *BESIDE), key=lambda told: told[2], reverse=True))


def _of(decision: Decision) -> Iterator[tuple[str, str, datetime]]:
    bank, outcome = decision.bank, _outcome(decision)
    yield f"Invented: {bank} {outcome}", "Invented Wire", decision.at + timedelta(minutes=5)
    yield f"Invented: The {bank} {outcome}", "Invented Times", decision.at + timedelta(minutes=20)
    name = NAMES.get(decision.area)
    if name and (moved := _moved(decision)):
        title = f"Invented: {name} {moved} after {bank} {outcome}"
        yield title, "Invented Post", decision.at + timedelta(minutes=40)


def _outcome(decision: Decision) -> str:
    if not decision.change:
        return "holds rate"
    verb = "raises" if decision.change > 0 else "cuts"
    return f"{verb} rate by {abs(decision.change) * 100:.0f} basis points"


def _moved(decision: Decision) -> str:
    """How a currency stands by the first fixing after a decision against the one before that; the
    dollar against the euro. Nothing where there is no fixing."""
    code, fixings = CODES[decision.area], _per_dollar()
    after = min((day for day in fixings if day >= decision.day), default=None)
    before = max((day for day in fixings if day < decision.day), default=None)
    if after is None or before is None:
        return ""
    falls = fixings[after][code] > fixings[before][code]
    return "slips" if falls != (decision.area == "US") else "gains"


@cache
def _per_dollar() -> Mapping[date, Mapping[str, float]]:
    """Units of each currency for one dollar by day, as the ECB's stand-in has them."""
    columns = header().rstrip(",").split(",")[1:]
    found: dict[date, Mapping[str, float]] = {}
    for row in rows_until(LAST_FIXING):
        day, *cells = row.split(",")
        if day < FIRST_FIXING:
            break
        euro = {code: float(cell) for code, cell in zip(columns, cells, strict=False) if _is(cell)}
        found[date.fromisoformat(day)] = {
            code: euro.get(code, 1.0) / euro["USD"] for code in CODES.values()
        }
    return found


def _is(cell: str) -> bool:
    return cell not in ("", "N/A")


NAMES = {
    "AU": "Aussie dollar",
    "CA": "Canadian dollar",
    "CH": "Swiss franc",
    "GB": "Sterling",
    "ID": "Rupiah",
    "JP": "Yen",
    "KR": "Won",
    "NZ": "Kiwi",
    "US": "Dollar",
    "XM": "Euro",
}
CODES = {
    "AU": "AUD",
    "CA": "CAD",
    "CH": "CHF",
    "GB": "GBP",
    "ID": "IDR",
    "JP": "JPY",
    "KR": "KRW",
    "NZ": "NZD",
    "US": "EUR",
    "XM": "EUR",
}
FIRST_FIXING, LAST_FIXING = "2025-12-01", date(2026, 12, 31)
"""Between these days the direction of currencies is told."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')


def _terms(query: str) -> list[str]:
    """The alternatives of a query, without the dates that it is bounded by."""
    words = (quoted or bare for quoted, bare in _TERM.findall(query))
    return [word.lower() for word in words if word != "OR" and ":" not in word]


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    terms = _terms(ask.query.get("q", ""))
    found = [
        item(
            f"{title} - {publisher}",
            at,
            source=publisher,
            link=f"https://news.google.com/rss/articles/CBMi{number:04}?oc=5",
        )
        for number, (title, publisher, at) in enumerate(headlines())
        if at.date() <= ask.until and any(term in title.lower() for term in terms)
    ]
    content = rss(*found).content
    if ask.renamed:
        content = content.replace(b"pubDate>", b"releasedOn>")
    return Reply(content, "application/xml; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"google_news": ("--url", url)}


PROVIDER = Provider("google_news", _answer, _arguments)
