"""The page of the backups: what there is and what each holds; one is made while the page tells how long it has been going on."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import HindsightError
from hindsight.serve.console.guard import checked_form
from hindsight.serve.console.rendering import onward, page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.upkeep.backups import Backup

_PATH = "/activity/backups"
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Making:
    """The backup that this process makes, or made last: ``made`` or ``failure`` tell how it ended."""

    began: datetime
    task: asyncio.Task[None] | None = None
    made: Backup | None = None
    failure: str | None = None

    @property
    def seconds(self) -> int:
        """For how long it has been going on."""
        return int((datetime.now(UTC) - self.began).total_seconds())

    @property
    def running(self) -> bool:
        """Whether it is still being made."""
        return self.task is not None and not self.task.done()

    async def run(self, memory: Hindsight) -> None:
        """Make it; what goes wrong is told on the page."""
        try:
            self.made = await memory.backup()
        except HindsightError as error:
            self.failure = str(error)
        except Exception as error:  # noqa: BLE001 - a task has nobody else to tell
            self.failure = f"{type(error).__name__}: the server's log tells more"
            _log.exception("a backup failed unexpectedly")


def backing(desk: Desk) -> list[Route]:
    """The routes, answered from ``desk``; for admins alone."""
    making: Making | None = None

    async def overview(request: Request) -> Response:
        memory = await callers_memory(desk, "admin")
        found, unreachable = [], None
        try:
            found = await memory.backups()
        except HindsightError as error:  # a place that does not answer keeps nobody from making one elsewhere
            unreachable = str(error)
        return page(request, "backups", zone=memory.zone, found=found, unreachable=unreachable, making=making, embedders=_models(found))

    async def make(request: Request) -> Response:
        nonlocal making
        await checked_form(request)
        memory = await callers_memory(desk, "admin")
        if making is None or not making.running:
            making = Making(datetime.now(UTC))
            making.task = asyncio.create_task(making.run(memory), name="hindsight-console-backup")
        return onward(_PATH)

    return [Route(_PATH, overview), Route(_PATH, make, methods=["POST"])]


def _models(found: Sequence[Backup]) -> dict[str, str]:
    """What the manifests say of the embedder, in a few words."""
    return {each.embedder: _model(each.embedder) for each in found if each.embedder}


def _model(noted: str) -> str:
    try:
        told = json.loads(noted)
        return f"{told['model']} ({told['dimension']})"
    except (ValueError, KeyError, TypeError):
        return noted
