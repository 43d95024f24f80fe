"""See `mcp_servers`."""

from mcp_servers import run

if __name__ == "__main__":
    run("mcp_servers.official_statistics")
