"""What `desk mcp` can be told; here so that `--help` imports nothing else."""

from enum import StrEnum


class Assistant(StrEnum):
    """The clients whose file is known."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
