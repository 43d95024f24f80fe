"""The MCP servers of the desk."""

import gc
import sys

# `python -m desk.sources.ecb.server` imports this first. Modules stay to the end of the process: to
# look through them for garbage as they come is a fifth of what the start takes. `run` in
# `desk.sources.serving.command_line` has it looked for again.
if sys.argv[:1] == ["-m"]:
    gc.disable()
