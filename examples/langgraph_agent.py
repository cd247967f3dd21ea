"""LangGraph: a graph that recalls before the model and remembers after it, and a store that nodes use."""

from __future__ import annotations

import asyncio
import tempfile
from typing import Annotated, Any, TypedDict

import httpx
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from scripted_model import scripted_model

from hindsight import Hindsight
from hindsight.integrations.langgraph import HindsightStore, recall_node, remember_node


class State(TypedDict, total=False):
    """What flows through the graph."""

    messages: Annotated[list[AnyMessage], add_messages]
    memory_context: str


async def main() -> None:
    """Run it."""
    with scripted_model() as model, tempfile.TemporaryDirectory() as folder:
        async with Hindsight.open(f"{folder}/memory") as memory:

            async def answer(state: State) -> dict[str, Any]:
                messages = [{"role": "system", "content": "You help."}]
                if block := state.get("memory_context"):
                    messages.append({"role": "system", "content": block})
                messages.append({"role": "user", "content": str(state["messages"][-1].content)})
                async with httpx.AsyncClient() as web:
                    told = await web.post(f"{model}/chat/completions", json={"model": "scripted", "messages": messages})
                return {"messages": [AIMessage(told.json()["choices"][0]["message"]["content"])]}

            graph = StateGraph(State)
            graph.add_node("recall", recall_node(memory))
            graph.add_node("answer", answer)
            graph.add_node("remember", remember_node(memory))
            for first, then in ((START, "recall"), ("recall", "answer"), ("answer", "remember"), ("remember", END)):
                graph.add_edge(first, then)
            store = HindsightStore(memory)
            app = graph.compile(store=store)
            for thread, request in (("monday", "I am allergic to peanuts."), ("tuesday", "What am I allergic to?")):
                state = await app.ainvoke({"messages": [HumanMessage(request)]}, {"configurable": {"thread_id": thread}})
                print(f"{thread}: {state['messages'][-1].content}")

            await store.aput(("users", "ann"), "diet", {"text": "Ann eats no peanuts"})
            found = await store.asearch(("users",), query="peanuts")
            print("store:", found[0].namespace, found[0].key, found[0].value)


if __name__ == "__main__":
    asyncio.run(main())
