"""The MCP servers of the desk."""

import gc
import sys

# `python -m desk.sources.ecb.server` imports this first. Modules live as long as the process, and
# collecting garbage while they are imported takes a fifth of the start. `run` in
# `desk.sources.serving.command_line` enables the collection again.
if sys.argv[:1] == ["-m"]:
    gc.disable()
