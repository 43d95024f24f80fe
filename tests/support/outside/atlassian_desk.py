"""A desk whose tickets, documents and searches are those of others, by configuration alone.

`MCP_JSON` and `DESK_TOML` are what docs/others.md shows, but for what a test gives: where the
programs, the upstream and the papers are.
"""

from typing import Final

from tests.support.outside.atlassian import TOKEN
from tests.support.sources.third_party import ENVIRONMENTS

MCP_JSON: Final = """
{
  "mcpServers": {
    "atlassian": {
      "command": "${SERVERS}/mcp-atlassian/bin/mcp-atlassian",
      "env": {
        "JIRA_URL": "${JIRA_URL}",
        "JIRA_PERSONAL_TOKEN": "${JIRA_PERSONAL_TOKEN}",
        "CONFLUENCE_URL": "${CONFLUENCE_URL}",
        "CONFLUENCE_PERSONAL_TOKEN": "${CONFLUENCE_PERSONAL_TOKEN}",
        "READ_ONLY_MODE": "true",
        "ENABLED_TOOLS": "jira_get_issue,confluence_get_page,confluence_search",
        "FASTMCP_CHECK_FOR_UPDATES": "off"
      }
    },
    "papers": {
      "command": "${SERVERS}/server-filesystem/node_modules/.bin/mcp-server-filesystem",
      "args": ["${PAPERS}"],
      "cwd": "${PAPERS}"
    },
    "knowledge": {"inProcess": "desk.sources.knowledge.server"}
  }
}
"""

DESK_TOML: Final = """
[[capabilities.ticket]]
server = "atlassian"
tool = "jira_get_issue"
names = { ticket_id = "issue_key" }
fixed = { fields = "summary,status,assignee,updated", comment_limit = 0, update_history = false }

[capabilities.ticket.answer]
id = "key"
status = "status.name"
assignee = "(assignee.account_id || assignee.name) && assignee.display_name"
summary = "summary"
url = "browse_url"

[[capabilities.document]]
server = "atlassian"
tool = "confluence_get_page"
names = { doc_id = "page_id", offset = "" }

[capabilities.document.answer]
doc_id = "metadata.id"
title = "metadata.title"
markdown = "metadata.content.value"
url = "metadata.url"
missing = "error"

[[capabilities.document]]
server = "papers"
tool = "read_text_file"
names = { doc_id = "path", offset = "" }
answer = { markdown = "content" }

[[capabilities.web_search]]
server = "atlassian"
tool = "confluence_search"
names = { kinds = "" }
answer = { results = "[*].{title: title, snippet: content.value, url: url}" }
"""


def variables(upstream: str, papers: str, token: str = TOKEN) -> dict[str, str]:
    """What `.mcp.json` wants to be told."""
    return {
        "SERVERS": str(ENVIRONMENTS),
        "PAPERS": papers,
        "JIRA_URL": upstream,
        "JIRA_PERSONAL_TOKEN": token,
        "CONFLUENCE_URL": f"{upstream}/wiki",
        "CONFLUENCE_PERSONAL_TOKEN": token,
    }
