"""The synchronous face: each method of the memory, waited for.

::

    from hindsight.sync import Hindsight

    with Hindsight.open("./memory") as memory:
        memory.store("用户对花生过敏", kind="constraint")
        print(memory.retrieve("用户对什么过敏？").render())

Every method hands its arguments to the method of :class:`hindsight.Hindsight` with the same name, and waits. An instance
may be used from several threads.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, Unpack
from uuid import UUID

from hindsight import memory as asynchronous
from hindsight.ports import JobState, Page, SessionState
from hindsight.recall.answer import Recall
from hindsight.recall.arguments import FilterArguments
from hindsight.recall.explain import Explanation
from hindsight.records import Draft, DraftFields, Event, Memory, Outcome, Principal, Stats, StoreResult, Turn
from hindsight.remember.importing import ImportFormat, ImportReport
from hindsight.remember.triggers import Observed, TaskKept
from hindsight.session.tasks import TaskFields
from hindsight.sync.access import AccessCalls
from hindsight.sync.backups import BackupCalls
from hindsight.sync.documents import DocumentCalls
from hindsight.sync.history import HistoryCalls
from hindsight.sync.inspection import InspectionCalls
from hindsight.sync.learning import LearningCalls
from hindsight.sync.loop import LoopThread
from hindsight.sync.session import Session
from hindsight.sync.upkeep import UpkeepCalls

if TYPE_CHECKING:
    from hindsight.settings import Settings

ResultT = TypeVar("ResultT")
_EXPORT_BATCH = 256


class Hindsight(LearningCalls, AccessCalls, HistoryCalls, BackupCalls, UpkeepCalls, DocumentCalls, InspectionCalls):
    """A memory for synchronous code: ``with Hindsight.open(…) as memory``."""

    def __init__(self, memory: asynchronous.Hindsight, loop: LoopThread) -> None:
        self._memory = memory
        self._loop = loop

    @staticmethod
    def open(
        url: str | Path | None = None,
        *,
        namespace: str | None = None,
        agent: str | None = None,
        channel: str = "user",
        **settings: Any,
    ) -> Hindsight:
        """A memory to be entered with ``with``; arguments as in :meth:`hindsight.Hindsight.open`."""
        return Hindsight(asynchronous.Hindsight.open(url, namespace=namespace, agent=agent, channel=channel, **settings), LoopThread())

    def __enter__(self) -> Self:
        self._loop.start()
        try:
            self._loop.run(self._memory.__aenter__())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Finish what runs, free everything and end the thread; safe to call twice."""
        if self._loop.running:
            try:
                self._loop.run(self._memory.close())
            finally:
                self._loop.stop()

    def acting_as(self, principal: Principal, *, namespace: str | None = None) -> Hindsight:
        """A view of the same open store for another caller; it needs no closing of its own."""
        return Hindsight(self._memory.acting_as(principal, namespace=namespace), self._loop)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._memory.settings

    @property
    def principal(self) -> Principal:
        """Who this instance speaks for."""
        return self._memory.principal

    @property
    def namespace(self) -> str:
        """The pool used where a call names none."""
        return self._memory.namespace

    @property
    def zone(self) -> tzinfo:
        """The zone in which times without an offset are read and dates are written."""
        return self._memory.zone

    def store(self, content: str, *, wait: bool = True, **fields: Unpack[DraftFields]) -> StoreResult:
        """Keep one text as it stands."""
        return self._loop.run(self._memory.store(content, wait=wait, **fields))

    def store_many(
        self,
        drafts: Sequence[Draft | Mapping[str, Any]],
        *,
        wait: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> builtins.list[StoreResult]:
        """Keep many texts, embedded in batches; all are checked before the first is written."""
        return self._loop.run(self._memory.store_many(drafts, wait=wait, progress=progress))

    def update(self, id: UUID | str, *, expected_version: int | None = None, reason: str | None = None, **changes: Any) -> Memory:
        """Change fields of a memory; the old values stay in its history."""
        return self._loop.run(self._memory.update(id, expected_version=expected_version, reason=reason, **changes))

    def forget(self, id: UUID | str, *, mode: Literal["erase", "archive"] = "erase", reason: str | None = None) -> bool:
        """Erase a memory for good, or archive it; False when there was none."""
        return self._loop.run(self._memory.forget(id, mode=mode, reason=reason))

    def restore(self, id: UUID | str) -> Memory:
        """Make an archived memory active again."""
        return self._loop.run(self._memory.restore(id))

    def session(self, id: str = "", *, namespace: str | None = None, goal: str | None = None) -> Session:
        """The working memory of one task or conversation; ``with memory.session("task-17", goal="…") as session`` opens and closes it."""
        return Session(self._memory.session(id, namespace=namespace, goal=goal), self._loop)

    def open_sessions(self, *, namespace: str | None = None) -> builtins.list[SessionState]:
        """The caller's open sessions, the one touched last first."""
        return self._loop.run(self._memory.open_sessions(namespace=namespace))

    def observe(self, turns: Sequence[Turn | Mapping[str, Any]], *, namespace: str | None = None) -> Observed:
        """Hand over turns of a conversation: kept raw, what people state in them at once, the rest when enough has gathered."""
        return self._loop.run(self._memory.observe(turns, namespace=namespace))

    def task_started(
        self, task: str, *, id: str = "", task_type: str | None = None, tools: Sequence[str] = (), namespace: str | None = None
    ) -> Session:
        """Begin a task: its session, with the task as its goal."""
        begun = self._memory.task_started(task, id=id, task_type=task_type, tools=tools, namespace=namespace)
        return Session(self._loop.run(begun), self._loop)

    def task_finished(
        self, outcome: Outcome | str, *, id: str | None = None, namespace: str | None = None, **fields: Unpack[TaskFields]
    ) -> TaskKept:
        """End a task: always one episode, and a lesson where the same error came a second time."""
        return self._loop.run(self._memory.task_finished(outcome, id=id, namespace=namespace, **fields))

    def retrieve(
        self,
        query: str,
        *,
        k: int | None = None,
        namespace: str | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        profile: Literal["product", "weighted"] | None = None,
        routes: Sequence[str] | None = None,
        now: datetime | str | None = None,
        cold: bool = False,
        session: str | None = None,
        **filters: Unpack[FilterArguments],
    ) -> Recall:
        """The memories that help with ``query``, best first; ``.render()`` gives the block for a prompt."""
        return self._loop.run(
            self._memory.retrieve(
                query,
                k=k,
                namespace=namespace,
                min_relevance=min_relevance,
                explain=explain,
                profile=profile,
                routes=routes,
                now=now,
                cold=cold,
                session=session,
                **filters,
            )
        )

    def why(self, id: UUID | str, query: str, *, namespace: str | None = None, **filters: Unpack[FilterArguments]) -> Explanation:
        """Why this memory is, or is not, among the answers to ``query``."""
        return self._loop.run(self._memory.why(id, query, namespace=namespace, **filters))

    def get(self, id: UUID | str, *, at: datetime | str | None = None) -> Memory | None:
        """The memory (``at``: as it was then), or None where there is none that this caller may see."""
        return self._loop.run(self._memory.get(id, at=at))

    def list(
        self, *, namespace: str | None = None, limit: int = 100, cursor: str | None = None, **filters: Unpack[FilterArguments]
    ) -> Page:
        """Memories that pass the filters, newest first, a page at a time."""
        return self._loop.run(self._memory.list(namespace=namespace, limit=limit, cursor=cursor, **filters))

    def history(self, id: UUID | str) -> builtins.list[Event]:
        """What happened to a memory, oldest first."""
        return self._loop.run(self._memory.history(id))

    def turns(
        self, session_id: str, first: int | None = None, last: int | None = None, *, namespace: str | None = None
    ) -> builtins.list[Turn]:
        """Raw turns of a session, by position."""
        return self._loop.run(self._memory.turns(session_id, first, last, namespace=namespace))

    def export(self, *, namespace: str | None = None) -> Iterator[Memory]:
        """Every record that the caller may see but quarantined ones, oldest first, from one consistent snapshot."""
        records = self._memory.export(namespace=namespace)
        try:
            while batch := self._loop.run(_take(records, _EXPORT_BATCH)):
                yield from batch
        finally:
            if self._loop.running:
                self._loop.run(_end(records))

    def import_file(
        self,
        path: str | Path,
        *,
        format: ImportFormat = "auto",
        namespace: str | None = None,
        keep_trust: bool = False,
        take_vectors: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:
        """Import a file or folder; everything is checked before the first record is written."""
        how = {"keep_trust": keep_trust, "take_vectors": take_vectors}
        return self._loop.run(self._memory.import_file(path, format=format, namespace=namespace, progress=progress, **how))

    def jobs(self, *, states: Sequence[str] = (), limit: int = 100) -> builtins.list[JobState]:
        """Queued work, newest first."""
        return self._loop.run(self._memory.jobs(states=states, limit=limit))

    def retry_job(self, id: int) -> bool:
        """Give a dead job all its tries again; False where there is no such dead job."""
        return self._loop.run(self._memory.retry_job(id))

    def settle(self, timeout: float = 60.0) -> bool:
        """Wait until nothing is queued; False when that took longer than ``timeout`` seconds."""
        return self._loop.run(self._memory.settle(timeout))

    def stats(self, *, namespace: str | None = None) -> Stats:
        """Counts of the store, or of one namespace."""
        return self._loop.run(self._memory.stats(namespace=namespace))

    def check(self) -> builtins.list[str]:
        """What is wrong with the store, one sentence each; empty when it is sound."""
        return self._loop.run(self._memory.check())


async def _take(records: AsyncIterator[Memory], count: int) -> list[Memory]:
    batch: list[Memory] = []
    async for record in records:
        batch.append(record)
        if len(batch) == count:
            break
    return batch


async def _end(records: AsyncIterator[Memory]) -> None:
    close = getattr(records, "aclose", None)
    if close is not None:
        await close()
