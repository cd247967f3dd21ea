"""Whatever a client sends as arguments, it gets an answer that a model can read."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import text_of

from hindsight.errors import StoreUnavailable
from hindsight.serve.desk import Desk
from hindsight.serve.mcp import older
from hindsight.serve.mcp.server import LISTED
from hindsight.settings import Settings
from hindsight.telemetry import Counts

TOOLS = (*LISTED, *older.TOOLS, older.STORE_EXPERIENCE)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet=st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@asynccontextmanager
async def away():
    raise StoreUnavailable("the store is away")
    yield


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: f"{tool.name}-{tool.arguments.__name__}")
def test_any_arguments_are_answered_with_a_sentence(tool) -> None:
    @given(st.dictionaries(st.sampled_from(sorted(tool.arguments.model_fields)) | st.text(max_size=8), JSON, max_size=5))
    def check(arguments) -> None:
        result = asyncio.run(tool.call(Desk(Settings(), away, Counts()), arguments))
        assert result.is_error
        message = text_of(result)
        assert "unexpectedly" not in message
        assert message == "the store is away" or message.startswith(f"{tool.name}: ") or "metadata.timestamp" in message
        assert len(message) < 5_000
        message.encode("utf-8", "strict")

    check()
