"""The list of runs, and the page of one run, which follows it."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from desk.contracts.names import workflow_id_parts
from starters.operations.serve.pages.run_snapshots import RunSnapshots, recent_runs
from starters.operations.serve.serving.site import site_of


async def list_runs(request: Request) -> Response:
    """Shows the running runs, those that wait, and those that ended."""
    site = site_of(request)
    runs = await recent_runs(site.desk.client)
    groups = {
        "At work": [run for run in runs if run.at_work],
        "Published, and open": [run for run in runs if run.open and not run.at_work],
        "Ended": [run for run in runs if not run.open],
    }
    part = "runs_live.html.j2" if "hx-request" in request.headers else "runs.html.j2"
    return site.page(request, part, groups=groups)


def redirect_to_run(request: Request, workflow_id: str, query: str = "") -> Response:
    """Redirects to the page of a run that was just started or signalled."""
    looks: RunSnapshots = request.app.state.looks
    looks.forget(workflow_id)
    return RedirectResponse(f"/runs/{quote(workflow_id)}{query}", status_code=303)


async def show_run(request: Request) -> Response:
    """Shows the current state of a run; for a request by the page itself, only the part that
    changes."""
    site = site_of(request)
    desk = site.desk
    workflow_id = request.path_params["workflow_id"]
    looks: RunSnapshots = request.app.state.looks
    look = await looks.look(desk.client, workflow_id)
    if look is None:
        # What belongs to a run is shown on the run's page.
        run = workflow_id_parts(workflow_id).run
        return site.page(request, "no_run.html.j2", 404, workflow_id=workflow_id, run=run)
    is_part = "hx-request" in request.headers
    is_published = look.week is not None and look.files is not None
    has_form = "form" in request.query_params if is_part else is_published
    page = site.page(
        request,
        "run_live.html.j2" if is_part else "run.html.j2",
        look=look,
        has_form=has_form,
        market_of=lambda case: workflow_id_parts(case).market,
        noted=site.unsealed(request.query_params),
        links=site.links_of(look.files),
        temporal=site.ui_of(desk, look.workflow_id, look.run_id),
    )
    if is_published and not has_form:
        # A market can be redone from now on: the form is outside the part that changes.
        page.headers["HX-Refresh"] = "true"
    return page
