"""Records the tape that the tests play: `python -m tests.tapes.record`.

Run it after a change that is meant to alter what agents are asked or what the report says. The
tape and its report are committed.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from tests.support.processes.command import DeskCommand

TAPES = Path(__file__).parent
WEEK = "2026-W44"
MARKETS = "USD/JPY,JP,USD/TWD"
"""A pair, a policy rate, and a pair of which the sources have nothing."""

SLUG = "usdjpy-usdtwd-jp"
TAPE = TAPES / f"{WEEK}-{SLUG}.tape.gz"
REPORT = TAPES / f"{WEEK}-{SLUG}.json"
COMMAND = "python -m tests.tapes.record"


def main() -> int:
    """Research the week and keep its tape and its report; gives the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        desk = DeskCommand(Path(folder))
        done = desk("run", "--week", WEEK, "--markets", MARKETS)
        saved = desk("tape", "save", f"weekly-{WEEK}-{SLUG}", str(TAPE), "--force")
        if saved.code != 0:
            print(done.err, saved.err, file=sys.stderr)
            return 1
        shutil.copyfile(Path(folder) / "reports" / "weekly" / REPORT.name, REPORT)
    print(saved.out.strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
