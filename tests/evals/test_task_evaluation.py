"""Tasks that need memory: the data, the scripted policy, the world, the report."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hindsight.errors import InvalidInput
from hindsight.evals.tasks.play import play
from hindsight.evals.tasks.policy import decide
from hindsight.evals.tasks.reading import Task, bundled_tasks, read_tasks, schema, small_talk
from hindsight.evals.tasks.report import html_report, summary

ABILITIES = {"api_usage", "preference", "constraint", "changed_fact", "failure", "procedure", "time", "negation", "who_said", "shared"}


def test_there_are_fifty_tasks_of_ten_abilities_in_two_languages() -> None:
    tasks = bundled_tasks()
    assert len(tasks) == 50
    assert {task.ability for task in tasks} == ABILITIES
    for ability in ABILITIES:
        assert {task.language for task in tasks if task.ability == ability} == {"en", "zh"}
    for task in tasks:  # the question does not tell the answer, and by itself the agent is wrong
        asked = task.ask.casefold()
        assert task.tool.right.casefold() not in asked or task.tool.default.casefold() in asked, task.id
        assert task.tool.call(task.tool.default) is not None
        assert task.tool.call(task.tool.right) is None


def test_small_talk_tells_nothing_that_a_task_needs() -> None:
    said = [text for turns in small_talk().values() for _, text in turns]
    for task in bundled_tasks():
        assert not [text for text in said if all(each.casefold() in text.casefold() for each in task.evidence)], task.id


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        ([], "dollars"),
        (["The API takes the amount in cents, not in dollars."], "cents"),
        (["Do not use dollars."], "euros"),
        (["dollars are not supported"], "euros"),
        (["Pay in cents (2026-01-02)", "Pay in euros (2026-03-04)"], "euros"),
        (["Pay in cents", "Pay in euros"], "cents"),
        (["must not exceed 20 euros"], "euros"),
        (["用 cents，不要用 dollars"], "cents"),
        (["centsible dollarsign"], "dollars"),
        (["avoid cents and euros"], "dollars"),
    ],
)
def test_the_policy_reads_and_nothing_else(texts: list[str], chosen: str) -> None:
    assert decide(["dollars", "euros", "cents"], "dollars", texts) == chosen


async def test_played_tasks_are_reported(tmp_path) -> None:
    wanted = {"constraint-zh-1", "failure-en-1", "who-en-1", "share-zh-1"}
    chosen = [task for task in bundled_tasks() if task.id in wanted]
    seen: list[tuple[int, int]] = []
    played = await play(chosen, settings={"embedder": "none"}, progress=lambda *told: seen.append(told))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    report = summary(played, {"embedder": "none"})
    assert json.loads(json.dumps(report))["tasks"] == 4
    assert list(report["rows"]) == ["memory", "full_history", "none"]
    assert report["rows"]["memory"]["application_accuracy"] == 1.0
    assert report["rows"]["memory"]["token_saving"] > 0.8
    assert report["rows"]["none"]["application_accuracy"] == 0.0
    page = html_report(report)
    assert "<script" not in page
    assert page.count("<svg") == 3
    assert "constraint-zh-1" in page


async def test_a_day_that_was_told_relatively_is_the_day_it_happened() -> None:
    wanted = {"time-en-1", "time-zh-2"}
    played = await play([task for task in bundled_tasks() if task.id in wanted], settings={"embedder": "none"})
    assert {each.task for each in played if each.row == "memory" and each.applied} == wanted
    assert not [each for each in played if each.row == "full_history" and each.applied]  # the day on which it was said misleads


def test_own_tasks_are_read_and_faults_are_named(tmp_path) -> None:
    task = bundled_tasks()[0].model_dump(mode="json")
    (tmp_path / "a.jsonl").write_text(json.dumps(task) + "\n\n", encoding="utf-8")
    assert [each.id for each in read_tasks(tmp_path)] == [task["id"]]
    (tmp_path / "b.jsonl").write_text(json.dumps(task | {"id": "x", "tool": task["tool"] | {"right": "gold"}}) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"b\.jsonl, line 1: tool: .*two of the values"):
        read_tasks(tmp_path)
    with pytest.raises(InvalidInput, match="one task a line"):
        read_tasks(tmp_path / "none")
    (tmp_path / "b.jsonl").write_text(json.dumps(task | {"before": [{"on": "2026-01-01"}]}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="exactly one of"):
        read_tasks(tmp_path)


def test_the_schema_is_printed() -> None:
    run = [sys.executable, "-c", "from hindsight.cli.app import main; main()", "eval", "tasks", "--schema"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert json.loads(done.stdout) == schema()
    assert schema()["title"] == Task.__name__
