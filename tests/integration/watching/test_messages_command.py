"""`desk messages` beside a run, open and closed."""

from collections import Counter
from pathlib import Path

from desk.contracts.runs.messages import AgentMessage, MessageType, SystemStatusContent
from tests.support.processes.command import DeskCommand, eventually

WEEK = "2026-W44"
RUN = f"weekly-{WEEK}-usdjpy-jp"
NOT_IN_EVERY_RUN = {MessageType.ERROR_REPORT, MessageType.HEARTBEAT, MessageType.TASK_PROGRESS}
"""There is progress where a turn asks: what a task asks in any case it asks before its turns."""

IN_EVERY_RUN = set(MessageType) - NOT_IN_EVERY_RUN


def sent(text: str) -> list[AgentMessage]:
    return [AgentMessage.model_validate_json(line) for line in text.splitlines()]


def test_a_run_is_told_as_its_messages_in_full_by_market_and_by_type(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    with desk.up():
        assert desk("run", "--week", WEEK, "--markets", "USD/JPY,JP").code == 0
        desk.listed(f"WorkflowId = '{RUN}' AND ResearchWeek = '{WEEK}'")
        what_cannot_be_told_is_said_with_what_to_do(desk)
        status = "system_status"
        assert eventually(lambda: desk("messages", RUN, "--type", status, "--json").out, status)
        answer = desk("messages", WEEK, "--json")
        assert answer.code == 0, answer.err
        messages = sent(answer.out)
        assert {message.type for message in messages} >= IN_EVERY_RUN
        (worker,) = [m.content for m in messages if isinstance(m.content, SystemStatusContent)]
        assert {"desk", "research", "validation", "source.ecb"} <= set(worker.queues)
        own = [message for message in messages if message.type is not MessageType.SYSTEM_STATUS]
        again = sent(desk("messages", RUN, "--json").out)
        assert [m for m in again if m.type is not MessageType.SYSTEM_STATUS] == own
        assert [m.timestamp for m in own] == sorted(m.timestamp for m in own)
    named = {message.message_id for message in messages}
    assert {message.reply_to for message in messages if message.reply_to} <= named
    of_market = sent(desk("messages", WEEK, "--market", "usdjpy", "--json").out)
    assert of_market == [m for m in own if f"{RUN}/market/USD/JPY/" in m.message_id]
    results = sent(desk("messages", WEEK, "--type", "research-result", "--json").out)
    assert results == [m for m in own if m.type is MessageType.RESEARCH_RESULT]
    lines = desk("messages", WEEK).out.splitlines()
    counts = Counter(m.type for m in own)
    told = Counter(line.split()[1] for line in lines if line[2:3] == ":")
    del told[MessageType.SYSTEM_STATUS]
    assert told == counts, "one line a message, however much it says"
    of_type = ["research_result", str(counts[MessageType.RESEARCH_RESULT])]
    assert of_type in [line.split() for line in lines]


def what_cannot_be_told_is_said_with_what_to_do(desk: DeskCommand) -> None:
    for arguments, status, words in (
        (("2026-W99",), 2, "2026-W99"),
        (("2026-W43",), 1, "`desk run --week 2026-W43` researches it"),
        (("weekly-nothing",), 1, "`temporal workflow list`"),
        ((WEEK, "--market", "EUR/USD"), 2, "nearest: USD/JPY"),
        ((WEEK, "--type", "gossip"), 2, "types: task_assignment, task_acceptance"),
    ):
        answer = desk("messages", *arguments)
        assert answer.code == status, arguments
        assert words in answer.err
        assert len(answer.err.splitlines()) == 1
