"""The pages of the sessions: boards and windows, and taking back what a session wrote."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData
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
        namespace = given.get("namespace", "").strip()
        named, unwanted = given.get("id", "").strip(), given.get("undo", "").strip()
        memory = await callers_memory(desk, "read", *(("admin",) if unwanted else ()))
        values: dict[str, Any] = {"board": None, "plan": None, "unwanted": unwanted, "namespace": namespace}
        if named:
            values["board"] = await shown(memory.session(named, namespace=namespace or None))
        if unwanted:
            values["plan"] = undone(await memory.undo(session=unwanted, namespace=namespace or None, dry_run=True))
        number = whole(given.get("number", ""), "number") or 0
        found = await memory.open_sessions(namespace=namespace or None)
        return page(request, "sessions", zone=memory.zone, found=found, number=number, undo_id=given.get("of", "")[:40], **values)

    async def close(request: Request) -> Response:
        form = await checked_form(request)
        closed = await (await callers_memory(desk, "write")).session(text(form, "id"), namespace=text(form, "namespace") or None).close()
        return onward(_back(form, done="closed", number=len([each for each in closed.kept if each.id])))

    async def undo(request: Request) -> Response:
        form = await checked_form(request)
        report = await (await callers_memory(desk, "admin")).undo(
            session=text(form, "session"), namespace=text(form, "namespace") or None, reason=text(form, "reason") or None
        )
        return onward(_back(form, done="undone", number=len(report.items), of=report.id))

    return [
        Route("/sessions", sessions),
        Route("/sessions/close", close, methods=["POST"]),
        Route("/sessions/undo", undo, methods=["POST"]),
    ]


def _back(form: FormData, **told: object) -> str:
    """The sessions of the namespace from which a form came."""
    namespace = text(form, "namespace")
    return "/sessions?" + urlencode(told | ({"namespace": namespace} if namespace else {}))
