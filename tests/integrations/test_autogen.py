"""AutoGen's memory protocol. Its releases hold protobuf below the version that this project's own packages are tested with, so that it is
not among the test packages; where it is installed, these run.
"""

from __future__ import annotations

import pytest

from hindsight import Hindsight

pytest.importorskip("autogen_core")

from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import SystemMessage, UserMessage

from hindsight.client import AsyncRestClient
from hindsight.integrations.autogen import HindsightMemory


@pytest.fixture
async def memory(tmp_path):
    async with Hindsight.open(tmp_path / "own", embedder="none", min_relevance=0.001) as opened:
        yield opened


def text(content: str, **metadata) -> MemoryContent:
    return MemoryContent(content=content, mime_type=MemoryMimeType.TEXT, metadata=metadata or None)


async def test_what_was_said_and_added_comes_back_before_the_models_turn(memory):
    before = HindsightMemory(memory)
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="I am allergic to peanuts.", source="user"))
    assert (await before.update_context(context)).memories.results == []
    await before.add(text("The staging database is reset every night", kind="fact", tags=["ops"], nonsense=1))
    later = HindsightMemory(memory)
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="What am I allergic to?", source="user"))
    told = await later.update_context(context)
    assert "peanuts" in told.memories.results[0].content
    block = (await context.get_messages())[-1]
    assert isinstance(block, SystemMessage)
    assert block.content.startswith("<memory_context>")
    await later.update_context(context)  # the same message again: nothing is added twice
    assert len(await context.get_messages()) == 2
    found = await later.query(text("staging database"), tags=["ops"])
    assert found.results[0].metadata["kind"] == "fact"
    await before.clear()
    later = HindsightMemory(memory)  # each has a cache of its own
    assert (await later.query("staging database", tags=["ops"])).results == []
    assert (await later.query("allergic to peanuts")).results
    await later.close()


async def test_a_memory_that_is_away_breaks_nothing():
    away = AsyncRestClient("http://127.0.0.1:9", token="")
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="hello", source="user"))
    assert (await HindsightMemory(away, observe=False).update_context(context)).memories.results == []
    await away.close()
