"""The calls of upkeep that :class:`hindsight.Hindsight` offers; for admins alone."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Literal, Unpack
from uuid import UUID

from hindsight.errors import AccessDenied, ConfigurationError
from hindsight.ports import Clock
from hindsight.recall.arguments import FilterArguments, build_filter
from hindsight.recall.pipeline import Retriever
from hindsight.records import Kind, Memory
from hindsight.remember.attribute import Attribution, read_id
from hindsight.remember.change import Changer
from hindsight.upkeep.backup import BackupKeeper
from hindsight.upkeep.backups import Backup
from hindsight.upkeep.cold import ColdContents
from hindsight.upkeep.digest import digest_key
from hindsight.upkeep.erasure import Eraser, Evidence, Selection
from hindsight.upkeep.follow import SAMPLE, Comparison
from hindsight.upkeep.run import Report
from hindsight.upkeep.runner import Planned, Upkeep
from hindsight.upkeep.schedule import Schedule
from hindsight.upkeep.thaw import Thawed, Thawer


class UpkeepCalls:
    """What a memory offers to keep it small, true and fast, and to forget for real."""

    _upkeep: Upkeep | None
    _keeper: BackupKeeper | None
    _attribution: Attribution
    _changer: Changer
    _clock: Clock
    _retriever: Retriever

    async def upkeep(self, name: str, *, dry_run: bool = False) -> Report:
        """Run an upkeep job now (``upkeep_jobs`` lists them), or with ``dry_run`` tell what it would do.

        Raises:
            InvalidInput: there is no such job.
            StoreBusy: another process runs it now.
        """
        report = await self._keeping().run(name, dry_run=dry_run)
        assert report is not None  # only a run by schedule is left to others
        return report

    async def upkeep_jobs(self) -> builtins.list[Planned]:
        """Every upkeep job, when it runs by itself, and its last run."""
        return await self._keeping().planned()

    async def vector_engine(self, *, sample: int = SAMPLE) -> Comparison | None:
        """The engine that holds vectors beside the store, compared with it: counts, and some records one by one; with a ``sample`` of 0
        only whether it answers and how far it is. None: there is none.
        """
        follower = self._keeping().tools.follower
        return None if follower is None else await follower.compare(sample)

    async def cold_contents(self) -> ColdContents | None:
        """What lies in the cold store, every file read and checked; None: there is none."""
        cold = self._keeping().tools.cold
        return None if cold is None else await cold.contents()

    async def backup_with_vectors(self, to: str | None = None) -> tuple[Backup, str | None]:
        """As ``backup``, and a snapshot that the vector engine writes of the same moment, by its name: restored together, nothing has to be
        filled anew. None where no engine holds vectors.

        Raises:
            StoreBusy: the engine is being filled all the time.
            IndexUnavailable: it does not answer.
        """
        follower, keeper = self._keeping().tools.follower, self._keeper
        if keeper is None:
            raise ConfigurationError("this memory was put together without backups.")
        return (await keeper.make(to), None) if follower is None else await follower.with_snapshot(lambda: keeper.make(to))

    async def thaw(self, ids: Sequence[UUID | str]) -> builtins.list[Thawed]:
        """Bring archived memories back, from the cold store too; of a digest, the episodes that it stands for."""
        return await self._thawer().thaw([read_id(id) for id in ids])

    async def search_cold(self, query: str, *, namespace: str | None = None, limit: int = 20) -> builtins.list[Memory]:
        """Memories that lie in the cold store alone and share words with ``query``, best first; ``thaw`` brings them back."""
        return await self._thawer().search(query, namespace=namespace, limit=limit)

    async def erase(
        self,
        ids: Sequence[UUID | str] = (),
        *,
        agent: str | None = None,
        subject: Sequence[str] = (),
        namespace: str | None = None,
        dry_run: bool = False,
        reason: str | None = None,
        **filters: Unpack[FilterArguments],
    ) -> Evidence:
        """Forget for real everything that fits all that is given, wherever it lies, or with ``dry_run`` tell what that is.

        ``agent``: what this agent wrote. ``subject``: the names, addresses and numbers of a person; turns, logged queries, sessions and
        queued work that hold one go too. The evidence tells what was removed, what is left, and which backups may hold it until when.
        """
        now = self._clock.now()
        filter = None
        if filters:
            filter = build_filter(
                self._attribution.namespace_for(namespace), self._attribution.principal.agent, now, self._attribution.zone, filters
            )
            filter = filter if "status" in filters else filter.model_copy(update={"statuses": ()})
        selection = Selection(tuple(read_id(id) for id in ids), agent, tuple(subject), filter)
        keeper = self._keeper
        eraser = Eraser(self._keeping().tools, self._attribution, flush=self._flush_log, backups=None if keeper is None else keeper.backups)
        return await eraser.erase(selection, namespace=namespace, dry_run=dry_run, reason=reason)

    def schedule(self) -> Schedule:
        """What runs upkeep, and backups where a place for them is known, by the clock; for servers, which start and stop it."""
        others = {"backup": self._keeper.make} if self._keeper is not None and self._keeper.placed else {}
        return Schedule(self._keeping(), self._attribution.zone, others=others)

    async def _forget(self, id: UUID, *, mode: Literal["erase", "archive"], reason: str | None) -> bool:
        """One memory, where the caller may; erased, its digest and its copy in the cold store go with it."""
        memory = await self._changer.visible(id)
        done = await self._changer.forget(id, mode=mode, reason=reason)
        if not done or mode != "erase" or self._upkeep is None:
            return done
        tools = self._upkeep.tools
        if memory is not None and memory.kind is Kind.EPISODE:
            for digest in (await tools.store.find_keys(memory.namespace, memory.agent, [digest_key(memory)])).values():
                await self._changer.forget(digest, mode=mode, reason=reason)
        if tools.cold is not None:
            await tools.cold.remove([id])
        return done

    async def _flush_log(self) -> None:
        await self._retriever.flush()

    def _thawer(self) -> Thawer:
        return Thawer(self._keeping().tools, self._changer, self._attribution)

    def _keeping(self) -> Upkeep:
        if "admin" not in self._attribution.principal.scopes:
            raise AccessDenied("only a caller with the scope 'admin' may run upkeep.")
        if self._upkeep is None:
            raise ConfigurationError("this memory was put together without upkeep.")
        return self._upkeep
