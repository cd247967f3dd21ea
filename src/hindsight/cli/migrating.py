"""The command that moves a store to another kind of database: migrate."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight.cli.backing import SEALS
from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.cli.output import say, write_json
from hindsight.cli.progress import Bar

if TYPE_CHECKING:
    from hindsight.upkeep.fill import Filled
    from hindsight.upkeep.move import Moved


class VectorsOf(StrEnum):
    """Engines that hold vectors beside a store."""

    QDRANT = "qdrant"


def migrate(
    context: typer.Context,
    to: Annotated[str, typer.Option("--to", help="Where it moves to: postgresql://… or a folder, empty or of an earlier run.")],
    vectors: Annotated[
        VectorsOf | None, typer.Option("--vectors", help="Fill this engine from the new store, too: qdrant (HINDSIGHT_QDRANT_URL).")
    ] = None,
) -> None:
    """Copy the whole store into another place, a folder or PostgreSQL, while it is used; then verify it there.

    Run again, it goes on where it was interrupted, or catches up with what was written since.
    """
    from hindsight.assemble import mover, store_of
    from hindsight.vector_engine import filler_of

    invocation: Invocation = context.obj
    settings = invocation.settings()
    if vectors is not None:
        filler_of(settings.model_copy(update={"store": to.strip()}), store_of)  # what is not set shows before anything is copied
    log_for_commands(settings)

    async def work() -> tuple[Moved, Filled | None]:
        with Bar("rows", starting="copying", quiet=invocation.json) as bar:
            moved = await mover(settings, to).run(bar.show)
            if vectors is None:
                return moved, None
            return moved, await filler_of(settings.model_copy(update={"store": to.strip()}), store_of).run(bar.show, anew=False)

    moved, filled = asyncio.run(work())
    if invocation.json:
        engine = {} if filled is None else {"vectors": asdict(filled) | {"seconds": round(filled.seconds, 3)}}
        write_json(asdict(moved) | {"seconds": round(moved.seconds, 3)} | engine)
        return
    say(f"{moved.memories:,} memories with {moved.events:,} entries of history are in the new store ({moved.seconds:.1f} s)")
    say(f"  {moved.written:,} of {moved.rows:,} rows written by this run; all compared, SHA-256 {moved.checksum[:16]}…")
    say(f"  seals: {SEALS[moved.seals]}")
    if filled is not None:
        say(f"  {filled.points:,} of its vectors are in {filled.engine} at {filled.place}; {filled.compared:,} compared one by one")
    say(
        "  Was the old store written to meanwhile? Stop its servers and run the same command again. Then set HINDSIGHT_STORE to the new one."
    )


COMMANDS = {"migrate": migrate}
