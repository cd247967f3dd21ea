"""hindsight demo refund: fail once, not twice; and no over-general rule without a person."""

from __future__ import annotations

import pytest

from hindsight.cli.app import DONE
from hindsight.cli.demo.refund import OVER_GENERAL, TASKS, planned, play

SETTINGS = {"embedder": "none", "durability": "normal"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_second_task_heeds_the_lesson_and_the_third_the_rule(cli, language) -> None:
    answer = cli("demo", "refund", "--language", language, "--json")
    told = answer.json
    assert answer.code == DONE
    assert set(told) == {"tasks", "rules"}
    assert all(set(task) == {"name", "memory", "outcome"} for task in told["tasks"])
    outcomes = {(task["name"], task["memory"]): task["outcome"] for task in told["tasks"]}
    names = [task.name for task in TASKS]
    assert [outcomes[name, True] for name in names] == ["failure", "success", "success"]
    assert [outcomes[name, False] for name in names] == ["failure"] * 3
    rules = {rule["text"]: rule["status"] for rule in told["rules"]}
    assert rules.pop(OVER_GENERAL[language]) == "pending"
    (text,) = rules
    assert "check_order_status → issue_refund" in text
    assert rules[text] == "active"


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_without_the_approval_the_third_task_fails(tmp_path, language) -> None:
    told = await play(tmp_path / "shop", SETTINGS, language, approving=False)
    assert [task["outcome"] for task in told["tasks"] if task["memory"]] == ["failure", "success", "failure"]
    assert {rule["status"] for rule in told["rules"]} == {"pending"}


def test_with_the_default_model_it_is_the_same(cli, monkeypatch) -> None:
    monkeypatch.delenv("HINDSIGHT_EMBEDDER")
    told = cli("demo", "refund", "--json").json
    assert [task["outcome"] for task in told["tasks"] if task["memory"]] == ["failure", "success", "success"]


def test_the_agent_does_what_its_memory_says_and_nothing_else() -> None:
    plan = ("get_order", "issue_refund")
    assert planned(plan, "") == ["get_order", "issue_refund"]
    assert planned(plan, "order: check_order_status → issue_refund") == ["get_order", "check_order_status", "issue_refund"]
    assert planned(plan, "顺序：get_order → issue_refund") == ["get_order", "issue_refund"]
    assert planned(plan, "order: steal_money → issue_refund") == ["get_order", "issue_refund"]
    assert planned(plan, f"1. {OVER_GENERAL['en']}") == ["refuse"]
    assert planned(plan, OVER_GENERAL["zh"]) == ["refuse"]


def test_for_people_it_is_a_table(cli) -> None:
    told = cli("demo", "refund").out
    assert "refund-2    on      success" in told
    assert "pending: Always refuse refunds." in told
