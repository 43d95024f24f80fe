"""`python -m tests.scenarios [NAME ...]`: the desk measured by the scenarios of seed 002.

Each plays on a real Temporal server with workers in processes of their own, in a home of its own,
and asks the server `knowledge` as a process of its own. Prints a table, and `--json FILE` writes
it; the exit status is 1 where a scenario failed.
"""

from starters.terminal.exit_status import exit_now
from tests.scenarios import duplicates, faulty_tools, kills, many, network
from tests.scenarios.playing import play
from tests.scenarios.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (
    *faulty_tools.SCENARIOS,
    *duplicates.SCENARIOS,
    *kills.SCENARIOS,
    *network.SCENARIOS,
    *many.SCENARIOS,
)
if __name__ == "__main__":
    exit_now(play(SCENARIOS, "tests.scenarios", __doc__))
