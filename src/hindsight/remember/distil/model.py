"""Distilling with a chat model: a versioned prompt, an answer bound to a schema, and strict checks before anything becomes a draft."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hindsight.errors import ModelError
from hindsight.ports import ChatMessage, ChatModel
from hindsight.records import DebugInfo, Draft, Kind, Outcome, Ref, Source, Turn
from hindsight.remember.distil.clauses import language_of, own_words
from hindsight.text.fold import fold
from hindsight.text.lengths import estimate_tokens
from hindsight.text.times import find_times

PROMPT = "distil-1"
MAX_MEMORIES = 32
_FENCE = re.compile(r"^\s*```(?:json)?\s*|\s*```\s*$")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_IMPORTANCE = {Kind.CONSTRAINT: 0.9, Kind.FACT: 0.7, Kind.PREFERENCE: 0.6, Kind.EPISODE: 0.5}


class _Extracted(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["preference", "constraint", "fact", "episode"]
    content: str = Field(min_length=4, max_length=1_000)
    turns: list[int] = Field(min_length=1, max_length=32)
    confidence: float = Field(ge=0, le=1)
    source: Literal["observed", "inferred"]
    entities: list[str] = Field(default_factory=list, max_length=16)
    expires: str | None = None
    outcome: Literal["success", "failure", "fixed", "corrected", "unknown"] = "unknown"
    error_code: str | None = Field(default=None, max_length=64)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    memories: list[_Extracted] = Field(max_length=MAX_MEMORIES)


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a model made of turns. ``left_out`` says in one sentence each which statements were not kept, and why."""

    drafts: tuple[Draft, ...]
    left_out: tuple[str, ...]
    input_tokens: int
    output_tokens: int


class ModelDistiller:
    """Extracts memories with a chat model.

    Args:
        chat: the model.
        zone: the zone in which the turns' dates are written.
        input_tokens: most tokens of turns in one request (estimated); more turns go in several requests.
        output_tokens: most tokens of an answer.
        attempts: tries for a valid answer; a second one is told what was wrong with the first.
    """

    name = f"model-{PROMPT}"

    def __init__(self, chat: ChatModel, zone: tzinfo, *, input_tokens: int = 6_000, output_tokens: int = 2_000, attempts: int = 2) -> None:
        self._chat = chat
        self._zone = zone
        self._input_tokens = input_tokens
        self._output_tokens = output_tokens
        self._attempts = attempts

    async def distil(self, turns: Sequence[Turn]) -> Distilled:
        """Drafts of what is worth keeping.

        Raises:
            ModelError: no valid answer after the last attempt; nothing of these turns may be kept on such ground.
            ModelUnavailable: the model does not answer.
        """
        drafts: list[Draft] = []
        left_out: list[str] = []
        spent = [0, 0]
        for batch in self._batches(turns):
            answer = await self._ask(batch, spent)
            for item in answer.memories:
                fault = _fault_of(item, batch, self._zone)
                if fault is None:
                    drafts.append(self._draft(item, batch))
                else:
                    left_out.append(f"{fault}: {item.content[:120]}")
        return Distilled(tuple(drafts), tuple(left_out), spent[0], spent[1])

    def _batches(self, turns: Sequence[Turn]) -> list[list[Turn]]:
        """Turns in requests of about ``input_tokens``; a longer turn is cut, its raw text stays in the log."""
        batches: list[list[Turn]] = []
        size = 0
        for turn in turns:
            text = own_words(turn.content)
            if not text:
                continue
            needed = estimate_tokens(text)
            if needed > self._input_tokens:
                text, needed = text[: max(1, int(len(text) * self._input_tokens / needed))], self._input_tokens
            if not batches or size + needed > self._input_tokens:
                batches.append([])
                size = 0
            batches[-1].append(turn.model_copy(update={"content": text}))
            size += needed
        return batches

    async def _ask(self, turns: Sequence[Turn], spent: list[int]) -> _Answer:
        language = language_of("\n".join(turn.content for turn in turns))
        messages = [ChatMessage("system", prompt(language)), ChatMessage("user", self._lines(turns))]
        fault = ""
        for _ in range(self._attempts):
            reply = await self._chat.complete(messages, max_tokens=self._output_tokens, schema=answer_schema())
            spent[0] += reply.input_tokens
            spent[1] += reply.output_tokens
            if reply.complete:
                try:
                    return _Answer.model_validate_json(_FENCE.sub("", reply.text))
                except ValidationError as error:
                    fault = "; ".join(
                        f"{'.'.join(map(str, f['loc'])) or 'answer'}: {f['msg']}" for f in error.errors(include_url=False)[:5]
                    )
            else:
                fault = f"the answer was cut off at {self._output_tokens} tokens"
            messages = [
                *messages[:2],
                ChatMessage("assistant", reply.text[:2_000]),
                ChatMessage("user", f"Invalid: {fault}. Answer again."),
            ]
        raise ModelError(
            f"{self._chat.model_id} gave no valid extraction in {self._attempts} attempts ({fault}); nothing was kept. "
            "Use a model that follows JSON schemas, or distil by rules."
        )

    def _lines(self, turns: Sequence[Turn]) -> str:
        return "\n".join(
            json.dumps(
                {
                    "turn": number,
                    "speaker": turn.speaker or str(turn.role),
                    "role": str(turn.role),
                    "date": turn.at.astimezone(self._zone).strftime("%Y-%m-%d %A %H:%M") if turn.at else None,
                    "text": turn.content,
                },
                ensure_ascii=False,
            )
            for number, turn in enumerate(turns)
        )

    def _draft(self, item: _Extracted, turns: Sequence[Turn]) -> Draft:
        cited = [turns[number] for number in sorted(set(item.turns))]
        turn_ids = tuple(turn.id for turn in cited if turn.id)
        kind = Kind(item.kind)
        return Draft(
            content=item.content,
            kind=kind,
            speaker=cited[0].speaker,
            role=cited[0].role,
            refs=tuple(Ref(session_id=turn.session_id, first=turn.position, last=turn.position) for turn in cited),
            entities=tuple(item.entities),
            source=Source(item.source),
            confidence=item.confidence,
            importance=_IMPORTANCE[kind],
            outcome=Outcome(item.outcome),
            error_code=item.error_code,
            occurred_at=cited[0].at,
            expires_at=_end_of_day(item.expires, self._zone) if item.expires else None,
            session_id=cited[0].session_id,
            turn_ids=turn_ids,
            debug=DebugInfo(
                session_id=cited[0].session_id,
                turn_ids=turn_ids,
                model=self._chat.model_id,
                prompt_version=PROMPT,
                distiller=self.name,
            ),
        )


