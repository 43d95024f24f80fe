"""A model that bills every request as it comes in, while hosts die and workers stand still."""

import asyncio
import signal
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.faults.fault import Fault, Seen
from tests.faults.models import asked_twice, billed, line, model, price, variables
from tests.faults.place import Ended, Place, until
from tests.faults.programs import read_json
from tests.faults.scene import Scene
from tests.support.models.billing import Billing

BUDGET: Final = Decimal("0.50")
KILLS: Final = 3
STALL_SECONDS: Final = 10.0
CENT: Final = Decimal("0.0001")


async def host_killed_at_a_paid_turn(scene: Scene) -> Seen:
    """The command, which hosts everything, is killed each time that a request is under way."""
    async with model(scene) as bill:
        place = scene.place(**variables(bill), DESK_BUDGET_USD=str(BUDGET))
        for _ in range(KILLS):
            before, running = len(bill.calls), place.start(*line(scene))
            await until(lambda r=running, b=before: r.over or len(bill.calls) > b, "a request")  # type: ignore[misc]
            await asyncio.sleep(scene.chance.uniform(0, 0.4))
            running.kill()
        ended = await place.counted(*line(scene))
        return _money(scene, place, ended, bill)


async def worker_stalled_at_a_paid_turn(scene: Scene) -> Seen:
    """The worker stands still for a while when it has asked and has no answer yet."""
    async with model(scene) as bill:
        place = scene.place(**variables(bill), DESK_BUDGET_USD=str(BUDGET))
        async with scene.apart(place) as desk:
            asked = desk.place.start(*line(scene))
            at = scene.chance.randint(1, 3)
            await until(lambda: asked.over or len(bill.calls) >= at, "a request")
            desk.worker.signal(signal.SIGSTOP)
            await asyncio.sleep(STALL_SECONDS)
            desk.worker.signal(signal.SIGCONT)
            seen = _money(scene, desk.place, await asked.ended(), bill)
        again = asked_twice(bill)
        return seen.and_(*([f"{again} requests were made twice"] if again else []))


def _money(scene: Scene, place: Place, ended: Ended, bill: Billing) -> Seen:
    report = scene.asking.report(place.reports)
    told = read_json(report)["usage"] if report else {}
    spent, known = billed(bill.calls), Decimal(told.get("cost_usd", "0"))
    again, open_ = asked_twice(bill), Decimal(told.get("lost_usd", "0"))
    bound = f" and at most ${open_:.2f} for lost calls" if told.get("lost_calls") else ""
    return Seen(
        outcome=scene.outcome(place, ended),
        again=len(place.effects.repeated),
        lost=f"{again} of {len(bill.calls)} requests made twice",
        told=f"billed ${spent:.2f} of ${BUDGET}; the report says ${known:.2f}{bound}",
        broken=tuple(_broken(ended, spent, told, max(price(call) for call in bill.calls))),
    )


def _broken(ended: Ended, spent: Decimal, told: dict[str, Any], call: Decimal) -> Iterator[str]:
    if ended.code not in (0, 3):
        yield f"exit status {ended.code}: {ended.told()}"
    if spent > BUDGET + call:
        yield f"${spent:.4f} was billed of ${BUDGET}, more than one call above it"
    known = Decimal(told.get("cost_usd", "0"))
    bound = known + Decimal(told.get("lost_usd", "0"))
    if bound < spent - CENT:
        yield f"${spent:.4f} was billed and the report says ${bound:.4f}, bounds included"
    if known > spent + CENT:
        yield f"the report says ${known:.4f} of ${spent:.4f} that was billed"


FAULTS: Final = (
    Fault(
        "paid-host-killed",
        f"the command, which hosts everything, killed -9 {KILLS} times while a request to a model"
        " that bills each one is under way",
        f"spent at most the budget of ${BUDGET} and one call; the true sum lies between what"
        " the report says and its bound for lost calls",
        host_killed_at_a_paid_turn,
    ),
    Fault(
        "paid-worker-stalled",
        f"the worker stands still for {STALL_SECONDS:.0f} s while a request is under way",
        "no request is made twice, and the report tells the true sum",
        worker_stalled_at_a_paid_turn,
    ),
)
