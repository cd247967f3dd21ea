"""The page of the activity: numbers of the store, latest writes and retrievals, jobs, settings without their secrets."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import NotFound
from hindsight.serve.console.fields import whole
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.settings import Settings

_LATEST = 15
_ENTRIES = 50
_PASSWORD = re.compile(r"(password=)[^&\s]+", re.IGNORECASE)


def activity(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``."""

    async def overview(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        admin = "admin" in memory.principal.scopes
        values: dict[str, Any] = {
            "stats": await memory.stats(namespace=None if admin else memory.namespace),
            "writes": (await memory.list(limit=_LATEST)).items,
            "retrievals": await memory.retrievals(limit=_LATEST),
            "jobs": await memory.jobs(limit=50) if admin else None,
            "settings": told(desk.settings) if admin else None,
            "engines": dict(await memory.access.engines()) if admin else None,
        }
        return page(request, "activity", zone=memory.zone, **values)

    async def audit(request: Request) -> Response:
        memory = await callers_memory(desk, "admin")
        given = request.query_params
        namespace = given.get("namespace", "").strip()
        below = whole(given.get("below", ""), "below", least=1, most=2**62)
        found = await memory.audit_trail(namespace=namespace or None, limit=_ENTRIES + 1, below=below)
        kept = {"below": str(found[_ENTRIES - 1].seq)} | ({"namespace": namespace} if namespace else {}) if len(found) > _ENTRIES else {}
        values: dict[str, Any] = {
            "found": found[:_ENTRIES],
            "namespace": namespace,
            "following": urlencode(kept),
            "later": below is not None,
        }
        return page(request, "audit", zone=memory.zone, **values)

    async def verify(request: Request) -> Response:
        await checked_form(request)
        return page(request, "verified", verification=await (await callers_memory(desk, "admin")).verify())

    async def retry(request: Request) -> Response:
        await checked_form(request)
        number = whole(request.path_params["id"], "id", most=2**62)
        if number is None or not await (await callers_memory(desk, "admin")).retry_job(number):
            raise NotFound(f"there is no dead job {number} any more.")
        return onward("/activity?done=retried")

    return [
        Route("/activity", overview),
        Route("/activity/audit", audit),
        Route("/activity/verify", verify, methods=["POST"]),
        Route("/activity/jobs/{id}/retry", retry, methods=["POST"]),
    ]


def told(settings: Settings) -> list[tuple[str, str | None, bool]]:
    """Name, value and whether it is a secret; a secret's value is only whether there is one, and an address loses its password."""
    rows: list[tuple[str, str | None, bool]] = []
    for name in Settings.model_fields:
        given = getattr(settings, name)
        if isinstance(given, SecretStr):
            rows.append((name, "set" if given.get_secret_value() else None, True))
        else:
            rows.append((name, _without_password(str(given)) or None, False))
    return rows


def _without_password(text: str) -> str:
    """An address with its password as stars, wherever it stands in it."""
    text = _PASSWORD.sub(r"\1***", text)
    scheme, separator, rest = text.partition("://")
    user, at, host = rest.rpartition("@")
    if not separator or not at:
        return text
    return f"{scheme}://{user.partition(':')[0]}:***@{host}"
