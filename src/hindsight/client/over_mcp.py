"""The MCP client: an agent's calls as tools of a server that is started here (stdio) or runs already (HTTP)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self
from uuid import UUID

from hindsight import errors
from hindsight.client.answers import ContextAnswer
from hindsight.client.connection import TIMEOUT_SECONDS, address_of
from hindsight.client.filling import sendable
from hindsight.errors import ERROR_KIND, AccessDenied, HindsightError, InvalidInput, StoreUnavailable
from hindsight.records import Lesson, Outcome, StoreResult, Turn
from hindsight.settings import load_settings

CONNECT_SECONDS = 15.0
_STORED = frozenset(
    "kind query outcome lesson task_type tools error_code tags source importance occurred_at expires_at session_id visibility".split()
)
_RETRIEVED = frozenset("k kind outcome task_type tools within since until".split())


@dataclass(frozen=True, slots=True)
class BriefMemory:
    """What the protocol tells of a memory; texts may be shortened (``truncated``), the resource ``memory://{id}`` holds the whole."""

    id: UUID
    content: str
    kind: str
    query: str
    outcome: str
    lesson: Lesson | None
    date: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class BriefHit:
    """One memory found."""

    memory: BriefMemory
    score: float
    relevance: float
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BriefRecall:
    """What a retrieval over MCP found, best first."""

    id: UUID
    query: str
    hits: tuple[BriefHit, ...]
    flags: tuple[str, ...]
    rendered: str

    def render(self) -> str:
        """The block for a prompt, as the server wrote it; empty where nothing was found."""
        return self.rendered


@dataclass(frozen=True, slots=True)
class BriefTask:
    """What was kept of a task: over MCP its episode."""

    episode: StoreResult
    lesson: StoreResult | None = None


