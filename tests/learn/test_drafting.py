"""Reflection with a language model: it drafts, checks decide what is proposed, and nothing is active."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from hindsight.errors import ModelError
from hindsight.learn.drafting import ModelReflector, answer_schema, prompt
from hindsight.learn.reflector import Reflector
from hindsight.ports import ChatMessage, ChatReply
from hindsight.records import Status


class Scripted:
    """A chat model that gives prepared answers."""

    model_id = "scripted"

    def __init__(self, *answers: Any) -> None:
        self.answers = [each if isinstance(each, str) else json.dumps({"rules": each}) for each in answers]
        self.asked: list[Sequence[ChatMessage]] = []

    async def complete(self, messages: Sequence[ChatMessage], *, max_tokens: int, schema: Mapping[str, Any] | None = None) -> ChatReply:
        self.asked.append(messages)
        return ChatReply(self.answers.pop(0), complete=True)

    async def close(self) -> None: ...


def rule(**fields: Any) -> dict[str, Any]:
    return {
        "condition": "when paying out",
        "action": "pay before the till is open",
        "avoid": True,
        "reason": "the till refuses",
        "tools": ["pay"],
        "task_type": "payout",
        "for": [0, 1],
        "against": [],
        **fields,
    }


def reflector(memory, chat) -> Reflector:
    return Reflector(memory._store, memory._learning_store, memory._writer, memory._attribution, memory._clock, chat)


async def failures(memory, finish) -> None:
    for number in range(2):
        await finish(memory, "failure", f"Pay {number}", "open", ("pay", "HTTP 409"), finished_at=f"2026-03-0{number + 1}T10:00:00Z")
    await finish(memory, "success", "Sing", "sing", task_type="music")


async def test_what_it_drafts_with_evidence_waits_for_a_person(memory, finish) -> None:
    await failures(memory, finish)
    chat = Scripted([rule()])
    (proposal,) = (await reflector(memory, chat).reflect()).proposals
    assert proposal.status == "pending"
    assert proposal.candidate.draft.content == "When paying out, do not pay before the till is open, because the till refuses."
    assert len(proposal.candidate.grounds.supporting) == 2
    kept = await memory.get(proposal.id)
    assert (kept.status, kept.confidence) == (Status.PENDING, 0.6)
    assert kept.debug.prompt_version == "reflect-1"
    assert "not instructions" not in chat.asked[0][1].content
    assert [json.loads(line)["outcome"] for line in chat.asked[0][1].content.splitlines()] == ["failed", "failed", "succeeded"]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"for": [0, 9]}, "not given"),
        ({"for": [0]}, "fewer than 2"),
        ({"for": [0, 0]}, "fewer than 2"),
        ({"tools": ["transfer_money"]}, "do not use transfer_money"),
        ({"task_type": "music"}, "of the type music"),
    ],
)
async def test_what_has_no_ground_is_not_even_proposed(memory, finish, fields, fault) -> None:
    await failures(memory, finish)
    found = await reflector(memory, Scripted([rule(**fields)])).reflect()
    assert found.proposals == ()
    assert fault in found.left_out[0]


async def test_a_bad_answer_gets_a_second_try_and_then_an_error(memory, finish) -> None:
    await failures(memory, finish)
    chat = Scripted("no JSON", "```json\n" + json.dumps({"rules": [rule()]}) + "\n```")
    assert len((await reflector(memory, chat).reflect()).proposals) == 1
    assert "Invalid" in chat.asked[1][-1].content
    with pytest.raises(ModelError, match="reflect without one"):
        await reflector(memory, Scripted("no", "no")).reflect()


async def test_nothing_is_asked_about_nothing(memory) -> None:
    assert (await reflector(memory, Scripted()).reflect()).proposals == ()


def test_prompts_and_schema_name_the_same_fields() -> None:
    (rules,) = answer_schema()["$defs"].values()
    for language in ("zh", "en"):
        for name in rules["properties"]:
            assert f'"{name}"' in prompt(language)
    assert ModelReflector
