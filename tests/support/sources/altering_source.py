"""A source of the desk's own whose answers have words replaced on their way, over stdio.

`python -m tests.support.sources.altering_source MODULE OLD NEW`: NEW stands in JSON as it is given
here.
"""

import os
import subprocess
import sys
import threading


def main(module: str, old: str, new: str) -> int:
    """Relay lines in both directions until the input ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    threading.Thread(target=_relay_input, args=(process,), daemon=True).start()
    for line in process.stdout:
        os.write(1, line.replace(old.encode(), new.encode()))
    return process.wait()


def _relay_input(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    for line in sys.stdin.buffer:
        process.stdin.write(line)
        process.stdin.flush()
    process.stdin.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
