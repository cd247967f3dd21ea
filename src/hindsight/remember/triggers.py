"""What sets writing off: a task that ends, an error that comes back, turns that state something or have gathered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hindsight.errors import InvalidInput
from hindsight.ports import NewJob, RecordStore
from hindsight.records import Filter, Kind, Memory, Outcome, Principal, Ref, Role, StoreResult, Turn, new_id
from hindsight.remember.attribute import Attribution, validated
from hindsight.remember.distil.batch import Distiller, store_drafts
from hindsight.remember.task import TaskReport, ToolCall, episode_of, failing_tool, lesson_of, signature_of
from hindsight.remember.writer import Writer

DISTIL_JOB = "distil"
GATHERED = 40
"""So many turns of a session, once gathered, are distilled together."""
STATED = frozenset({Kind.PREFERENCE, Kind.CONSTRAINT, Kind.FACT})
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class TaskKept:
    """What was kept of a task: its episode, the lesson where the same error came a second time, what its session held, and what the
    task taught besides (a repair, a step that an error names, what a success did otherwise than the failures before it).
    """

    episode: StoreResult
    lesson: StoreResult | None = None
    distilled: tuple[StoreResult, ...] = ()
    learned: tuple[StoreResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Observed:
    """What turns set off: the memories stated in them, and the jobs that will distil what has gathered."""

    kept: tuple[StoreResult, ...]
    jobs: tuple[int, ...]


class TaskTrigger:
    """Keeps one episode of every task that ends, and a negative memory of an error that repeats itself."""

    def __init__(self, store: RecordStore, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def finished(self, report: TaskReport | Mapping[str, Any], attribution: Attribution, *, namespace: str | None = None) -> TaskKept:
        """Store the task's raw calls and its episode; look whether its error was seen before.

        Raises:
            InvalidInput: a field of the report does not fit; nothing was written.
        """
        given = report if isinstance(report, TaskReport) else validated(TaskReport, report, "task: ")
        chosen = attribution.namespace_for(namespace)
        refs = await self._keep_raw(given, chosen, attribution.principal)
        earlier = await self._same_error(given, chosen, attribution.principal.agent)
        draft = episode_of(given, refs).model_copy(update={"namespace": chosen})
        episode = (await self._writer.store([draft], attribution, verbatim=False))[0]
        earlier = [memory for memory in earlier if memory.id != episode.id]
        if not earlier:
            return TaskKept(episode)
        lesson = lesson_of(given, earlier).model_copy(update={"namespace": chosen})
        return TaskKept(episode, (await self._writer.store([lesson], attribution, verbatim=False))[0])

    async def _keep_raw(self, report: TaskReport, namespace: str, principal: Principal) -> tuple[Ref, ...]:
        """The calls with their whole results as raw turns, in a session of their own."""
        if not report.calls:
            return ()
        session = f"task:{report.task_id or new_id()}"
        turns = [
            Turn(session_id=session, position=position, content=_raw(call), speaker=call.tool, role=Role.TOOL, at=call.at)
            for position, call in enumerate(report.calls)
        ]
        await self._store.add_turns(namespace, principal.agent, self._writer.guard.turns(turns))
        return (Ref(session_id=session, first=0, last=len(turns) - 1),)

    async def _same_error(self, report: TaskReport, namespace: str, agent: str) -> list[Memory]:
        """Earlier episodes of the agent that met the same error in the same kind of task with the same tool."""
        signature, tool = signature_of(report), failing_tool(report)
        if signature is None or report.outcome is Outcome.SUCCESS or (tool is None and report.task_type is None):
            return []
        filter = Filter(
            namespace=namespace,
            agent=agent,
            scope="own",
            kinds=(Kind.EPISODE,),
            outcomes=(Outcome.FAILURE, Outcome.FIXED, Outcome.CORRECTED),
            task_types=(report.task_type,) if report.task_type else (),
            tools=(tool,) if tool else (),
        )
        page = await self._store.list(filter, limit=_LOOKED_AT)
        return [memory for memory in page.items if memory.error_code == signature]


class TurnTrigger:
    """Watches turns outside a working-memory session: what people state is kept at once, the rest when enough has gathered."""

    def __init__(self, store: RecordStore, writer: Writer, distiller: Distiller, *, gathered: int = GATHERED) -> None:
        if gathered < 1:
            raise InvalidInput(f"gathered: {gathered} is not a number of turns from 1 up.")
        self._store = store
        self._writer = writer
        self._distiller = distiller
        self._gathered = gathered

    async def observe(
        self, given: Sequence[Turn | Mapping[str, Any]], attribution: Attribution, *, namespace: str | None = None
    ) -> Observed:
        """Keep raw turns, at once what they state by the rules; every ``gathered`` turns of a session one job distils them.

        A mapping without a ``position`` comes after the last turn of its session.

        Raises:
            InvalidInput: a turn does not fit; nothing was written.
        """
        chosen = attribution.namespace_for(namespace)
        principal = attribution.principal
        turns = await self._placed(given, chosen, principal.agent)
        await self._store.add_turns(chosen, principal.agent, self._writer.guard.turns(turns))
        stated = [draft.model_copy(update={"namespace": chosen}) for draft in self._distiller.rules.distil(turns) if draft.kind in STATED]
        kept = await store_drafts(stated, self._writer, attribution)
        jobs = []
        for session in dict.fromkeys(turn.session_id for turn in turns):
            positions = [turn.position for turn in turns if turn.session_id == session]
            for block in sorted({position // self._gathered for position in positions}):
                last = (block + 1) * self._gathered - 1
                if last in positions:
                    jobs.append(distil_job(chosen, session, last - self._gathered + 1, last, principal))
        return Observed(tuple(kept), tuple(await self._store.enqueue(jobs) if jobs else ()))

    async def _placed(self, given: Sequence[Turn | Mapping[str, Any]], namespace: str, agent: str) -> list[Turn]:
        last: dict[str, int] = {}
        turns = []
        for number, each in enumerate(given):
            where = f"turn {number}: "
            if not isinstance(each, (Turn, Mapping)):
                raise InvalidInput(f"{where}a Turn or a mapping is needed, not {type(each).__name__}.")
            turn = each if isinstance(each, Turn) else validated(Turn, {"position": 0, **each}, where)
            if turn.session_id not in last:
                standing = await self._store.turns(namespace, agent, turn.session_id)
                last[turn.session_id] = max((one.position for one in standing), default=-1)
            if not isinstance(each, Turn) and "position" not in each:
                turn = turn.model_copy(update={"position": last[turn.session_id] + 1})
            last[turn.session_id] = max(last[turn.session_id], turn.position)
            turns.append(turn)
        return turns

    async def session_closed(self, session_id: str, attribution: Attribution, *, namespace: str | None = None) -> list[int]:
        """Queue the distillation of what a session's last block left."""
        chosen = attribution.namespace_for(namespace)
        turns = await self._store.turns(chosen, attribution.principal.agent, session_id)
        if not turns:
            return []
        last = max(turn.position for turn in turns)
        first = (last + 1) // self._gathered * self._gathered
        return await self._store.enqueue([distil_job(chosen, session_id, first, last, attribution.principal)]) if first <= last else []

    async def run(self, payload: Mapping[str, Any], attribution: Attribution) -> dict[str, Any]:
        """Do a ``distil`` job; twice keeps once, since drafts carry their turns.

        Raises:
            ModelError: the model gave no valid answer; nothing was kept, the job may be tried again.
        """
        principal = Principal.model_validate(payload["principal"])
        namespace = str(payload["namespace"])
        turns = await self._store.turns(namespace, principal.agent, str(payload["session_id"]), int(payload["first"]), int(payload["last"]))
        harvest = await self._distiller.distil(turns)
        drafts = [draft.model_copy(update={"namespace": namespace}) for draft in harvest.drafts]
        kept = await store_drafts(drafts, self._writer, Attribution(principal, namespace, attribution.zone))
        return {"kept": [str(result.id) for result in kept if result.id], "left_out": list(harvest.left_out), "turns": len(turns)}


def distil_job(namespace: str, session_id: str, first: int, last: int, principal: Principal) -> NewJob:
    """The job that distils turns ``first``..``last`` of a session, in order with the session's other jobs."""
    return NewJob(
        kind=DISTIL_JOB,
        payload={
            "namespace": namespace,
            "session_id": session_id,
            "first": first,
            "last": last,
            "principal": principal.model_dump(mode="json"),
        },
        namespace=namespace,
        order_key=f"{namespace}\x1f{session_id}",
    )


def _raw(call: ToolCall) -> str:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False, default=str)
    return f"{call.tool} {arguments}\n{call.error or call.result}".strip()
