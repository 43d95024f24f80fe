"""What `desk learn` does."""

import sys

from desk.platform.settings import load_settings
from starters.endings import ExitStatus
from starters.learn_table import learned_lines
from starters.learned_look import NOTHING_YET, learned
from starters.table_lines import folded


def show_learned(week: str | None, *, as_json: bool) -> ExitStatus:
    """Print what the desk has learned.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    view = learned(load_settings(), week)
    if as_json:
        text = view.model_dump_json(indent=2) if view else "null"
    elif view is None:
        text = "\n".join(folded(NOTHING_YET))
    else:
        text = "\n".join(learned_lines(view))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE
