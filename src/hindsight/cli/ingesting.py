"""The command that keeps documents: ingest."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import say, visible_controls, write_json
from hindsight.cli.progress import Bar

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.remember.ingest.ingester import IngestReport

SHOWN_SKIPPED = 20


def ingest(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="File or folder.")],
    name: Annotated[str | None, typer.Option(help="What the document or folder is called; default: its full path.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="For all agents of the pool.")] = False,
    exclude: Annotated[list[str] | None, typer.Option(help="Glob pattern of paths to leave out; may be given again.")] = None,
) -> None:
    """Keep documents as knowledge: Markdown, HTML, PDF, text and code. Ingesting again brings the memory up to date."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> IngestReport:
        with Bar("documents", starting="looking") as bar:
            return await memory.ingest(
                path, name=name, namespace=invocation.namespace, shared=shared, exclude=exclude or (), progress=bar.show
            )

    report = invocation.with_memory(work)
    if invocation.json:
        write_json(
            asdict(report) | {"skipped": [list(each) for each in report.skipped], "seconds": round(report.seconds, 3), "path": str(path)}
        )
        return
    say(f"{report.documents:,} documents, {report.chunks:,} chunks in {report.seconds:.1f} s")
    for number, meaning in (
        (report.stored, "stored"),
        (report.unchanged, "unchanged"),
        (report.returned, "back again"),
        (report.retired, "retired: their documents no longer say them"),
        (report.held, "held back by the guard: see `hindsight review`"),
        (report.refused, "refused by the guard"),
    ):
        if number:
            say(f"  {number:,} {meaning}")
    for document, why in report.skipped[:SHOWN_SKIPPED]:
        say(f"  skipped {visible_controls(document)}: {visible_controls(why)}")
    if len(report.skipped) > SHOWN_SKIPPED:
        say(f"  and {len(report.skipped) - SHOWN_SKIPPED:,} more skipped; --json names all")


COMMANDS = {"ingest": ingest}
