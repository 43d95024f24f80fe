"""The servers under the names that they had before they stood in `desk.sources`, for the
configurations of other programs. They go with the next release but one."""

import runpy
import sys

from desk.platform.settings.mcp_json import RENAMED


def run(earlier: str) -> None:
    """Say what to write instead, and run the server."""
    sys.stderr.write(f"python -m {earlier} is now python -m {RENAMED[earlier]}\n")
    runpy.run_module(RENAMED[earlier], run_name="__main__", alter_sys=True)
