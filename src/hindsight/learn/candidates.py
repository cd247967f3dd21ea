"""Findings become candidate rules, and sequences that keep succeeding candidate procedures: drafts with their evidence. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from hindsight.learn.episodes import Run
from hindsight.learn.lessons import order_lesson
from hindsight.learn.mining import Finding
from hindsight.learn.stated import named_steps
from hindsight.learn.wording import LANGUAGES, Language, chain, lesson_text, scope_words
from hindsight.records import DebugInfo, Draft, Kind, Lesson, Outcome, Source, Visibility

MAX_PARENTS = 100
PROCEDURE_SUPPORT = 3
"""A sequence that succeeded so often for a task type is worth proposing."""
PROCEDURE_RATE = 0.75
"""Least share of the runs with the sequence that succeeded."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a candidate rests on, for whoever decides on it.

    Args:
        origin: how it was found: ``mined``, ``stated`` (an error names it and a success confirms it), ``procedure``, ``model``.
        signature: the same for the same candidate, whatever its wording and counts.
        supporting: episodes that speak for it; ``opposing``: against it; ``contrasting``: went well without what it warns of.
        support, confidence, lift, p: see :mod:`hindsight.learn.mining`; None where nothing was counted.
        agents: whose episodes these are.
    """

    origin: str
    signature: str
    supporting: tuple[UUID, ...] = ()
    opposing: tuple[UUID, ...] = ()
    contrasting: tuple[UUID, ...] = ()
    confidence: float | None = None
    lift: float | None = None
    p: float | None = None
    agents: tuple[str, ...] = ()

    @property
    def support(self) -> int:
        """Episodes that speak for it."""
        return len(self.supporting)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft of a rule or procedure and what it rests on."""

    draft: Draft
    grounds: Grounds
    texts: dict[Language, str] = field(default_factory=dict)
    """The same in both languages; the draft's content is one of them."""


def rule_of(finding: Finding, agents: Sequence[str], language: Language, visibility: Visibility) -> Candidate:
    """The candidate rule of a mined finding."""
    lessons = {each: _lesson(finding, each) for each in LANGUAGES}
    grounds = Grounds(
        origin="mined",
        signature=finding.signature,
        supporting=finding.failed,
        opposing=finding.against,
        contrasting=finding.contrast,
        confidence=finding.confidence,
        lift=finding.lift,
        p=finding.p,
        agents=tuple(agents),
    )
    tools = (finding.other, finding.tool) if finding.other else (finding.tool,)
    return _rule(lessons, grounds, language, visibility, finding.task_type, tools, finding.errors[0] if len(finding.errors) == 1 else None)


def stated_rules(runs: Sequence[Run], language: Language, visibility: Visibility) -> list[Candidate]:
    """Rules that an error states itself ("call B first") and that a run which did so and succeeded confirms.

    Here two episodes are enough: the tool says what it needs, and the counter-example shows that it was so.
    """
    claims: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        if run.failed and run.failing is not None and run.message:
            for step in named_steps(run.message):
                if step != run.failing and not precedes(run.tools, step, run.failing):
                    claims.setdefault((run.failing, step), []).append(run)
    found = []
    for (tool, step), failures in claims.items():
        using = [run for run in runs if tool in run.tools]
        confirming = [run for run in using if not run.failed and precedes(run.tools, step, tool)]
        opposing = [run for run in using if not run.failed and not precedes(run.tools, step, tool)]
        if not confirming or len(opposing) > len(failures):
            continue
        code = Counter(run.error for run in failures if run.error).most_common(1)
        lessons = {each: _named(tool, step, code[0][0] if code else None, each) for each in LANGUAGES}
        grounds = Grounds(
            origin="stated",
            signature=f"not_before\x1f\x1f{tool}\x1f{step}",
            supporting=tuple(run.id for run in failures),
            opposing=tuple(run.id for run in opposing),
            contrasting=tuple(run.id for run in confirming),
            confidence=round(len(failures) / (len(failures) + len(opposing)), 4),
            agents=_agents([*failures, *confirming]),
        )
        found.append(_rule(lessons, grounds, language, visibility, None, (step, tool), code[0][0] if code else None))
    return found


def procedures(runs: Sequence[Run], language: Language, visibility: Visibility) -> list[Candidate]:
    """Call sequences that succeeded several times for a task type, the most frequent one of each type."""
    by_type: dict[str, Counter[tuple[str, ...]]] = {}
    for run in runs:
        if run.task_type is not None and not run.failed and len(run.tools) > 1:
            by_type.setdefault(run.task_type, Counter())[_collapsed(run.tools)] += 1
    found = []
    for task_type, counts in by_type.items():
        sequence, count = max(counts.items(), key=lambda item: (item[1], len(item[0]), item[0]))
        same = [run for run in runs if run.task_type == task_type and _collapsed(run.tools) == sequence]
        if count >= PROCEDURE_SUPPORT and count / len(same) >= PROCEDURE_RATE:
            found.append(_procedure(task_type, sequence, same, language, visibility))
    return found


