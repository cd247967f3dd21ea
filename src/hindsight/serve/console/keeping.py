"""The pages of the memories: the table, one memory with its past, and the forms that mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import InvalidInput, NotFound
from hindsight.records import Channel, Kind, Layer, Outcome, Status, Turn
from hindsight.serve.console.fields import filters, listed, share, text, whole
from hindsight.serve.console.gathered import gathered, ids_in
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory

ROWS = 50
_MAX_TURNS = 40
CHOICES = {"kind": Kind, "layer": Layer, "status": Status, "outcome": Outcome, "channel": Channel}
EDITED = ("content", "query", "kind", "outcome", "task_type")


def keeping(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``."""

    async def table(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        given = request.query_params
        asked, query, namespace = filters(given), given.get("q", "").strip(), given.get("namespace", "").strip() or None
        shown: list[tuple[Memory, float | None]] = []
        following = None
        if query:
            found = await memory.retrieve(query, k=ROWS, namespace=namespace, **asked)
            shown = [(hit.memory, hit.relevance) for hit in found.hits]
        else:
            asked_statuses = asked if "status" in asked else asked | {"status": list(_USUAL)}
            listing = await memory.list(namespace=namespace, limit=ROWS, cursor=given.get("cursor") or None, **asked_statuses)
            shown = [(each, None) for each in listing.items]
            if listing.cursor is not None:
                following = "?" + urlencode(
                    {
                        **{k: v for k, v in given.items() if k not in {"cursor", "done", "lang", "verb", "changed", "refused"}},
                        "cursor": listing.cursor,
                    }
                )
        values = {"shown": shown, "query": query, "given": given, "choices": CHOICES, "following": following, **_together(given)}
        return page(request, "memories", zone=memory.zone, **values)

    async def add(request: Request) -> Response:
        form = await checked_form(request)
        memory = await callers_memory(desk, "write")
        result = await memory.store(text(form, "content"), kind=text(form, "kind") or "fact", tags=listed(text(form, "tags")))
        if result.id is None or result.status not in {"stored", "duplicate", "merged"}:
            return page(request, "message", status=200, message=None, again=False, reasons=result.reasons)
        return onward(address(result.id, "stored"))

    async def one(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        id = request.path_params["id"]
        events = await memory.history(id)
        found = await memory.get(id)
        if found is None and not events:
            raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
        trees = await memory.lineage(id) if found is not None else None
        turns = await _turns_of(memory, found) if found is not None else []
        return page(request, "memory", zone=memory.zone, found=found, id=id, events=events, trees=trees, turns=turns, choices=CHOICES)

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
        entered: dict[str, Any] = {name: text(form, name) for name in EDITED}
        entered |= {"tags": tuple(listed(text(form, "tags"))), "importance": share(text(form, "importance"), "importance")}
        changes = {name: each for name, each in entered.items() if each != (getattr(old, name) if getattr(old, name) is not None else "")}
        if changes:
            version = whole(text(form, "version"), "version", least=1)
            await memory.update(id, expected_version=version, reason=text(form, "reason") or None, **changes)
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


def _together(given: Mapping[str, str]) -> dict[str, Any]:
    """What was done to several at once just now, as the address tells."""
    verb = given.get("verb", "")
    known = given.get("done") == "together" and verb in {"archive", "restore", "approve", "reject"}
    changed = ids_in([given.get("changed", "")]) if known else []
    return {"verb": verb, "changed": changed, "refused": whole(given.get("refused", ""), "refused") or 0}


_USUAL = (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED, Status.ARCHIVED)
"""Without a choice everything is listed but what is quarantined."""


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
