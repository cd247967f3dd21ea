"""The recall lab: what each route finds for a query, how it is scored, what the model gets, and why one memory is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.recall.journal import unlogged
from hindsight.recall.options import ROUTES
from hindsight.serve.console import trials
from hindsight.serve.console.cases import cases
from hindsight.serve.console.keeping import CHOICES
from hindsight.serve.console.rendering import page
from hindsight.serve.console.trials import SECOND, both, differences
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
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
        values: dict[str, Any] = {"found": None, "other": None, "verdict": None, "texts": {}, "routes": {}, "candidates": [], "beside": []}
        if query:
            first, second = both(given)
            with unlogged() if first.options else nullcontext():  # another ranking than the agents get is not counted with theirs
                found = await first.ask(memory, query)
            candidates = list(found.explanation.candidates[:_SHOWN]) if found.explanation is not None else []
            values |= {"found": found, "candidates": candidates, "routes": _by_route(candidates)}
            if second is not None:
                with unlogged():
                    values["other"] = await second.ask(memory, query)
                values["beside"] = differences(found, values["other"])
            values["texts"] = await _texts(memory, {each.id for each in (*candidates, *values["beside"])})
            if named:
                values["verdict"] = (await first.seen(memory).why(named, query, **first.filters)).verdict
        values |= {"choices": CHOICES, "lab": trials.CHOICES, "numbers": trials.NUMBERS, "every_route": ROUTES, "second": SECOND}
        chosen = {"": given.getlist("routes"), SECOND: given.getlist(f"{SECOND}routes")}
        return page(request, "recall", zone=memory.zone, query=query, named=named, given=given, chosen=chosen, **values)

    return [Route("/recall", lab), *cases(desk)]


def _by_route(candidates: Sequence[Candidate]) -> dict[str, list[tuple[int, float, UUID]]]:
    """The best of each route: rank, score, id."""
    routes: dict[str, list[tuple[int, float, UUID]]] = {}
    for candidate in candidates:
        for name, (rank, score) in candidate.routes.items():
            routes.setdefault(name, []).append((rank, float(score), candidate.id))
    return {name: sorted(found)[:_BY_ROUTE] for name, found in sorted(routes.items())}


async def _texts(memory: Hindsight, ids: Iterable[UUID]) -> dict[UUID, Memory]:
    """The candidates that may be shown."""
    found = [await memory.get(id) for id in ids]
    return {each.id: each for each in found if each is not None}