class McpClient:
    """The calls of an agent's loop over MCP; it connects at the first one, and again after the connection broke.

    ::

        async with McpClient("http://127.0.0.1:8080", token="hs_…") as memory: ...
        async with McpClient(command=["hindsight", "mcp"]) as memory: ...

    Without ``url`` and ``command`` the address is ``HINDSIGHT_URL``; without ``token`` it is ``HINDSIGHT_TOKEN``. What the protocol's
    tools have no argument for (such as ``key`` or ``confidence``) is refused; an ``idempotency_key`` is not sent, because the server
    takes the same text of the same session for the same memory anyway.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        token: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        if url is not None and command is not None:
            raise InvalidInput("give an address or a command, not both.")
        self._timeout = timeout
        self._command = [*command] if command is not None else []
        self._environment = dict(environment) if environment is not None else None
        self.address, self.token = "", ""
        if not self._command:
            settings = load_settings() if url is None or token is None else load_settings({})
            self.address = f"{address_of(url, settings)}/mcp"
            self.token = token if token is not None else settings.token.get_secret_value()
        self._connection: _Connection | None = None
        self._connecting = asyncio.Lock()
        self._denied = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection, and the server that was started for it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Any, str]:
        """Call a tool: its structured answer and its text.

        Raises:
            HindsightError: the server refused, or does not answer.
        """
        told = {name: sendable(value) for name, value in arguments.items() if value is not None}
        self._denied = False
        try:
            async with self._connecting:
                if self._connection is None or self._connection.ended:
                    connection = _Connection(self._server)
                    await connection.start()
                    self._connection = connection
                connection = self._connection
            return await connection.call(tool, told, self._timeout)
        except StoreUnavailable as error:
            if self._denied:  # it answers, but not to this token: asking again, or keeping writes for later, does not help
                raise AccessDenied(_told(error.__cause__ or error)) from error
            raise

    async def _note(self, response: Any) -> None:
        self._denied = self._denied or response.status_code in (401, 403)

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[Any]:
        """What the official client connects to."""
        if self._command:
            from mcp import StdioServerParameters

            program, *rest = self._command
            yield StdioServerParameters(command=program, args=rest, env=self._environment)
            return
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=self._timeout, event_hooks={"response": [self._note]}) as web:
            yield streamable_http_client(self.address, http_client=web)

    async def retrieve(self, query: str, *, session: str | None = None, **options: Any) -> BriefRecall:
        """The memories that help with ``query``, best first."""
        listed = {
            name: [value] if name in ("kind", "outcome", "tools") and isinstance(value, str) else value for name, value in options.items()
        }
        found, text = await self.call("memory_retrieve", {"query": query, "session_id": session, **_known(listed, _RETRIEVED)})
        return BriefRecall(
            id=UUID(found["id"]),
            query=query,
            hits=tuple(map(_hit, found["hits"])),
            flags=tuple(found.get("flags") or ()),
            rendered=text if found["hits"] else "",
        )

    async def context(self, query: str, *, session: str | None = None, **options: Any) -> ContextAnswer:
        """Over MCP there is no context of sections: what is recalled, knowledge among it."""
        found = await self.retrieve(query, session=session, **{name: value for name, value in options.items() if name in _RETRIEVED})
        return ContextAnswer(
            query=query,
            experience=None,
            knowledge=None,
            standing=[],
            external=[],
            flags=[*found.flags, "unsectioned"],
            tokens=0,
            rendered=found.rendered,
        )

    async def store(self, content: str, *, wait: bool = True, idempotency_key: str | None = None, **fields: Any) -> StoreResult:
        """Keep one text; the call waits, and its text is its key."""
        del wait, idempotency_key
        given = {
            name: str(value) if name in ("occurred_at", "expires_at") and value is not None else value for name, value in fields.items()
        }
        lesson = fields.get("lesson")
        if isinstance(lesson, Lesson):
            given["lesson"] = lesson.model_dump()
        found, _ = await self.call("memory_store", {"content": content, **_known(given, _STORED)})
        return StoreResult(id=found.get("id"), status=found["status"], reasons=tuple(found.get("reasons") or ()))

    async def observe(self, turns: Sequence[Turn | Mapping[str, Any]], *, namespace: str | None = None) -> None:
        """Take turns into their session's working memory; closing the session distils them."""
        _pool_is_the_tokens(namespace)
        for each in turns:
            turn = each if isinstance(each, Turn) else Turn.model_validate(dict(each))
            told = {"action": "turn", "session_id": turn.session_id, "text": turn.content, "role": str(turn.role)}
            await self.call("memory_session", told)

    async def task_finished(
        self, outcome: Outcome | str, *, id: str | None = None, namespace: str | None = None, **fields: Any
    ) -> BriefTask:
        """Keep the episode of a task. It is put into words here, so that sending it twice keeps it once."""
        _pool_is_the_tokens(namespace)
        told = await self.store(
            _worded(str(outcome), fields),
            kind="episode",
            query=fields.get("task") or None,
            outcome=str(outcome),
            task_type=fields.get("task_type"),
            tools=[each["tool"] for each in fields.get("calls") or ()] or [*(fields.get("tools") or ())] or None,
            tags=[*(fields.get("tags") or ())] or None,
            occurred_at=fields.get("finished_at"),
            session_id=id,
        )
        return BriefTask(told)

    async def feedback(
        self, retrieval: UUID | str, verdict: Literal["helpful", "harmful", "unused"], *, ids: Sequence[UUID | str] = ()
    ) -> int:
        """Say how what a retrieval showed proved itself; for how many memories it counted."""
        told = {"retrieval_id": str(retrieval), "verdict": verdict, "ids": [str(id) for id in ids] or None}
        found, _ = await self.call("memory_feedback", told)
        return int(found["changed"])

    async def reflect(self, episode: UUID | str | None = None) -> Any:
        """Look for causes of failure; what is proposed waits for a person."""
        return (await self.call("memory_reflect", {"episodic_id": None if episode is None else str(episode)}))[0]

    async def forget(self, id: UUID | str, *, mode: Literal["erase", "archive"] = "erase", reason: str | None = None) -> bool:
        """Erase a memory for good, or archive it; False when there was none."""
        return bool((await self.call("memory_forget", {"id": str(id), "mode": mode, "reason": reason}))[0]["found"])


