"""Commands of upkeep: what runs by itself, a run by hand, and what lies cold."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import as_json, console, say, shortened, table, when, write_json
from hindsight.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from datetime import tzinfo

    from hindsight.memory import Hindsight
    from hindsight.records import Memory
    from hindsight.upkeep.run import Report
    from hindsight.upkeep.runner import Planned
    from hindsight.upkeep.thaw import Thawed


def upkeep(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="expire, archive, compact, conflicts, patterns, forget, consolidate, history or stats; none: list them with last and next run."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be done; change nothing.")] = False,
) -> None:
    """Run an upkeep job now, or list the jobs. A server runs them by itself."""
    invocation: Invocation = context.obj
    if name is None:
        if dry_run:
            raise InvalidInput("--dry-run needs the name of a job; `hindsight upkeep` lists them.")
        _list(invocation)
        return

    async def work(memory: Hindsight) -> Report:
        return await memory.upkeep(name, dry_run=dry_run)

    report = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(report.as_json())
        return
    did = ", ".join(f"{what.replace('_', ' ')} {number:,}" for what, number in report.counts.items()) or "nothing to do"
    say(f"{report.name}{' (dry run)' if report.dry_run else ''}: {did} in {report.seconds:.1f} s")
    if report.dry_run and report.items:
        columns = list(report.items[0])
        rows = [[shortened(_cell(item.get(column)), 100) for column in columns] for item in report.items]
        console().print(table([column.replace("_", " ") for column in columns], rows))
    for note in report.notes:
        say(f"note: {note}")
    if not report.dry_run and (report.counts.get("archived") or report.counts.get("merged")):
        say(f"take it back: hindsight undo --session {report.run}")


def _cell(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)


def _list(invocation: Invocation) -> None:
    from hindsight.upkeep.schedule import next_run

    async def work(memory: Hindsight) -> tuple[list[Planned], tzinfo]:
        return await memory.upkeep_jobs(), memory.zone

    jobs, zone = invocation.with_memory(work, reading=True)
    now = datetime.now(zone)
    if invocation.json:
        write_json({"items": [_as_json(each, next_run(each.cron, zone, now)) for each in jobs]})
        return
    rows = []
    for each in jobs:
        state = each.state
        last = "never" if state is None or state.finished_at is None else when(state.finished_at, zone)
        if state is not None and state.error:
            last += f" (failed: {shortened(state.error, 60)})"
        rows.append((each.job.name, each.cron or "by hand", last, when(next_run(each.cron, zone, now), zone), each.job.meaning))
    console().print(table(("job", "cron", "last run", "next run", "what it does"), rows))


def _as_json(planned: Planned, following: datetime | None) -> dict[str, Any]:
    state = planned.state
    return {
        "name": planned.job.name,
        "meaning": planned.job.meaning,
        "cron": planned.cron or None,
        "next_run": following.isoformat() if following else None,
        "started_at": state.started_at.isoformat() if state and state.started_at else None,
        "finished_at": state.finished_at.isoformat() if state and state.finished_at else None,
        "error": state.error if state else None,
        "report": state.report if state else None,
    }


def thaw(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of archived memories, or of digests: then of all their episodes.")] = None,
    search: Annotated[str | None, typer.Option(help="Look for words among what lies in the cold store alone, instead.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many found ones.", min=1, max=1_000)] = 20,
) -> None:
    """Bring archived memories back, from the store or the cold store; or search what lies cold."""
    invocation: Invocation = context.obj
    if bool(ids) == (search is not None):
        raise InvalidInput("give the ids of memories to bring back, or --search with words to look for.")
    if search is not None:
        _search(invocation, search, limit)
        return

    async def work(memory: Hindsight) -> list[Thawed]:
        return await memory.thaw(ids or ())

    done = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [each.as_json() for each in done]})
    else:
        for each in done:
            say(f"{each.effect}: {each.id}" + (f" ({each.memory.status})" if each.memory is not None else ""))
    if all(each.effect == "not there" for each in done):
        raise NotFound("none of these memories is archived here; `hindsight thaw --search WORDS` looks into the cold store.")


def _search(invocation: Invocation, words: str, limit: int) -> None:
    async def work(memory: Hindsight) -> tuple[list[Memory], tzinfo]:
        return await memory.search_cold(words, namespace=invocation.namespace, limit=limit), memory.zone

    found, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [as_json(memory) for memory in found]})
        return
    if not found:
        say("nothing in the cold store has these words.")
        return
    rows = [(str(memory.id), when(memory.event_time, zone), shortened(memory.content, 100)) for memory in found]
    console().print(table(("id", "time", "content"), rows))


COMMANDS = {"upkeep": upkeep, "thaw": thaw}
