"""Each integration against the real library."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from hindsight import Hindsight
from hindsight import sync as synchronous
from hindsight.errors import InvalidInput
from hindsight.integrations import langgraph, llama_index, openai_agents, pydantic_ai
from hindsight.integrations.retrievers import HttpRetriever
from hindsight.integrations.talking import last_request, missing, text_of, turns_of


@pytest.fixture
async def memory(tmp_path):
    async with Hindsight.open(tmp_path / "own", embedder="none", min_relevance=0.001) as opened:
        yield opened


async def test_langgraph_store_keeps_the_contract_of_its_library(memory):
    store = langgraph.HindsightStore(memory)
    await store.aput(("users", "安/n#"), "diet", {"text": "对花生过敏"})
    await store.aput(("users", "bob"), "diet", {"food": "fish", "score": 3})
    await store.aput(("users2",), "diet", {"text": "not below users"})
    item = await store.aget(("users", "安/n#"), "diet")
    assert (item.value, item.key, item.namespace) == ({"text": "对花生过敏"}, "diet", ("users", "安/n#"))
    assert await store.aget(("users",), "die") is None
    found = await store.asearch(("users",), query="花生")
    assert found[0].value == {"text": "对花生过敏"}
    assert found[0].score is not None
    assert {each.namespace for each in await store.asearch(("users",))} == {("users", "安/n#"), ("users", "bob")}
    assert [each.namespace for each in await store.asearch((), filter={"score": {"$gt": 2}})] == [("users", "bob")]
    assert await store.asearch((), filter={"score": {"$gt": 3}}) == []
    with pytest.raises(InvalidInput, match="no operator"):
        await store.asearch((), filter={"score": {"$near": 3}})
    assert await store.alist_namespaces(prefix=("users",)) == [("users", "bob"), ("users", "安/n#")]
    assert await store.alist_namespaces(max_depth=1) == [("users",), ("users2",)]
    await store.aput(("users", "bob"), "diet", {"food": "rice"})
    assert (await store.aget(("users", "bob"), "diet")).value == {"food": "rice"}
    await store.aput(("users", "bob"), "diet", {"text": "rice"}, ttl=60)
    assert (await store.aget(("users", "bob"), "diet")).value == {"text": "rice"}
    await store.adelete(("users", "bob"), "diet")
    assert await store.aget(("users", "bob"), "diet") is None
    await store.aput(("users", "bob"), "diet", {"text": "rice"})
    assert (await store.aget(("users", "bob"), "diet")).value == {"text": "rice"}
    assert (await asyncio.to_thread(store.get, ("users", "bob"), "diet")).value == {"text": "rice"}
    with pytest.raises(Exception, match="sync|async"):
        store.get(("users", "bob"), "diet")


def test_langgraph_store_for_graphs_that_run_synchronously(tmp_path):
    with synchronous.Hindsight.open(tmp_path / "store", embedder="none", min_relevance=0.001) as memory:
        store = langgraph.HindsightStore(memory)
        store.put(("a",), "k", {"text": "the gateway is slow"})
        assert store.get(("a",), "k").value == {"text": "the gateway is slow"}
        assert store.search(("a",), query="gateway")[0].key == "k"
        assert asyncio.run(store.aget(("a",), "k")).key == "k"


async def test_langgraph_nodes(memory):
    remember, recall = langgraph.remember_node(memory), langgraph.recall_node(memory)
    state = {"messages": [HumanMessage("I am allergic to peanuts."), AIMessage("Noted.")]}
    for _ in range(2):  # a thread grows: what was handed over before is not taken twice
        await remember(state, {"configurable": {"thread_id": "t1"}})
    assert len(await memory.turns("t1")) == 2
    told = await recall({"messages": [HumanMessage("What am I allergic to?")]})
    assert "peanuts" in told["memory_context"]
    assert await recall({"messages": []}) == {"memory_context": ""}


async def test_openai_session_gives_back_what_it_was_given(memory):
    session = openai_agents.HindsightSession("chat", memory)
    items = [
        {"role": "user", "content": "I am allergic to nuts."},
        {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "1"},
    ]
    await session.add_items(items)
    await session.add_items([{"role": "assistant", "content": [{"type": "output_text", "text": "Noted."}]}])
    assert (await session.get_items())[:2] == items
    assert [(turn.position, turn.content) for turn in await memory.turns("chat")] == [(0, "I am allergic to nuts."), (2, "Noted.")]
    assert (await session.pop_item())["role"] == "assistant"
    await session.clear_session()
    assert await session.get_items() == []
    assert {tool.name for tool in openai_agents.memory_tools(memory)} == {"recall", "remember"}


async def test_pydantic_ai_tools_run_with_its_own_test_model(memory):
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    agent = Agent(TestModel(call_tools=["recall"]), toolsets=[pydantic_ai.memory_toolset(memory)])
    assert "recall" in (await agent.run("hello")).output


async def test_llama_index_block(memory):
    from llama_index.core.llms import ChatMessage

    block = llama_index.HindsightMemoryBlock.on(memory)
    await block.aput([ChatMessage(role="user", content="I am allergic to peanuts.")])
    assert "peanuts" in await block.aget([ChatMessage(role="user", content="What am I allergic to?")])
    assert await block.aget([]) == ""


async def test_a_memory_that_is_away_breaks_none_of_them():
    from hindsight.client import AsyncRestClient

    away = AsyncRestClient("http://127.0.0.1:9", token="")
    recall, remember = openai_agents.tools_for(away, {})
    assert "没有找到" in await recall("anything")
    assert (await remember("anything")).startswith("Not kept")
    assert await langgraph.recall_node(away)({"messages": [HumanMessage("hi")]}) == {"memory_context": ""}
    await away.close()


async def test_a_retriever_over_http():
    import httpx

    def served(request):
        return httpx.Response(200, json={"results": [{"text": "from afar", "source": "wiki"}]})

    asked = HttpRetriever("http://wiki/search", transport=httpx.MockTransport(served))
    assert await asked.ainvoke("x") == [{"text": "from afar", "source": "wiki"}]
    broken = HttpRetriever("http://wiki/search", transport=httpx.MockTransport(lambda request: httpx.Response(200, json={"a": 1})))
    with pytest.raises(InvalidInput, match="list of passages"):
        await broken.ainvoke("x")
    with pytest.raises(InvalidInput):
        HttpRetriever("file:///etc/passwd")


def test_messages_of_any_library():
    assert text_of([{"type": "text", "text": "a"}, "b", None]) == "a\nb"
    assert last_request([{"role": "user", "content": "first"}, {"role": "system", "content": "x"}]) == "first"
    assert turns_of([{"role": "system", "content": "x"}, {"role": "user", "content": "  "}], "s") == []
    assert "pip install langgraph" in str(missing("langgraph", ImportError("no module")))
