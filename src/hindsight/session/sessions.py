"""The sessions of a caller: opening, listing, and ending those that nobody touches any more."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from hindsight.errors import HindsightError, NotFound
from hindsight.ports import SessionState
from hindsight.recall.state import SessionState as QueryState
from hindsight.records import Principal
from hindsight.remember.attribute import Attribution
from hindsight.session.session import Closed, Session, SessionTools, read_state

IDLE = timedelta(hours=2)
"""A session that nobody touched for so long has ended."""
_LOG = logging.getLogger(__name__)


class Sessions:
    """Sessions of one caller on one store; several may be open at once."""

    def __init__(self, tools: SessionTools, attribution: Attribution, *, idle: timedelta = IDLE) -> None:
        self._tools = tools
        self._attribution = attribution
        self._idle = idle

    def session(self, id: str = "", *, namespace: str | None = None, goal: str | None = None) -> Session:
        """The session with this id; an empty id begins a new one. Nothing is read or written yet."""
        return Session(id, self._tools, self._attribution, namespace=namespace, goal=goal)

    async def open_sessions(self, namespace: str | None = None) -> list[SessionState]:
        """Open sessions of the caller, the one touched last first."""
        chosen = self._attribution.namespace_for(namespace)
        return await self._tools.states.open_sessions(chosen, self._attribution.principal.agent)

    async def query_state(self, id: str, namespace: str | None = None) -> QueryState | None:
        """What a query in this session is about beside its words; None where it is not open."""
        try:
            return replace((await self.session(id, namespace=namespace).state()).query_state(), session_id=id)
        except NotFound:
            return None

    async def recalled(self, id: str, texts: Sequence[str], namespace: str | None = None) -> None:
        """Tell an open session what was recalled into it; one that has ended meanwhile has nothing to echo."""
        with suppress(NotFound):
            await self.session(id, namespace=namespace).recalled(texts)

    async def end_idle(self, *, limit: int = 100) -> list[Closed]:
        """Close every session, of whatever agent, that was idle for too long; for the maintenance worker.

        A session that cannot be closed now (its model does not answer) stays for the next round.
        """
        closed = []
        for state in await self._tools.states.idle_sessions(self._tools.clock.now() - self._idle, limit=limit):
            try:
                principal = Principal(agent=state.agent, channel=read_state(state).channel)
                attribution = Attribution(principal, state.namespace, self._attribution.zone)
                closed.append(await Session(state.session_id, self._tools, attribution).close())
            except HindsightError as error:
                _LOG.warning("idle_session_stays", extra={"session": state.session_id, "namespace": state.namespace, "error": str(error)})
        return closed
