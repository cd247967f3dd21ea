"""Several memories at once: put away, brought back, approved or rejected; and the memories of a month by when they happened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import HindsightError, InvalidInput, NotFound
from hindsight.serve.console.fields import filters, text
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory, Scope

MOST_AT_ONCE = 200
_MONTH_SHOWS = 500
_NEEDS: dict[str, Scope] = {"archive": "write", "restore": "write", "approve": "review", "reject": "review", "reopen": "review"}


def gathered(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``; they stand before those of one memory."""

    async def together(request: Request) -> Response:
        form = await checked_form(request)
        verb = text(form, "verb")
        if verb not in _NEEDS:
            raise InvalidInput("verb: choose archive, restore, approve, reject or reopen.")
        ids = ids_in([each for each in form.getlist("ids") if isinstance(each, str)])
        if not ids:
            raise InvalidInput("ids: mark at least one memory of the table, then choose what to do.")
        memory = await callers_memory(desk, _NEEDS[verb])
        act = _acts(memory, text(form, "reason"))[verb]
        changed, refusals = [], []
        for id in ids:
            try:
                await act(id)
            except HindsightError as error:  # one that is refused does not keep the others from being done
                refusals.append(str(error))
            else:
                changed.append(str(id))
        if not changed:
            raise InvalidInput(refusals[0])
        told = {"done": "together", "verb": verb, "refused": len(refusals), "changed": ",".join(changed)}
        return onward(f"/memories?{urlencode(told)}")

    async def timeline(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        given = request.query_params
        first = month_of(given.get("month", "").strip(), datetime.now(memory.zone).date())
        following = (first + timedelta(days=32)).replace(day=1)
        bounds = {"since": f"{first:%Y-%m}", "until": f"{following:%Y-%m}"}
        asked: dict[str, Any] = filters(given) | bounds
        namespace = given.get("namespace", "").strip() or None
        found = await memory.list(namespace=namespace, limit=_MONTH_SHOWS, **asked)
        ordered = sorted(found.items, key=lambda each: (each.event_time, str(each.id)), reverse=True)
        days = [(day, list(group)) for day, group in groupby(ordered, key=lambda each: _day(each, memory))]
        kept = {name: each for name, each in given.items() if name not in {"month", "lang", "done"}}
        values: dict[str, Any] = {
            "earlier": "?" + urlencode(kept | {"month": f"{first - timedelta(days=1):%Y-%m}"}),
            "later": "?" + urlencode(kept | {"month": f"{following:%Y-%m}"}),
            "more": _MONTH_SHOWS if found.cursor is not None else 0,
        }
        return page(request, "timeline", zone=memory.zone, month=f"{first:%Y-%m}", days=days, given=given, **values)

    return [Route("/memories/together", together, methods=["POST"]), Route("/memories/timeline", timeline)]


def ids_in(given: Sequence[str]) -> list[UUID]:
    """Ids of memories, each once.

    Raises:
        InvalidInput: one is none, or they are too many.
    """
    parts = dict.fromkeys(part.strip() for each in given for part in each.split(",") if part.strip())
    if len(parts) > MOST_AT_ONCE:
        raise InvalidInput(f"ids: at most {MOST_AT_ONCE} memories are changed at once.")
    try:
        return [UUID(part) for part in parts]
    except ValueError:
        raise InvalidInput("ids: one of them is no id of a memory.") from None


def month_of(given: str, today: date) -> date:
    """The first day of a month such as ``2025-03``; without one, of this month.

    Raises:
        InvalidInput: it is none.
    """
    try:
        found = datetime.strptime(given, "%Y-%m").date() if given else today.replace(day=1)  # noqa: DTZ007 - a month has no zone
    except ValueError:
        raise InvalidInput(f"month: {given[:40]!r} is no month; write 2025-03.") from None
    if not 1000 < found.year < 9999:
        raise InvalidInput(f"month: {given[:40]!r} is out of reach.")
    return found


def _day(memory: Memory, of: Hindsight) -> date:
    return memory.event_time.astimezone(of.zone).date()


def _acts(memory: Hindsight, reason: str) -> dict[str, Callable[[UUID], Awaitable[object]]]:
    async def archive(id: UUID) -> None:
        if not await memory.forget(id, mode="archive", reason=reason or None):
            raise NotFound(f"there is no memory {id} for this caller any more.")

    return {
        "archive": archive,
        "restore": memory.restore,
        "approve": lambda each: memory.approve(each, reason=reason or None),
        "reject": lambda each: memory.reject(each, reason=reason),
        "reopen": lambda each: memory.reopen(each, reason=reason or None),
    }
