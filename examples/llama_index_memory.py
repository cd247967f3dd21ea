"""LlamaIndex: a memory block keeps what leaves the short-term memory, and brings back what helps."""

from __future__ import annotations

import asyncio
import tempfile

import httpx
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from scripted_model import scripted_model

from hindsight import Hindsight
from hindsight.integrations.llama_index import HindsightMemoryBlock


async def main() -> None:
    """Run it."""
    with scripted_model() as model, tempfile.TemporaryDirectory() as folder:
        async with Hindsight.open(f"{folder}/memory") as memory:
            block = HindsightMemoryBlock.on(memory)
            # A short-term memory so small that the first turns leave it at once.
            chat = Memory.from_defaults(
                session_id="ann",
                token_limit=60,
                chat_history_token_ratio=0.5,
                token_flush_size=10,
                memory_blocks=[block],
                tokenizer_fn=str.split,
            )
            for role, text in (
                ("user", "I am allergic to peanuts."),
                ("assistant", "Noted."),
                ("user", "Tell me about the weather in spring in the north of the country, as long as you like, please."),
                ("assistant", "It rains a lot, then it does not, then it rains again, and so on, until the summer comes at last in June."),
                ("user", "What am I allergic to?"),
            ):
                await chat.aput(ChatMessage(role=role, content=text))
            messages = [{"role": each.role.value, "content": each.content or ""} for each in await chat.aget()]
            async with httpx.AsyncClient() as web:
                told = await web.post(f"{model}/chat/completions", json={"model": "scripted", "messages": messages})
            print(told.json()["choices"][0]["message"]["content"])


if __name__ == "__main__":
    asyncio.run(main())
