"""The options of the command line that ask for faults."""

import argparse
import math

from desk.sources.knowledge.faults.faults import HIGHEST_LATENCY, FaultKind, Faults, FaultSettings

USUAL_LATENCY = "0-500"
"""What `--latency` without a figure means."""


def add_fault_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a server's own."""
    group = parser.add_argument_group("faults, for tests of clients (off unless one is given)")
    group.add_argument(
        "--latency",
        type=_latency,
        nargs="?",
        const=_latency(USUAL_LATENCY),
        metavar="MS|MIN-MAX",
        help=f"wait before each call, at most {HIGHEST_LATENCY} ms (alone: {USUAL_LATENCY})",
    )
    group.add_argument(
        "--error-rate", type=_rate, metavar="RATE", help="share of calls that fail, 0 to 1"
    )
    group.add_argument(
        "--error-kinds",
        type=_kinds,
        default=(FaultKind.INTERNAL_ERROR,),
        metavar="KINDS",
        help=f"how they fail, of {','.join(FaultKind)} (default: 500)",
    )
    group.add_argument(
        "--fault-seed",
        type=int,
        default=0,
        metavar="N",
        help="the same seed gives the same faults (default: 0)",
    )
    group.add_argument(
        "--faults-tool",
        action="store_true",
        help="offer the tools set_faults and get_faults, which change faults while it runs",
    )


def faults_of(arguments: argparse.Namespace) -> Faults | None:
    """The faults that parsed arguments ask for, None where they ask for none."""
    asked = (arguments.latency, arguments.error_rate)
    if all(option is None for option in asked) and not arguments.faults_tool:
        return None
    least, most = arguments.latency or (0, 0)
    settings = FaultSettings(
        latency_ms_min=least,
        latency_ms_max=most,
        error_rate=arguments.error_rate or 0.0,
        kinds=arguments.error_kinds,
        seed=arguments.fault_seed,
    )
    return Faults(settings)


def _latency(text: str) -> tuple[int, int]:
    ends = text.split("-") if "-" in text else [text, text]
    if len(ends) == 2 and all(end.isascii() and end.isdecimal() for end in ends):
        least, most = int(ends[0]), int(ends[1])
        if least <= most <= HIGHEST_LATENCY:
            return least, most
    raise argparse.ArgumentTypeError(
        f"{text!r} is no latency; use 0 to {HIGHEST_LATENCY} ms, or two ends such as 0-500"
    )


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if 0 <= rate <= 1:
        return rate
    raise argparse.ArgumentTypeError(f"{text!r} is no rate; use 0 to 1")


def _kinds(text: str) -> tuple[FaultKind, ...]:
    try:
        return tuple(dict.fromkeys(FaultKind(kind.strip()) for kind in text.split(",")))
    except ValueError:
        known = ",".join(FaultKind)
        raise argparse.ArgumentTypeError(f"{text!r} are no kinds; use some of {known}") from None
