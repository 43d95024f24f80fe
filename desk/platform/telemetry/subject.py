"""The subject of a log line or a span, from its workflow and activity ids."""

from desk.contracts.names import AgentId, workflow_id_parts


def subject_of(workflow_id: str | None, activity_id: str | None = None) -> dict[str, str]:
    """Returns `run`, and `market` and `agent` if the ids name them. Empty without a workflow."""
    parts = workflow_id_parts(workflow_id or "")
    named = {name: value for name, value in (("run", parts.run), ("market", parts.market)) if value}
    agent = (activity_id or "").split(".", 1)[0]
    return {**named, "agent": agent} if agent in AgentId.known() else named
