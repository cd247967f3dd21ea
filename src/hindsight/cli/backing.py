"""Commands that keep a store from being lost: backup, backup list, backup prune, restore."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.cli.output import as_json, console, say, table, when, write_json
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory
    from hindsight.upkeep.backups import Backup

Place = Annotated[str, typer.Option("--to", help="A folder, or a bucket such as s3://bucket/path (default: HINDSIGHT_BACKUP_TO).")]


def backup(
    context: typer.Context,
    to: Place = "",
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Let Qdrant write a snapshot of the same moment beside its data, too.")
    ] = False,
) -> None:
    """Back the store up while it is used, and take away what is older than the backups to keep; or list or prune them."""
    if context.invoked_subcommand is not None:
        return
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[Backup, str | None]:
        return await memory.backup_with_vectors(to or None) if vectors else (await memory.backup(to or None), None)

    made, snapshot = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(_told(made) | ({"vectors": snapshot} if vectors else {}))
        return
    locked = ", encrypted" if made.encrypted else ""
    say(f"{made.counts['memories']:,} memories backed up to {made.address} ({made.size / (1 << 20):,.1f} MiB{locked})")
    if vectors:
        say(
            f"  Qdrant wrote the snapshot {snapshot}"
            if snapshot
            else "  no vectors lie in Qdrant: HINDSIGHT_QDRANT_URL is not set, or nothing is there"
        )


def list_(context: typer.Context, to: Place = "") -> None:
    """List the backups, the newest first: in one place, or without --to in all where this store's were put."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> list[Backup]:
        return await memory.backups()

    found = _in_place(invocation, to) if to else invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [_told(each) for each in found]})
        return
    if not found:
        say("no backups")
        return
    zone = _zone(invocation)
    rows = [
        (
            when(each.created, zone),
            when(each.expires, zone),
            f"{each.counts.get('memories', 0):,}",
            f"{each.size / (1 << 20):,.1f} MiB",
            each.address,
        )
        for each in found
    ]
    console().print(table(("made", "due to go", "memories", "size", "where"), rows))


def prune(context: typer.Context, to: Place = "") -> None:
    """Take away all but the newest backups of this store (HINDSIGHT_BACKUP_KEEP); each new backup does that by itself."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> list[Backup]:
        return await memory.keeper.prune(to or None)

    gone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"removed": [_told(each) for each in gone]})
        return
    say(f"{len(gone):,} backups taken away")


def restore(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(help="A backup, or a place that holds some (default: HINDSIGHT_BACKUP_TO); or the id of an archived memory.")
    ] = "",
    at: Annotated[str | None, typer.Option(help="The newest backup that was made by this time.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it into the place of the store that is there, which is kept aside.")
    ] = False,
) -> None:
    """Put a backup back, checked before it is taken; or make an archived memory active again."""
    invocation: Invocation = context.obj
    if _is_id(what):
        if at is not None or replace:
            raise InvalidInput("--at and --replace belong to backups; an archived memory is made active again by its id alone.")
        _restore_memory(invocation, what)
    else:
        _restore_backup(invocation, what, at, replace=replace)


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _restore_memory(invocation: Invocation, id: str) -> None:
    async def work(memory: Hindsight) -> Memory:
        return await memory.restore(id)

    restored = invocation.with_memory(work)
    if invocation.json:
        write_json(as_json(restored))
        return
    say(f"active again: {restored.id}")


def _restore_backup(invocation: Invocation, source: str, at: str | None, *, replace: bool) -> None:
    from hindsight.assemble import backup_options, restorer, zone_of
    from hindsight.moments import read_moment

    settings = invocation.settings()
    log_for_commands(settings)
    zone = zone_of(settings)
    moment = None if at is None else read_moment(at, zone, field="--at")[0]
    place = source or backup_options(settings).place
    if not place:
        raise InvalidInput("name the backup, or a place that holds some, or set HINDSIGHT_BACKUP_TO.")
    done = asyncio.run(restorer(settings).restore(place, at=moment, replace=replace))
    if invocation.json:
        write_json({"backup": _told(done.backup), "place": done.place, "kept": done.kept, "memories": done.memories, "seals": done.seals})
        return
    say(f"{done.memories:,} memories of {when(done.backup.created, zone)} are in {done.place} again")
    if done.kept:
        say(f"  the store that was there is kept: {done.kept}")
    say(f"  seals: {SEALS[done.seals]}")


SEALS = {
    "ok": "every memory and its history are as they were sealed",
    "not sealed": "this store has none",
    "wrong key": "not looked at, since the key is not at hand (HINDSIGHT_SEAL_KEY_FILE)",
    "tampered": "the store was changed around hindsight before the backup was made; see `hindsight verify`",
}


def _in_place(invocation: Invocation, to: str) -> list[Backup]:
    """What lies in a place; there need be no store."""
    from hindsight.adapters.places import open_place
    from hindsight.upkeep.backups import list_backups

    log_for_commands(invocation.settings())
    return list_backups(open_place(to))


def _zone(invocation: Invocation) -> Any:
    from hindsight.assemble import zone_of

    return zone_of(invocation.settings())


def _told(backup: Backup) -> dict[str, Any]:
    moments = {"created": backup.created.isoformat(), "expires": backup.expires.isoformat()}
    return asdict(backup) | moments | {"bytes": backup.size}


COMMANDS = {"list": list_, "prune": prune}
ALONE = {"restore": restore}
