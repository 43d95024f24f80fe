"""A worker process of a swarm's desk that writes down its effects: `python -m ... ROLE`.

The real workers, as `tests.support.processes.counted_worker` has them. Publishing is noted as well,
and what `SWARM_SCRIPT` says goes otherwise: `fail:AGENT` lets an agent give up on every task,
`further` lets the leader want to know more after its first round. Several are separated by commas.
"""

import asyncio
import os
import sys
import time

from activities.publishing.publishing import PublishingActivities
from activities.turns import Analysts
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import AnswerPublication, GraphRecord
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.swarm.plan import Refinement
from tests.support.processes.counted_worker import PAUSE_SECONDS, count_effects, note, work
from tests.support.runs.scripted import gives_up
from workers.hosting import Role

PUBLISHING = "publishing"
"""The stage of the note of a publication. One that nobody heard of writes the same files again."""

FURTHER = "further"
FAIL = "fail:"
REFINED = "What do the seasons say about USD/JPY?"


def follow_script(script: frozenset[str]) -> None:
    """Have agents do as the script says, and else what they do."""
    take_turn = Analysts.__call__

    async def scripted_turn(analyst: Analysts, request: TurnRequest) -> Turn:
        task = request.assignment
        if f"{FAIL}{task.agent}" in script:
            return gives_up(request)
        turn = await take_turn(analyst, request)
        if FURTHER in script and task.task_id == "conclude_1":
            return _wanting_more(turn)
        return turn

    Analysts.__call__ = scripted_turn  # type: ignore[method-assign, assignment]


def note_publishing() -> None:
    """Put a note and a pause before every publication."""
    publish = PublishingActivities._answer

    def noted(activities: PublishingActivities, record: GraphRecord) -> AnswerPublication:
        note(PUBLISHING, record.workflow_id)
        time.sleep(PAUSE_SECONDS)
        return publish(activities, record)

    PublishingActivities._answer = noted  # type: ignore[method-assign, assignment]


def _wanting_more(turn: Turn) -> Turn:
    if not isinstance(turn.result, Synthesis):
        return turn
    more = Refinement(objective=REFINED, reason="Nothing was found that recurs.")
    return turn.model_copy(update={"result": turn.result.model_copy(update={"further": more})})


async def main(role: Role) -> None:
    """Work until killed."""
    count_effects()
    note_publishing()
    follow_script(frozenset(os.environ.get("SWARM_SCRIPT", "").split(",")))
    await work(role)


if __name__ == "__main__":
    asyncio.run(main(Role(sys.argv[1])))
