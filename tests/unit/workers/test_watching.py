"""Dashboard and alerts ask for metrics that there are, in PromQL, and say what to do."""

import re
import shutil
import subprocess

import pytest
import yaml

from tests.support.outside.watched import (
    ALERTS,
    DASHBOARD,
    OBSERVE,
    asked_in,
    documented,
    expressions,
)

GRID = 24


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_an_expression_asks_for_what_the_document_names(expression: str) -> None:
    known = documented()
    asked = asked_in(expression)
    assert asked
    for metric, labels in asked:
        assert metric in known
        assert labels <= known[metric]


def test_what_is_no_promql_is_noticed() -> None:
    with pytest.raises(ValueError):
        asked_in("sum by (agent) (increase(desk_tasks_total[1h])")


@pytest.mark.parametrize(
    ("subject", "metrics"),
    [
        ("MissedWeek", {"desk_latest_week_published"}),
        (
            "CoverageBelowThreshold",
            {"desk_report_coverage_ratio", "desk_report_coverage_threshold_ratio"},
        ),
        ("DeadLetters", {"desk_dead_letters_total"}),
        ("BudgetNearlyUsed", {"desk_report_budget_used_ratio"}),
        ("SourceDown", {"desk_tool_calls_total"}),
    ],
)
def test_there_is_an_alert_for_what_must_not_be_missed(subject: str, metrics: set[str]) -> None:
    (rule,) = (rule for rule in ALERTS if rule["alert"] == subject)
    assert {asked.metric for asked in asked_in(rule["expr"])} == metrics


def test_every_alert_says_what_happened_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in ALERTS}) == len(ALERTS)
    for rule in ALERTS:
        assert rule["labels"]["severity"] in {"page", "warn"}
        assert set(rule["annotations"]) == {"summary", "action"}
        used = set(re.findall(r"\$labels\.(\w+)", yaml.safe_dump(rule["annotations"])))
        assert used <= {label for asked in asked_in(rule["expr"]) for label in asked.labels}


def test_every_metric_of_the_document_is_shown() -> None:
    shown = {asked.metric for expression in expressions() for asked in asked_in(expression)}
    assert shown == set(documented())


def test_the_panels_lie_side_by_side_and_ask_the_source_that_is_provisioned() -> None:
    provisioned = yaml.safe_load(
        (OBSERVE / "grafana/provisioning/datasources/desk.yaml").read_text()
    )
    sources = {(source["type"], source["uid"]) for source in provisioned["datasources"]}
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= GRID
        taken |= cells
        for asking in (panel, *panel["targets"]):
            assert (asking["datasource"]["type"], asking["datasource"]["uid"]) in sources
        for target in panel["targets"]:
            labels = {label for asked in asked_in(target["expr"]) for label in asked.labels}
            assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels | {
                "instance"
            }


def test_prometheus_itself_finds_nothing_wrong_with_the_rules() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("there is no promtool here; Debian's package `prometheus` has it")
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run([promtool, *command], cwd=OBSERVE, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_collector_uses_what_it_defines_and_defines_what_it_uses() -> None:
    collector = yaml.safe_load((OBSERVE / "collector.yaml").read_text())
    pipelines = collector["service"]["pipelines"].values()
    for kind in ("receivers", "processors", "exporters"):
        assert {part for line in pipelines for part in line[kind]} == set(collector[kind])
    prometheus = yaml.safe_load((OBSERVE / "prometheus.yml").read_text())
    jobs = {job["job_name"]: job for job in prometheus["scrape_configs"]}
    port = collector["exporters"]["prometheus"]["endpoint"].rpartition(":")[2]
    assert jobs["collector"]["static_configs"] == [{"targets": [f"collector:{port}"]}]
