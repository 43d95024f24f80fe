"""What a line of a log or a span is about."""

from desk.contracts.names import AgentId, workflow_id_parts


def subject_of(workflow_id: str | None, activity_id: str | None = None) -> dict[str, str]:
    """`run`, and `market` and `agent` where the ids name them; empty where there is no workflow."""
    parts = workflow_id_parts(workflow_id or "")
    named = {name: said for name, said in (("run", parts.run), ("market", parts.market)) if said}
    agent = (activity_id or "").split(".", 1)[0]
    return {**named, "agent": agent} if agent in AgentId.known() else named
