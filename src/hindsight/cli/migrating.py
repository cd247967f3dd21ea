"""The command that moves a store to another kind of database: migrate."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight.cli.backing import SEALS
from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.cli.output import say, write_json
from hindsight.cli.progress import Bar

if TYPE_CHECKING:
    from hindsight.upkeep.move import Moved


def migrate(
    context: typer.Context,
    to: Annotated[str, typer.Option("--to", help="Where it moves to: postgresql://… or a folder, empty or of an earlier run.")],
) -> None:
    """Copy the whole store into another place, a folder or PostgreSQL, while it is used; then verify it there.

    Run again, it goes on where it was interrupted, or catches up with what was written since.
    """
    from hindsight.assemble import mover

    invocation: Invocation = context.obj
    settings = invocation.settings()
    log_for_commands(settings)

    async def work() -> Moved:
        with Bar("rows", starting="copying", quiet=invocation.json) as bar:
            return await mover(settings, to).run(bar.show)

    moved = asyncio.run(work())
    if invocation.json:
        write_json(asdict(moved) | {"seconds": round(moved.seconds, 3)})
        return
    say(f"{moved.memories:,} memories with {moved.events:,} entries of history are in the new store ({moved.seconds:.1f} s)")
    say(f"  {moved.written:,} of {moved.rows:,} rows written by this run; all compared, SHA-256 {moved.checksum[:16]}…")
    say(f"  seals: {SEALS[moved.seals]}")
    say(
        "  Was the old store written to meanwhile? Stop its servers and run the same command again. Then set HINDSIGHT_STORE to the new one."
    )


COMMANDS = {"migrate": migrate}
