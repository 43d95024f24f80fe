"""A run's history, told as the messages of a desk. Nothing is sent and nothing is kept.

The same history gives the same messages, with the same ids, in the same order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from desk.contracts.agents.messages import (
    AgentMessage,
    MessageType,
    ResearchResultContent,
    ValidationRequestContent,
)
from desk.contracts.findings.results import ResearchResult
from desk.runs.messages.events import ToldWorkflow
from desk.runs.messages.now import WorkerSeen, pending, statuses
from desk.runs.messages.telling import Entry, Teller


def told(workflows: Iterable[ToldWorkflow], workers: Iterable[WorkerSeen] = ()) -> list[Entry]:
    """The messages of a run by time, then by workflow and event.

    `workers` are those that the server knows while the run is open.
    """
    known = tuple(workers)
    in_use = {one.identity: one.in_use for one in known if not one.over and one.in_use is not None}
    entries = [entry for workflow in workflows for entry in _of(workflow, in_use)]
    entries += statuses(known)
    return _linked(sorted(entries, key=lambda entry: entry[:4]))


def chosen(
    entries: Iterable[Entry], *, market: str | None = None, kind: MessageType | None = None
) -> Sequence[AgentMessage]:
    """The messages about one market, or of one type; all of them where neither is named."""
    return [
        entry.message
        for entry in entries
        if market in (None, entry.market) and kind in (None, entry.message.type)
    ]


def _of(workflow: ToldWorkflow, in_use: Mapping[str, float]) -> Iterator[Entry]:
    teller = Teller(workflow)
    yield from teller.entries()
    yield from pending(teller, in_use)


def _linked(entries: list[Entry]) -> list[Entry]:
    """The entries, with every request to validate naming the messages that delivered."""
    delivered: dict[tuple[str, str], str] = {}
    done = []
    for entry in entries:
        content = entry.message.content
        if isinstance(content, ResearchResultContent) and isinstance(
            content.result, ResearchResult
        ):
            delivered[entry.family, content.result.result_id] = entry.message.message_id
        elif isinstance(content, ValidationRequestContent):
            entry = _naming(entry, content, delivered)
        done.append(entry)
    return done


def _naming(
    entry: Entry, content: ValidationRequestContent, delivered: Mapping[tuple[str, str], str]
) -> Entry:
    keys = ((entry.family, result) for result in content.research_results_to_validate)
    named = tuple(delivered[key] for key in keys if key in delivered)
    content = content.model_copy(update={"delivered_by": named})
    return entry._replace(message=entry.message.model_copy(update={"content": content}))