def precedes(tools: Sequence[str], first: str, then: str) -> bool:
    """Whether ``first`` is called before the first call of ``then``."""
    return first in tools and then in tools and tools.index(first) < tools.index(then)


def _lesson(finding: Finding, language: Language) -> Lesson:
    tool, other = finding.tool, finding.other
    if other is not None:
        return order_lesson(tool, (other,), finding.task_type, _counted(finding, language), language)
    condition = scope_words(None, finding.task_type, language)
    action = {
        "uses": {"zh": f"使用 {tool}", "en": f"use {tool}"},
        "lacks": {"zh": f"在没有调用 {tool} 的情况下结束", "en": f"finish without calling {tool}"},
        "repeats": {
            "zh": f"反复调用 {tool}（三次及以上）；换一种做法",
            "en": f"call {tool} over and over (three times or more); try another way",
        },
    }[finding.feature][language]
    return Lesson(condition=condition, action=action, reason=_counted(finding, language), avoid=True)


def _counted(finding: Finding, language: Language) -> str:
    """Why, without counts: these change with every new episode, and stand with the evidence."""
    codes = ", ".join(finding.errors)
    if language == "zh":
        return f"这样做的任务明显更常失败{f'（{codes}）' if codes else ''}"
    return f"tasks done that way fail markedly more often{f' ({codes})' if codes else ''}"


def _named(tool: str, step: str, code: str | None, language: Language) -> Lesson:
    told = f"（{code}）" if language == "zh" and code else f" ({code})" if code else ""
    reason = f"不这样 {tool} 会失败{told}" if language == "zh" else f"{tool} fails otherwise{told}"
    return order_lesson(tool, (step,), None, reason, language)


def _rule(
    lessons: dict[Language, Lesson],
    grounds: Grounds,
    language: Language,
    visibility: Visibility,
    task_type: str | None,
    tools: tuple[str, ...],
    code: str | None,
) -> Candidate:
    texts = {each: lesson_text(lesson, each) for each, lesson in lessons.items()}
    draft = Draft(
        content=texts[language],
        kind=Kind.RULE,
        # Situation and tools in both languages: a rule learnt in one language is found in the other.
        query=" / ".join(dict.fromkeys((scope_words(tools[-1], task_type, each)) for each in LANGUAGES)),
        lesson=lessons[language],
        outcome=Outcome.FIXED,
        task_type=task_type,
        tools=tools,
        error_code=code,
        source=Source.INFERRED,
        confidence=round(min(0.95, grounds.confidence or 0.5), 4),
        importance=0.8,
        visibility=visibility,
        parents=(*grounds.supporting, *grounds.contrasting)[:MAX_PARENTS],
        idempotency_key=f"candidate:{digest(grounds.signature)}",
        debug=DebugInfo(distiller=f"reflect-{grounds.origin}-1"),
    )
    return Candidate(draft, grounds, texts)


def _procedure(task_type: str, sequence: tuple[str, ...], same: Sequence[Run], language: Language, visibility: Visibility) -> Candidate:
    succeeded = [run for run in same if not run.failed]
    texts: dict[Language, str] = {
        "zh": f"“{task_type}”类任务的步骤：{chain(sequence)}。",
        "en": f"Steps {scope_words(None, task_type, 'en')}: {chain(sequence)}.",
    }
    grounds = Grounds(
        origin="procedure",
        signature="\x1f".join(("procedure", task_type, *sequence)),
        supporting=tuple(run.id for run in succeeded),
        opposing=tuple(run.id for run in same if run.failed),
        confidence=round(len(succeeded) / len(same), 4),
        agents=_agents(same),
    )
    draft = Draft(
        content=texts[language],
        kind=Kind.PROCEDURE,
        query=" / ".join(scope_words(None, task_type, each) for each in LANGUAGES),
        outcome=Outcome.SUCCESS,
        task_type=task_type,
        tools=sequence,
        source=Source.INFERRED,
        confidence=round(min(0.95, len(succeeded) / len(same)), 4),
        importance=0.7,
        visibility=visibility,
        parents=grounds.supporting[:MAX_PARENTS],
        idempotency_key=f"candidate:{digest(grounds.signature)}",
        debug=DebugInfo(distiller="reflect-procedure-1"),
    )
    return Candidate(draft, grounds, texts)


def _collapsed(tools: Sequence[str]) -> tuple[str, ...]:
    """The sequence with a tool called several times in a row named once: how often is the task's matter, not the procedure's."""
    return tuple(tool for place, tool in enumerate(tools) if place == 0 or tool != tools[place - 1])


def _agents(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(sorted({run.agent for run in runs}))


def digest(signature: str) -> str:
    """The short form of a signature, which does not show what it says."""
    return hashlib.blake2b(signature.encode("utf-8"), digest_size=16).hexdigest()
