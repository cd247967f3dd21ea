"""The pages of the sessions: boards and windows, and taking back what a session wrote."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.serve.console.fields import text, whole
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.memories import undone
from hindsight.serve.http.rest.working import shown


def working(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``."""

    async def sessions(request: Request) -> Response:
        given = request.query_params
        named, unwanted = given.get("id", "").strip(), given.get("undo", "").strip()
        memory = await callers_memory(desk, "read", *(("admin",) if unwanted else ()))
        values: dict[str, Any] = {"board": None, "plan": None, "unwanted": unwanted}
        if named:
            values["board"] = await shown(memory.session(named))
        if unwanted:
            values["plan"] = undone(await memory.undo(session=unwanted, dry_run=True))
        number = whole(given.get("number", ""), "number") or 0
        found = await memory.open_sessions()
        return page(request, "sessions", zone=memory.zone, found=found, number=number, undo_id=given.get("of", "")[:40], **values)

    async def close(request: Request) -> Response:
        form = await checked_form(request)
        closed = await (await callers_memory(desk, "write")).session(text(form, "id")).close()
        return onward(f"/sessions?done=closed&number={len([each for each in closed.kept if each.id])}")

    async def undo(request: Request) -> Response:
        form = await checked_form(request)
        report = await (await callers_memory(desk, "admin")).undo(session=text(form, "session"), reason=text(form, "reason") or None)
        return onward(f"/sessions?done=undone&number={len(report.items)}&of={report.id}")

    return [
        Route("/sessions", sessions),
        Route("/sessions/close", close, methods=["POST"]),
        Route("/sessions/undo", undo, methods=["POST"]),
    ]
