"""An agent that fails once and knows better the second time: any model, any tools, memory around each task."""

from __future__ import annotations

import asyncio
import tempfile

import httpx
from scripted_model import scripted_model

from hindsight import Hindsight
from hindsight.client import TaskLoop


async def ask(model: str, messages: list[dict[str, str]]) -> str:
    """One chat completion of any OpenAI-compatible model."""
    async with httpx.AsyncClient() as web:
        answer = await web.post(f"{model}/chat/completions", json={"model": "scripted", "messages": messages})
        return str(answer.json()["choices"][0]["message"]["content"])


def deploy(vpn: bool) -> str:
    """A tool with a trap: it needs the VPN."""
    if not vpn:
        raise ConnectionError("E42: the registry is not reachable without the VPN")
    return "deployed"


async def attempt(loop: TaskLoop, model: str) -> str:
    """The same agent, whatever it remembers: it starts the VPN if its model mentions one."""
    async with loop.task("Deploy the billing service", task_type="deployment", tools=["deploy"]) as task:
        messages = [
            {"role": "system", "content": "You deploy services. Say what to take care of."},
            {"role": "user", "content": "Deploy the billing service."},
        ]
        plan = await ask(model, task.messages(messages))
        task.step(plan)
        try:
            task.succeed(await task.use("deploy", deploy, vpn="VPN" in plan))
        except ConnectionError as error:
            task.fail(error)
    return (
        str(task.kept.episode.status)
        + (" with memory" if task.context else " without memory")
        + f": {task.calls[-1]['error'] or 'deployed'}"
    )


async def main() -> None:
    """Run it."""
    with scripted_model() as model, tempfile.TemporaryDirectory() as folder:
        async with Hindsight.open(f"{folder}/memory") as memory:
            loop = TaskLoop(memory)
            print("first: ", await attempt(loop, model))
            print("second:", await attempt(loop, model))


if __name__ == "__main__":
    asyncio.run(main())
