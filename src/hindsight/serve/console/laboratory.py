"""The recall lab: what each route finds for a query, how it is scored, what the model gets, and why one memory is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.serve.console.cases import cases
from hindsight.serve.console.fields import filters, whole
from hindsight.serve.console.keeping import CHOICES
from hindsight.serve.console.rendering import page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.recall.answer import Hit
    from hindsight.recall.explain import Candidate
    from hindsight.records import Memory

_SHOWN = 40
_BY_ROUTE = 8


def laboratory(desk: Desk) -> list[Route]:
    """The route, answered from ``desk``."""

    async def lab(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        given = request.query_params
        query, named = given.get("query", "").strip(), given.get("why", "").strip()
        values: dict[str, Any] = {"found": None, "verdict": None, "texts": {}, "routes": {}, "candidates": [], "beside": None}
        if query:
            asked = filters(given)
            namespace = given.get("namespace", "").strip() or None
            how: dict[str, Any] = {"profile": given["profile"]} if given.get("profile") in ("product", "weighted") else {}
            if moment := given.get("at", "").strip():
                asked["at"] = moment
            number = whole(given.get("k", "").strip(), "k", least=1, most=1_000)
            found = await memory.retrieve(query, k=number, namespace=namespace, explain=True, **how, **asked)
            candidates = list(found.explanation.candidates[:_SHOWN]) if found.explanation is not None else []
            values |= {"found": found, "candidates": candidates, "routes": _by_route(candidates)}
            values["texts"] = await _texts(memory, [each.id for each in candidates])
            if given.get("against") in ("product", "weighted"):
                second: dict[str, Any] = {"profile": given["against"]}
                other = await memory.retrieve(query, k=number, namespace=namespace, **second, **asked)
                values["beside"] = side_by_side(found.hits, other.hits)
            if named:
                values["verdict"] = (await memory.why(named, query, namespace=namespace, **asked)).verdict
        return page(request, "recall", zone=memory.zone, query=query, named=named, given=given, choices=CHOICES, **values)

    return [Route("/recall", lab), *cases(desk)]


def side_by_side(first: Sequence[Hit], second: Sequence[Hit]) -> list[tuple[Memory, int | None, int | None]]:
    """What either of two recalls shows, with its rank in each."""
    ranks = [{hit.memory.id: rank for rank, hit in enumerate(hits, start=1)} for hits in (first, second)]
    every = {hit.memory.id: hit.memory for hit in (*first, *second)}
    return [(memory, ranks[0].get(id), ranks[1].get(id)) for id, memory in every.items()]


def _by_route(candidates: Sequence[Candidate]) -> dict[str, list[tuple[int, float, UUID]]]:
    """The best of each route: rank, score, id."""
    routes: dict[str, list[tuple[int, float, UUID]]] = {}
    for candidate in candidates:
        for name, (rank, score) in candidate.routes.items():
            routes.setdefault(name, []).append((rank, float(score), candidate.id))
    return {name: sorted(found)[:_BY_ROUTE] for name, found in sorted(routes.items())}


async def _texts(memory: Hindsight, ids: Sequence[UUID]) -> dict[UUID, Memory]:
    """The candidates that may be shown."""
    found = [await memory.get(id) for id in ids]
    return {each.id: each for each in found if each is not None}
