"""Nothing goes wrong, or the server `knowledge` answers late, wrongly or not at all."""

from collections.abc import Iterator

from tests.scenarios.scenario import Scenario, Sight, Stage, question
from tests.support.knowledge.process import http_server
from tests.support.processes.command import DeskCommand
from tests.support.scenarios.desk import Asked, ask, desk_variables, over_http, over_stdio

NOMINAL_SECONDS = 10.0
LATE_SECONDS = 15.0
LATENCY_MS = 1_500
ERROR_RATE = 0.3
SEED = 2
SHORT = "2 s"
"""The deadline of a tool call where some are never answered: the desk waits that long before it
asks again."""


async def happy_path(stage: Stage) -> Sight:
    """A question put twice to a desk that is up."""
    directory = stage.place("happy-path")
    variables = desk_variables(directory, over_stdio())
    with DeskCommand(directory, **variables).up():
        first = await ask(variables, question())
        again = await ask(variables, question(), "--again")
    if first.answer is not None:
        stage.keep(first.answer)
    faults = (
        *_late(first, NOMINAL_SECONDS),
        *await wrong(first, stage),
        *await wrong(again, stage),
    )
    words = f"right after {first.seconds:.1f} s, asked again after {again.seconds:.1f} s"
    return Sight(words, faults, {"seconds": first.seconds, "again_seconds": again.seconds})


async def high_latency(stage: Stage) -> Sight:
    """The same where every call of a tool takes its time."""
    directory = stage.place("latency")
    options = ("--latency", f"{LATENCY_MS}-{LATENCY_MS}")
    variables = desk_variables(directory, over_stdio(*options))
    with DeskCommand(directory, **variables).up():
        asked = await ask(variables, question())
    faults = (*_late(asked, LATE_SECONDS), *await wrong(asked, stage))
    return Sight(f"right after {asked.seconds:.1f} s", faults, {"seconds": asked.seconds})


async def errors(stage: Stage, kind: str, tool_call: str | None = None) -> Sight:
    """The same where some calls fail, over HTTP."""
    with http_server(*_faults(kind), "--faults-tool") as server:
        at = stage.place(f"{kind}-http")
        variables = desk_variables(at, over_http(server.port), tool_call=tool_call)
        asked = await ask(variables, question())
        injected = sum(server.call("get_faults")["injected"].values())
    faults = await wrong(asked, stage)
    if not injected:
        faults = (*faults, "no call failed: the scenario tries nothing")
    words = f"{injected} calls failed and were made again; right after {asked.seconds:.1f} s"
    return Sight(words, faults, {"failed_calls": injected, "seconds": asked.seconds})


async def errors_500(stage: Stage) -> Sight:
    """Over HTTP, and over stdio as well, where it is an error of JSON-RPC that says the same. What
    fails is drawn from the seed and the call, so that the same calls fail."""
    over = await errors(stage, "500")
    variables = desk_variables(stage.place("500-stdio"), over_stdio(*_faults("500")))
    asked = await ask(variables, question())
    faults = tuple(f"over stdio: {fault}" for fault in await wrong(asked, stage))
    words = f"{over.words}, over stdio after {asked.seconds:.1f} s"
    return Sight(words, over.faults + faults, {**over.figures, "stdio_seconds": asked.seconds})


def _faults(kind: str) -> tuple[str, ...]:
    return ("--error-rate", str(ERROR_RATE), "--error-kinds", kind, "--fault-seed", str(SEED))


async def wrong(asked: Asked, stage: Stage) -> tuple[str, ...]:
    """What is wrong with an answer: it is not the known one, or not that of the undisturbed run."""
    found = (asked.fault(question()), await stage.differs(asked.answer))
    return tuple(fault for fault in found if fault is not None)


def _late(asked: Asked, seconds: float) -> Iterator[str]:
    if asked.seconds >= seconds:
        yield f"it took {asked.seconds:.1f} s, and not less than {seconds:.0f} s"


def _errors(kind: str, how: str, tool_call: str | None = None) -> Scenario:
    async def play(stage: Stage) -> Sight:
        return await errors(stage, kind, tool_call)

    share = f"{ERROR_RATE:.0%} of the calls"
    within = f" (a call's deadline is {tool_call})" if tool_call else ""
    return Scenario(
        f"errors-{kind}", f"{share} {how}{within}", "asked again, the same answer", play
    )


SCENARIOS = (
    Scenario(
        "happy-path",
        "a question to a desk that is up",
        f"right, complete, under {NOMINAL_SECONDS:.0f} s",
        happy_path,
    ),
    Scenario(
        "errors-500",
        f"{ERROR_RATE:.0%} of the calls answer with status 500",
        "asked again, the same answer",
        errors_500,
    ),
    _errors("timeout", "are never answered", SHORT),
    _errors("malformed", "answer with something that is no JSON", SHORT),
    _errors("truncated", "break off in the middle", SHORT),
    Scenario(
        "latency",
        f"every call takes {LATENCY_MS:,} ms longer",
        f"the same answer, under {LATE_SECONDS:.0f} s",
        high_latency,
    ),
)
