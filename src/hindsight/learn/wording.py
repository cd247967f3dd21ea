"""The sentences of lessons, rules and procedures, in Chinese and English, from the same structure. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hindsight.records import Lesson

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")


def lesson_text(lesson: Lesson, language: Language) -> str:
    """The lesson as one sentence: when X, (do not) do Y, because Z."""
    if language == "zh":
        reason = f"，因为{lesson.reason}" if lesson.reason else ""
        return f"{lesson.condition}，{'不要' if lesson.avoid else '应当'}{lesson.action}{reason}。"
    condition = lesson.condition[:1].upper() + lesson.condition[1:]
    reason = f", because {lesson.reason}" if lesson.reason else ""
    return f"{condition}, {'do not ' if lesson.avoid else ''}{lesson.action}{reason}."


def scope_words(tool: str | None, task_type: str | None, language: Language) -> str:
    """The condition: which task, which tool."""
    if language == "zh":
        task = f"执行“{task_type}”类任务" if task_type else "执行任务"
        return f"{task}并使用 {tool} 时" if task_type and tool else f"使用 {tool} 时" if tool else f"{task}时"
    article = "an" if task_type and task_type[0].lower() in "aeiou" else "a"
    task = f"in {article} {task_type} task" if task_type else "in a task"
    return f"{task} with {tool}" if task_type and tool else f"when using {tool}" if tool else task


def listed(names: Sequence[str], language: Language) -> str:
    """Names as an enumeration in their order."""
    if len(names) < 2:
        return "".join(names)
    if language == "zh":
        return f"{'、'.join(names[:-1])} 和 {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def chain(names: Sequence[str]) -> str:
    """Names as a sequence of steps."""
    return " → ".join(names)
