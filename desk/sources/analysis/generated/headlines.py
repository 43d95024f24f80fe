"""Generated headlines: on some days one, which sounds as its score has it, by the list of words
that the desk reads headlines with."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Final

from desk.analytics.technical.series import PriceSeries
from desk.contracts.findings.source_results import NewsItem
from desk.sources.analysis.generated.relation import GENERATOR, SEED, TONE, Draws, LaterReturns

MARK: Final = "[generated]"
"""Every headline begins with it."""

FEWEST_A_DAY, MOST_A_DAY = 0.15, 0.35
"""How likely a headline is on a day of trading: of each company another share."""

_OPENS: Final = time(11, tzinfo=UTC)
_OPEN_MINUTES: Final = 600

_WORDS: Final = (
    (
        1.2,
        (
            "wins a great contract and celebrates record success",
            "delights investors with excellent results",
            "enjoys its best and strongest season so far",
            "praised for outstanding growth and a brilliant launch",
            "triumphs: superb demand, happy customers",
        ),
    ),
    (
        0.3,
        (
            "gains customers in a good month",
            "improves its outlook",
            "strengthens its lead",
            "welcomes solid interest in a new service",
            "sees a positive start into the season",
        ),
    ),
    (
        -0.3,
        (
            "holds its annual meeting",
            "names a new head of its operations",
            "moves an office to another street",
            "publishes its calendar",
            "changes the layout of its reports",
        ),
    ),
    (
        -1.2,
        (
            "warns of a weak month",
            "loses customers to a rival",
            "delays a launch over problems",
            "faces criticism of its service",
            "cuts its outlook on doubts",
        ),
    ),
    (
        float("-inf"),
        (
            "shaken by terrible losses and a fraud inquiry",
            "suffers its worst failure in years",
            "sued over a disastrous recall, fears grow",
            "in crisis: awful demand, angry customers",
            "hit hard by a scandal and a damaging strike",
        ),
    ),
)
"""From which score on, and what is then said."""


def publisher(seed: int = SEED) -> str:
    """Who a generated headline says that it is from."""
    return f"{GENERATOR}, seed {seed}"


def generated_headlines(series: PriceSeries, name: str, seed: int = SEED) -> Iterator[NewsItem]:
    """The headlines on a company, oldest first.

    `series` has all its prices, in the shares of its last day.
    """
    kind = f"headlines of {series.days[0]}"
    draws = Draws(seed, series.symbol, kind, LaterReturns(series.closes))
    often = FEWEST_A_DAY + draws.share() * (MOST_A_DAY - FEWEST_A_DAY)
    for at, day in enumerate(series.days):
        if draws.share() < often:
            minutes = int(draws.share() * _OPEN_MINUTES)
            said = _said(draws.score(TONE, at), draws.share())
            yield NewsItem(
                headline=f"{MARK} {name} {said}",
                publisher=publisher(seed),
                published_at=datetime.combine(day, _OPENS) + timedelta(minutes=minutes),
            )


def _said(score: float, share: float) -> str:
    words = next(words for least, words in _WORDS if score >= least)
    return words[int(share * len(words))]
