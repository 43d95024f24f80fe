"""Accounts and headlines that are generated for practice."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from desk.analytics.news.headline_polarity import polarity_of
from desk.analytics.technical.companies import NoAccounts
from desk.analytics.technical.series import close_known_from
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.contracts.findings.source_results import NewsItem
from desk.sources.analysis.companies import CompanyTools
from desk.sources.analysis.generated import (
    GENERATED_SOURCE,
    RELATIONS,
    GeneratedFacts,
    PriceMoves,
    has_accounts,
)
from desk.sources.analysis.generated.facts import (
    MARK,
    USUAL_YEAR,
    YEAR,
    YEARS_SWING,
    Draws,
    PriceTrace,
)
from desk.sources.analysis.prices import PriceStore
from desk.sources.ecb.store import RatesStore
from desk.sources.sentiment.stories import Asked, gather_companies

EVER = (datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


@cache
def facts() -> GeneratedFacts:
    return GeneratedFacts(PriceStore(RatesStore()))


def tools() -> CompanyTools:
    return CompanyTools(PriceStore(RatesStore()), facts())


def headlines(symbol: str) -> tuple[NewsItem, ...]:
    return tuple(facts().headlines(symbol, *EVER) or ())


def test_there_are_generated_facts_of_every_packaged_stock_over_years() -> None:
    symbols = PriceStore(RatesStore()).packaged_stocks()
    assert len(symbols) >= 10
    assert all(len(headlines(symbol)) >= 30 for symbol in symbols)
    years = {line.period_end.year for line in facts().accounts("NVDA").lines}
    assert years >= set(range(1999, 2025))


def test_the_same_seed_generates_the_same_and_another_seed_other_facts() -> None:
    again = GeneratedFacts(PriceStore(RatesStore()))
    other = GeneratedFacts(PriceStore(RatesStore()), seed=7)
    assert again.accounts("IBM") == facts().accounts("IBM")
    assert other.accounts("IBM") != facts().accounts("IBM")
    assert tuple(again.headlines("IBM", *EVER) or ()) == headlines("IBM")


def test_every_answer_says_by_what_and_with_which_seed_it_was_made() -> None:
    as_of = datetime(2012, 6, 8, 22, tzinfo=UTC)
    for answer in (
        tools().ratio_calculator("AAPL", as_of),
        tools().earnings_analyzer("AAPL", as_of),
        tools().company_fundamentals("AAPL", as_of),
    ):
        assert answer.source == GENERATED_SOURCE
    source = DataSource(
        server="analysis",
        tool="ratio_calculator",
        name=GENERATED_SOURCE.name,
        tier=SourceTier.DERIVED,
        origin=GENERATED_SOURCE.origin,
        evidence_id="e",
    )
    assert source.generated == "desk facts of companies, version 4, seed 2026"
    assert source.model_copy(update={"origin": "Yahoo Finance"}).generated is None
    assert all(item.headline.startswith(MARK) for item in headlines("AAPL"))
    assert {item.publisher for item in headlines("AAPL")} == {source.generated}


def test_no_headline_is_known_before_its_instant() -> None:
    """A week's headlines are planted into the future by asking the minute before the first."""
    first, *later = headlines("NVDA")[500:520]
    before = first.published_at - timedelta(minutes=1)
    known = gather_companies(facts(), Asked("NVDA", before, 14))
    assert all(story.item.published_at <= before for story in known.stories)
    assert not {first.headline, later[0].headline} & {
        story.item.headline for story in known.stories if story.item.published_at > before
    }
    then = gather_companies(facts(), Asked("NVDA", first.published_at, 14))
    assert max(story.item.published_at for story in then.stories) == first.published_at


def test_accounts_are_known_from_their_report_on_and_no_sooner() -> None:
    lines = facts().accounts("NVDA").lines
    filed = next(line for line in lines if line.period_end == date(2015, 12, 31))
    before, after = filed.known_from - timedelta(seconds=1), filed.known_from
    for as_of, newest in ((before, 2014), (after, 2015)):
        told = tools().company_fundamentals("NVDA", as_of)
        assert all(item.known_from <= as_of for item in told.items)
        assert max(item.period_end for item in told.items).year == newest


