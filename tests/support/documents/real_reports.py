"""Reports of real weeks, compiled once for all tests that look at them."""

import tempfile
from functools import cache
from pathlib import Path

from desk.contracts.findings.results import Leaning, ViewKind
from desk.contracts.week.report import ResearchReport
from tests.trust.in_process import Tools
from tests.trust.real_weeks import Desk, real_config

WEEK, WEEK_BEFORE = "2022-W43", "2022-W42"
"""The yen's turn after an intervention, with decisions in Frankfurt, Ottawa and Tokyo."""


@cache
def real_report(*markets: str, week: str = WEEK) -> ResearchReport:
    """The report of some markets of a week, by the built-in analysts and the real servers."""
    with tempfile.TemporaryDirectory() as folder, Tools(Path(folder)) as tools:
        desk = Desk(tools, real_config(tools))
        return desk.publish(week, [desk.validate(desk.research(week, name)) for name in markets])


@cache
def disputed_report() -> ResearchReport:
    """The report of USD/JPY with the agents at odds about its direction, and with what changed
    since the week before."""
    with tempfile.TemporaryDirectory() as folder, Tools(Path(folder)) as tools:
        desk = Desk(tools, real_config(tools))
        before = desk.publish(WEEK_BEFORE, [desk.validate(desk.research(WEEK_BEFORE, "USD/JPY"))])
        findings = desk.research(WEEK, "USD/JPY")
        prices, rates = findings.results
        (view,) = [view for view in prices.views if view.kind is ViewKind.DIRECTION]
        other = Leaning.UP if view.leaning is Leaning.DOWN else Leaning.DOWN
        opposed = view.model_copy(
            update={"leaning": other, "confidence": 0.5, "claims": (), "forecast": None}
        )
        against = rates.model_copy(update={"views": (*rates.views, opposed)})
        outcome = desk.validate(findings.with_results((prices, against)))
        return desk.publish(WEEK, [outcome], before)
