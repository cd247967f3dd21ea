"""Commands for whoever looks after a store: stats, jobs, doctor, version."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import console, plain, say, table, when, write_json
from hindsight.errors import NotFound

if TYPE_CHECKING:
    from datetime import tzinfo

    from hindsight.cli.doctor import Finding
    from hindsight.memory import Hindsight
    from hindsight.ports import JobState
    from hindsight.records import Stats


def stats(context: typer.Context) -> None:
    """Counts of the store, or with --namespace of one pool."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Stats:
        return await memory.stats(namespace=invocation.namespace)

    counts = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"memories": counts.memories, **counts.model_dump(mode="json")})
        return
    rows = [("memories", f"{counts.memories:,}")]
    for name in ("statuses", "kinds", "layers", "namespaces"):
        values: dict[str, int] = getattr(counts, name)
        rows.append((name, ", ".join(f"{key} {number:,}" for key, number in sorted(values.items(), key=lambda item: -item[1])) or "–"))
    rows += [(name, f"{getattr(counts, name):,}") for name in ("turns", "events", "retrievals", "vectors", "queued", "dead_jobs")]
    rows.append(("embedder", f"{counts.embedder} ({counts.dimension} dimensions)" if counts.embedder else "none: keyword only"))
    rows.append(("on disk", f"{counts.bytes_on_disk / 1_048_576:,.1f} MiB, schema {counts.schema_version}"))
    console().print(table(("", ""), rows))


def jobs(
    context: typer.Context,
    state: Annotated[list[str] | None, typer.Option(help="waiting, leased, done or dead; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, max=10_000)] = 100,
    retry: Annotated[list[int] | None, typer.Option(help="Give this dead job all its tries again; may be repeated.")] = None,
) -> None:
    """Queued work, newest first: waiting, leased, done, and dead (given up)."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[list[JobState], tzinfo]:
        for id in retry or ():
            if not await memory.retry_job(id):
                raise NotFound(f"there is no dead job {id}; `hindsight jobs --state dead` lists them.")
        return await memory.jobs(states=state or (), limit=limit), memory.zone

    found, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [_job(job) for job in found]})
        return
    if not found:
        say("no jobs")
        return
    rows = [
        (str(job.id), job.state, job.kind, job.namespace, str(job.attempts), when(job.created_at, zone), job.error or "") for job in found
    ]
    console().print(table(("id", "state", "kind", "namespace", "tries", "since", "error"), rows))


def doctor(context: typer.Context) -> int:
    """Check engine, store, model, disk, clock, versions and settings; each finding with its remedy."""
    from hindsight.cli.doctor import examine

    invocation: Invocation = context.obj
    findings = asyncio.run(_examined(invocation, examine))
    worst = "fail" if any(each.state == "fail" for each in findings) else "warn" if any(each.state == "warn" for each in findings) else "ok"
    if invocation.json:
        write_json({"state": worst, "items": [asdict(each) for each in findings]})
    else:
        _show(findings)
    return 1 if worst == "fail" else 0


async def _examined(invocation: Invocation, examine: Any) -> list[Finding]:
    found: list[Finding] = await examine(invocation)
    return found


def version(context: typer.Context) -> None:
    """The version."""
    import platform

    from hindsight import __version__

    if context.obj.json:
        write_json({"version": __version__, "python": platform.python_version()})
    else:
        say(f"hindsight {__version__}")


def _job(job: JobState) -> dict[str, Any]:
    return asdict(job) | {"created_at": job.created_at.isoformat()}


def _show(findings: list[Finding]) -> None:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for each in findings:
        text = plain(each.found)
        if each.remedy:
            text.append_text(plain(f"\n→ {each.remedy}", style="italic"))
        grid.add_row(plain(each.state, style=styles[each.state]), plain(each.name), text)
    console().print(grid)


COMMANDS = {"stats": stats, "jobs": jobs, "doctor": doctor, "version": version}
