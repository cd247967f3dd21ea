"""Commands that put hindsight into other programs: install, and the hooks that they call."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from difflib import unified_diff
from pathlib import Path
from typing import Annotated, Any

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import say, visible_controls, write_json
from hindsight.errors import HindsightError

HOOK_LIMIT_SECONDS = 10.0


def claude_code(
    context: typer.Context,
    project: Annotated[Path | None, typer.Option(help="Folder of one project; default: all projects of this user.")] = None,
    url: Annotated[str | None, typer.Option(help="Address of a running server; default: each session starts its own.")] = None,
    transcripts: Annotated[bool, typer.Option("--transcripts", help="Import each conversation when it ends.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take out what was written, and nothing else.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes, write nothing.")] = False,
) -> None:
    """Give Claude Code this memory: an MCP server, and a hook that recalls before each prompt. Entries of others stay."""
    from hindsight.integrations.claude_code import apply, plan

    invocation: Invocation = context.obj
    command = _program()
    for name in ("store", "namespace", "agent"):
        if value := getattr(invocation, name):
            told = str(Path(value).expanduser().resolve()) if name == "store" and "://" not in value else value
            command += [f"--{name}", told]
    server = ["mcp", "--url", url] if url else ["mcp"]
    changes = plan(project, command=command, server=server, remove=remove, transcripts=transcripts)
    if not dry_run:
        apply(changes)
    if invocation.json:
        write_json({"files": [{"path": str(each.path), "changed": each.needed} for each in changes], "dry_run": dry_run, "removed": remove})
        return
    for change in changes:
        if not change.needed:
            say(f"{change.path}: nothing to change")
        elif dry_run:
            before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
            for line in unified_diff(before, after, str(change.path), str(change.path), lineterm=""):
                say(visible_controls(line))
        else:
            say(f"{change.path}: {'removed' if change.after is None else 'written'}")
    if not dry_run and not remove:
        say("Start a new session of Claude Code to use it; `hindsight install claude-code --remove` takes it out again.")


def hook_claude_code(context: typer.Context) -> None:
    """What Claude Code calls: reads an event from stdin and answers it. It never fails, so that the agent goes on."""
    invocation: Invocation = context.obj
    try:
        event = json.loads(sys.stdin.buffer.read().decode("utf-8", "replace") or "{}")
        told = asyncio.run(_answered(invocation, event if isinstance(event, dict) else {}))
    except (HindsightError, TimeoutError, ValueError) as error:
        sys.stderr.write(f"hindsight: {error or 'no answer in time'}\n")
        return
    if told is not None:
        write_json(told)


async def _answered(invocation: Invocation, event: dict[str, Any]) -> dict[str, Any] | None:
    from hindsight.cli.invocation import log_for_commands, patient
    from hindsight.integrations.claude_code import answer

    settings = invocation.settings()
    log_for_commands(settings)
    async with asyncio.timeout(HOOK_LIMIT_SECONDS):
        if settings.url:
            from hindsight.client import AsyncRestClient

            async with AsyncRestClient() as rest:
                return await answer(event, rest)
        from hindsight.client import ResilientMemory
        from hindsight.memory import Hindsight

        async with Hindsight.open(invocation.store, namespace=invocation.namespace, agent=invocation.agent, **patient(settings)) as memory:
            # A process that has just begun loads the model first.
            return await answer(event, ResilientMemory(memory, retrieval_seconds=HOOK_LIMIT_SECONDS))


def _program() -> list[str]:
    """What runs this program wherever Claude Code is started."""
    if shutil.which("hindsight"):
        return ["hindsight"]
    beside = Path(sys.executable).with_name("hindsight")
    if beside.exists():
        return [str(beside)]
    return [sys.executable, "-c", "from hindsight.cli.app import main; main()"]


INSTALL = {"claude-code": claude_code}
HOOKS = {"claude-code": hook_claude_code}
