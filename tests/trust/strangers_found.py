"""How much of what strangers do to published files `desk audit` finds, class by class.

The damages are drawn by a script that does not know the audit's rules (`tests/trust/strangers`).
They are done to reports of real weeks by the built-in analysts, to the same reports as if a model
had written every sentence, and to answers. The words that no audit can verify are counted.
"""

import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

from desk.contracts.findings.results import Leaning, ViewKind
from desk.contracts.week.report import MarketOutcome, ResearchReport
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from desk.programs.week.document.publishing import publish
from starters.published.audit.command import audit_report
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.answers import FINISHED_AT, ticket_record, validated_record
from tests.support.stocks.reports import stock_record
from tests.support.swarms.reports import swarm_record
from tests.trust.in_process import Tools
from tests.trust.real_weeks import Desk, Findings, real_config
from tests.trust.strangers import damaged_copies

SEED: Final = 20261124
EACH: Final = 3
"""Copies of each class, of the reports by the built-in analysts and of those as if by a model."""
WORKERS: Final = 2
WEEKS: Final = (("2016-W25", "2016-W26"), ("2022-W42", "2022-W43"))
"""The week before, for what changed since, and the week."""
MARKETS: Final = ("EUR/USD", "USD/JPY", "GBP/USD", "USD/HKD", "JP", "GB")
DISPUTED: Final = "USD/JPY"
MODEL: Final = "claude-haiku-5-5"


class Found(NamedTuple):
    """Of one damaged copy: its class, whose words it holds, and whether the audit found it."""

    kind: str
    by_model: bool
    found: bool


class Strangers(NamedTuple):
    """What became of all copies; `sound` are the undamaged files, `objected` those of them that the
    audit objects to. Of the sentences in the sound files the `unverified` are held to their figures
    alone."""

    copies: tuple[Found, ...]
    sound: int
    objected: tuple[str, ...]
    sentences: int
    unverified: int