@cache
def prompt(language: Literal["zh", "en"]) -> str:
    """The instruction, from the prompt file of this version."""
    return files(__package__).joinpath("prompts", f"{PROMPT}.{language}.md").read_text(encoding="utf-8")


@cache
def answer_schema() -> dict[str, Any]:
    """JSON Schema of the answer, in the strict form: every property is required, none is added."""
    schema = _Answer.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part["required"] = list(part["properties"])
        for value in part["properties"].values():
            value.pop("default", None)
    return schema


def _fault_of(item: _Extracted, turns: Sequence[Turn], zone: tzinfo) -> str | None:
    """Why a statement may not be kept: it cites what is not there, or holds numbers that the turns do not."""
    if any(not 0 <= number < len(turns) for number in item.turns):
        return "it cites turns that were not given"
    if item.expires is not None and _end_of_day(item.expires, zone) is None:
        return f"{item.expires!r} is no date"
    cited = [turns[number] for number in item.turns]
    said = " ".join(f"{turn.speaker or ''} {turn.content}" for turn in cited)
    reference = next((turn.at for turn in cited if turn.at is not None), datetime.now(UTC)).astimezone(zone)
    dated = {position for time in find_times(item.content, reference) for position in range(*time.span)}
    known = set(_NUMBER.findall(said))
    strange = [match[0] for match in _NUMBER.finditer(item.content) if match[0] not in known and match.start() not in dated]
    if strange:
        return f"the cited turns do not say {', '.join(strange[:3])}"
    if not set(_words(item.content)) & set(_words(said)):
        return "it shares no word with the cited turns"
    return None


def _words(text: str) -> list[str]:
    folded = fold(text)
    return re.findall(r"[a-z]{3,}", folded) + [folded[i : i + 2] for i in range(len(folded) - 1) if "\u4e00" <= folded[i] <= "\u9fff"]


def _end_of_day(date: str, zone: tzinfo) -> datetime | None:
    try:
        return datetime.strptime(date, "%Y-%m-%d").replace(hour=23, minute=59, second=59, tzinfo=zone)
    except ValueError:
        return None
