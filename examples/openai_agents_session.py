"""OpenAI Agents SDK: what was said in one conversation helps in another; and the tools recall and remember."""

from __future__ import annotations

import asyncio
import tempfile

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, set_tracing_disabled
from openai import AsyncOpenAI
from scripted_model import scripted_model

from hindsight import Hindsight
from hindsight.integrations.openai_agents import HindsightSession, memory_tools, recall_filter


async def main() -> None:
    """Run it."""
    set_tracing_disabled(True)
    with scripted_model() as address, tempfile.TemporaryDirectory() as folder:
        async with Hindsight.open(f"{folder}/memory") as memory, AsyncOpenAI(base_url=address, api_key="none") as client:
            model = OpenAIChatCompletionsModel("scripted", client)
            agent = Agent(name="assistant", instructions="You help.", model=model, tools=memory_tools(memory))
            config = RunConfig(call_model_input_filter=recall_filter(memory))
            for chat, request in (
                ("monday", "I am allergic to peanuts."),
                ("tuesday", "What am I allergic to?"),
                ("wednesday", "Please use the tool remember: The staging database is reset every night"),
                ("thursday", "Please use the tool recall: when is the staging database reset?"),
            ):
                result = await Runner.run(agent, request, session=HindsightSession(chat, memory), run_config=config)
                print(f"{chat}: {result.final_output}")


if __name__ == "__main__":
    asyncio.run(main())
