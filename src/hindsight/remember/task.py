"""A finished or failed task → the one episode that is always kept of it. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hindsight.guard.envelope import strip_recalled
from hindsight.records import DebugInfo, Draft, Kind, Lesson, Memory, Outcome, Ref, Source, default_idempotency_key
from hindsight.remember.distil.clauses import language_of
from hindsight.text.fold import fold, sanitise

SHOWN_RESULT = 160
"""Characters of a tool result kept in the episode; the whole of it is in the raw turns."""
SHOWN_INPUT = 600
_SHOWN_DECISION = 240
MAX_CALLS = 200
_Text = Annotated[str, Field(max_length=1_000_000)]


class ToolCall(BaseModel):
    """One call of a tool, in the order of the task. ``error`` is what it failed with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    result: _Text = ""
    error: _Text = ""
    at: datetime | None = None


class TaskReport(BaseModel):
    """What a caller says of a task when it ends.

    ``decisions`` are what was decided on the way, in order; ``repaired_by`` says how a failure was mended (outcome ``fixed``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: Annotated[str, Field(min_length=1, max_length=65_536)]
    outcome: Outcome
    task_type: str | None = None
    decisions: tuple[_Text, ...] = ()
    calls: Annotated[tuple[ToolCall, ...], Field(max_length=MAX_CALLS)] = ()
    result: _Text = ""
    error: _Text = ""
    repaired_by: _Text = ""
    session_id: str | None = None
    task_id: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    tags: tuple[str, ...] = ()


_LEADING_CODE = re.compile(r"\s*\[?([A-Z][A-Z0-9_.-]{0,30}\d[A-Z0-9_.-]{0,30})\]?\s*[:：]")
"""A code of the program's own that a message begins with: "E42: not paid"."""
_WORDS: dict[Literal["zh", "en"], dict[str, str]] = {
    "zh": {
        "task": "任务：",
        "decided": "决定：",
        "steps": "步骤：",
        "result": "结果：",
        "error": "错误：",
        "repaired": "修复方式：",
        "outcome": "结局：",
        "failed": "失败",
        "stop": "。",
        "success": "成功",
        "failure": "失败",
        "fixed": "失败后修复",
        "corrected": "经人纠正",
        "unknown": "未知",
    },
    "en": {
        "task": "Task: ",
        "decided": "Decided: ",
        "steps": "Steps: ",
        "result": "Result: ",
        "error": "Error: ",
        "repaired": "Repaired by: ",
        "outcome": "Outcome: ",
        "failed": "failed",
        "stop": ". ",
        "success": "success",
        "failure": "failure",
        "fixed": "failed, then fixed",
        "corrected": "corrected by a person",
        "unknown": "unknown",
    },
}


def episode_of(report: TaskReport, refs: tuple[Ref, ...] = ()) -> Draft:
    """The episode: input, decisions, ordered calls with shortened results, outcome, error code, repair. ``refs`` hold the rest."""
    language = language_of(report.task)
    words = _WORDS[language]
    parts = [words["task"] + shown(report.task, SHOWN_INPUT)]
    if report.decisions:
        separator = "；" if language == "zh" else "; "
        parts.append(words["decided"] + separator.join(shown(each, _SHOWN_DECISION) for each in report.decisions))
    if report.calls:
        parts.append(words["steps"] + " → ".join(_call(each, words) for each in report.calls))
    parts.append(words["outcome"] + words[str(report.outcome)])
    if error := error_text(report):
        parts.append(words["error"] + shown(error, SHOWN_INPUT))
    if report.repaired_by:
        parts.append(words["repaired"] + shown(report.repaired_by, SHOWN_INPUT))
    if report.result:
        parts.append(words["result"] + shown(report.result, SHOWN_INPUT))
    content = words["stop"].join(part.rstrip(" .。") for part in parts).strip() + words["stop"].strip()
    return Draft(
        content=content,
        kind=Kind.EPISODE,
        query=shown(report.task, SHOWN_INPUT),
        outcome=report.outcome,
        task_type=report.task_type,
        tools=tuple(call.tool for call in report.calls),
        error_code=signature_of(report),
        tags=report.tags,
        refs=refs,
        source=Source.OBSERVED,
        importance=0.6 if report.outcome is Outcome.SUCCESS else 0.75,
        occurred_at=report.finished_at or report.started_at,
        session_id=report.session_id,
        idempotency_key=default_idempotency_key(f"task\x1f{report.task_id}", report.session_id, ()) if report.task_id else None,
        debug=DebugInfo(session_id=report.session_id, distiller="task-1"),
    )


