"""``hindsight store``: texts from the command line, a pipe or JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import say, write_json
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import StoreResult


def store(
    context: typer.Context,
    content: Annotated[str, typer.Argument(help="The text to keep; `-` reads it from stdin.")],
    *,
    kind: Annotated[str, typer.Option(help="episode, fact, preference, constraint, rule, procedure, knowledge.")] = "fact",
    query: Annotated[str, typer.Option(help="The situation in which it helps.")] = "",
    key: Annotated[str | None, typer.Option(help="A path of your own, such as agent-a:task-123.")] = None,
    outcome: Annotated[str | None, typer.Option(help="success, failure, fixed, corrected, unknown.")] = None,
    task_type: Annotated[str | None, typer.Option(help="Kind of task, such as troubleshooting.")] = None,
    tools: Annotated[list[str] | None, typer.Option("--tool", help="Tool that was used; repeat it in the order of use.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="Tag; may be repeated.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Session it comes from.")] = None,
    occurred_at: Annotated[str | None, typer.Option(help="When it happened: 2025, 2025-03, 2025-03-08, 2025-03-08T14:30.")] = None,
    expires_at: Annotated[str | None, typer.Option(help="When it stops being recalled.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="For every agent of the namespace, not only this one.")] = False,
    idempotency_key: Annotated[str | None, typer.Option(help="A second store with this key adds nothing.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any other field, as NAME=VALUE; the value is JSON or text.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it is stored, or only until it is durable.")] = True,
) -> None:
    """Keep one text as it stands."""
    invocation: Invocation = context.obj
    given = {
        "kind": kind,
        "query": query,
        "key": key,
        "outcome": outcome,
        "task_type": task_type,
        "tools": tools,
        "tags": tags,
        "speaker": speaker,
        "session_id": session_id,
        "occurred_at": occurred_at,
        "expires_at": expires_at,
        "visibility": "shared" if shared else None,
        "idempotency_key": idempotency_key,
    }
    fields = {name: value for name, value in given.items() if value} | dict(_field(each) for each in set_ or ())
    text = _stdin() if content == "-" else content

    async def work(memory: Hindsight) -> StoreResult:
        return await memory.store(text, wait=wait, **cast("Any", fields))

    result = invocation.with_memory(work)
    if invocation.json:
        write_json(result.model_dump(mode="json"))
        return
    say(" ".join([str(result.status), str(result.id or (f"job {result.job_id}" if result.job_id else ""))]).strip())
    for reason in result.reasons:
        say(f"  {reason}")


def _field(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not equals or not name.isidentifier():
        raise InvalidInput(f"--set: {given!r} is not NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"stdin is not UTF-8 at byte {error.start + 1}; nothing was stored.") from error


COMMANDS = {"store": store}
