"""Packets are lost and late between the workers and the Temporal server."""

from tests.scenarios.faulty_tools import wrong
from tests.scenarios.scenario import Scenario, Sight, Stage, question
from tests.support.scenarios.desk import asked_until_answered, desk_variables, over_stdio
from tests.support.scenarios.fleet import scenario_fleet
from tests.support.scenarios.network import NEAR, Quality, lossy_line

BAD = Quality(loss=0.05, delay_ms=50, jitter_ms=20)


async def lossy_network(stage: Stage) -> Sight:
    """The server in a namespace, the workers and the command in another, and a bad line between."""
    with lossy_line(BAD) as line:
        far = line.inside(line.far)
        variables = desk_variables(stage.place("network"), over_stdio(), address=NEAR)
        async with scenario_fleet(
            variables, server_inside=line.inside(line.near), workers_inside=far
        ) as fleet:
            asked, times = await asked_until_answered(variables, question(), inside=far)
            again = tuple(f"{key} was done twice" for key in fleet.effects.repeated)
    faults = (*await wrong(asked, stage), *again)
    packets = line.packets
    if packets is None or not packets.lost:
        faults = (*faults, "no packet was lost: the scenario tries nothing")
    lost, given = (packets.lost, packets.given) if packets else (0, 0)
    came_back = f", the command given {times} times" if times > 1 else ""
    words = f"{lost} of {lost + given} packets lost; right after {asked.seconds:.1f} s{came_back}"
    figures = {"seconds": asked.seconds, "packets": lost + given, "lost": lost, "commands": times}
    return Sight(words, faults, figures)


SCENARIOS = (
    Scenario(
        "lossy-network",
        f"{BAD.loss:.0%} of packets lost, the others {BAD.delay_ms} to"
        f" {BAD.delay_ms + BAD.jitter_ms} ms late, each way, between server and worker",
        "the same answer, no call repeated",
        lossy_network,
    ),
)
