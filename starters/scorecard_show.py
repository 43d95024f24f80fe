"""What `desk scorecard` does."""

import sys

from desk.platform.settings import load_settings
from starters.endings import ExitStatus
from starters.learned_look import NOTHING_YET, learned
from starters.market_choice import known_market
from starters.scorecard_table import scorecard_lines, scorecard_of
from starters.table_lines import folded


def show_scorecard(week: str | None, market: str | None, *, as_json: bool) -> ExitStatus:
    """Print how the forecasts did, of all markets or of one.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    name = known_market(settings.config, market) if market else None
    view = learned(settings, week, name)
    if view is None:
        text = "null" if as_json else "\n".join(folded(NOTHING_YET))
    else:
        found = scorecard_of(view, name)
        text = found.model_dump_json(indent=2) if as_json else "\n".join(scorecard_lines(found))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE
