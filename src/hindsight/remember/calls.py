"""The calls about the past that :class:`hindsight.Hindsight` offers; each hands its arguments on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hindsight.errors import AccessDenied
from hindsight.ports import Clock, RecordStore
from hindsight.remember.attribute import Attribution, read_id
from hindsight.remember.change import Changer
from hindsight.remember.lineage import Lineage, trace_lineage
from hindsight.remember.past import Past
from hindsight.remember.undo import Selection, Undoer, UndoReport
from hindsight.remember.writer import Writer
from hindsight.upkeep.verify import Verification, verify


@dataclass(frozen=True, slots=True)
class History:
    """The flows about the past for one caller."""

    store: RecordStore
    past: Past
    undoer: Undoer
    changer: Changer
    attribution: Attribution

    @staticmethod
    def of(store: RecordStore, writer: Writer, attribution: Attribution, clock: Clock, changer: Changer) -> History:
        """Put together."""
        return History(store, Past(store, changer.may_see), Undoer(store, writer, attribution, clock), changer, attribution)


class HistoryCalls:
    """What a memory offers to look into its past, to trust it, and to take it back."""

    _history: History

    async def undo(
        self,
        *,
        agent: str | None = None,
        session: str | None = None,
        source: str | None = None,
        memory: UUID | str | None = None,
        undo: UUID | str | None = None,
        since: datetime | str | None = None,
        namespace: str | None = None,
        dry_run: bool = False,
        reason: str | None = None,
    ) -> UndoReport:
        """Take back what an agent, session, source (a channel, or a document's name) or memory did, and all that grew from it.

        Everything given must fit; ``since`` narrows it further. ``undo`` takes an earlier undo back. With ``dry_run`` nothing is done,
        and the report says what would be. For admins alone.
        """
        named, earlier = (None if id is None else read_id(id) for id in (memory, undo))
        chosen = Selection(agent, session, source, named, earlier, since)
        return await self._history.undoer.undo(chosen, namespace=namespace, dry_run=dry_run, reason=reason)

    async def lineage(self, id: UUID | str) -> Lineage:
        """What a memory was made of, and what was made of it."""
        return await trace_lineage(self._history.store, read_id(id), self._history.changer.may_see)

    async def verify(self) -> Verification:
        """Whether anybody changed the store around hindsight: every record, event and tombstone of every namespace against its seal."""
        return await verify(self._history.store)

    async def reseal(self) -> int:
        """Seal everything anew as it stands; how many entries. For a lost key, or a backup that was put back. For admins alone."""
        if "admin" not in self._history.attribution.principal.scopes:
            raise AccessDenied("only a caller with the scope 'admin' may seal the store anew.")
        return await self._history.store.reseal()
