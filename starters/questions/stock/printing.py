"""What `desk stock` prints of an episode besides its report."""

from collections.abc import Iterator

from desk.analytics.figures import print_figure
from desk.analytics.units import UNITS
from desk.contracts.episode.stock import Blackboard, EpisodeStep, Evaluation
from desk.contracts.findings.claims import Metric
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.episode import StockResult
from desk.documents.rendering.words.wording import instant, one_line
from starters.questions.printing import installs_named
from starters.questions.stock.published import WaitingEpisode

SHOWN = (Metric.FORWARD_MOVE, Metric.OVER_CASH, Metric.OVER_HOLDING)


def episode_lines(result: StockResult, answer: AnswerReport | None) -> Iterator[str]:
    """Its steps, what is recommended, what came of it or when that is due, and what there was no
    package for."""
    board = result.board
    yield f"Steps     {step_words(result.steps)}"
    yield f"Advice    {advice_words(board)}"
    yield from evaluation_lines(result)
    untold = (*answer.missing, *(line.error or "" for line in answer.nodes)) if answer else ()
    for command in installs_named(untold):
        yield f"Missing   a package that some tools need; `{command}` installs it"


def step_words(steps: tuple[EpisodeStep, ...]) -> str:
    """`8, 1 of them refused`."""
    refused = sum(step.refused is not None for step in steps)
    return f"{len(steps)}, {refused} of them refused" if refused else str(len(steps))


def advice_words(board: Blackboard) -> str:
    """`buy, confidence 41 %, 54 % likely to be higher in 4 weeks`."""
    if board.recommendation is None:
        return "none was made"
    words = f"{board.recommendation}, confidence {board.confidence:.0%}"
    if board.probability is None:
        return words
    weeks = f"{board.weeks} week{'' if board.weeks == 1 else 's'}"
    return f"{words}, {board.probability:.0%} likely to be higher in {weeks}"


def evaluation_lines(result: StockResult) -> Iterator[str]:
    """What came of the recommendation; while that is waited for, when it is due and how to see it
    then."""
    if result.board.evaluation is not None:
        yield f"Reward    {reward_words(result.board.evaluation)}"
    elif isinstance(result, WaitingEpisode):
        yield (
            f"Due       {instant(result.waits_for)}: the report is then published again with the"
            " evaluation, by a desk that is running (`desk up`)"
        )
        if result.note:
            yield f"Waiting   {one_line(result.note)}"
    elif result.board.recommendation is not None:
        yield "Reward    none: no evaluation was among the steps"


def reward_words(evaluation: Evaluation) -> str:
    """`+0.43 (forward move +2.10 %, over cash +1.60 %, …)`, or that there is none."""
    figures = {figure.metric: figure.value for figure in evaluation.figures}
    known = [
        f"{metric.replace('_', ' ')} {print_figure(figures[metric], UNITS[metric])}"
        for metric in SHOWN
        if metric in figures
    ]
    reward = f"{evaluation.reward:+}" if evaluation.reward is not None else "none"
    return f"{reward} ({', '.join(known)})" if known else reward
