"""The choices of `desk mcp`, in a module of their own so that `--help` imports nothing else."""

from enum import StrEnum


class Assistant(StrEnum):
    """The clients whose configuration file is known."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
