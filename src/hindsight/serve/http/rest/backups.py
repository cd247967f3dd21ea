"""``/v1/backups``: whole copies of the store, in the place that the server's settings name."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from hindsight.client.operating_answers import BackupAnswer, BackupList
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.routes import refusals, routes


def backups(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("operation")

    @router.get("/backups", response_model=BackupList, responses=refusals())
    async def list_backups() -> Any:
        """Every backup of this store, newest first; for admins alone."""
        return {"items": await (await callers_memory(desk, "admin")).backups()}

    @router.post("/backups", response_model=BackupAnswer, status_code=201, responses=refusals())
    async def back_up() -> Any:
        """Back the store up while it is used, to the place of the setting `backup_to`, and take away the oldest past `backup_keep`.

        No call names a place of its own: a token writes nowhere on the server but where its owner said. For admins alone.
        """
        return await (await callers_memory(desk, "admin")).backup()

    return router
