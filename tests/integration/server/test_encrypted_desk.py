"""A desk whose payloads are encrypted: as before for its users, and closed for everybody else."""

import re
from base64 import b64encode
from pathlib import Path

from tests.support.processes.command import DeskCommand

WEEK = ("--week", "2026-W44", "--markets", "USD/JPY")
RUN_ID = "weekly-2026-W44-usdjpy"
OLD, NEW = (f"{name}:{b64encode(name[:1].encode() * 32).decode()}" for name in ("old", "new"))
TOKEN = "open-sesame"
READABLE = '"market":"USD/JPY"'


def codec_endpoint(desk: DeskCommand) -> str:
    """Where the embedded UI sends its payloads, as its settings say."""
    settings = desk.settings_of_ui()
    return str(settings["Codec"]["Endpoint"])


def test_payloads_are_read_with_the_token_and_with_both_keys_of_a_rotation_and_not_with_one(
    tmp_path: Path,
) -> None:
    desk = DeskCommand(tmp_path, DESK_PAYLOAD_KEYS=OLD, DESK_CODEC_TOKEN=TOKEN)
    assert desk("run", *WEEK).code == 0

    rotated = DeskCommand(tmp_path, DESK_PAYLOAD_KEYS=f"{NEW},{OLD}", DESK_CODEC_TOKEN=TOKEN)
    with rotated.up():
        endpoint = codec_endpoint(rotated)
        show = ("workflow", "show", "--workflow-id", RUN_ID, "--output", "json")
        closed = rotated.temporal(*show)
        assert READABLE not in closed.out.replace(" ", "")
        assert "binary/encrypted" in decoded(closed.out)
        opened = rotated.temporal(
            *show, "--codec-endpoint", endpoint, "--codec-auth", f"Bearer {TOKEN}"
        )
        assert "USD/JPY" in opened.out, opened.err
        refused = rotated.temporal(*show, "--codec-endpoint", endpoint, "--codec-auth", "Bearer no")
        assert "USD/JPY" not in refused.out

        rerun = rotated("rerun", "USD/JPY", "--week", "2026-W44", "--reason", "the key is new")
        assert rerun.code in (0, 2), rerun.err
        status = rotated("status", "--week", "2026-W44", "--json")
        assert status.code in (0, 3), status.err
        told = rotated("messages", RUN_ID, "--json")
        assert told.code == 0, told.err
        assert "USD/JPY" in told.out

        without = rotated.asked_with(DESK_PAYLOAD_KEYS=NEW)("messages", RUN_ID)
        assert without.code != 0
        assert "'old', which is not here" in without.err + without.out
        assert rotated("messages", RUN_ID).code == 0, "nothing is lost by that"


def decoded(text: str) -> str:
    """The words that stand in a history as base64."""
    from base64 import b64decode

    found = re.findall(r'"encoding": ?"([\w+/=]+)"', text)
    return " ".join(b64decode(word).decode(errors="replace") for word in found)
