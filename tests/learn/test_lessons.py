"""What single tasks teach: what they state, how a failure was repaired, what the next success did otherwise."""

from __future__ import annotations

import pytest
from simulated import calls

from hindsight.learn.difference import difference, repair_within
from hindsight.learn.lessons import lessons_of
from hindsight.learn.stated import named_steps, required_steps, stated_lessons
from hindsight.records import Outcome, Source, Status
from hindsight.remember.task import TaskReport


@pytest.mark.parametrize(
    ("failed", "succeeded", "missing", "before", "needless", "late"),
    [
        (["refund"], ["check", "refund"], ("check",), "refund", (), ()),
        (["open", "write"], ["open", "lock", "write"], ("lock",), "write", (), ()),
        (["open", "write", "lock"], ["open", "lock", "write"], (), "write", (), ("lock",)),
        (["query", "export"], ["query", "export", "verify"], ("verify",), None, (), ()),
        (["push_hard", "deploy"], ["deploy"], (), None, ("push_hard",), ()),
        (["a", "b"], ["a", "b"], (), None, (), ()),
        ([], ["a"], ("a",), None, (), ()),
        (["a"], [], (), None, ("a",), ()),
    ],
)
def test_what_a_success_did_otherwise(failed, succeeded, missing, before, needless, late) -> None:
    found = difference(failed, succeeded)
    assert (found.missing, found.before, found.needless, found.late) == (missing, before, needless, late)
    assert bool(found) == (failed != succeeded)


def test_the_repair_within_one_task() -> None:
    repaired = repair_within(calls(("pay", "E1: no token"), "login", "pay"))
    assert (repaired.call.tool, repaired.between, repaired.arguments) == ("pay", ("login",), ())
    assert repair_within(calls(("pay", "E1"), "pay")).between == ()
    failed, look, mended = calls(("pay", "E1"), "look", "pay")
    other = repair_within(
        [
            failed.model_copy(update={"arguments": {"amount": 1, "to": "x"}}),
            look,
            mended.model_copy(update={"arguments": {"amount": 2, "to": "x"}}),
        ]
    )
    assert (other.between, other.arguments) == ((), ("amount",))  # what was called between proves nothing
    assert repair_within(calls(("pay", "E1"), "login")) is None
    assert repair_within([]) is None


@pytest.mark.parametrize(
    ("text", "condition", "action", "reason", "avoid"),
    [
        ("When the cache is cold, do not run the benchmark because the numbers are off.", "when the cache is cold", "run the benchmark", "the numbers are off", True),
        ("Never force-push when the branch is shared, otherwise work is lost.", "when the branch is shared", "force-push", "work is lost", True),
        ("Before deploying, always run the tests.", "when deploying", "run the tests", "", False),
        ("磁盘快满的时候，不要开始备份，因为会写坏索引。", "磁盘快满时", "开始备份", "会写坏索引", True),
        ("部署生产环境前，先跑一遍测试，否则会回滚。", "部署生产环境时", "先跑一遍测试", "会回滚", False),
    ],
)  # fmt: skip
def test_lessons_that_somebody_states(text, condition, action, reason, avoid) -> None:
    (lesson,) = stated_lessons(text)
    assert (lesson.condition, lesson.action, lesson.reason, lesson.avoid) == (condition, action, reason, avoid)


@pytest.mark.parametrize("text", ["", "  ", "The task went well.", "任务完成了。", "When did it fail?", "\x00\ud800", "😀" * 3000])
def test_other_texts_state_none(text) -> None:
    assert stated_lessons(text) == []


def test_what_was_recalled_states_nothing_anew() -> None:
    assert stated_lessons("<memory_context>When it rains, do not deploy.</memory_context>") == []


@pytest.mark.parametrize(
    "message",
    [
        "E7: get_order is required first",
        "run get_order before this one",
        "get_order must be called first",
        "missing get_order",
        "E7：请先调用 get_order",
        "需要先执行 get_order 才能退款",
    ],
)
def test_steps_that_an_error_names(message) -> None:
    assert named_steps(message) == ("get_order",)
    assert required_steps(message, ["get_order", "pay"]) == ("get_order",)
    assert required_steps(message, ["pay"]) == ()


def test_words_that_are_no_tools_are_not_taken_for_steps() -> None:
    assert named_steps("please do something first; requires attention") == ()


@pytest.mark.parametrize(
    ("task", "error", "said"),
    [
        (
            "Refund order 3",
            "E7: get_order is required first",
            "In a payout task with pay, do not leave out get_order before pay (order: get_order → pay)",
        ),
        (
            "给订单 3 退款",
            "E7：请先调用 get_order",
            "执行“payout”类任务并使用 pay 时，不要在 pay 之前漏掉 get_order（顺序：get_order → pay）",
        ),
    ],
)
def test_an_error_that_names_the_missing_step_is_a_lesson_at_once(task, error, said) -> None:
    report = TaskReport(task=task, outcome=Outcome.FAILURE, task_type="payout", calls=calls(("pay", error)))
    assert lessons_of(report) == []  # an error cannot send an agent to a tool that it never called
    (lesson,) = lessons_of(report, ["get_order"])
    assert lesson.content.startswith(said)
    assert (lesson.tools, lesson.source, lesson.lesson.avoid) == (("get_order", "pay"), Source.INFERRED, True)
    assert "in a payout task with pay" in lesson.query
    assert "执行“payout”类任务" in lesson.query


