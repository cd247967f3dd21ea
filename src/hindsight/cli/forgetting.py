"""``hindsight forget``: single memories, or everything of a selection, an agent or a person, with evidence."""

from __future__ import annotations

import json
import os
import sys
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from hindsight.cli.filters import takes_filters
from hindsight.cli.invocation import Invocation
from hindsight.cli.output import console, say, shortened, table, when, write_json
from hindsight.errors import InvalidInput, NotFound, StoreUnavailable

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory
    from hindsight.upkeep.erasure import Evidence


@takes_filters
def forget(
    context: typer.Context,
    filters: dict[str, Any],
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of the memories.")] = None,
    mode: Annotated[
        str, typer.Option(help="erase: gone for good, from the files as well; archive: out of recall, can be restored (ids alone).")
    ] = "erase",
    of_agent: Annotated[str | None, typer.Option("--of-agent", help="Everything that this agent wrote.")] = None,
    subject: Annotated[
        list[str] | None,
        typer.Option(help="Everything about a person: a name, address or number under which they are known; may be repeated."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be removed; change nothing.")] = False,
    evidence: Annotated[Path | None, typer.Option(help="Write the evidence of the removal into this file, as JSON without texts.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why; kept in the history.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase memories for good, or archive them: by id, or all that fits the filters, an agent or a person. Asks first."""
    invocation: Invocation = context.obj
    if mode not in {"erase", "archive"}:
        raise InvalidInput(f"--mode: {mode!r} is not one of erase, archive.")
    selecting = bool(of_agent or subject or filters or dry_run or evidence)
    if mode == "archive" and selecting:
        raise InvalidInput("--mode archive takes ids alone.")
    if evidence is not None:
        _check_place(evidence)
    if not ids and not selecting:
        raise InvalidInput("say what to forget: ids, --of-agent, --subject, or one of the filters.")

    async def single(memory: Hindsight) -> list[str] | None:
        found = [await memory.get(id) for id in dict.fromkeys(ids or ())]
        if any(each is None for each in found):
            return None  # perhaps it lies in the cold store alone
        known = [each for each in found if each is not None]
        if not yes:
            _confirm(known, mode)
        for each in known:
            await memory.forget(each.id, mode=cast("Literal['erase', 'archive']", mode), reason=reason)
        return [str(each.id) for each in known]

    async def work(memory: Hindsight) -> list[str] | tuple[Evidence, tzinfo]:
        if not selecting and (done := await single(memory)) is not None:
            return done
        chosen: dict[str, Any] = {"agent": of_agent, "subject": subject or (), "namespace": invocation.namespace, **filters}
        planned = await memory.erase(ids or (), dry_run=True, **chosen)
        if len(planned.memories) < len(set(ids or ())) or mode == "archive":
            raise NotFound("not all of these memories are there for this caller; nothing was forgotten.")
        if dry_run:
            return planned, memory.zone
        if not planned.memories and not subject:
            raise NotFound("nothing fits; nothing was forgotten.")
        if not yes:
            _ask(f"{len(planned.memories)} memories and what belongs to them", "erased for good")
        return await memory.erase(ids or (), reason=reason, **chosen), memory.zone

    done = invocation.with_memory(work, reading=True)
    if isinstance(done, list):
        _tell_ids(invocation, mode, done)
    else:
        _tell(invocation, *done, evidence)


def _tell_ids(invocation: Invocation, mode: str, ids: list[str]) -> None:
    if invocation.json:
        write_json({"mode": mode, "ids": ids})
        return
    for id in ids:
        say(f"{'erased' if mode == 'erase' else 'archived'} {id}")


def _check_place(file: Path) -> None:
    """Before anything is removed: can its evidence be written."""
    if file.is_dir() or not file.absolute().parent.is_dir() or not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
        raise InvalidInput(f"--evidence: {file} cannot be written; name a file in a folder that is there. Nothing was forgotten.")


def _keep(found: Evidence, file: Path) -> None:
    text = json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n"
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        sys.stdout.write(text)
        done = "nothing was changed (dry run)" if found.dry_run else "what was selected is forgotten"
        raise StoreUnavailable(
            f"{done}, but the evidence could not be written to {file} ({error.strerror}): it is printed instead."
        ) from error


def _tell(invocation: Invocation, found: Evidence, zone: tzinfo, file: Path | None) -> None:
    if file is not None:
        _keep(found, file)
    if invocation.json:
        write_json({"mode": "erase", "ids": [str(each.id) for each in found.memories], "evidence": found.as_json()})
        return
    if found.memories:
        rows = [(str(each.id), each.kind, each.agent, when(each.created, zone), each.where, each.why) for each in found.memories]
        console().print(table(("id", "kind", "agent", "written", "where", "why"), rows))
    say("nothing was changed (dry run)" if found.dry_run else "removed: " + (_counted(found.removed) or "nothing"))
    if not found.dry_run:
        say("left: " + (_counted(found.left) or "nothing: every table, index and the cold store were searched again"))
    for id in found.derived:
        say(f"made of it by others, kept: {id}; look at it with `hindsight show {id}`")
    for each in found.backups:
        say(f"backup {each.id} in {each.address} may hold some of it until {when(each.expires, zone)}")


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in numbers.items())


def _confirm(found: list[Memory], mode: str) -> None:
    if sys.stdin.isatty():
        for each in found:
            sys.stderr.write(f"  {each.id}  {shortened(each.content, 100)}\n")
    _ask("this memory" if len(found) == 1 else f"these {len(found)} memories", "erased for good" if mode == "erase" else "archived")


def _ask(what: str, deed: str) -> None:
    if not sys.stdin.isatty():
        raise InvalidInput("nothing was forgotten: there is nobody to ask; add --yes.")
    sys.stderr.write(f"Shall {what} be {deed}? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes", "是", "好"}:
        raise InvalidInput("nothing was forgotten.")


COMMANDS = {"forget": forget}
