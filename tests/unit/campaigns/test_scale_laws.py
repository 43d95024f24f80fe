"""What `make scale` says of its figures: the law through them, markets, answers, worker counts."""

import json
import re

import pytest
from pydantic import JsonValue

from desk.contracts.agents.config import RunConfig
from desk.contracts.names import Queue
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.settings import load_settings
from tests.bench.scale.histories import Service
from tests.bench.scale.laws import fitted
from tests.bench.scale.little import TURN_SECONDS, needs, processors
from tests.bench.scale.markets import currencies, generated, runs_of
from tests.bench.scale.sources import renamed
from tests.support.processes.homes import PROJECT

SIZES = (38, 100, 250, 500, 2_000)


def config() -> RunConfig:
    return load_settings(PROJECT, {}).config


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_a_power_is_found_with_no_margin(exponent: float) -> None:
    law = fitted(SIZES, [0.2 * size**exponent for size in SIZES])
    assert law.exponent == pytest.approx(exponent)
    assert law.margin == pytest.approx(0, abs=1e-6)
    assert law.at(1_000) == pytest.approx(0.2 * 1_000**exponent)


def test_the_margin_holds_the_exponent_that_was_disturbed() -> None:
    disturbed = [size * factor for size, factor in zip(SIZES, (1.1, 0.9, 1, 1.1, 0.9), strict=True)]
    law = fitted(SIZES, disturbed)
    assert abs(law.exponent - 1) < law.margin < 0.25


def test_it_says_up_to_where_a_market_costs_no_more() -> None:
    assert fitted(SIZES, [0.2 * size for size in SIZES]).linear_to == 2_000
    bent = [0.2 * size for size in SIZES[:-1]] + [0.3 * SIZES[-1]]
    assert fitted(SIZES, bent).linear_to == 500


def test_generated_markets_all_differ_and_fit_into_runs() -> None:
    markets = generated(2_000, config().markets)
    assert len({spec.market for spec in markets}) == 2_000
    parts = runs_of(markets)
    assert [len(part) for part in parts] == [200] * 10
    for part in parts:
        RunConfig.model_validate({**dict(config()), "markets": tuple(part)})
    with pytest.raises(ValueError, match="at most 200"):
        RunConfig.model_validate({**dict(config()), "markets": markets[:201]})


def test_a_copy_is_told_what_its_template_is_under_its_own_name() -> None:
    code, template = next(iter(currencies(config().markets).items()))
    assert re.fullmatch("[A-Z]{3}", code)
    said: JsonValue = {
        "symbol": f"USD/{template}",
        "words": f"The {template} fell",
        "other": f"{template}X",
    }
    told = renamed(ToolAnswer(content=said), {template: code})
    assert json.loads(json.dumps(told.content)) == {
        "symbol": f"USD/{code}",
        "words": f"The {code} fell",
        "other": f"{template}X",
    }


def test_workers_are_counted_by_what_is_under_way() -> None:
    services = {
        str(Queue.RESEARCH): Service(calls=4.0, waited=0.0, took=0.1),
        "source.ecb": Service(calls=2.0, waited=0.0, took=0.5),
    }
    research, source = needs(services, an_hour=3_600)
    assert research.rate == pytest.approx(4.0)
    assert research.under_way == pytest.approx(0.4)
    assert research.with_model == pytest.approx(4.0 * TURN_SECONDS)
    assert research.workers == 2
    assert source.with_model == pytest.approx(1.0)
    assert source.workers == 1
    assert processors(0.7, an_hour=3_600) == pytest.approx(1.0)
