"""Lessons of single tasks: what a failure says itself, how it was repaired, what the next success did otherwise. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from hindsight.learn.difference import Difference, Repair, difference, repair_within
from hindsight.learn.episodes import Run
from hindsight.learn.stated import regrets, required_steps, stated_lessons
from hindsight.learn.wording import LANGUAGES, Language, chain, lesson_text, listed, scope_words
from hindsight.records import DebugInfo, Draft, Kind, Lesson, Outcome, Source, default_idempotency_key
from hindsight.remember.distil.clauses import language_of
from hindsight.remember.task import TaskReport, error_text, failing_tool, shown, signature_of

SHOWN = 160
"""Characters of a task that a lesson's situation repeats."""
LONGEST_CODE = 40
"""A longer signature of an error is its message, not its code."""
MOST_STEPS = 3
"""Two runs that differ in more are too different for a lesson."""
ORDER_TAG = "lesson-order"
"""Marks lessons whose tools are steps and, last, the tool that needs them: a success without the steps refutes them."""


def lessons_of(report: TaskReport, known: Iterable[str] = ()) -> list[Draft]:
    """What one report teaches by itself: lessons that it states, a repair on the way, a step that the error names as missing.

    Only a step among the ``known`` tools, those that the agent has called before, counts: an error cannot send it to a new one.
    """
    language = language_of(report.task)
    drafts = [
        _draft(report, lesson, lesson_text(lesson, language), (), key=f"stated\x1f{lesson_text(lesson, language)}", source=Source.OBSERVED)
        for text in (report.repaired_by, *report.decisions, report.result)
        for lesson in stated_lessons(text)
    ]
    if report.outcome is not Outcome.SUCCESS:
        about = shown(report.task, 120)
        drafts += [
            _draft(report, lesson, lesson_text(lesson, language), (), key=f"regret\x1f{about}\x1f{lesson.action}")
            for text in (*report.decisions, report.result)
            for lesson in regrets(text, about)
        ]
    repaired = repair_within(report.calls)
    if repaired is not None and repaired.between:
        drafts.append(_precondition(report, repaired.call.tool, repaired.between, repaired.call.error, mended=True))
    elif repaired is not None and repaired.arguments:
        drafts.append(_other_arguments(report, repaired))
    elif report.outcome is not Outcome.SUCCESS and (tool := failing_tool(report) or _last_tool(report)):
        done = {call.tool for call in report.calls if not call.error}
        named = required_steps(error_text(report), {*known, *(call.tool for call in report.calls)})
        steps = tuple(step for step in named if step != tool and step not in done)
        if steps:
            drafts.append(_precondition(report, tool, steps, error_text(report), mended=False))
    return list({draft.idempotency_key: draft for draft in drafts}.values())


def _last_tool(report: TaskReport) -> str | None:
    """Where only the task's error is known, not the call's, it is taken for the last one's."""
    return report.calls[-1].tool if report.error and report.calls else None


def contrast(report: TaskReport, earlier: Sequence[Run]) -> Draft | None:
    """What a task that succeeded did otherwise than the last ones of its kind that failed; None where the tools tell nothing.

    Only what all failures lacked (at most the five newest) and no success did without counts, so that one odd run does not become a
    lesson.
    """
    failures = [run for run in earlier if run.failed and run.task_type == report.task_type and run.tools][:5]
    if report.outcome is not Outcome.SUCCESS or report.task_type is None or not failures:
        return None
    succeeded = [call.tool for call in report.calls if not call.error]
    successes = [run for run in earlier if not run.failed and run.task_type == report.task_type]
    differences = [difference(run.tools, succeeded, run.failing) for run in failures]
    newest = differences[0]
    prior = [tool for tool in (*newest.missing, *newest.late) if all(tool in (*each.missing, *each.late) for each in differences)]
    pivot = newest.before
    if pivot is None or any(each.before != pivot for each in differences):
        return None
    prior = [tool for tool in prior if not any(refuted((tool, pivot), run.tools) for run in successes)]
    if not prior or len(prior) > MOST_STEPS:
        return None
    return _contrast_draft(report, failures, Difference(tuple(prior), pivot))


def refuted(tools: Sequence[str], succeeded: Sequence[str]) -> bool:
    """Whether calls that succeeded did without the order ``tools`` (steps, then the tool that needs them)."""
    *steps, tool = tools
    return tool in succeeded and not all(step in succeeded[: succeeded.index(tool)] for step in steps)


