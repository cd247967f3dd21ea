"""The command that makes every vector anew: reindex."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.cli.output import say, write_json
from hindsight.cli.progress import Bar
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.upkeep.fill import Filled
    from hindsight.upkeep.reindex import ReindexReport


def reindex(
    context: typer.Context,
    keywords: Annotated[bool, typer.Option("--keywords", help="Make the keyword index anew from the texts, too.")] = False,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Only fill Qdrant (HINDSIGHT_QDRANT_URL) anew with the vectors that the store has.")
    ] = False,
) -> None:
    """Embed every memory of the store anew, with the embedder of the settings. Searches go on meanwhile; all vectors change at once.

    Run again after an interruption, it goes on where it was.
    """
    from hindsight.assemble import reindexer

    invocation: Invocation = context.obj
    if vectors and keywords:
        raise InvalidInput("--vectors fills Qdrant alone, --keywords makes the keyword index anew: run them one after the other.")
    if vectors:
        _fill(invocation)
        return
    settings = invocation.settings()
    log_for_commands(settings)

    async def work() -> ReindexReport:
        with Bar("memories", starting="embedding") as bar:
            return await reindexer(settings).run(bar.show, keywords=keywords)

    report = asyncio.run(work())
    if invocation.json:
        write_json(asdict(report) | {"seconds": round(report.seconds, 3)})
        return
    if keywords:
        say(f"{report.words:,} memories indexed anew for keyword search")
    if report.model is None:
        say("nothing to embed: the embedder is none, which searches by keywords only; vectors that the store has are kept")
        return
    rate = f", {report.embedded / report.seconds:,.0f} a second" if report.embedded and report.seconds > 0 else ""
    say(f"{report.records:,} memories now have vectors of {report.model} ({report.dimension} dimensions)")
    say(f"  {report.embedded:,} embedded in {report.seconds:.1f} s{rate}")
    if report.resumed:
        say(f"  {report.resumed:,} by a run that was interrupted")


def _fill(invocation: Invocation) -> None:
    from hindsight.assemble import store_of
    from hindsight.vector_engine import filler_of

    settings = invocation.settings()
    log_for_commands(settings)

    async def work() -> Filled:
        with Bar("rows", starting="filling", quiet=invocation.json) as bar:
            return await filler_of(settings, store_of).run(bar.show, anew=True)

    filled = asyncio.run(work())
    if invocation.json:
        write_json(asdict(filled) | {"seconds": round(filled.seconds, 3)})
        return
    say(f"{filled.points:,} memories with vectors are in {filled.engine} at {filled.place} ({filled.seconds:.1f} s)")
    say(f"  as many as in the store; {filled.compared:,} compared one by one")


COMMANDS = {"reindex": reindex}
