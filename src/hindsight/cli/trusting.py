"""Commands about trust in what is stored: verify, undo."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import console, say, shortened, table, write_json
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.remember.undo import UndoReport
    from hindsight.upkeep.verify import Verification

SHOWN = 50
_WRONG_KEY = 2
_FAULTY = 1


def verify(
    context: typer.Context,
    *,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="First put a new key into the key file; the old ones stay for verifying.")
    ] = False,
    reseal: Annotated[
        bool, typer.Option("--reseal", help="Seal everything anew as it stands: after the loss of the key, or after a backup was put back.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Find out whether anybody changed the store around hindsight: edited, deleted, inserted, reordered or took back anything."""
    invocation: Invocation = context.obj
    if rotate:
        from hindsight.assemble import seal_keys

        seal_keys(invocation.settings()).rotate()
    if reseal and not yes:
        _confirm("What was sealed before can no longer be proved. Seal everything as it stands?", "nothing was sealed anew")

    async def work(memory: Hindsight) -> Verification:
        if reseal:
            await memory.reseal()
        return await memory.verify()

    found = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(_verification(found))
    else:
        _show(found)
    if found.ok:
        return 0
    return _WRONG_KEY if found.state == "wrong key" else _FAULTY


def undo(
    context: typer.Context,
    *,
    session: Annotated[str | None, typer.Option("--session", help="What came from this session.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="What came by this channel (document, tool …), is inferred, or comes from this document.")
    ] = None,
    memory_id: Annotated[str | None, typer.Option("--memory", help="What happened to this memory.")] = None,
    earlier: Annotated[str | None, typer.Option("--undo", help="An earlier undo.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only from this time on, such as 2025-03-08T14:30.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")] = False,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; kept in the history.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take back what an agent (--agent), session, source or memory did, and all that grew from it. Shows it and asks first."""
    given: Invocation = context.obj
    invocation = replace(given, agent=None)  # --agent says here whose work is undone, not who undoes it
    chosen: dict[str, Any] = {
        "agent": given.agent, "session": session, "source": source, "memory": memory_id, "undo": earlier, "since": since
    }  # fmt: skip

    async def work(memory: Hindsight) -> UndoReport:
        planned = await memory.undo(**chosen, dry_run=True)
        if dry_run:
            return planned
        if not yes:
            _show_undo(planned, stderr=True)
            _confirm(f"Shall these {len(planned.items)} memories be changed?", "nothing was undone")
        return await memory.undo(**chosen, reason=reason)

    report = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(_undone(report))
    else:
        _show_undo(report)


def _confirm(question: str, otherwise: str) -> None:
    if not sys.stdin.isatty():
        raise InvalidInput(f"{otherwise}: there is nobody to ask; add --yes.")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes", "是", "好"}:
        raise InvalidInput(f"{otherwise}.")


def _verification(found: Verification) -> dict[str, Any]:
    faults = [
        {"what": each.what, "message": each.message, "namespace": each.namespace, "id": each.memory_id, "entry": each.entry}
        for each in found.faults
    ]
    heads = {name: {"entries": number, "seal": seal} for name, (number, seal) in found.heads.items()}
    cuts = {name: {"entries_gone": number, "whole_from": before} for name, (number, before) in found.cuts.items()}
    counts = {"entries": found.entries, "records": found.records}
    return {"ok": found.ok, "state": found.state, "store": found.store, **counts, "heads": heads, "cuts": cuts, "faults": faults}


def _show(found: Verification) -> None:
    say(f"{found.state}: {found.records:,} memories and {found.entries:,} entries of their history were compared with their seals")
    for fault in found.faults[:SHOWN]:
        say(f"  {fault.what}: {fault.message}")
    if len(found.faults) > SHOWN:
        say(f"  … and {len(found.faults) - SHOWN:,} more (--json shows all)")
    for namespace, (number, seal) in found.heads.items():
        say(f"  head of {namespace}: entry {number}, {seal}")
    for namespace, (number, before) in found.cuts.items():
        say(f"  {number:,} entries of {namespace} that nothing needs any more are gone; its history is whole from {before[:16]} UTC on")


def _undone(report: UndoReport) -> dict[str, Any]:
    items = [
        {
            "id": str(item.id),
            "effect": item.effect,
            "events": list(item.events),
            "content": item.before.content,
            "after": item.after.content,
        }
        for item in report.items
    ]
    lost = [{"id": str(id), "why": why} for id, why in report.lost]
    id = None if report.dry_run else str(report.id)
    return {"undo": id, "dry_run": report.dry_run, "namespace": report.namespace, "items": items, "lost": lost}


def _show_undo(report: UndoReport, *, stderr: bool = False) -> None:
    rows = [
        (str(item.id), item.effect, shortened(item.before.content, 60), _change(item.before.content, item.after.content))
        for item in report.items
    ]
    console(stderr=stderr).print(table(("id", "effect", "now" if report.dry_run else "was", "then" if report.dry_run else "is"), rows))
    for id, why in report.lost:
        console(stderr=stderr).print(f"lost: {id}: {why}")
    if not report.dry_run:
        say(f"undone; `hindsight undo --undo {report.id}` takes it back")


def _change(before: str, after: str) -> str:
    return shortened(after, 60) if after != before else "the same text"


COMMANDS = {"verify": verify, "undo": undo}
