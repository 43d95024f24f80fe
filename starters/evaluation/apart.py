"""A desk for an evaluation: beside the user's own, in a temporary folder, on frozen evidence."""

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

from desk.contracts.agents.config import AgentConfig, RunConfig
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.names import AgentId
from desk.platform.settings import DEFAULTS, McpTransport, Settings, load_settings
from starters.session import settings_apart

KNOWLEDGE: Final = "knowledge"
CORPUS: Final = "corpus"
MCP_JSON: Final = ".mcp.json"

ESCALATION: Final = timedelta(seconds=2)
"""How long a conflict waits for a person whom there is not."""


def evaluation_desk(
    settings: Settings, folder: Path, model: str, *, usd: Decimal | None
) -> Settings:
    """Settings of a desk in a folder, with the markets, rules and packaged sources that come with
    the desk, whatever the user's own are; its corpus is the folder `corpus`.

    All agents are the model, which is reached as the user's settings say; each run may cost `usd`
    at most. `builtin` asks no model and takes no key.
    """
    usual = load_settings(folder, {})
    apart = settings_apart(settings, folder)
    by_model = model != BUILTIN
    return apart.model_copy(
        update={
            "config": _config(usual.config, model, usd),
            "deliveries": None,
            "project_dir": folder,
            "desk_config": usual.desk_config,
            "mcp_config": _sources(folder),
            "mcp_transport": McpTransport.IN_PROCESS,
            "memory": usual.memory,
            "payload_keys": None,
            "signing_key": None,
            "metrics_address": None,
            "anthropic_api_key": settings.anthropic_api_key if by_model else None,
        }
    )


def _sources(folder: Path) -> Path:
    """The packaged sources, of which `knowledge` has the corpus of the evaluation."""
    written = json.loads((DEFAULTS / MCP_JSON).read_text(encoding="utf-8"))
    written["mcpServers"][KNOWLEDGE]["args"] += ["--corpus", str(folder / CORPUS)]
    path = folder / MCP_JSON
    path.write_text(json.dumps(written), encoding="utf-8")
    return path


def _config(usual: RunConfig, model: str, usd: Decimal | None) -> RunConfig:
    """The usual rules with one model for everybody. Nobody is there to decide a conflict, so that
    its default holds at once."""
    entries = {entry.agent: entry for entry in usual.policy.agents}
    agents = tuple(
        entries.get(agent, AgentConfig(agent=agent)).model_copy(update={"model": model})
        for agent in AgentId.known()
    )
    deadlines = usual.policy.deadlines.model_copy(
        update={"escalation": ESCALATION, "reminder": ESCALATION}
    )
    budget = usual.policy.budget
    if usd is not None:
        budget = budget.model_copy(update={"usd": usd})
    policy = usual.policy.model_copy(
        update={"agents": agents, "deadlines": deadlines, "budget": budget}
    )
    return usual.model_copy(update={"policy": policy})
