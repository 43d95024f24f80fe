"""Whole episodes of the built-in agents, with the servers as they are offline."""

from datetime import UTC, datetime

import pytest

from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric, claim_id
from desk.programs.episode.actions import ORDER, PART_METRICS
from desk.trust.prose.synthesis_review import claims_in
from tests.support.stocks.answers import ADVANCED, ADVICE, BASIC, INSIGHT
from tests.support.stocks.asking import AS_OF, Played, offline_servers


async def test_an_episode_fills_the_whole_blackboard_in_the_usual_order() -> None:
    async with offline_servers() as servers:
        played = await Played(servers).play()
    board = played.told
    assert tuple(played.chosen) == ORDER == board.taken
    assert board.ta_basic_data and not board.ta_basic_data.lacking
    assert board.ta_advanced_data and not board.ta_advanced_data.lacking
    assert board.fundamentals_data and not board.fundamentals_data.figures
    assert board.insights
    assert board.recommendation is Recommended.BUY
    assert board.evaluation and board.evaluation.reward is not None
    claims = claims_in(tuple(played.state.values()))
    assert claim_id("NVDA", Metric.REWARD) in claims


@pytest.mark.parametrize(
    ("symbol", "as_of", "lacks"),
    [
        ("XAUUSD=X", datetime(2016, 6, 10, 23, tzinfo=UTC), Metric.ADX),
        ("FB", datetime(2012, 8, 10, 23, tzinfo=UTC), Metric.SMA_200),
    ],
)
async def test_a_short_or_thin_history_lacks_what_it_cannot_give_and_says_why(
    symbol: str, as_of: datetime, lacks: Metric
) -> None:
    async with offline_servers() as servers:
        played = await Played(servers, symbol=symbol, as_of=as_of).play()
    action = BASIC if lacks in PART_METRICS[BASIC] else ADVANCED
    assert lacks not in played.board.values
    assert played.research(action).missing
    assert played.told.evaluation is not None


@pytest.mark.parametrize(
    ("symbol", "as_of", "words"),
    [
        ("NVDQ", AS_OF, "The nearest are NVDA (Nvidia)."),
        ("NVDA", datetime(1990, 6, 10, 23, tzinfo=UTC), "There were no prices of NVDA by 1990-06"),
        ("EUR", AS_OF, "There are no prices of a stock EUR as of 2024-06-10"),
    ],
)
async def test_what_there_are_no_prices_of_is_refused_before_anything_is_fetched(
    symbol: str, as_of: datetime, words: str
) -> None:
    async with offline_servers() as servers:
        played = await Played(servers, symbol=symbol, as_of=as_of).play()
    assert not played.chosen
    assert played.refused is not None
    assert words in played.refused


async def test_steps_may_repeat_and_begin_anywhere() -> None:
    steps = (BASIC, INSIGHT, BASIC, ADVICE)
    async with offline_servers() as servers:
        played = await Played(servers).play(*steps)
    assert played.told.taken == steps
    assert played.state[BASIC].round == 2
    assert played.synthesis.recommendation is not None
