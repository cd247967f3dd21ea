"""When a lesson applies: its task and its condition are those of the query or of the session."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hindsight.recall.lessons import applies
from hindsight.recall.state import SessionState
from hindsight.recall.understand import Understood
from hindsight.records import Lesson, Memory

from .conftest import make_hit

Asked = Callable[[str], Understood]


def taught(condition: str, task_type: str | None = None) -> Memory:
    return make_hit("lesson", lesson=Lesson(condition=condition, action="do not"), task_type=task_type).memory


@pytest.mark.parametrize(
    ("condition", "query"),
    [
        ("restarting the payment gateway", "I am restarting the payment gateway now"),
        ("退款前没有查询订单状态", "用户要退款，先查询订单状态吗"),
        ("容器之间网络不通", "两个容器之间网络不通怎么办"),
    ],
)
def test_a_condition_that_the_query_meets(asked: Asked, condition: str, query: str) -> None:
    assert applies(taught(condition), 0.0, asked(query), None, 0.2)
    assert not applies(taught(condition), 0.0, asked("写一首诗 write a poem"), None, 0.2)


def test_the_session_can_meet_the_condition(asked: Asked) -> None:
    state = SessionState(board=("Restart the payment gateway",))
    lesson = taught("restarting the payment gateway")
    assert applies(lesson, 0.0, asked("do it again"), state, 0.2)
    assert not applies(lesson, 0.0, asked("do it again"), None, 0.2)


def test_a_lesson_of_another_task_does_not_apply(asked: Asked) -> None:
    query = asked("deploy the payment gateway to production")
    assert query.task_type is not None
    assert applies(taught("deploy the payment gateway", query.task_type), 0.0, query, None, 0.2)
    assert not applies(taught("deploy the payment gateway", "writing"), 0.0, query, None, 0.2)


def test_relevance_counts_only_with_a_shared_word_and_a_threshold(asked: Asked) -> None:
    lesson = taught("rebooting the old mail relay in the basement during the night shift")
    query = asked("is the mail slow")
    assert applies(lesson, 0.9, query, None, 0.2)
    assert not applies(lesson, 0.9, query, None, None)
    assert not applies(lesson, 0.9, asked("lunch"), None, 0.2)


def test_a_memory_without_a_lesson_never_applies(asked: Asked) -> None:
    assert not applies(make_hit("plain").memory, 1.0, asked("plain"), None, 0.2)