def error_text(report: TaskReport) -> str:
    """The error that the task ended with, or the last one on the way."""
    return report.error or next((call.error for call in reversed(report.calls) if call.error), "")


def failing_tool(report: TaskReport) -> str | None:
    """The tool of the last call that failed."""
    return next((call.tool for call in reversed(report.calls) if call.error), None)


def signature_of(report: TaskReport) -> str | None:
    """What makes two errors the same: the code or exception name, else the message without numbers, paths and quotations."""
    from hindsight.remember.distil.outcome import error_code

    text = strip_recalled(sanitise(error_text(report)))
    if not text.strip():
        return None
    code = error_code(text)
    if code is not None:
        return code
    if led := _LEADING_CODE.match(text):
        return led[1]
    plain = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`|/\S+|0x[0-9a-f]+|\d+", " ", fold(text))
    return " ".join(re.findall(r"[^\W\d_]+", plain))[:80].strip() or None


def shown(text: str, characters: int) -> str:
    """One line of at most so many characters, without recalled blocks."""
    line = " ".join(strip_recalled(sanitise(text)).split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def lesson_of(report: TaskReport, earlier: list[Memory]) -> Draft:
    """The negative memory of an error that came a second time for the same task type and tool."""
    language = language_of(report.task)
    tool, code = failing_tool(report) or "", signature_of(report) or ""
    kind = report.task_type or shown(report.task, 80)
    call = next((each for each in reversed(report.calls) if each.error), None)
    attempt = shown(_arguments(call), SHOWN_RESULT) if call is not None else ""
    repair = report.repaired_by
    times = len(earlier) + 1
    if language == "zh":
        condition = f"执行“{kind}”类任务并使用 {tool} 时" if tool else f"执行“{kind}”类任务时"
        action = f"重复这样调用 {tool}：{attempt}" if attempt else f"用同样的方式再试 {tool or kind}"
        reason = f"已 {times} 次以 {code} 失败：{shown(error_text(report), SHOWN_RESULT)}"
        content = f"{condition}，不要{action}；{reason}。" + (f"上次的修复方式：{shown(repair, SHOWN_INPUT)}。" if repair else "")
    else:
        a_kind = f"an {kind}" if kind[:1].lower() in "aeiou" else f"a {kind}"
        condition = f"in {a_kind} task with {tool}" if tool else f"in {a_kind} task"
        action = f"call {tool} this way again: {attempt}" if attempt else f"try {tool or kind} the same way again"
        reason = f"it failed {times} times with {code}: {shown(error_text(report), SHOWN_RESULT)}"
        content = f"{condition[:1].upper()}{condition[1:]}, do not {action}; {reason}." + (
            f" What repaired it: {shown(repair, SHOWN_INPUT)}." if repair else ""
        )
    return Draft(
        content=content,
        kind=Kind.PROCEDURE,
        query=shown(report.task, SHOWN_INPUT),
        lesson=Lesson(condition=condition, action=action, reason=reason, avoid=True),
        outcome=Outcome.FAILURE,
        task_type=report.task_type,
        tools=(tool,) if tool else (),
        error_code=code or None,
        source=Source.INFERRED,
        confidence=min(0.95, 0.5 + 0.15 * times),
        importance=0.85,
        occurred_at=report.finished_at or report.started_at,
        session_id=report.session_id,
        parents=tuple(memory.id for memory in earlier[:20]),
        idempotency_key=default_idempotency_key(f"avoid\x1f{report.task_type}\x1f{tool}\x1f{code}", None, ()),
        debug=DebugInfo(session_id=report.session_id, distiller="repeated-error-1"),
    )


def _call(call: ToolCall, words: dict[str, str]) -> str:
    told = f"{call.tool}({shown(_arguments(call), 80)})"
    if call.error:
        return f"{told} {words['failed']}: {shown(call.error, SHOWN_RESULT)}"
    return f"{told}: {shown(call.result, SHOWN_RESULT)}" if call.result.strip() else told


def _arguments(call: ToolCall) -> str:
    if isinstance(call.arguments, str):
        return call.arguments
    return ", ".join(f"{name}={value}" for name, value in call.arguments.items())
