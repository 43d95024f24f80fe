"""All providers in one process, for trying the desk without a network: see `--help`."""

import argparse
import shlex
import sys
import threading
from pathlib import Path

from tests.standins.configuration import variables
from tests.standins.provider import Failure, providers
from tests.standins.serving import serving

PORT = 8960
HOME = Path(".desk/standins")


def main(argv: list[str] | None = None) -> int:
    """Serve until Ctrl-C; gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.standins",
        description="Answers for the providers of the desk's sources, with invented data after "
        "the end of what is known.",
    )
    parser.add_argument("--port", type=int, default=PORT, help="default: %(default)s")
    parser.add_argument(
        "--home", type=Path, default=HOME, help="where what it tells is kept apart: %(default)s"
    )
    arguments = parser.parse_args(argv)
    with serving(arguments.port) as standins:
        told = variables(standins, arguments.home.absolute())
        given = " ".join(f"{name}={shlex.quote(value)}" for name, value in told.items())
        sys.stdout.write(
            f"{len(providers())} providers at {standins.url}: {', '.join(providers())}\n"
            f"In another shell, fetch all of it, and run a week: {given} .venv/bin/desk refresh; "
            f"{given} make run\n"
            f"A failure: curl -X PUT '{standins.url}/_failures/ecb?kind=error' "
            f"(or {', '.join(kind for kind in Failure)}; `*` for all); "
            f"well again: curl -X DELETE '{standins.url}/_failures/ecb'\n"
        )
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
