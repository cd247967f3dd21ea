"""``/v1/sessions``, ``/v1/turns``, ``/v1/tasks``: working memory and what is told of tasks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from hindsight.client.answers import (
    ClosedAnswer,
    ObservedAnswer,
    SessionAnswer,
    SessionList,
    SessionTurn,
    TaskAnswer,
    Turns,
    TurnTaken,
    WorkingAnswer,
)
from hindsight.client.requests import CloseRequest, ObserveRequest, SessionRequest, TaskFinishRequest, TaskStartRequest, TurnRequest
from hindsight.errors import NotFound
from hindsight.ports import SessionState
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.routes import refusals, routes
from hindsight.session.session import Session
from hindsight.session.window import worth

Pool = Annotated[str | None, Query(max_length=1_024)]
Position = Annotated[int | None, Query(ge=0, le=2**31)]


def working(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("sessions")

    @router.get("/sessions", response_model=SessionList, responses=refusals())
    async def open_sessions(namespace: Pool = None) -> Any:
        """Open sessions of the caller, the one touched last first."""
        found = await (await callers_memory(desk, "read")).open_sessions(namespace=namespace)
        return {"items": [listed(each) for each in found]}

    @router.post("/sessions", response_model=WorkingAnswer, responses=refusals(404))
    async def open_session(body: SessionRequest) -> WorkingAnswer:
        """Open a session, or take one up where it was left."""
        session = (await callers_memory(desk, "write")).session(body.id, namespace=body.namespace, goal=body.goal)
        await session.open()
        return await shown(session)

    @router.get("/sessions/{id:path}", response_model=WorkingAnswer, responses=refusals(404))
    async def show_session(id: str, namespace: Pool = None, language: Literal["zh", "en"] | None = None) -> WorkingAnswer:
        """Board and window of an open session, with what each turn is kept by."""
        return await shown((await callers_memory(desk, "read")).session(id, namespace=namespace), language)

    @router.post("/sessions/{id:path}/turns", response_model=TurnTaken, status_code=201, responses=refusals())
    async def turn(id: str, body: TurnRequest) -> TurnTaken:
        """Take a turn into the window and the raw log."""
        session = (await callers_memory(desk, "write")).session(id, namespace=body.namespace)
        position = await session.turn(body.content, role=body.role, speaker=body.speaker, at=body.at, id=body.id, pin=body.pin)
        return TurnTaken(session_id=session.id, position=position)

    @router.post("/sessions/{id:path}/close", response_model=ClosedAnswer, responses=refusals(404))
    async def close_session(id: str, body: CloseRequest) -> Any:
        """Distil what is worth keeping, then end the session; or discard it."""
        session = (await callers_memory(desk, "write")).session(id, namespace=body.namespace)
        if not body.discard:
            return await session.close()
        if not await session.discard():
            raise NotFound(f"there is no open session {session.id!r} for this caller.")
        return ClosedAnswer(session_id=session.id, kept=[], left_out=[], turns=0)

    telling(desk, router)
    return router


def telling(desk: Desk, router: APIRouter) -> None:
    """The routes about raw turns and tasks."""

    @router.get("/turns", response_model=Turns, responses=refusals())
    async def turns(
        session_id: Annotated[str, Query(max_length=1_024)], first: Position = None, last: Position = None, namespace: Pool = None
    ) -> Any:
        """Raw turns of the caller's own session, by position (both ends included)."""
        return {"items": await (await callers_memory(desk, "read")).turns(session_id, first, last, namespace=namespace)}

    @router.post("/turns", response_model=ObservedAnswer, responses=refusals())
    async def observe(body: ObserveRequest) -> Any:
        """Hand over turns of a conversation: kept raw, at once what people state in them, the rest distilled when enough has gathered."""
        memory = await callers_memory(desk, "write")
        return await memory.observe([each.model_dump() for each in body.turns], namespace=body.namespace)

    @router.post("/tasks", response_model=WorkingAnswer, responses=refusals())
    async def task_started(body: TaskStartRequest) -> WorkingAnswer:
        """Begin a task: its session, with the task as its goal."""
        return await shown(await (await callers_memory(desk, "write")).task_started(**body.model_dump()))

    @router.post("/tasks/finished", response_model=TaskAnswer, responses=refusals())
    async def task_finished(body: TaskFinishRequest) -> Any:
        """End a task: always one episode, and a lesson where the same error came a second time."""
        memory = await callers_memory(desk, "write")
        fields: Any = body.model_dump(exclude_none=True, exclude={"outcome", "id", "namespace"})
        return await memory.task_finished(body.outcome, id=body.id, namespace=body.namespace, **fields)


def listed(state: SessionState) -> SessionAnswer:
    """A session in a list."""
    return SessionAnswer(
        session_id=state.session_id,
        namespace=state.namespace,
        goal=str(state.body.get("board", {}).get("goal", "")),
        opened_at=state.opened_at,
        touched_at=state.touched_at,
    )


async def shown(session: Session, language: Literal["zh", "en"] | None = None) -> WorkingAnswer:
    """Board and window of a session."""
    state = await session.state()
    newest = state.turns[-1] if state.turns else None
    turns = [
        SessionTurn(**dict(each), worth=worth(each, last=newest.position, current=newest.content))
        for each in state.turns
        if newest is not None
    ]
    return WorkingAnswer(
        session_id=session.id,
        turns=turns,
        rendered=await session.show(language=language),
        **{name: getattr(state.board, name) for name in _BOARD},
    )


_BOARD = ("goal", "current", "done", "constraints", "questions", "notes")
