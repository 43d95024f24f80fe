"""The way of one market from `desk run` to the ECB's answer and back to the page, file by file.

`python -m tests.architecture.walk` prints it. A file counts when a step of the way is in it: a
function that is handed the work by the step before and hands it on. A step is handed the work where
the code of the step before names it: by a call, by reference to an activity, or by the name under
which it is registered. What a step only looks up, or is wrapped in, is beside the way:
who does a task, what was done already, the frame of a page.
"""

import ast
from functools import cache
from typing import Final, NamedTuple

from tests.support.homes import PROJECT


class Step(NamedTuple):
    """A function on the way, or `Class.method`, and what happens there.

    `named` is the name by which the step before hands the work to it, where that is not its own.
    `by` is the file that says so, where the step before only knows a name of a registry.
    """

    file: str
    function: str
    words: str
    named: str = ""
    by: str = ""


THERE: Final = (
    Step("starters/main.py", "execute", "the command line"),
    Step(
        "starters/weeks/run.py",
        "run",
        "the options of `desk run`",
        named="starters.weeks.run",
        by="starters/main.py",
    ),
    Step("starters/weeks/run.py", "run_week", "the week and its markets are chosen"),
    Step("starters/runs/command_run.py", "CommandRun.carried_out", "the run is started"),
    Step(
        "workflows/week/week.py",
        "WeeklyResearchWorkflow.run",
        "the week: plan, research, publish",
        named="start_workflow",
        by="starters/runs/command_run.py",
    ),
    Step("workflows/week/markets.py", "WeekMarkets.research_all", "its markets, side by side"),
    Step("workflows/engine/task_runner.py", "TaskRunner.run_or_reassign", "a task, turn by turn"),
    Step("activities/turns.py", "TurnActivities.take_turn", "a turn"),
    Step("desk/programs/turns.py", "builtin_turn", "who takes it, and what is held of it"),
    Step(
        "desk/programs/week/builtin/price_analyst.py",
        "take_turn",
        "the analyst asks for the fixings",
        named="desk.programs.week.builtin.price_analyst:take_turn",
        by="desk/programs/week/program.py",
    ),
    Step(
        "workflows/engine/tools.py",
        "ToolAsking.ask",
        "the call, by the source that is to answer",
        named="ToolAsking",
        by="workflows/engine/task_runner.py",
    ),
    Step("activities/tool_calls.py", "ToolActivities.call_tool", "the call, made once"),
    Step(
        "desk/platform/mcp/pool.py",
        "McpPool.call",
        "the connection to the server",
        named="call",
        by="activities/tool_calls.py",
    ),
    Step(
        "desk/sources/ecb/server.py",
        "EcbTools.get_historical",
        "the ECB's answer",
        named="call_tool",
        by="desk/platform/mcp/pool.py",
    ),
    Step("desk/sources/ecb/store.py", "RatesStore.as_of", "the file, as it was at the instant"),
    Step("desk/sources/ecb/rates.py", "read_rates", "the fixings that are in it"),
)
"""From the command to the fixings."""

BACK: Final = (
    Step(
        "activities/publishing/publishing.py",
        "PublishingActivities.publish_report",
        "the report is compiled and published",
        named="publish_report",
        by="workflows/week/week.py",
    ),
    Step(
        "desk/programs/week/document/compile_report.py",
        "compile_report",
        "what stands, each claim derived again",
    ),
    Step(
        "desk/programs/week/document/publishing.py",
        "publish",
        "its forms on disk",
        by="activities/publishing/publishing.py",
    ),
    Step("desk/programs/week/document/rendering/html.py", "render_html", "the page"),
)
"""From the week with what its markets returned to the page."""


def files(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """The files of the steps, each once."""
    return tuple(dict.fromkeys(step.file for step in steps))


def broken() -> list[str]:
    """The steps that are not there, or to which the step before does not hand the work."""
    found: list[str] = []
    for before, step in zip((None, *THERE, *BACK), (*THERE, *BACK), strict=False):
        if step.function not in _functions(step.file):
            found.append(f"{step.file} has no {step.function}")
        giver = step.by or (before.file if before else "")
        name = step.named or step.function.rpartition(".")[2]
        if giver and name not in _names_in(giver):
            found.append(f"{giver} does not name {name}")
    return found


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse((PROJECT / file).read_text(encoding="utf-8"))


def _functions(file: str) -> set[str]:
    named: set[str] = set()
    for node in _tree(file).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inner = (n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
            named |= {f"{node.name}.{each.name}" for each in inner}
    return named


@cache
def _names_in(file: str) -> frozenset[str]:
    """What the code of a file uses by name: functions, methods, and texts that name something."""
    found: set[str] = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return frozenset(found)


def main() -> None:
    """Print the way and how many files it has."""
    for title, steps in (("There", THERE), ("Back", BACK)):
        print(f"{title}: {len(files(steps))} files")
        for step in steps:
            print(f"  {step.file:55} {step.function:35} {step.words}")
    print(f"In all: {len(files((*THERE, *BACK)))} files")


if __name__ == "__main__":
    main()
