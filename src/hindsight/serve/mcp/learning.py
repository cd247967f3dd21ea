"""Tools of learning: memory_reflect, memory_feedback. What they propose waits for a person; no tool approves."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from hindsight.serve.desk import Desk
from hindsight.serve.mcp.tool import Answer, Arguments, Tool

MOST_SHOWN = 20
"""Candidates named in one answer; the review queue holds all."""


class ReflectArguments(Arguments):
    """Arguments of memory_reflect."""

    episodic_id: str | None = Field(default=None, description="An episode: only what concerns it")


class ReflectData(BaseModel):
    """What reflecting found: of each candidate its id, text, status and support."""

    episodes: int
    candidates: list[dict[str, Any]]


class FeedbackArguments(Arguments):
    """Arguments of memory_feedback."""

    retrieval_id: str = Field(description="id of a memory_retrieve answer")
    verdict: Literal["helpful", "harmful", "unused"]
    ids: list[str] | None = None


class FeedbackData(BaseModel):
    """How many memories it counted for."""

    changed: int


async def reflect(desk: Desk, arguments: ReflectArguments) -> Answer:
    """Propose rules from the agent's episodes."""
    found = await (await desk.agents_memory()).reflect(arguments.episodic_id)
    shown = [{name: each.as_json()[name] for name in ("id", "text", "status", "support")} for each in found.proposals[:MOST_SHOWN]]
    return Answer(ReflectData(episodes=found.episodes, candidates=shown))


async def feedback(desk: Desk, arguments: FeedbackArguments) -> Answer:
    """Say how recalled memories proved themselves."""
    changed = await (await desk.agents_memory()).feedback(arguments.retrieval_id, arguments.verdict, ids=arguments.ids or ())
    return Answer(FeedbackData(changed=len(changed)))


TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="memory_reflect",
        title="Reflect 反思",
        description=("Find causes of past failures; proposes rules that a person must approve. 归纳失败原因，提出待人批准的规则。"),
        arguments=ReflectArguments,
        result=ReflectData,
        run=reflect,
        idempotent=True,
    ),
    Tool(
        name="memory_feedback",
        title="Feedback 反馈",
        description="Tell how recalled memories proved themselves. 反馈检索到的记忆是否有用。",
        arguments=FeedbackArguments,
        result=FeedbackData,
        run=feedback,
        idempotent=True,
    ),
)
