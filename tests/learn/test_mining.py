"""Causes of failure from counting: planted ones are found, chance is not taken for a cause."""

from __future__ import annotations

import random
from math import comb
from uuid import uuid4

import pytest
from simulated import PLANTED, reports

from hindsight.learn.candidates import procedures, rule_of, stated_rules
from hindsight.learn.episodes import Run, run_of
from hindsight.learn.mining import fisher, mine
from hindsight.records import Kind, Visibility


def run(failed: bool, *tools: str, task_type: str | None = "t", error: str | None = None, message: str = "") -> Run:
    return Run(uuid4(), "a", task_type, tools, failed, error, tools[-1] if failed and tools else None, message)


def exact(both: int, having: int, failures: int, total: int) -> float:
    ways = (comb(failures, k) * comb(total - failures, having - k) for k in range(both, min(having, failures) + 1))
    return sum(ways) / comb(total, having)


@pytest.mark.parametrize("table", [(3, 3, 3, 6), (5, 8, 6, 20), (0, 4, 4, 9), (10, 12, 40, 200), (7, 7, 7, 7)])
def test_fisher_is_the_hypergeometric_tail(table) -> None:
    assert fisher(*table) == pytest.approx(exact(*table))


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_planted_causes_are_recovered_from_simulated_episodes(memory, language) -> None:
    for report in reports(language, seed=1):
        fields = report.model_dump(exclude={"outcome", "task_id", "decisions", "session_id", "repaired_by"}, exclude_defaults=True)
        await memory.task_finished(report.outcome, **{**fields, "calls": report.calls})
    found = await memory.reflect(language=language)
    rules = [each for each in found.proposals if each.candidate.draft.kind is Kind.RULE]
    named = {tuple(each.candidate.grounds.signature.split("\x1f")) for each in rules}
    got = {(feature, tool, other or None) for feature, _, tool, other in named}
    assert found.episodes == 200
    assert len(got & set(PLANTED)) >= 9
    assert len(got - set(PLANTED)) <= 2
    assert {each.status for each in found.proposals} == {"pending"}


def test_over_many_seeds_nine_of_ten_are_found_and_hardly_anything_else() -> None:
    recovered, false, enough = 0, 0, 0
    for seed in range(20):
        runs = [
            Run(
                uuid4(),
                "a",
                report.task_type,
                tuple(call.tool for call in report.calls),
                report.outcome == "failure",
                report.error.split(":")[0] or None,
                next((call.tool for call in report.calls if call.error), None),
            )
            for report in reports("en", seed)
        ]
        got = {(finding.feature, finding.tool, finding.other) for finding in mine(runs)}
        recovered += len(got & set(PLANTED))
        false += len(got - set(PLANTED))
        enough += len(got & set(PLANTED)) >= 9 and len(got - set(PLANTED)) <= 2
    assert recovered >= 0.93 * 20 * 10
    assert false <= 5
    assert enough >= 18


def test_chance_is_not_taken_for_a_cause() -> None:
    false = 0
    for seed in range(20):
        chance = random.Random(seed)
        tools = [f"tool_{n}" for n in range(12)]
        runs = [run(chance.random() < 0.4, *chance.sample(tools, 4), task_type=f"t{n % 4}") for n in range(200)]
        false += len(mine(runs))
    assert false <= 3


@pytest.mark.parametrize("runs", [[], [run(True, "a")], [run(False, "a")] * 5, [run(True)] * 9, [run(True, "a")] * 50])
def test_without_contrast_there_is_no_finding(runs) -> None:
    assert mine(runs) == []


def test_three_failures_are_not_enough() -> None:
    assert mine([run(True, "pay")] * 3 + [run(False, "check", "pay")] * 30) == []
    assert [each.other for each in mine([run(True, "pay") for _ in range(8)] + [run(False, "check", "pay") for _ in range(30)])] == [
        "check"
    ]


def test_evidence_for_and_against_is_named() -> None:
    failed = [run(True, "pay", error="E1") for _ in range(8)]
    lucky = [run(False, "pay")]
    good = [run(False, "check", "pay") for _ in range(12)]
    (finding,) = mine([*failed, *lucky, *good])
    assert (finding.failed, finding.against) == (tuple(each.id for each in failed), (lucky[0].id,))
    assert finding.support == 8
    assert finding.confidence == pytest.approx(8 / 9, abs=1e-3)
    assert finding.lift == pytest.approx((8 / 9) / (8 / 21), abs=1e-2)
    rule = rule_of(finding, ["a"], "en", Visibility.PRIVATE)
    assert "check → pay" in rule.texts["en"]
    assert "check → pay" in rule.texts["zh"]
    assert "E1" in rule.draft.content


def test_an_error_that_names_the_step_needs_one_confirmation() -> None:
    failed = run(True, "pay", message="E7: get_order is required first")
    assert stated_rules([failed], "en", Visibility.PRIVATE) == []
    (rule,) = stated_rules([failed, run(False, "get_order", "pay", task_type="other")], "en", Visibility.PRIVATE)
    assert rule.draft.task_type is None
    assert rule.grounds.supporting == (failed.id,)
    assert stated_rules([failed, run(False, "get_order", "pay"), run(False, "pay"), run(False, "pay")], "en", Visibility.PRIVATE) == []


def test_procedures_need_three_successes_and_few_failures() -> None:
    good = [run(False, "a", "b", "b", "c") for _ in range(3)]
    (found,) = procedures(good, "zh", Visibility.PRIVATE)
    assert found.draft.tools == ("a", "b", "c")
    assert found.draft.task_type == "t"
    assert procedures(good[:2], "zh", Visibility.PRIVATE) == []
    assert procedures([*good, run(True, "a", "b", "c"), run(True, "a", "b", "c")], "zh", Visibility.PRIVATE) == []


async def test_a_run_is_read_back_from_its_episode(memory, finish) -> None:
    kept = await finish(memory, "failure", "Pay 3", "open", ("pay", "E9: the account (4) is closed. Try later"))
    told = run_of(await memory.get(kept.episode.id))
    assert (told.tools, told.failing, told.failed) == (("open", "pay"), "pay", True)
    assert told.message.startswith("E9")
