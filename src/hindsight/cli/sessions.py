"""The command for working memory: which sessions are open, what stands in one, and ending it by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import console, say, shortened, table, when, write_json
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import tzinfo

    from hindsight.memory import Hindsight
    from hindsight.ports import SessionState


def sessions(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(help="Session to show; without it the open ones are listed.")] = None,
    *,
    close: Annotated[bool, typer.Option("--close", help="Distil what is worth keeping, then end it.")] = False,
    discard: Annotated[bool, typer.Option("--discard", help="End it and keep nothing but the raw turns.")] = False,
) -> None:
    """Working memory: list the open sessions of the agent, show one, or end it."""
    invocation: Invocation = context.obj
    if close and discard:
        raise InvalidInput("--close and --discard: give one of them.")
    if id is None:
        if close or discard:
            raise InvalidInput("ID: say which session is to end.")
        _list(invocation)
        return

    async def work(memory: Hindsight) -> dict[str, Any]:
        one = memory.session(id)
        shown = await one.show()
        if close:
            ended = await one.close()
            return {"session_id": one.id, "open": False, "kept": [str(each.id) for each in ended.kept if each.id], "turns": ended.turns}
        if discard:
            await one.discard()
            return {"session_id": one.id, "open": False, "kept": [], "turns": 0}
        return {"session_id": one.id, "open": True, "shown": shown}

    told = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(told)
    elif told["open"]:
        say(told["shown"])
    else:
        say(f"ended {told['session_id']}; {len(told['kept'])} memories kept")
        for kept in told["kept"]:
            say(f"  {kept}")


def _list(invocation: Invocation) -> None:
    async def work(memory: Hindsight) -> tuple[list[SessionState], tzinfo]:
        return await memory.open_sessions(), memory.zone

    found, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [_item(state) for state in found]})
        return
    if not found:
        say("no open sessions")
        return
    rows = [(each.session_id, when(each.opened_at, zone), when(each.touched_at, zone), shortened(_goal(each), 80)) for each in found]
    console().print(table(("session", "opened", "last used", "goal"), rows))


def _item(state: SessionState) -> dict[str, Any]:
    return {
        "session_id": state.session_id,
        "opened_at": state.opened_at.isoformat(),
        "touched_at": state.touched_at.isoformat(),
        "goal": _goal(state),
    }


def _goal(state: SessionState) -> str:
    return str(state.body.get("board", {}).get("goal", ""))


COMMANDS = {"sessions": sessions}
