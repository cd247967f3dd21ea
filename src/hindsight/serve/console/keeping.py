"""The pages of the memories: the table, one memory with its past, and the forms that mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import HindsightError, InvalidInput, NotFound, VersionConflict
from hindsight.records import Channel, Kind, Layer, Outcome, Source, Status, Turn
from hindsight.serve.console.fields import listed, share, text, whole
from hindsight.serve.console.gathered import gathered, ids_in
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.console.table import MOST_READ, table_of
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.problem import status_of

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory

_MAX_TURNS = 40
CHOICES = {
    "kind": Kind,
    "layer": Layer,
    "status": Status,
    "outcome": Outcome,
    "channel": Channel,
    "source": Source,
    "scope": ("own", "shared"),
}
EDITED = ("content", "query", "kind", "outcome", "task_type")


def keeping(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``."""

    async def table(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        given = request.query_params
        values: dict[str, Any] = {"table": await table_of(memory, given), "query": given.get("q", "").strip(), "most_read": MOST_READ}
        values |= {"given": given, "choices": CHOICES}
        return page(request, "memories", zone=memory.zone, **values, **_together(given))

    async def add(request: Request) -> Response:
        form = await checked_form(request)
        memory = await callers_memory(desk, "write")
        content = text(form, "content")
        try:
            result = await memory.store(content, kind=text(form, "kind") or "fact", tags=listed(text(form, "tags")))
        except InvalidInput as error:
            return page(request, "message", status=status_of(error)[0], message=str(error), again=False, typed=content)
        if result.id is None or result.status not in {"stored", "duplicate", "merged"}:
            return page(request, "message", message=None, again=False, reasons=result.reasons, id=result.id, typed=content)
        return onward(address(result.id, "stored"))

    async def one(request: Request) -> Response:
        return await _page_of(request, await callers_memory(desk, "read"), request.path_params["id"])

    return [
        Route("/memories", table),
        Route("/memories", add, methods=["POST"]),
        *gathered(desk),
        Route("/memories/{id}", one),
        *mending(desk),
    ]


def mending(desk: Desk) -> list[Route]:
    """The forms on a memory's page."""

    async def edit(request: Request) -> Response:
        form = await checked_form(request)
        memory = await callers_memory(desk, "write")
        id = request.path_params["id"]
        old = await memory.get(id)
        if old is None:
            raise NotFound(f"there is no memory {id} for this caller any more.")
        entered = {name: text(form, name) for name in (*EDITED, "tags", "importance", "reason") if name in form}
        try:
            changes = _changes(old, entered)
            if changes:
                version = whole(text(form, "version"), "version", least=1)
                await memory.update(id, expected_version=version, reason=entered.get("reason") or None, **changes)
        except (InvalidInput, VersionConflict) as error:  # nothing that was typed is lost: the form comes again
            return await _page_of(request, memory, id, entered=entered, refusal=error)
        return onward(address(id, "saved"))

    async def forget(request: Request) -> Response:
        form = await checked_form(request)
        id, reason = request.path_params["id"], text(form, "reason") or None
        memory = await callers_memory(desk, "write")
        if text(form, "mode") not in {"archive", "erase"}:
            raise InvalidInput("mode: choose to delete (archive) or to erase.")
        erased = text(form, "mode") == "erase"
        if not await memory.forget(id, mode="erase" if erased else "archive", reason=reason):
            raise NotFound(f"there is no memory {id} for this caller any more.")
        return onward("/memories?done=erased" if erased else address(id, "archived"))

    async def restore(request: Request) -> Response:
        await checked_form(request)
        id = request.path_params["id"]
        await (await callers_memory(desk, "write")).restore(id)
        return onward(address(id, "restored"))

    return [
        Route("/memories/{id}/edit", edit, methods=["POST"]),
        Route("/memories/{id}/forget", forget, methods=["POST"]),
        Route("/memories/{id}/restore", restore, methods=["POST"]),
    ]


async def _page_of(
    request: Request, memory: Hindsight, id: str, *, entered: Mapping[str, str] | None = None, refusal: HindsightError | None = None
) -> Response:
    """A memory's page; with what was ``entered`` into its form, where that was refused."""
    events = await memory.history(id)
    found = await memory.get(id)
    if found is None and not events:
        raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
    values: dict[str, Any] = {
        "trees": await memory.lineage(id) if found is not None else None,
        "turns": await _turns_of(memory, found) if found is not None else [],
        "fields": None if found is None else _as_typed(found) | dict(entered or {}),
        "refusal": refusal,
        "stale": isinstance(refusal, VersionConflict),
    }
    status = 200 if refusal is None else status_of(refusal)[0]
    return page(request, "memory", zone=memory.zone, status=status, found=found, id=id, events=events, choices=CHOICES, **values)


def _as_typed(found: Memory) -> dict[str, str]:
    """The fields of the form, as somebody would type what stands."""
    plain = {name: str(getattr(found, name) or "") for name in EDITED}
    return {**plain, "tags": ", ".join(found.tags), "importance": str(found.importance), "reason": ""}


def _changes(old: Memory, entered: Mapping[str, str]) -> dict[str, Any]:
    """What was typed that differs from what stands.

    Raises:
        InvalidInput: the importance is no number from 0 to 1.
    """
    values: dict[str, Any] = {name: entered[name] for name in EDITED if name in entered}
    if "tags" in entered:
        values["tags"] = tuple(listed(entered["tags"]))
    if entered.get("importance"):  # an emptied field says nothing
        values["importance"] = share(entered["importance"], "importance")
    return {name: each for name, each in values.items() if each != (getattr(old, name) if getattr(old, name) is not None else "")}


def _together(given: Mapping[str, str]) -> dict[str, Any]:
    """What was done to several at once just now, as the address tells."""
    verb = given.get("verb", "")
    known = given.get("done") == "together" and verb in {"archive", "restore", "approve", "reject", "reopen"}
    changed = ids_in([given.get("changed", "")]) if known else []
    return {"verb": verb, "changed": changed, "refused": whole(given.get("refused", ""), "refused") or 0}


def address(id: object, done: str = "") -> str:
    """The address of a memory's page; ``done`` tells what was done to it."""
    return f"/memories/{quote(str(id), safe='')}{f'?done={done}' if done else ''}"


async def _turns_of(memory: Hindsight, found: Memory) -> list[Turn]:
    """The raw turns that a memory was made from, at most ``_MAX_TURNS``."""
    if found.agent != memory.principal.agent:
        return []  # another agent's turns are its own
    turns: list[Turn] = []
    for ref in found.refs:
        if ref.session_id is not None and len(turns) < _MAX_TURNS:
            turns += await memory.turns(ref.session_id, ref.first, ref.last, namespace=found.namespace)
    if not turns and found.session_id is not None and found.turn_ids:
        said = await memory.turns(found.session_id, namespace=found.namespace)
        turns = [turn for turn in said if turn.id in found.turn_ids or str(turn.position) in found.turn_ids]
    return turns[:_MAX_TURNS]
