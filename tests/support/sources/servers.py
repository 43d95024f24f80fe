"""The modules of the desk's own servers by the names that `.mcp.json` gives them."""

from desk.platform.settings.mcp_json import RENAMED


def module_of(server: str) -> str:
    """The module of a server of the desk."""
    return RENAMED[f"mcp_servers.{server}"]
