"""How a model's yes or no counts if the desk did not recognise the question.

The model interprets the objective, and a figure decides it: the model names the form, and the desk
answers first, in its own words, by that form's figure. A yes or no that no figure decides is
reported as the model's, and is not the desk's answer.

Questions about the future are decided by the leader's hypotheses: if the leader is a model, by its
own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.contracts.findings.claims import claim_id
from desk.contracts.question.knowledge import Synthesis, YesOrNo
from desk.contracts.runs.turns import TurnRequest
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.learning.forecasts import HORIZON
from desk.programs.question.builtin.asking import query_of
from desk.programs.swarm.conclusion.account import Account, account_of
from desk.programs.swarm.objectives import (
    CLEAR,
    FORMS,
    FormAnswer,
    ObjectiveForm,
    answer_by,
    form_of,
    question_of_form,
)

_SAYS: Final[Mapping[YesOrNo, str]] = {
    YesOrNo.YES: "The model says yes, and no figure of the desk decides it.",
    YesOrNo.NO: "The model says no, and no figure of the desk decides it.",
}


class ModelDecision(NamedTuple):
    """The decision, and the desk's words before the model's own."""

    decided: YesOrNo | None
    first: str = ""


def forms_for_model(request: TurnRequest) -> dict[str, str]:
    """Returns the forms that the objective may have, each with its question. Only those whose
    figures are known for all markets; none if the desk recognised the form. Forms decided by
    hypotheses are omitted: a model's conclusion has hypotheses of its own."""
    if form_of(query_of(request)).form is not None:
        return {}
    account = account_of(request)
    return {
        form.name: question_of_form(form, account)
        for form in FORMS.values()
        if form.markets is None
        and form.decides
        and not form.by_hypotheses
        and _is_known(form.name, account)
    }


def decided_by_itself(request: TurnRequest) -> str | None:
    """Says how a model's own hypothesis decides the objective; None if something else does."""
    form = form_of(query_of(request)).form
    if form is None or not form.by_hypotheses or not form.mirror:
        return None
    return f"a `direction` over {HORIZON} weeks: yes or no from a probability of {CLEAR} on"


def _ahead(request: TurnRequest, hypotheses: Sequence[Hypothesis]) -> YesOrNo | None:
    """Returns the answer of a model's hypotheses to an objective that they decide."""
    form = form_of(query_of(request)).form
    if form is None or decided_by_itself(request) is None:
        return None
    markets = {hypothesis.market.market for hypothesis in hypotheses}
    own = {name: tuple(h for h in hypotheses if h.market.market == name) for name in markets}
    return answer_by(form, account_of(request), own).decided


def _is_known(name: str, account: Account) -> bool:
    form, markets = FORMS[name], account.markets
    return len(markets) >= form.fewest and all(
        each.kind in form.kinds
        and all(claim_id(each.market, metric) in account.surviving for metric in form.decides)
        for each in markets
    )


def decision(
    request: TurnRequest,
    own: Synthesis,
    about: str | None,
    decided: YesOrNo | None,
    hypotheses: Sequence[Hypothesis],
) -> ModelDecision:
    """Returns what follows from a model's yes, no or form."""
    if _ahead(request, hypotheses) is not None:
        return ModelDecision(decided)
    if own.decided in _SAYS:
        return ModelDecision(decided)
    by_form = _by_form(request, about)
    if about is not None and by_form is not None:
        return _decision(request, own, about, by_form)
    if decided is not None and decided in _SAYS:
        return ModelDecision(own.decided, _SAYS[decided])
    return ModelDecision(decided)


def decision_faults(
    request: TurnRequest,
    own: Synthesis,
    about: str | None,
    decided: YesOrNo | None,
    hypotheses: Sequence[Hypothesis],
) -> Iterator[str]:
    """Yields a fault for a form that does not exist, and for a yes or no that contradicts the
    figure or the model's own hypothesis. A model that thinks that the desk's form is another
    question leaves `decided` empty."""
    offered = forms_for_model(request)
    if about is not None and about not in offered:
        yield f"about: it is not one of the forms. {_offer(offered)}"
        return
    ahead = _ahead(request, hypotheses)
    if ahead is not None and decided not in (ahead, None):
        yield (
            f"decided: your own hypotheses say {ahead}: {decided_by_itself(request)} decides, and"
            " without it the answer is open. Answer so, or change them"
        )
    if ahead is None and {own.decided, decided} == {*_SAYS}:
        yield (
            f"decided: the figure that decides says {own.decided}. Answer so, or leave `decided`"
            " null if the objective asks something else"
        )
    by_form = _by_form(request, about)
    if by_form is not None and {by_form.decided, decided} == {*_SAYS}:
        yield (
            f"decided: by the form `{about}` the figure says {by_form.decided}. Answer so, or leave"
            " `about` null if the objective asks something else"
        )


def _offer(offered: Mapping[str, str]) -> str:
    if not offered:
        return "Leave it null: there are none to choose from"
    return f"Take one of {', '.join(offered)}, or null"


def _by_form(request: TurnRequest, about: str | None) -> FormAnswer | None:
    """Returns the answer of the form that a model named; None if it named none, or no figure
    decides."""
    if about is None or about not in forms_for_model(request):
        return None
    answer = answer_by(FORMS[about], account_of(request), {})
    return answer if answer.decided in _SAYS else None


def _decision(
    request: TurnRequest, own: Synthesis, about: str, answer: FormAnswer
) -> ModelDecision:
    """Returns the answer of a form, with the question that it answers.

    If the opposite form has the other answer by the same figure, the answer depends on which of the
    two was asked, and that is the model's reading. Then both are printed, and neither is the desk's
    yes or no, unless the model's form is also nearer in meaning than its opposite.
    """
    form, account = FORMS[about], account_of(request)
    asked = question_of_form(form, account)
    other = _by_form(request, form.mirror or None)
    opposed = other is not None and other.decided is not answer.decided
    if not opposed or other is None or _is_nearer(request, form):
        taken = f"The model took it as `--about {form.name}`: {asked}"
        return ModelDecision(answer.decided, f"{answer.first} {taken}")
    opposite = f"{question_of_form(FORMS[form.mirror], account)} {str(other.decided).capitalize()}."
    return ModelDecision(
        own.decided, f"{asked} {answer.first} {opposite} The model took it as the first of these."
    )


def _is_nearer(request: TurnRequest, form: ObjectiveForm) -> bool:
    """Returns whether the objective is clearly nearer in meaning to a form than to its opposite:
    then the nearest forms that the desk found before it asked a model include the one and not the
    other."""
    nearest = {each.name for each in form_of(query_of(request)).nearest}
    return form.name in nearest and form.mirror not in nearest
