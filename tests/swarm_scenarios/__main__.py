"""`python -m tests.swarm_scenarios [NAME ...]`: the research swarm measured by its scenarios.

Those of tools, failures, rounds and kills play on a real Temporal server with a worker and MCP
servers in processes of their own, each in a home of its own. Prints a table, and `--json FILE`
writes it; the exit status is 1 where a scenario failed.
"""

from starters.terminal.exit_status import exit_now
from tests.scenarios.playing import play
from tests.scenarios.scenario import Scenario
from tests.swarm_scenarios import failures, kills, models, people, rounds, speed

SCENARIOS: tuple[Scenario, ...] = (
    *speed.SCENARIOS,
    *failures.SCENARIOS,
    *people.SCENARIOS,
    *rounds.SCENARIOS,
    *models.SCENARIOS,
    *kills.SCENARIOS,
)

if __name__ == "__main__":
    exit_now(play(SCENARIOS, "tests.swarm_scenarios", __doc__))
