"""``hindsight token``: who may reach the HTTP server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import console, say, table, when, write_json
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import tzinfo

    from hindsight.memory import Hindsight
    from hindsight.ports import Token


def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="For people, to tell tokens apart.")],
    *,
    agent: Annotated[str | None, typer.Option("--for-agent", help="Name under which the caller writes and reads (default: NAME).")] = None,
    namespaces: Annotated[
        list[str] | None, typer.Option("--for-namespace", help="Pool it may use; may be repeated (default: all).")
    ] = None,
    scopes: Annotated[
        list[str] | None, typer.Option("--scope", help="read, write, review, admin or relay; may be repeated (default: read and write).")
    ] = None,
    per_minute: Annotated[int, typer.Option(help="Most requests in a minute; 0: no limit.", min=0)] = 0,
    expires_at: Annotated[str | None, typer.Option(help="When it ends, such as 2027-01-31.")] = None,
) -> None:
    """Make a token; its secret is printed this once and kept nowhere."""
    invocation: Invocation = context.obj
    for option, given in (("namespace", invocation.namespace), ("agent", invocation.agent)):
        if given is not None:  # a pool that was meant as a limit would else be none
            raise InvalidInput(f"--{option}: it does not say what a token is for; write --for-{option} {given}. No token was made.")

    async def work(memory: Hindsight) -> tuple[Token, str]:
        from hindsight.moments import read_moment

        end = read_moment(expires_at, memory.zone, field="expires_at")[0] if expires_at else None
        return await memory.create_token(
            name,
            agent=agent or name,
            namespaces=namespaces or ("*",),
            scopes=scopes or ("read", "write"),
            per_minute=per_minute,
            expires_at=end,
        )

    token, secret = invocation.with_memory(work)
    if invocation.json:
        write_json({**_item(token), "secret": secret})
        return
    say(secret)
    sys.stderr.write(f"token {token.id} for {token.agent}; keep the line above, it is not shown again\n")


def list_(context: typer.Context) -> None:
    """List every token, without its secret."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[list[Token], tzinfo]:
        return await memory.tokens(), memory.zone

    found, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [_item(token) for token in found]})
        return
    if not found:
        say("no tokens; `hindsight token create NAME` makes one")
        return
    rows = [
        (
            str(each.id),
            each.name,
            each.agent,
            ", ".join(each.namespaces),
            ", ".join(sorted(each.scopes)),
            "revoked" if each.revoked_at else when(each.expires_at, zone),
            when(each.last_used_at, zone),
        )
        for each in found
    ]
    console().print(table(("id", "name", "agent", "namespaces", "scopes", "ends", "last used"), rows))


def revoke(context: typer.Context, id: Annotated[str, typer.Argument(help="Id of a token; `hindsight token list` shows them.")]) -> None:
    """Refuse a token from now on, in every process."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> None:
        await memory.revoke_token(id)

    invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"id": id, "revoked": True})
    else:
        say(f"revoked {id}")


def _item(token: Token) -> dict[str, Any]:
    times = {name: getattr(token, name) for name in ("created_at", "expires_at", "revoked_at", "last_used_at")}
    return {
        "id": str(token.id),
        "name": token.name,
        "agent": token.agent,
        "namespaces": list(token.namespaces),
        "scopes": sorted(token.scopes),
        "per_minute": token.per_minute,
        **{name: moment.isoformat() if moment else None for name, moment in times.items()},
    }


COMMANDS: dict[str, Callable[..., None]] = {"create": create, "list": list_, "revoke": revoke}
