"""``hindsight patterns``: where tasks fail, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import console, say, shortened, table, write_json
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.learn.patterns import Patterns
    from hindsight.memory import Hindsight


def patterns(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option(help="At most so many kinds of failure.", min=1, max=1000)] = 20,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a picture (SVG) there.")] = None,
) -> None:
    """Show where tasks fail most, by task type, tool and error, how that changes, and what would help."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Patterns:
        return await memory.patterns(limit=limit)

    found = invocation.with_memory(work)
    if plot is not None:
        from hindsight.learn.plot import as_svg

        try:
            plot.write_text(as_svg(found), encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"--plot: {plot} cannot be written: {error.strerror or error}.") from None
    if invocation.json:
        write_json(found.as_json())
        return
    say(f"{found.failures} of {found.runs} tasks failed")
    rows = [
        (each.task_type or "–", each.tool or "–", each.error or "–", f"{each.failures} of {each.runs} ({each.rate:.0%})", each.advice)
        for each in found.cells
    ]
    if rows:
        console().print(table(("task type", "tool", "error", "failed", "what would help"), rows))
    if found.trend:
        say("\nover time: " + ", ".join(f"{each.begins} {each.failures}/{each.runs}" for each in found.trend))
    for title, uses in (("lessons shown, and the task failed all the same", found.shown_and_failed), ("never shown", found.never_shown)):
        if uses:
            say(f"\n{title}:")
            for use in uses:
                say(f"  {use.id}  shown {use.shown}, failed {use.failed}: {shortened(use.text, 120)}")


COMMANDS = {"patterns": patterns}
