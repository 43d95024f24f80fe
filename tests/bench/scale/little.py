"""How many workers a rate takes, by Little's law: what is under way is the rate times how long."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from desk.contracts.names import Queue
from tests.bench.scale.histories import Service

AN_HOUR: Final = 10_000
"""Markets."""

SLOTS: Final = 100
"""Activities that a worker has under way at most: the default of Temporal's SDK."""

BUSY: Final = 0.7
"""The share of its slots, or of a processor, that a worker may use: more, and tasks wait."""

TURN_SECONDS: Final = 20.0
"""Of a model, where one is asked; the built-in analysts take what was measured."""

MODEL_QUEUES: Final = (Queue.RESEARCH, Queue.VALIDATION)


@dataclass(frozen=True)
class Need:
    """What a queue's workers have to do at a rate: activities a second, those under way with the
    built-in analysts, and with a model, and the workers that these take."""

    queue: str
    calls: float
    took: float
    rate: float
    under_way: float
    with_model: float
    workers: int


def needs(services: Mapping[str, Service], an_hour: float = AN_HOUR) -> list[Need]:
    """Of each queue, at so many markets an hour."""
    found = []
    for queue, service in services.items():
        rate = an_hour / 3_600 * service.calls
        asked = rate * (TURN_SECONDS if queue in MODEL_QUEUES else service.took)
        found.append(
            Need(
                queue=queue,
                calls=service.calls,
                took=service.took,
                rate=rate,
                under_way=rate * service.took,
                with_model=asked,
                workers=math.ceil(asked / (SLOTS * BUSY)),
            )
        )
    return found


def processors(seconds_a_market: float, an_hour: float = AN_HOUR) -> float:
    """Processors that are kept busy at so many markets an hour, `BUSY` of each."""
    return an_hour / 3_600 * seconds_a_market / BUSY