def _contrast_draft(report: TaskReport, failures: Sequence[Run], found: Difference) -> Draft:
    language = language_of(report.task)
    code = failures[0].error or ""
    reason = {
        "zh": f"没有这一步时失败了{f'（{code}）' if code else ''}，有这一步时成功",
        "en": f"without it the task failed{f' ({code})' if code else ''}, with it it succeeded",
    }
    return _ordered(report, str(found.before), found.missing, reason[language], tuple(run.id for run in failures), code or None)


def _precondition(report: TaskReport, tool: str, steps: tuple[str, ...], error: str, *, mended: bool) -> Draft:
    language, code = language_of(report.task), signature_of(report.model_copy(update={"error": error}))
    # The code alone: an error's own words are another's, and may read like an order.
    told = code if code and len(code) <= LONGEST_CODE else ""
    reason = {
        "zh": "不这样会失败" + (f"（{told}）" if told else "") + ("，补上后成功" if mended else ""),
        "en": "otherwise it fails" + (f" ({told})" if told else "") + ("; after it the same call succeeded" if mended else ""),
    }
    return _ordered(report, tool, steps, reason[language], (), code)


def _other_arguments(report: TaskReport, repaired: Repair) -> Draft:
    """The lesson "do not stay with these arguments": with others the call succeeded."""
    language, tool = language_of(report.task), repaired.call.tool
    code = signature_of(report.model_copy(update={"error": repaired.call.error}))
    told = code if code and len(code) <= LONGEST_CODE else ""
    if language == "zh":
        named = listed(repaired.arguments, "zh")
        action, reason = f"在 {tool} 失败后沿用同样的 {named}", f"换了 {named} 后就成功了" + (f"（此前：{told}）" if told else "")
    else:
        named = listed(repaired.arguments, "en")
        action = f"stay with the same {named} when {tool} fails"
        reason = f"with another {named} it succeeded" + (f" (before: {told})" if told else "")
    lesson = Lesson(condition=scope_words(tool, report.task_type, language), action=action, reason=reason, avoid=True)
    key = f"arguments\x1f{report.task_type}\x1f{tool}\x1f{chain(repaired.arguments)}\x1f{told}"
    return _draft(report, lesson, lesson_text(lesson, language), (tool,), key=key, code=code)


def _ordered(report: TaskReport, tool: str, steps: tuple[str, ...], reason: str, parents: tuple[UUID, ...], code: str | None) -> Draft:
    """The lesson "do not leave out ``steps`` before ``tool``"."""
    language = language_of(report.task)
    lesson = order_lesson(tool, steps, report.task_type, reason, language)
    key = f"order\x1f{report.task_type}\x1f{tool}\x1f{chain(steps)}"
    draft = _draft(report, lesson, lesson_text(lesson, language), (*steps, tool), key=key, code=code, parents=parents)
    return draft.model_copy(update={"tags": (ORDER_TAG,)})


def order_lesson(tool: str, steps: Sequence[str], task_type: str | None, reason: str, language: Language) -> Lesson:
    """Do not leave out ``steps`` before ``tool``."""
    action = {
        "zh": f"在 {tool} 之前漏掉 {listed(steps, 'zh')}（顺序：{chain([*steps, tool])}）",
        "en": f"leave out {listed(steps, 'en')} before {tool} (order: {chain([*steps, tool])})",
    }
    return Lesson(condition=scope_words(tool, task_type, language), action=action[language], reason=reason, avoid=True)


def _draft(
    report: TaskReport,
    lesson: Lesson,
    content: str,
    tools: tuple[str, ...],
    *,
    key: str,
    code: str | None = None,
    parents: tuple[UUID, ...] = (),
    source: Source = Source.INFERRED,
) -> Draft:
    # The situation in both languages: a lesson learnt in one is found in the other.
    situation = " / ".join(scope_words(tools[-1] if tools else None, report.task_type, language) for language in LANGUAGES)
    return Draft(
        content=content,
        kind=Kind.PROCEDURE,
        query=f"{shown(report.task, SHOWN)} ({situation})",
        lesson=lesson,
        outcome=report.outcome if report.outcome is not Outcome.SUCCESS else Outcome.FIXED,
        task_type=report.task_type,
        tools=tools,
        error_code=code,
        source=source,
        confidence=0.7,
        importance=0.85,
        occurred_at=report.finished_at or report.started_at,
        session_id=report.session_id,
        parents=parents,
        idempotency_key=default_idempotency_key(f"lesson\x1f{key}", None, ()),
        debug=DebugInfo(session_id=report.session_id, distiller="lesson-1"),
    )
