"""A task that ends leaves one episode; an error that comes back leaves a lesson."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hindsight.errors import AccessDenied, InvalidInput
from hindsight.records import Channel, Filter, Kind, Outcome, Source, StoreStatus
from hindsight.remember.task import TaskReport, episode_of, lesson_of, signature_of
from hindsight.remember.triggers import TaskTrigger

FAILED = {
    "task": "Deploy the billing service",
    "outcome": "failure",
    "task_type": "deployment",
    "decisions": ["roll out without draining"],
    "calls": [
        {"tool": "kubectl", "arguments": {"cmd": "apply"}, "result": "configured"},
        {"tool": "kubectl", "arguments": {"cmd": "rollout status"}, "error": "Error: CrashLoopBackOff in pod billing-7f"},
    ],
}


@pytest.fixture
def trigger(store, writer):
    return TaskTrigger(store, writer)


async def episodes(store, agent="alice"):
    return list((await store.list(Filter(namespace="home", agent=agent, kinds=(Kind.EPISODE,)))).items)


async def lessons(store, agent="alice"):
    return list((await store.list(Filter(namespace="home", agent=agent, avoid=True))).items)


@pytest.mark.parametrize("outcome", list(Outcome))
async def test_every_end_is_one_episode(store, trigger, caller, outcome):
    kept = await trigger.finished({"task": "Book the venue", "outcome": outcome}, caller())
    assert kept.episode.status is StoreStatus.STORED
    (episode,) = await episodes(store)
    assert episode.outcome is outcome


async def test_an_episode_holds_the_whole_course(store, trigger, caller):
    report = {**FAILED, "outcome": "fixed", "repaired_by": "created the missing secret", "result": "rollout complete", "tags": ["billing"]}
    await trigger.finished(report, caller())
    (episode,) = await episodes(store)
    for part in (
        "Deploy the billing service",
        "roll out without draining",
        "kubectl(cmd=apply): configured",
        "→",
        "CrashLoopBackOff",
        "missing secret",
        "rollout complete",
    ):
        assert part in episode.content
    assert (episode.tools, episode.error_code, episode.task_type) == (("kubectl", "kubectl"), "CrashLoopBackOff", "deployment")
    assert episode.query == "Deploy the billing service"
    assert episode.content.index("apply") < episode.content.index("rollout status")


async def test_raw_results_are_behind_the_reference(store, trigger, caller):
    long = "line of output\n" * 2_000
    await trigger.finished(
        {"task": "Read the log", "outcome": "success", "calls": [{"tool": "cat", "result": long}], "task_id": "17"}, caller()
    )
    (episode,) = await episodes(store)
    assert len(episode.content) < 600
    (ref,) = episode.refs
    (turn,) = await store.turns("home", "alice", ref.session_id, ref.first, ref.last)
    assert turn.content == f"cat {{}}\n{long}".strip()


async def test_a_task_with_an_id_ends_once(store, trigger, caller):
    for _ in range(2):
        await trigger.finished({"task": "Book the venue", "outcome": "success", "task_id": "17"}, caller())
    assert len(await episodes(store)) == 1


async def test_tasks_alike_are_episodes_each(store, trigger, caller, clock):
    for _ in range(2):
        await trigger.finished({"task": "Book the venue", "outcome": "success", "task_id": str(clock.instant)}, caller())
        clock.instant += timedelta(hours=1)
    assert len(await episodes(store)) == 2


async def test_the_same_error_a_second_time_leaves_a_negative_memory(store, trigger, caller):
    first = await trigger.finished({**FAILED, "task_id": "1"}, caller())
    assert first.lesson is None
    second = await trigger.finished({**FAILED, "task_id": "2", "repaired_by": "created the secret", "outcome": "fixed"}, caller())
    assert second.lesson.status is StoreStatus.STORED
    (lesson,) = await lessons(store)
    assert lesson.lesson.avoid
    assert (lesson.kind, lesson.source, lesson.error_code, lesson.tools) == (
        Kind.PROCEDURE,
        Source.INFERRED,
        "CrashLoopBackOff",
        ("kubectl",),
    )
    assert lesson.parents == (first.episode.id,)
    assert "created the secret" in lesson.content
    third = await trigger.finished({**FAILED, "task_id": "3"}, caller())
    assert third.lesson.status is StoreStatus.DUPLICATE
    assert len(await lessons(store)) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"task_type": "troubleshooting"},
        {"calls": [{"tool": "helm", "error": "CrashLoopBackOff"}]},
        {"calls": [{"tool": "kubectl", "error": "ImagePullBackOff: not found"}]},
        {"outcome": "success"},
    ],
)
async def test_another_task_tool_error_or_a_success_is_no_repetition(store, trigger, caller, other):
    await trigger.finished({**FAILED, "task_id": "1"}, caller())
    kept = await trigger.finished({**FAILED, "task_id": "2", **other}, caller())
    assert kept.lesson is None


async def test_what_others_met_is_not_ones_own_repetition(trigger, caller):
    await trigger.finished({**FAILED, "task_id": "1"}, caller("bob"))
    assert (await trigger.finished({**FAILED, "task_id": "2"}, caller())).lesson is None


async def test_chinese_tasks_are_told_in_chinese(store, trigger, caller):
    report = {
        "task": "部署计费服务",
        "outcome": "failure",
        "task_type": "deployment",
        "calls": [{"tool": "kubectl", "arguments": "apply", "error": "权限不足 (EACCES)"}],
    }
    for number in range(2):
        await trigger.finished({**report, "task_id": str(number)}, caller())
    assert "任务：部署计费服务" in (await episodes(store))[0].content
    (lesson,) = await lessons(store)
    assert "不要重复这样调用 kubectl" in lesson.content
    assert "EACCES" in lesson.content


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("KeyError: 'user_id'", "KeyError: 'order_id'", True),
        ("timeout after 30 s on /srv/a", "Timeout after 60 s on /srv/b", True),
        ("connection refused", "connection reset", False),
        ("错误：权限不足", "错误：文件不存在", False),
    ],
)
def test_errors_are_the_same_by_code_or_by_message_without_its_particulars(first, second, same):
    def signature(error):
        return signature_of(TaskReport(task="x", outcome="failure", error=error))

    assert (signature(first) == signature(second)) is same


def test_recalled_text_does_not_come_back_through_an_episode():
    report = TaskReport(
        task="Plan dinner <memory_context>allergic to peanuts</memory_context>", outcome="success", result="<memory_context>x"
    )
    draft = episode_of(report)
    assert "peanuts" not in draft.content + draft.query
    assert "memory_context" not in draft.content


def test_an_error_without_words_has_no_signature():
    assert signature_of(TaskReport(task="x", outcome="failure", error=" \0 ")) is None
    assert lesson_of(TaskReport(task="x", outcome="failure"), []).lesson.avoid


@pytest.mark.parametrize(
    "report", [{}, {"task": "", "outcome": "success"}, {"task": "x", "outcome": "won"}, {"task": "x", "outcome": "success", "colour": 1}]
)
async def test_a_report_that_does_not_fit_writes_nothing(store, trigger, caller, report):
    with pytest.raises(InvalidInput, match="task: "):
        await trigger.finished(report, caller())
    assert await episodes(store) == []


async def test_another_namespace_needs_permission(trigger, caller):
    with pytest.raises(AccessDenied):
        await trigger.finished({"task": "x", "outcome": "success"}, caller(namespaces=("home",)), namespace="secret")


async def test_an_agents_lesson_has_an_agents_trust(store, trigger, caller):
    agent = caller(channel=Channel.AGENT)
    for number in range(2):
        await trigger.finished({**FAILED, "task_id": str(number)}, agent)
    (lesson,) = await lessons(store)
    assert lesson.trust == 0.6