class _Connection:
    """One connection, entered and left by a task of its own, as the protocol's library demands."""

    def __init__(self, server: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self._server = server
        self._client: Any = None
        self._leave = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def ended(self) -> bool:
        return self._task is None or self._task.done() or self._leave.is_set()

    async def start(self) -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(ready))
        try:
            await asyncio.wait_for(asyncio.shield(ready), CONNECT_SECONDS)
        except asyncio.CancelledError:
            self._task.cancel()
            raise
        except Exception as error:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            raise StoreUnavailable(
                f"no MCP server answers: {_told(error)}. Start it with `hindsight serve`, or check the command."
            ) from error

    async def _run(self, ready: asyncio.Future[None]) -> None:
        from mcp import Client

        try:
            async with self._server() as server, Client(server) as client:
                self._client = client
                ready.set_result(None)
                await self._leave.wait()
        except Exception as error:  # noqa: BLE001 - whatever ends the connection, the caller is told as one of our errors
            if not ready.done():
                ready.set_exception(error)

    async def call(self, tool: str, arguments: Mapping[str, Any], timeout: float) -> tuple[Any, str]:
        assert self._task is not None
        asked = asyncio.create_task(self._client.call_tool(tool, dict(arguments), read_timeout_seconds=timeout))
        try:
            await asyncio.wait({asked, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise StoreUnavailable("the connection to the MCP server ended; it is opened again with the next call.")
            result = asked.result()
        except HindsightError:
            raise
        except Exception as error:
            self._leave.set()  # whatever broke, the next call starts afresh
            raise StoreUnavailable(f"the MCP server does not answer: {_told(error)}.") from error
        finally:
            asked.cancel()
        text = "\n".join(part.text for part in result.content if hasattr(part, "text"))
        if result.is_error:
            raise _refusal(text, str((result.meta or {}).get(ERROR_KIND, "")))
        return result.structured_content, text

    async def close(self) -> None:
        self._leave.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)


def _told(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


def _refusal(text: str, kind: str) -> HindsightError:
    """The error that a refusal is; an argument that does not fit where it says no more."""
    found = getattr(errors, kind, None)
    if found is errors.VersionConflict:
        return errors.VersionConflict(text, current=0)
    return found(text) if isinstance(found, type) and issubclass(found, HindsightError) else InvalidInput(text)


def _known(given: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    chosen = {name: value for name, value in given.items() if value is not None}
    if unknown := set(chosen) - known:
        raise InvalidInput(
            f"{', '.join(sorted(unknown))}: not to be had over MCP, which takes {', '.join(sorted(known))}; use the REST client."
        )
    return chosen


def _pool_is_the_tokens(namespace: str | None) -> None:
    if namespace is not None:
        raise InvalidInput("namespace: over MCP it is the token's; use the REST client, or a token of that namespace.")


def _hit(found: Mapping[str, Any]) -> BriefHit:
    memory = BriefMemory(
        id=UUID(found["id"]),
        content=found["content"],
        kind=found["kind"],
        query=found.get("query") or "",
        outcome=found.get("outcome") or "unknown",
        lesson=Lesson.model_validate(found["lesson"]) if found.get("lesson") else None,
        date=found["date"],
        truncated=bool(found.get("truncated")),
    )
    return BriefHit(memory, found["score"], found["relevance"], tuple(found.get("labels") or ()))


def _worded(outcome: str, fields: Mapping[str, Any]) -> str:
    """A task's report as one text, the same for the same report."""
    steps = [f"{each['tool']}{' failed: ' + str(each['error']) if each.get('error') else ''}" for each in fields.get("calls") or ()]
    parts = {
        "Task": fields.get("task"),
        "Decided": "; ".join(fields.get("decisions") or ()),
        "Steps": " → ".join(steps),
        "Outcome": outcome,
        "Error": fields.get("error"),
        "Repaired by": fields.get("repaired_by"),
        "Result": fields.get("result"),
    }
    return ". ".join(f"{name}: {' '.join(str(value).split())}".rstrip(" .") for name, value in parts.items() if value) + "."
