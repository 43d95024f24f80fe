"""The forms of objective that code can decide: their questions, their figures, and their rules.

A form is an `ObjectiveForm` in one of the modules that `registry` lists.
"""

from desk.programs.swarm.objectives.answering import (
    FormAnswer,
    answer_by,
    chosen_form_words,
    instead_of,
    line_asked,
    offered,
    question_of_form,
    reports_leanings,
)
from desk.programs.swarm.objectives.form import (
    OVER_SPAN,
    Answered,
    Decided,
    MarketView,
    ObjectiveForm,
)
from desk.programs.swarm.objectives.matching import (
    ABOUT,
    AS_OF,
    TAKEN,
    FormMatch,
    form_of,
    matched,
)
from desk.programs.swarm.objectives.nearness import QuestionMeaning
from desk.programs.swarm.objectives.outlooks import CLEAR
from desk.programs.swarm.objectives.registry import FORMS

__all__ = [
    "ABOUT",
    "AS_OF",
    "CLEAR",
    "FORMS",
    "OVER_SPAN",
    "TAKEN",
    "Answered",
    "Decided",
    "FormAnswer",
    "FormMatch",
    "MarketView",
    "ObjectiveForm",
    "QuestionMeaning",
    "answer_by",
    "chosen_form_words",
    "form_of",
    "instead_of",
    "line_asked",
    "matched",
    "offered",
    "question_of_form",
    "reports_leanings",
]
