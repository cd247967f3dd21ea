"""What the integrations share: messages of any library as text and turns, and the two tools that an agent gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from hindsight.client.agent import AgentMemory
from hindsight.client.resilient import ResilientMemory
from hindsight.errors import HindsightError, MissingExtra

ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "tool": "tool", "function": "tool"}
RECALL = "Recall what helps with a task or question: past outcomes, lessons, facts, preferences. The answer may be empty."
REMEMBER = "Keep one statement that will help later: an outcome, lesson, fact, preference or how-to. No secrets."
NOTHING = "No relevant memory was found. 没有找到相关记忆。"
Remembered = Literal["fact", "preference", "constraint", "procedure", "episode"]


def missing(library: str, error: ImportError) -> MissingExtra:
    """The error for a library that is not there."""
    return MissingExtra(f"{library} is not installed ({error}); install it with `pip install {library}`.")


def careful(memory: AgentMemory) -> ResilientMemory:
    """A memory that neither hangs nor breaks the agent."""
    return memory if isinstance(memory, ResilientMemory) else ResilientMemory(memory)


def text_of(content: Any) -> str:
    """The text of a message's content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return str(content.get("text") or "")
    if isinstance(content, Sequence):
        return "\n".join(filter(None, map(text_of, content)))
    return str(getattr(content, "text", None) or "")


def told(message: Any) -> tuple[str, str]:
    """Role and text of a message: a mapping, or an object of LangChain, LlamaIndex …; the role is empty for what nobody said."""
    if isinstance(message, Mapping):
        role, content = message.get("role") or message.get("type"), message.get("content")
    else:
        role = getattr(message, "type", None) or getattr(message, "role", None)
        content = getattr(message, "content", None)
    return ROLES.get(str(getattr(role, "value", role)), ""), text_of(content)


def last_request(messages: Sequence[Any]) -> str:
    """What the user said last."""
    return next((text for role, text in map(told, reversed(messages)) if role == "user" and text.strip()), "")


def turns_of(messages: Sequence[Any], session_id: str, first: int = 0) -> list[dict[str, Any]]:
    """Messages as turns; their places count from ``first``."""
    said = [(first + number, *told(message)) for number, message in enumerate(messages)]
    return [{"session_id": session_id, "position": at, "content": text, "role": role} for at, role, text in said if role and text.strip()]


async def block_for(memory: ResilientMemory, query: str, options: Mapping[str, Any]) -> str:
    """The block for a prompt; empty where nothing helps, or nobody answers."""
    return str((await memory.retrieve(query, **options)).render()) if query.strip() else ""


def tools_for(memory: AgentMemory, options: Mapping[str, Any]) -> tuple[Callable[[str], Awaitable[str]], Callable[..., Awaitable[str]]]:
    """The functions behind the tools ``recall`` and ``remember``."""
    kept = careful(memory)

    async def recall(query: str) -> str:
        return await block_for(kept, query, options) or NOTHING

    async def remember(statement: str, kind: Remembered = "fact") -> str:
        try:
            result = await kept.store(statement, kind=kind)
        except HindsightError as error:
            return f"Not kept: {error}"
        return f"{result.status}{': ' + '; '.join(result.reasons) if result.reasons else ''}"

    recall.__doc__, remember.__doc__ = RECALL, REMEMBER
    return recall, remember
