"""Reflection with a language model: it drafts, the checks here decide what becomes a candidate, a person what becomes a rule."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hindsight.errors import ModelError
from hindsight.learn.candidates import MAX_PARENTS, Candidate, Grounds, digest
from hindsight.learn.episodes import Run
from hindsight.learn.wording import LANGUAGES, Language, lesson_text, scope_words
from hindsight.ports import ChatMessage, ChatModel
from hindsight.records import DebugInfo, Draft, Kind, Lesson, Outcome, Source, Visibility
from hindsight.text.fold import fold

PROMPT = "reflect-1"
MOST_RUNS = 60
"""Runs shown in one request: the newest failures, and as many successes."""
LEAST_SUPPORT = 2
MAX_RULES = 16
_ATTEMPTS = 2
_OUTPUT_TOKENS = 2_000
_SHOWN = 600
_FENCE = re.compile(r"^\s*```(?:json)?\s*|\s*```\s*$")


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    condition: str = Field(min_length=2, max_length=300)
    action: str = Field(min_length=2, max_length=500)
    avoid: bool
    reason: str = Field(max_length=500)
    tools: list[str] = Field(max_length=8)
    task_type: str | None
    supporting: list[int] = Field(alias="for", max_length=MOST_RUNS)
    against: list[int] = Field(max_length=MOST_RUNS)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rules: list[_Rule] = Field(max_length=MAX_RULES)


class ModelReflector:
    """Drafts candidate rules with a chat model."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    async def draft(self, runs: Sequence[Run], language: Language, visibility: Visibility) -> tuple[list[Candidate], tuple[str, ...]]:
        """Candidates, and what was not kept with the reason in one sentence each.

        Raises:
            ModelError: no valid answer after the last attempt.
            ModelUnavailable: the model does not answer.
        """
        shown = _chosen(runs)
        messages = [ChatMessage("system", prompt(language)), ChatMessage("user", "\n".join(map(_line, range(len(shown)), shown)))]
        answer = await self._ask(messages)
        kept, left_out = [], []
        for rule in answer.rules:
            fault = _fault_of(rule, shown)
            if fault is None:
                kept.append(self._candidate(rule, shown, language, visibility))
            else:
                left_out.append(f"{fault}: {rule.action[:120]}")
        return kept, tuple(left_out)

    async def _ask(self, messages: list[ChatMessage]) -> _Answer:
        fault = ""
        said = list(messages)
        for _ in range(_ATTEMPTS):
            reply = await self._chat.complete(said, max_tokens=_OUTPUT_TOKENS, schema=answer_schema())
            try:
                if reply.complete:
                    return _Answer.model_validate_json(_FENCE.sub("", reply.text))
                fault = f"the answer was cut off at {_OUTPUT_TOKENS} tokens"
            except ValidationError as error:
                faults = error.errors(include_url=False)[:5]
                fault = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'answer'}: {each['msg']}" for each in faults)
            said = [*messages, ChatMessage("assistant", reply.text[:2_000]), ChatMessage("user", f"Invalid: {fault}. Answer again.")]
        raise ModelError(
            f"{self._chat.model_id} gave no valid reflection in {_ATTEMPTS} attempts ({fault}); nothing was proposed. "
            "Use a model that follows JSON schemas, or reflect without one."
        )

    def _candidate(self, rule: _Rule, shown: Sequence[Run], language: Language, visibility: Visibility) -> Candidate:
        supporting = [shown[number] for number in sorted(set(rule.supporting))]
        opposing = [shown[number] for number in sorted(set(rule.against) - set(rule.supporting))]
        lesson = Lesson(condition=rule.condition, action=rule.action, reason=rule.reason, avoid=rule.avoid)
        text = lesson_text(lesson, language)
        grounds = Grounds(
            origin="model",
            signature=f"model\x1f{rule.task_type or ''}\x1f{fold(rule.condition)}\x1f{rule.avoid}\x1f{fold(rule.action)}",
            supporting=tuple(run.id for run in supporting),
            opposing=tuple(run.id for run in opposing),
            confidence=round(len(supporting) / (len(supporting) + len(opposing)), 4),
            agents=tuple(sorted({run.agent for run in supporting})),
        )
        draft = Draft(
            content=text,
            kind=Kind.RULE,
            query=" / ".join(scope_words(rule.tools[-1] if rule.tools else None, rule.task_type, each) for each in LANGUAGES),
            lesson=lesson,
            outcome=Outcome.FIXED,
            task_type=rule.task_type,
            tools=tuple(rule.tools),
            source=Source.INFERRED,
            # What a model concludes from a few episodes is never surer than what was counted.
            confidence=min(0.6, grounds.confidence or 0.5),
            importance=0.7,
            visibility=visibility,
            parents=grounds.supporting[:MAX_PARENTS],
            idempotency_key=f"candidate:{digest(grounds.signature)}",
            debug=DebugInfo(model=self._chat.model_id, prompt_version=PROMPT, distiller=f"reflect-{PROMPT}"),
        )
        return Candidate(draft, grounds, {language: text})


@cache
def prompt(language: Language) -> str:
    """The instruction, from the prompt file of this version."""
    return files(__package__).joinpath("prompts", f"{PROMPT}.{language}.md").read_text(encoding="utf-8")


@cache
def answer_schema() -> dict[str, Any]:
    """JSON Schema of the answer, in the strict form: every property is required, none is added."""
    schema = _Answer.model_json_schema(by_alias=True)
    for part in (schema, *schema.get("$defs", {}).values()):
        part["required"] = list(part["properties"])
    return schema


def _chosen(runs: Sequence[Run]) -> list[Run]:
    failures = [run for run in runs if run.failed][-MOST_RUNS // 2 :]
    successes = [run for run in runs if not run.failed][-(MOST_RUNS - len(failures)) :]
    return [*failures, *successes]


def _line(number: int, run: Run) -> str:
    told = {
        "episode": number,
        "outcome": "failed" if run.failed else "succeeded",
        "task_type": run.task_type,
        "tools": list(run.tools),
        "error": run.error,
        "text": run.text[:_SHOWN],
    }
    return json.dumps(told, ensure_ascii=False)


def _fault_of(rule: _Rule, shown: Sequence[Run]) -> str | None:
    """Why a drafted rule may not even be proposed."""
    cited = [*rule.supporting, *rule.against]
    if any(not 0 <= number < len(shown) for number in cited):
        return "it cites episodes that were not given"
    if len(set(rule.supporting)) < LEAST_SUPPORT:
        return f"it rests on fewer than {LEAST_SUPPORT} episodes"
    if not any(shown[number].failed for number in rule.supporting):
        return "none of its episodes failed"
    known = {tool for number in cited for tool in shown[number].tools}
    strange = [tool for tool in rule.tools if tool not in known]
    if strange:
        return f"its episodes do not use {', '.join(strange[:3])}"
    types = {shown[number].task_type for number in rule.supporting}
    if rule.task_type is not None and rule.task_type not in types:
        return f"none of its episodes is of the type {rule.task_type}"
    return None
