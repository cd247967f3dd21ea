"""The review page: what waits for a person, with its evidence, and the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import InvalidInput, VersionConflict
from hindsight.serve.console.fields import text, whole
from hindsight.serve.console.gathered import ids_in
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.problem import status_of

if TYPE_CHECKING:
    from hindsight.learn.review import ReviewItem
    from hindsight.memory import Hindsight

_EVIDENCE = 8
_SHOWN = 50


def reviewing(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``."""

    async def queue(request: Request) -> Response:
        memory = await callers_memory(desk, "review")
        namespace = request.query_params.get("namespace", "").strip()
        items = await memory.reviews(namespace=namespace or None, limit=_SHOWN)
        evidence = {item.memory.id: await _evidence(memory, item) for item in items}
        number = whole(request.query_params.get("number", ""), "number") or 0
        return page(
            request,
            "review",
            zone=memory.zone,
            items=items,
            evidence=evidence,
            number=number,
            namespace=namespace,
            decided=_decided(request),
        )

    return [Route("/review", queue), *deciding(desk)]


def deciding(desk: Desk) -> list[Route]:
    """The forms of the review page."""

    async def approve(request: Request) -> Response:
        form = await checked_form(request)
        memory = await callers_memory(desk, "review")
        content, shown = text(form, "content"), text(form, "shown")
        try:
            await memory.approve(
                request.path_params["id"],
                content=content if content and content != shown.strip() else None,
                priority=whole(text(form, "priority"), "priority", least=-1_000_000, most=1_000_000),
                reason=text(form, "reason") or None,
                expected_version=whole(text(form, "version"), "version", least=1),
            )
        except (InvalidInput, VersionConflict) as error:
            return _kept(request, error, content)
        return onward(_back(form, "approved", of=request.path_params["id"]))

    async def reject(request: Request) -> Response:
        form = await checked_form(request)
        version = whole(text(form, "version"), "version", least=1)
        memory = await callers_memory(desk, "review")
        try:
            await memory.reject(request.path_params["id"], reason=text(form, "reason"), expected_version=version)
        except (InvalidInput, VersionConflict) as error:
            return _kept(request, error, text(form, "reason"))
        return onward(_back(form, "rejected", of=request.path_params["id"]))

    async def reopen(request: Request) -> Response:
        form = await checked_form(request)
        await (await callers_memory(desk, "review")).reopen(request.path_params["id"])
        return onward(_back(form, "reopened"))

    async def postpone(request: Request) -> Response:
        form = await checked_form(request)
        days = whole(text(form, "days"), "days", least=1, most=3_650)
        if days is None:
            raise InvalidInput("days: say for how many days.")
        await (await callers_memory(desk, "review")).postpone(request.path_params["id"], days=days)
        return onward(_back(form, "postponed"))

    async def scan(request: Request) -> Response:
        form = await checked_form(request)
        found = await (await callers_memory(desk, "review")).scan_conflicts(namespace=text(form, "namespace") or None)
        return onward(f"{_back(form, 'scanned')}&number={len(found)}")

    return [
        Route("/review/scan", scan, methods=["POST"]),
        Route("/review/{id}/approve", approve, methods=["POST"]),
        Route("/review/{id}/reject", reject, methods=["POST"]),
        Route("/review/{id}/reopen", reopen, methods=["POST"]),
        Route("/review/{id}/postpone", postpone, methods=["POST"]),
    ]


def _decided(request: Request) -> str:
    """The memory on which was decided just now, as the address tells; empty for none."""
    given = request.query_params
    known = given.get("done") in {"approved", "rejected"} and given.get("of")
    return str(ids_in([given["of"]])[0]) if known else ""


def _back(form: FormData, done: str, **told: str) -> str:
    """The queue of the namespace from which a form came."""
    namespace = text(form, "namespace")
    return "/review?" + urlencode({"done": done} | ({"namespace": namespace} if namespace else {}) | told)


def _kept(request: Request, error: InvalidInput | VersionConflict, typed: str) -> Response:
    """A refusal that gives back what was typed."""
    return page(request, "message", status=status_of(error)[0], message=str(error), again=False, typed=typed)


async def _evidence(memory: Hindsight, item: ReviewItem) -> dict[str, list[tuple[str, str | None]]]:
    """The episodes for and against a proposal: id and text, or None where it is not for the reviewer's eyes."""
    told: dict[str, list[tuple[str, str | None]]] = {}
    for name in ("supporting", "opposing"):
        ids: Sequence[Any] = item.grounds.get(name) or ()
        told[name] = []
        for id in ids[:_EVIDENCE]:
            found = await memory.get(str(id))
            told[name].append((str(id), None if found is None else found.content))
    return told
