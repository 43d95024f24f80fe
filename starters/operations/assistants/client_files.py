"""Where assistants' clients list their MCP servers, and how the desk's servers are added."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import JsonValue

from desk.platform.files import read_text_file
from starters.operations.assistants.entries import SERVERS, Entry, is_ours
from starters.terminal.exit_status import CommandError

_FILE: Final = Path("Claude") / "claude_desktop_config.json"


def desktop_file(variables: Mapping[str, str], system: str = sys.platform) -> Path:
    """Returns the path of Claude Desktop's list of servers on this system, by its documentation."""
    if system == "darwin":
        return Path.home() / "Library" / "Application Support" / _FILE
    if system == "win32":
        roaming = variables.get("APPDATA")
        return (Path(roaming) if roaming else Path.home() / "AppData" / "Roaming") / _FILE
    config = variables.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / _FILE


class Merged(NamedTuple):
    """A client's file with the desk's servers added. `kept` are the servers of the same names that
    stay in it."""

    content: dict[str, JsonValue]
    kept: tuple[str, ...]


def merged(
    there: dict[str, JsonValue],
    ours: Mapping[str, Entry],
    source: Mapping[str, JsonValue],
    *,
    force: bool,
) -> Merged:
    """Adds the desk's servers to the contents of a client's file. Third-party servers stay, even
    under the name of one of the desk's, unless `force`. An entry that is unchanged from `source` is
    replaced."""
    found = there.get(SERVERS)
    servers: dict[str, JsonValue] = dict(found) if isinstance(found, dict) else {}
    kept = (
        ()
        if force
        else tuple(
            name
            for name, entry in ours.items()
            if name in servers
            and servers[name] != entry
            and servers[name] != source.get(name)
            and not is_ours(servers[name])
        )
    )
    servers |= {name: entry for name, entry in ours.items() if name not in kept}
    return Merged({**there, SERVERS: servers}, kept)


def read_client_file(path: Path) -> dict[str, JsonValue]:
    """Reads a client's file. Empty if there is none.

    Raises:
        CommandError: it cannot be read, or is not a JSON object with servers.
    """
    try:
        text = read_text_file(path)
        content = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{path} is no usable JSON: {error}; nothing is changed") from None
    if not isinstance(content, dict) or not isinstance(content.get(SERVERS, {}), dict):
        raise CommandError(f"{path} holds no list of servers; nothing is changed")
    return content


def write_client_file(path: Path, content: Mapping[str, JsonValue]) -> None:
    """Writes a client's file, whole or not at all, and keeps its permissions.

    Raises:
        CommandError: it cannot be written.
    """
    target = path.resolve()
    waiting = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        waiting.write_text(f"{written(content)}\n", encoding="utf-8")
        if target.exists():
            waiting.chmod(target.stat().st_mode)
        waiting.replace(target)
    except OSError as error:
        waiting.unlink(missing_ok=True)
        raise CommandError(f"{path} cannot be written: {error.strerror}") from None


def written(content: Mapping[str, JsonValue]) -> str:
    """Formats the contents of a client's file."""
    return json.dumps(content, indent=2, ensure_ascii=False)
