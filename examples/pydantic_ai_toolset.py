"""Pydantic AI: a toolset that remembers, recalls, and puts what helps into the instructions."""

from __future__ import annotations

import asyncio
import tempfile

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from scripted_model import scripted_model

from hindsight import Hindsight
from hindsight.integrations.pydantic_ai import memory_toolset


async def main() -> None:
    """Run it."""
    with scripted_model() as address, tempfile.TemporaryDirectory() as folder:
        async with Hindsight.open(f"{folder}/memory") as memory, AsyncOpenAI(base_url=address, api_key="none") as client:
            model = OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model, instructions="You help.", toolsets=[memory_toolset(memory)])
            print("1:", (await agent.run("Please use the tool remember: The staging database is reset every night")).output)
            print("2:", (await agent.run("When is the staging database reset?")).output)


if __name__ == "__main__":
    asyncio.run(main())
