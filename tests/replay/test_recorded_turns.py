"""What agents were shown when a history was recorded is read by today's code, field for field."""

from pathlib import Path
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType

from desk.contracts.names import ActivityName
from desk.contracts.runs.turns import TurnRequest
from desk.platform.temporal.conversion import data_converter
from tests.replay.test_histories import RECORDED, history_of

WRITTEN_AS = {
    name: field.serialization_alias or name for name, field in TurnRequest.model_fields.items()
}
"""The name of each field in a payload."""


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_a_recorded_request_for_a_turn_is_read_whole(path: Path, tmp_path: Path) -> None:
    converter = data_converter(tmp_path)
    for event in history_of(path).events:
        asked = event.activity_task_scheduled_event_attributes
        if (
            event.event_type != EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
            or asked.activity_type.name != ActivityName.TAKE_TURN
        ):
            continue
        (recorded,) = await converter.decode(asked.input.payloads, [dict[str, Any]])
        (request,) = await converter.decode(asked.input.payloads, [TurnRequest])
        assert {WRITTEN_AS[name] for name in request.model_fields_set} == recorded.keys()