def run(each: int = EACH) -> Strangers:
    """Damage, audit and count. The same seed gives the same copies."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _publish(root)
        copies = [
            (copy.file, copy.kind, by_model)
            for by_model in (False, True)
            for copy in damaged_copies(_published(root, by_model), root / f"{by_model}", SEED, each)
        ]
        sound = sorted(chain.from_iterable(_latest(d) for d in _published(root, None)))
        with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
            audits = list(pool.map(audited, [file for file, _, _ in copies], chunksize=4))
            base = list(pool.map(audited, sound))
    return Strangers(
        copies=tuple(
            Found(kind, by_model, bool(status))
            for (_, kind, by_model), (status, _, _) in zip(copies, audits, strict=True)
        ),
        sound=len(sound),
        objected=tuple(
            file.name for file, (status, _, _) in zip(sound, base, strict=True) if status
        ),
        sentences=sum(derived + others for _, derived, others in base),
        unverified=sum(others for _, _, others in base),
    )


def audited(file: Path) -> tuple[int, int, int]:
    """The exit status of `desk audit`, the sentences that it wrote anew and those that it could
    not."""
    shown = io.StringIO()
    try:
        with redirect_stdout(shown):
            status = audit_report(str(file), same_as=None, key=None, as_json=True)
    except Exception:  # A file that is refused is found.
        return ExitStatus.FAILED, 0, 0
    sentences = json.loads(shown.getvalue())["sentences"]
    derived = sentences.pop("derived")
    return status, derived, sum(sentences.values())


def _published(root: Path, by_model: bool | None) -> list[Path]:
    names = {True: ["by-model"], False: ["built-in", "answers"]}
    wanted = names[by_model] if by_model is not None else [*names[True], *names[False]]
    return [root / "published" / name for name in wanted]


def _latest(directory: Path) -> Iterator[Path]:
    return (file for file in directory.rglob("*.json") if ".r" not in file.stem)


def _publish(root: Path) -> None:
    folder = root / "published"
    with Tools(root / "cache") as tools:
        desk = Desk(tools, real_config(tools))
        for before, week in WEEKS:
            previous = desk.publish(before, [_outcome(desk, before, m) for m in MARKETS])
            outcomes = [_outcome(desk, week, market) for market in MARKETS]
            publish(desk.publish(week, outcomes, previous), folder / "built-in")
            publish(_by_model(desk, week, outcomes, previous), folder / "by-model")
    for record in (ticket_record(), validated_record(), swarm_record(), stock_record()):
        publish_answer(compile_answer(record, finished_at=FINISHED_AT), folder / "answers")


def _outcome(desk: Desk, week: str, market: str) -> MarketOutcome:
    return desk.validate(desk.research(week, market))


def _by_model(
    desk: Desk, week: str, outcomes: Iterable[MarketOutcome], previous: ResearchReport
) -> ResearchReport:
    """The week as if a model had said all of it, its agents at odds about one market."""
    disputed = desk.validate(_at_odds(desk.research(week, DISPUTED)))
    return desk.publish(
        week,
        [
            _as_told_by_model(disputed if outcome.market == DISPUTED else outcome)
            for outcome in outcomes
        ],
        previous,
    )


def _at_odds(findings: Findings) -> Findings:
    prices, rates = findings.results
    (view,) = [view for view in prices.views if view.kind is ViewKind.DIRECTION]
    other = Leaning.UP if view.leaning is Leaning.DOWN else Leaning.DOWN
    opposed = view.model_copy(
        update={"leaning": other, "confidence": 0.5, "claims": (), "forecast": None}
    )
    return findings.with_results(
        (prices, rates.model_copy(update={"views": (*rates.views, opposed)}))
    )


def _as_told_by_model(outcome: MarketOutcome) -> MarketOutcome:
    validation = outcome.validation
    return outcome.model_copy(
        update={
            "results": tuple(r.model_copy(update={"version": 0}) for r in outcome.results),
            "validation": validation and validation.model_copy(update={"version": 0}),
            "agents": tuple(
                line.model_copy(update={"usage": line.usage.model_copy(update={"model": MODEL})})
                for line in outcome.agents
            ),
        }
    )


def table(told: Strangers) -> str:
    """The counts by class, in Markdown; classes of the same counts share a row."""
    by_kind: dict[str, list[Found]] = {}
    for copy in told.copies:
        by_kind.setdefault(copy.kind, []).append(copy)
    kinds: dict[str, list[str]] = {}
    for kind, copies in by_kind.items():
        kinds.setdefault(_cells(copies), []).append(kind)
    lines = [
        "| classes | built-in analysts, answers: found | sentences by a model: found |",
        "| --- | ---: | ---: |",
        *(f"| {', '.join(names)} | {cells} |" for cells, names in kinds.items()),
    ]
    return "\n".join([*lines, f"| **all** | {_cells(told.copies)} |"])


def _cells(copies: Sequence[Found]) -> str:
    of, found = Counter(c.by_model for c in copies), Counter(c.by_model for c in copies if c.found)
    counts = (f"{found[model]} of {of[model]}" if of[model] else "" for model in (False, True))
    return " | ".join(counts)


def words(told: Strangers) -> str:
    """How the table was made, and the words that nothing verifies."""
    return f"""Copies of published files, damaged by a script whose author had not seen the audit
(`tests/trust/strangers`), with a new seal: up to {EACH} of each class (seed {SEED}), of two weeks
by the built-in analysts, of four answers, and of the same weeks as if a model had written every
sentence. Found is what `desk audit` does not pass. Of the {told.sound} undamaged files it objects
to {len(told.objected)}.

Of the {told.sentences:,} sentences {told.unverified:,} are a model's or an answer's. Their figures
are verified, their words are not, nor what a model judges; `desk audit` counts them. Only the
publisher's signature seals these (`desk audit --key`)."""


def objected(told: Strangers) -> list[str]:
    """Undamaged files that the audit objects to."""
    return [f"{name}: undamaged, and the audit objects" for name in told.objected]