def test_a_split_restates_what_is_told_for_a_share() -> None:
    """Nvidia's shares of ten on 10 Jun 2024: the price over earnings goes on as the price does."""
    before, after = (
        {each.metric: float(each.value) for each in answer.figures}
        for day in (date(2024, 6, 7), date(2024, 6, 10))
        for answer in (tools().ratio_calculator("NVDA", close_known_from(day)),)
    )
    for ratio in (Metric.PRICE_TO_EARNINGS, Metric.PRICE_TO_BOOK):
        assert after[ratio] == pytest.approx(before[ratio], rel=0.02)


def test_an_index_has_accounts_and_a_spot_price_has_none() -> None:
    for symbol in ("XAUUSD=X", "NOSUCH"):
        with pytest.raises(NoAccounts, match="no company or index with packaged prices"):
            facts().accounts(symbol)
    assert facts().accounts("^GSPC").reports


def test_there_are_accounts_and_headlines_of_ten_stocks_over_years() -> None:
    store = PriceStore(RatesStore())
    made, spans = GeneratedFacts(store), {}
    for symbol in filter(has_accounts, store.packaged_stocks()):
        told = [report.reported_at.date() for report in made.accounts(symbol).reports]
        assert headlines(symbol)
        spans[symbol] = (max(told) - min(told)).days / 365
    assert len(spans) >= 10
    assert sum(years >= 3 for years in spans.values()) >= 8


def test_a_headline_sounds_as_its_words_are_meant() -> None:
    sides = {item.headline: polarity_of(item.headline).leaning for item in headlines("NVDA")}
    for words, leaning in (
        ("record success", Leaning.UP),
        ("positive start", Leaning.UP),
        ("terrible losses", Leaning.DOWN),
        ("faces criticism", Leaning.DOWN),
        ("annual meeting", Leaning.ABSTAINS),
    ):
        assert {side for told, side in sides.items() if words in told} == {leaning}, words


def random_moves(count: int) -> PriceMoves:
    """Of the first days of one series, whatever their count."""
    steps, trends = np.random.default_rng(3).normal(0, 1, (2, 6_000))
    return PriceMoves(list(np.exp(np.cumsum(0.02 * steps[:count]))), list(trends[:count]))


def test_a_score_is_made_of_the_later_return_and_of_what_it_follows_as_is_stated() -> None:
    moves, places = random_moves(6_000), range(YEAR, 5_000)
    draws = Draws(1, "X", "test", moves)
    for kind, (days, correlation, follows) in RELATIONS.items():
        scores = [draws.score(kind, at) for at in places]
        parts = [[moves.over(at, max(1, days)) for at in places]]
        parts += [[moves.trace(trace, at) for at in places] for trace, _ in follows]
        shares, *_ = np.linalg.lstsq(np.array(parts).T, np.array(scores), rcond=None)
        stated = [correlation, *(share for _, share in follows)]
        assert shares == pytest.approx(stated, abs=0.06), kind
        assert np.std(scores) == pytest.approx(1, abs=0.15)


MOVED = (Decimal(105), Decimal(160))


def test_what_a_fact_follows_is_known_on_its_day_and_is_what_the_figure_tells() -> None:
    whole, known, days = random_moves(900), random_moves(601), (300, 500, 600)
    for trace in PriceTrace:
        assert [whole.trace(trace, at) for at in days] == [known.trace(trace, at) for at in days]
    calm, wild = (PriceMoves([Decimal(100)] * YEAR + [last] * 20) for last in MOVED)
    assert [moves.trace(PriceTrace.YEAR, YEAR) for moves in (calm, wild)] == pytest.approx(
        [(5 - USUAL_YEAR) / YEARS_SWING, (60 - USUAL_YEAR) / YEARS_SWING]
    )


def test_the_practice_servers_tell_generated_facts_and_refuse_to_be_live(tmp_path: Path) -> None:
    from desk.sources.analysis import server as analysis
    from desk.sources.sentiment import server as sentiment

    for module in (analysis, sentiment):
        built = module.from_arguments(["--generated"], cache_dir=tmp_path, refresh_every=None)
        assert built is not None
        with pytest.raises(SystemExit):
            module.from_arguments(["--generated", "--live"], cache_dir=tmp_path, refresh_every=None)