def test_a_step_that_was_done_is_not_demanded() -> None:
    report = TaskReport(task="Refund", outcome=Outcome.FAILURE, calls=calls("get_order", ("pay", "call get_order first")))
    assert lessons_of(report) == []


async def test_a_failure_then_a_success_of_the_same_kind_is_a_lesson(memory, finish) -> None:
    failed = await finish(memory, "failure", "Pay out 3", "open", ("pay", "E9: refused"))
    assert failed.learned == ()
    kept = await finish(memory, "success", "Pay out 4", "open", "verify", "pay")
    (result,) = kept.learned
    lesson = await memory.get(result.id)
    assert lesson.tools == ("verify", "pay")
    assert lesson.parents == (failed.episode.id,)
    assert lesson.lesson.avoid
    found = await memory.retrieve("pay out 5 with pay", task_type="payout")
    assert found.hits[0].memory.id == lesson.id
    assert "lesson" in found.hits[0].labels


async def test_a_success_without_the_step_refutes_the_lesson(memory, finish) -> None:
    await finish(memory, "failure", "Pay out 3", "open", ("pay", "E9: refused"))
    (result,) = (await finish(memory, "success", "Pay out 4", "open", "verify", "pay")).learned
    await finish(memory, "success", "Pay out 5", "open", "pay")
    assert (await memory.get(result.id)).status is Status.SUPERSEDED
    assert "without the steps" in (await memory.history(result.id))[-1].reason


async def test_what_successes_did_without_is_no_lesson(memory, finish) -> None:
    await finish(memory, "success", "Pay out 2", "open", "pay")
    await finish(memory, "failure", "Pay out 3", "open", ("pay", "E9: refused"))
    assert (await finish(memory, "success", "Pay out 4", "open", "verify", "pay")).learned == ()


async def test_an_irrelevant_lesson_takes_no_place(memory, finish) -> None:
    await finish(memory, "failure", "Pay out 3", ("pay", "E7: get_order is required first"))
    await memory.store("The canteen opens at noon.")
    found = await memory.retrieve("when does the canteen open")
    assert found.hits[0].memory.content == "The canteen opens at noon."


@pytest.mark.parametrize(
    ("result", "said", "avoid"),
    [
        ("I failed. I should have opened the microwave 1 before heating. Next time I will.", "have opened the microwave 1 before heating", False),
        ("I should never have pushed to main.", "have pushed to main", True),
        ("I was stuck in a loop in which I continually tried to heat apple 3. It did not help.", "go on like this: tried to heat apple 3", True),
        ("失败了。我本应先打开微波炉再加热。", "先打开微波炉再加热", False),
    ],
)  # fmt: skip
def test_what_an_agent_regrets_after_a_failure(result, said, avoid) -> None:
    report = TaskReport(task="Heat the apple", outcome=Outcome.FAILURE, result=result)
    (lesson,) = lessons_of(report)
    assert (lesson.lesson.action, lesson.lesson.avoid) == (said, avoid)
    assert lessons_of(report.model_copy(update={"outcome": Outcome.SUCCESS})) == []


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Refund order 3", "In a payout task with pay, do not stay with the same amount when pay fails, because with another amount it succeeded."),
        ("给订单 3 退款", "执行“payout”类任务并使用 pay 时，不要在 pay 失败后沿用同样的 amount，因为换了 amount 后就成功了。"),
    ],
)  # fmt: skip
def test_a_call_mended_by_other_arguments_names_them(task, said) -> None:
    failed, mended = calls(("pay", "it does not add up, this sum of payments of the whole order"), "pay")
    steps = (failed.model_copy(update={"arguments": {"amount": 1}}), mended.model_copy(update={"arguments": {"amount": 2}}))
    (lesson,) = lessons_of(TaskReport(task=task, outcome=Outcome.FIXED, task_type="payout", calls=steps))
    assert lesson.content == said


@pytest.mark.parametrize(
    ("task", "error"), [("Publish report 3", "E7: the render_page is required first"), ("发布报告 3", "E7：请先调用 render_page")]
)
async def test_where_only_the_tasks_error_is_told_it_is_the_last_tools(memory, agent, task, error) -> None:
    await agent.task_finished("success", task="Draw a page", task_type="drawing", tools=["render_page"])
    kept = await agent.task_finished("failure", task=task, task_type="reporting", tools=["query_data", "send_page"], error=error)
    (result,) = kept.learned
    assert (await agent.get(result.id)).tools == ("render_page", "send_page")
    await agent.task_finished("success", task=task, task_type="printing", tools=["render_page", "send_page"])
    (proposal,) = (await agent.reflect()).proposals
    assert proposal.candidate.draft.tools == ("render_page", "send_page")
