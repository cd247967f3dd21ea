"""``Hindsight``: the one class that users hold. It wires the flows and holds no logic of its own."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack
from uuid import UUID

from hindsight.access import Access, AccessCalls
from hindsight.errors import InvalidInput
from hindsight.learn.calls import Learning, LearningCalls
from hindsight.learn.learner import TaskLearner
from hindsight.ports import ChatModel, Clock, Embedder, JobState, LearningStore, Page, RecordStore, SessionState
from hindsight.recall.answer import Recall
from hindsight.recall.arguments import FilterArguments, build_filter
from hindsight.recall.explain import Explanation
from hindsight.recall.inspection import InspectionCalls
from hindsight.recall.pipeline import Retriever
from hindsight.records import Draft, DraftFields, Event, Memory, Outcome, Principal, Stats, Status, StoreResult, Turn
from hindsight.remember.attribute import Attribution, read_id
from hindsight.remember.calls import History, HistoryCalls
from hindsight.remember.change import Changer
from hindsight.remember.importing import Importer, ImportFormat, ImportReport
from hindsight.remember.ingest.calls import DocumentCalls, Documents
from hindsight.remember.ingest.ingester import Ingester
from hindsight.remember.past import widened
from hindsight.remember.queue import Worker
from hindsight.remember.triggers import Observed, TaskKept, TurnTrigger
from hindsight.remember.writer import Writer
from hindsight.session.session import Session, SessionTools
from hindsight.session.sessions import Sessions
from hindsight.session.tasks import TaskFields, Tasks
from hindsight.upkeep.backup import BackupKeeper
from hindsight.upkeep.backup_calls import BackupCalls
from hindsight.upkeep.calls import UpkeepCalls
from hindsight.upkeep.runner import Upkeep

if TYPE_CHECKING:
    from hindsight.settings import Settings


class Hindsight(LearningCalls, HistoryCalls, BackupCalls, UpkeepCalls, AccessCalls, DocumentCalls, InspectionCalls):
    """A memory: open it, store, retrieve, correct, forget.

    ::

        async with Hindsight.open("./memory") as memory:
            await memory.store("用户对花生过敏", kind="constraint")
            found = await memory.retrieve("用户对什么过敏？")
            print(found.render())

    An instance speaks for one caller (agent and channel); :meth:`acting_as` gives a view for another one on the same store.
    """

    def __init__(
        self,
        *,
        store: RecordStore,
        embedder: Embedder | None,
        retriever: Retriever,
        writer: Writer,
        worker: Worker | None,
        attribution: Attribution,
        clock: Clock,
        settings: Settings,
        session_tools: SessionTools,
        learning_store: LearningStore,
        access: Access,
        chat: ChatModel | None = None,
        keeper: BackupKeeper | None = None,
        upkeep: Upkeep | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._retriever = retriever
        self._writer = writer
        self._worker = worker
        self._attribution = attribution
        self._clock = clock
        self.settings = settings
        self._session_tools = session_tools
        self._learning_store = learning_store
        self._access = access
        self._learning = Learning.of(store, learning_store, writer, attribution, clock, chat, retriever.flush)
        self._chat = chat
        self._keeper = keeper
        self._upkeep = upkeep
        self._changer = Changer(store, writer, attribution, clock)
        self._history = History.of(store, writer, attribution, clock, self._changer)
        self._documents = Documents(Ingester(store, writer, self._changer, attribution), writer.guard.guard)
        self._sessions = Sessions(session_tools, attribution)
        self._tasks = Tasks(self._sessions, TaskLearner(store, writer, learning_store, clock), attribution)
        self._turns = TurnTrigger(store, writer, session_tools.distiller)

    @staticmethod
    def open(
        url: str | Path | None = None,
        *,
        namespace: str | None = None,
        agent: str | None = None,
        channel: str = "user",
        **settings: Any,
    ) -> Hindsight:
        """A memory to be entered with ``async with``.

        Args:
            url: the store's folder; default: the setting ``store``.
            namespace: pool used where a call names none.
            agent: name under which this process writes and reads.
            channel: how its texts come in (``user``, ``agent``, ``tool`` …): decides their trust.
            settings: any other setting by its name, before the environment.

        Raises:
            ConfigurationError: a setting is unknown or does not fit.
        """
        from hindsight.assemble import assemble  # the composition root builds this class: importing it at the top would be a circle
        from hindsight.settings import load_settings

        store = str(url) if url is not None else None
        loaded = load_settings(store=store, namespace=namespace, agent=agent, **settings)
        return assemble(loaded, channel=channel)

    async def __aenter__(self) -> Self:
        await self._store.open()
        if self._worker is not None:
            self._worker.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish what runs, flush and free everything."""
        if self._worker is not None:
            await self._worker.stop()
        await self._retriever.close()
        await self._store.close()
        for model in (self._embedder, self._chat):
            if model is not None:
                await model.close()

    def acting_as(self, principal: Principal, *, namespace: str | None = None) -> Hindsight:
        """A view of the same open store for another caller; it needs no closing of its own."""
        attribution = Attribution(principal, namespace or self._attribution.namespace, self._attribution.zone)
        return Hindsight(
            store=self._store,
            embedder=self._embedder,
            retriever=self._retriever,
            writer=self._writer,
            worker=None,
            attribution=attribution,
            clock=self._clock,
            settings=self.settings,
            session_tools=self._session_tools,
            learning_store=self._learning_store,
            access=self._access,
            chat=self._chat,
            keeper=self._keeper,
            upkeep=self._upkeep,
        )

    @property
    def principal(self) -> Principal:
        """Who this instance speaks for."""
        return self._attribution.principal

    @property
    def namespace(self) -> str:
        """The pool used where a call names none."""
        return self._attribution.namespace

    @property
    def zone(self) -> tzinfo:
        """The zone in which times without an offset are read and dates are written."""
        return self._attribution.zone

    # Writing

    async def store(self, content: str, *, wait: bool = True, **fields: Unpack[DraftFields]) -> StoreResult:
        """Keep one text as it stands.

        With ``wait=False`` the call returns as soon as the job is durable (status ``queued``); a worker finishes it.

        Raises:
            InvalidInput: a field does not fit; the message names it. Nothing was written.
        """
        draft = {"content": content, **fields}
        if not wait:
            return (await self._writer.queue([draft], self._attribution))[0]
        return (await self._writer.store([draft], self._attribution))[0]

    async def store_many(
        self,
        drafts: Sequence[Draft | Mapping[str, Any]],
        *,
        wait: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> builtins.list[StoreResult]:
        """Keep many texts, embedded in batches; all are checked before the first is written. ``progress`` is told each batch's size."""
        if not wait:
            return await self._writer.queue(drafts, self._attribution)
        return await self._writer.store(drafts, self._attribution, progress=progress)

    async def update(self, id: UUID | str, *, expected_version: int | None = None, reason: str | None = None, **changes: Any) -> Memory:
        """Change fields of a memory; the old values stay in its history.

        Raises:
            VersionConflict: ``expected_version`` is no longer the current one.
            NotFound: there is no such memory for this caller.
        """
        return await self._changer.update(read_id(id), changes, expected_version=expected_version, reason=reason)

    async def forget(self, id: UUID | str, *, mode: Literal["erase", "archive"] = "erase", reason: str | None = None) -> bool:
        """Erase a memory for good (text, index, vector, history), or archive it; False when there was none."""
        return await self._forget(read_id(id), mode=mode, reason=reason)

    async def restore(self, id: UUID | str) -> Memory:
        """Make an archived memory active again."""
        return await self._changer.restore(read_id(id))

    # Sessions and tasks

    def session(self, id: str = "", *, namespace: str | None = None, goal: str | None = None) -> Session:
        """The working memory of one task or conversation, kept across restarts; an empty id begins a new one.

        ``async with memory.session("task-17", goal="…") as session`` opens it, and closes it with what is worth keeping distilled.
        """
        return self._sessions.session(id, namespace=namespace, goal=goal)

    async def open_sessions(self, *, namespace: str | None = None) -> builtins.list[SessionState]:
        """The caller's open sessions, the one touched last first."""
        return await self._sessions.open_sessions(namespace)

    async def observe(self, turns: Sequence[Turn | Mapping[str, Any]], *, namespace: str | None = None) -> Observed:
        """Hand over turns of a conversation: kept raw, at once what people state in them, the rest distilled when enough has gathered."""
        return await self._turns.observe(turns, self._attribution, namespace=namespace)

    async def task_started(
        self, task: str, *, id: str = "", task_type: str | None = None, tools: Sequence[str] = (), namespace: str | None = None
    ) -> Session:
        """Begin a task: its session, with the task as its goal. ``retrieve(task, session=session.id)`` tells what helps with it."""
        return await self._tasks.start(task, id=id, task_type=task_type, tools=tools, namespace=namespace)

    async def task_finished(
        self, outcome: Outcome | str, *, id: str | None = None, namespace: str | None = None, **fields: Unpack[TaskFields]
    ) -> TaskKept:
        """End a task: always one episode, and a lesson where the same error came a second time. Closes the open session ``id``.

        Raises:
            InvalidInput: a field does not fit, or nothing tells what the task was; nothing was written.
        """
        return await self._tasks.finish(outcome, id=id, namespace=namespace, **fields)

    # Reading

    async def retrieve(
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
        """The memories that help with ``query``, best first; ``.render()`` gives the block for a prompt.

        Without ``k`` two to five are returned by the complexity of the task, and nothing where nothing is relevant. An
        explicit ``k`` or ``min_relevance=0`` switches the cut, diversity and source cap off. ``session`` names an open session: its
        board and last turns tell what the query is about ("do it again"), and what contradicts them is shown as unconfirmed. Never
        raises for a query's text; past its time budget it returns what it has, flagged.
        """
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 1000):
            raise InvalidInput(f"k: a whole number from 1 to 1000 is needed, not {k!r}.")
        if min_relevance is not None and not (isinstance(min_relevance, (int, float)) and 0 <= min_relevance <= 1):
            raise InvalidInput(f"min_relevance: a number from 0 to 1 is needed, not {min_relevance!r}.")
        moment = self._changer.moment(now)
        filter = self._filter(namespace, moment, filters)
        if not set(filter.statuses) <= {Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED}:
            raise InvalidInput("status: pending and quarantined memories are never recalled; list them instead.")
        state = await self._sessions.query_state(session, namespace) if session else None
        found = await self._retriever.retrieve(
            query,
            filter=widened(filter),
            k=k,
            min_relevance=min_relevance,
            explain=explain,
            profile=profile,
            routes=routes,
            state=state,
            cold=cold,
        )
        found = await self._history.past.recalled(found, filter)
        if session and state is not None:
            await self._sessions.recalled(session, [hit.memory.content for hit in found.hits], namespace)
        return found

    async def why(self, id: UUID | str, query: str, *, namespace: str | None = None, **filters: Unpack[FilterArguments]) -> Explanation:
        """Why this memory is, or is not, among the answers to ``query``."""
        return await self._retriever.why(read_id(id), query, filter=self._filter(namespace, self._clock.now(), filters))

    async def get(self, id: UUID | str, *, at: datetime | str | None = None) -> Memory | None:
        """The memory (``at``: as it was then), or None where there is none that this caller may see."""
        return await self._history.past.get(read_id(id), None if at is None else self._changer.moment(at, field="at"))

    async def list(
        self, *, namespace: str | None = None, limit: int = 100, cursor: str | None = None, **filters: Unpack[FilterArguments]
    ) -> Page:
        """Memories that pass the filters, newest first, a page at a time; held-back ones of others for who may review alone."""
        page = await self._history.past.list(self._filter(namespace, self._clock.now(), filters), limit=limit, cursor=cursor)
        return self._changer.shown(page)

    async def history(self, id: UUID | str) -> builtins.list[Event]:
        """What happened to a memory, oldest first. An erased one keeps a tombstone without content."""
        return await self._changer.history(read_id(id))

    async def turns(
        self, session_id: str, first: int | None = None, last: int | None = None, *, namespace: str | None = None
    ) -> builtins.list[Turn]:
        """Raw turns of the caller's own session, by position."""
        return await self._store.turns(self._attribution.namespace_for(namespace), self.principal.agent, session_id, first, last)

    # Whole store

    async def export(self, *, namespace: str | None = None) -> AsyncIterator[Memory]:
        """Every record that the caller may see but quarantined ones, oldest first, from one consistent snapshot."""
        if namespace is not None:
            self._attribution.namespace_for(namespace)
        async for memory in self._store.export(namespace):
            if self._changer.may_see(memory):
                yield memory

    async def import_file(
        self,
        path: str | Path,
        *,
        format: ImportFormat = "auto",
        namespace: str | None = None,
        keep_trust: bool = False,
        take_vectors: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:
        """Import a file or folder; everything is checked before the first record is written, and importing twice adds nothing.

        ``keep_trust`` takes over channel, trust and status of our own export, for a store that moves; ``take_vectors`` uses the vectors
        that the file brings, which are to be those of the store's model. Both are for its owner alone.

        Raises:
            ImportFailed: something does not parse; the message names the line. Nothing was written.
        """
        importer = Importer(self._writer, self._attribution, self._store, clock=self._clock, debug=self.settings.debug_info == "on")
        how = {"keep_trust": keep_trust, "take_vectors": take_vectors}
        return await importer.run(Path(path), format=format, namespace=namespace, progress=progress, **how)

    async def jobs(self, *, states: Sequence[str] = (), limit: int = 100) -> builtins.list[JobState]:
        """Queued work: waiting, leased, done and dead, newest first."""
        return await self._store.jobs(states=states, limit=limit)

    async def retry_job(self, id: int) -> bool:
        """Give a dead job all its tries again; False where there is no such dead job."""
        return await self._store.retry(id)

    async def settle(self, timeout: float = 60.0) -> bool:
        """Wait until nothing is queued; False when that took longer than ``timeout`` seconds."""
        return await self._writer.settle(timeout)

    async def stats(self, *, namespace: str | None = None) -> Stats:
        """Counts of the store, or of one namespace."""
        return await self._store.stats(namespace)

    async def check(self) -> builtins.list[str]:
        """What is wrong with the store, one sentence each; empty when it is sound."""
        return await self._store.check()

    def _filter(self, namespace: str | None, now: datetime, filters: FilterArguments) -> Any:
        chosen = self._attribution.namespace_for(namespace)
        return build_filter(chosen, self.principal.agent, now, self.zone, filters)
