"""What `desk audit` looks at where the file is an answer."""

import json

from desk.documents.audit.answers.audit import AnswerCounts


def is_answer(text: str) -> bool:
    """Whether a JSON text is an answer and no report of a week."""
    if '"summary_prose":' not in text:
        return False
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "summary_prose" in told


def counted_words(counts: AnswerCounts) -> str:
    """`6 quotations, 0 claims, 5 tool results and 7 references`; what else there is besides, as the
    conflicts and hypotheses of a swarm and the steps and insights of an episode."""
    besides = {
        "conflicts": counts.conflicts,
        "hypotheses": counts.hypotheses,
        "steps": counts.steps,
        "insights": counts.insights,
    }
    told = "".join(f", {count:,} {what}" for what, count in besides.items() if count)
    return (
        f"{counts.quotations:,} quotations, {counts.claims:,} claims{told},"
        f" {counts.tool_results:,} tool results and {counts.references:,} references"
    )
