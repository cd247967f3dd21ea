"""A memory that never makes the agent wait or fail: short time limits, few repetitions, a spool for writes while the server is away."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID, uuid4

from hindsight.client.agent import AgentMemory, no_answer, no_context
from hindsight.client.answers import ContextAnswer, RecallAnswer, TaskAnswer
from hindsight.client.breaker import CircuitBreaker
from hindsight.client.filling import sendable, turn_items
from hindsight.client.spool import Spool, Waiting
from hindsight.errors import HindsightError, StoreUnavailable
from hindsight.records import StoreResult, StoreStatus, Turn

T = TypeVar("T")
RETRIEVAL_SECONDS = 2.0
WRITE_SECONDS = 5.0
ATTEMPTS = 4
"""The first and at most three more."""
FRESH_SECONDS = 10.0
STALE_SECONDS = 600.0
REPLAY_PAUSE = 1.0
CLOCKS_DIFFER = timedelta(minutes=1)
LONGEST_REPLAY_PAUSE = 30.0
_CHANGES = frozenset("update forget restore undo approve reject store_many ingest ingest_text import_lines import_file".split())
"""Calls that are passed on, and change what a retrieval may show."""
_log = logging.getLogger(__name__)


class ResilientMemory:
    """The calls of an agent's loop over any memory, none of which hangs or breaks the loop.

    ::

        async with ResilientMemory(AsyncRestClient("http://127.0.0.1:8080")) as memory:
            found = await memory.retrieve("deploy the billing service")   # within 2 s, or empty and flagged
            await memory.store("The billing service needs the VPN")       # sent, or durable in the spool

    * :meth:`retrieve` and :meth:`context` answer within ``retrieval_seconds`` whatever the server does, all repetitions included. What
      they lack is told by ``flags``: ``timeout``, ``unavailable``, ``circuit_open``; with ``stale``, the answer to the same question of
      a while ago stands in. They raise only for arguments that do not fit.
    * Writes (:meth:`store`, :meth:`observe`, :meth:`task_finished`, :meth:`feedback`) are tried for ``write_seconds``; where the
      server does not answer they go into the spool, and the result says ``queued``. What waits is sent in order, before anything newer.
    * Only calls that are safe to repeat are repeated, at most three times, after pauses that double and vary.

    Args:
        memory: what is called; closed with this.
        spool: file for writes that wait, a :class:`Spool`, or None for none: then a write that fails raises.
        retrieval_seconds, write_seconds: time limits.
        cache_size: recent retrievals kept; 0: none.
        fresh_seconds: for how long the same question is not asked again while nothing was written here.
        stale_seconds: for how long an old answer may stand in where the server does not answer.
        breaker: when to leave the server alone.
    """

    def __init__(
        self,
        memory: AgentMemory,
        *,
        spool: Spool | str | Path | None = None,
        retrieval_seconds: float = RETRIEVAL_SECONDS,
        write_seconds: float = WRITE_SECONDS,
        cache_size: int = 128,
        fresh_seconds: float = FRESH_SECONDS,
        stale_seconds: float = STALE_SECONDS,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._memory = memory
        self._spool = Spool(spool) if isinstance(spool, (str, Path)) else spool
        self._retrieval_seconds = retrieval_seconds
        self._write_seconds = write_seconds
        self._cache = _Recent(cache_size, fresh_seconds, stale_seconds)
        self._breaker = breaker or CircuitBreaker()
        self._sending = asyncio.Lock()
        self._replayer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.begin()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    def begin(self) -> None:
        """Send, in the background, what an earlier process left in the spool."""
        if self._spool is not None and any(True for _ in self._spool.waiting()):
            self._replay_later()

    async def close(self) -> None:
        """One more try for what waits (the rest stays in the spool), then free everything."""
        if self._replayer is not None:
            self._replayer.cancel()
            await asyncio.gather(self._replayer, return_exceptions=True)
            self._replayer = None
        if self._spool is not None:
            if len(self._spool):
                await self.flush(self._write_seconds)
            self._spool.close()
        await self._memory.close()

    @property
    def waiting(self) -> int:
        """How many writes wait in the spool."""
        return len(self._spool) if self._spool is not None else 0

    # Reading

    async def retrieve(self, query: str, **options: Any) -> RecallAnswer | Any:
        """The memories that help with ``query``, within the time limit."""
        key = self._cache.key("retrieve", query, options)
        return await self._read(key, lambda: self._memory.retrieve(query, **options), lambda *flags: no_answer(query, *flags))

    async def context(self, query: str, **options: Any) -> ContextAnswer | Any:
        """Experience and knowledge for ``query`` under one budget, within the time limit."""
        key = self._cache.key("context", query, options)
        return await self._read(key, lambda: self._memory.context(query, **options), lambda *flags: no_context(query, *flags))

    async def _read(self, key: str, ask: Callable[[], Awaitable[Any]], nothing: Callable[..., Any]) -> Any:
        if (fresh := self._cache.fresh(key)) is not None:
            return _flagged(fresh, "local_cache")
        if not self._breaker.may_call():
            return self._instead(key, nothing, "circuit_open")
        asked = time.monotonic()
        try:
            async with asyncio.timeout(self._retrieval_seconds):
                found = await self._repeated(ask)
        except TimeoutError:
            self._breaker.failed()
            return self._instead(key, nothing, "timeout")
        except HindsightError as error:
            if not error.retryable:
                self._breaker.succeeded()  # it answered: the question was at fault
                raise
            _log.warning("no answer to a retrieval: %s", error)
            return self._instead(key, nothing, "unavailable")
        self._cache.keep(key, found, asked)
        return found

    def _instead(self, key: str, nothing: Callable[..., Any], why: str) -> Any:
        stale = self._cache.stale(key)
        return nothing(why) if stale is None else _flagged(stale, why, "stale")

    # Writing

    async def store(self, content: str, **fields: Any) -> StoreResult:
        """Keep one text: now, or as soon as the server is back."""
        return await self._write("store", {"content": content, **fields}, _queued_result)

    async def observe(self, turns: Sequence[Turn | Mapping[str, Any]], **options: Any) -> Any:
        """Hand over turns of a conversation; None while they wait in the spool."""
        return await self._write("observe", {"turns": turn_items(turns), **options}, lambda: None)

    async def task_finished(self, outcome: Any, *, id: str | None = None, **fields: Any) -> Any:
        """End a task; None while its episode waits in the spool. Without ``id`` the task gets one, so that repeating it is harmless."""
        given = {"outcome": str(outcome), "id": id or f"task-{uuid4()}", **fields}
        return await self._write("task_finished", given, lambda: None)

    async def feedback(self, retrieval: UUID | str, verdict: Any, *, ids: Sequence[UUID | str] = ()) -> Any:
        """Say how what a retrieval showed proved itself; None while it waits in the spool."""
        given = {"retrieval": str(retrieval), "verdict": verdict, "ids": [str(id) for id in ids]}
        return await self._write("feedback", given, lambda: None)

    async def _write(self, call: str, given: dict[str, Any], queued: Callable[[], T]) -> T | Any:
        self._cache.clear()
        given = sendable(given)
        if self._spool is not None:
            self._spool.open()  # what an earlier process left goes first
        if self.waiting:
            # Order: nothing overtakes what waits already.
            return self._put_by(call, given, queued)
        if not self._breaker.may_call():
            if self._spool is None:
                raise StoreUnavailable("the server has not answered for a while; the call was not sent. Give a spool to keep such writes.")
            return self._put_by(call, given, queued)
        try:
            async with asyncio.timeout(self._write_seconds):
                return await self._repeated(self._careful(call, given))
        except TimeoutError:
            self._breaker.failed()
            if self._spool is None:
                raise StoreUnavailable(f"no answer within {self._write_seconds:g} s; give a spool to keep such writes.") from None
        except HindsightError as error:
            if not error.retryable:
                self._breaker.succeeded()
                raise
            if self._spool is None:
                raise
        return self._put_by(call, given, queued)

    def _put_by(self, call: str, given: dict[str, Any], queued: Callable[[], T]) -> T:
        assert self._spool is not None
        self._spool.append(call, _dated(call, given))
        self._replay_later()
        return queued()

    def _careful(self, call: str, given: Mapping[str, Any]) -> Callable[[], Awaitable[Any]]:
        """Sends the call; before it is sent again, what closes a session is looked for: its key hangs on that session."""
        one, tried = Waiting(0, call, given, datetime.now(UTC)), False

        async def send() -> Any:
            nonlocal tried
            if tried and (episode := await self._arrived(one)) is not None:
                return TaskAnswer(episode=StoreResult(id=episode.id, status=StoreStatus.DUPLICATE), lesson=None, distilled=[], learned=[])
            tried = True
            return await self._sent(call, given)

        return send

    async def _sent(self, call: str, given: Mapping[str, Any]) -> Any:
        arguments = dict(given)
        first = {"store": "content", "observe": "turns", "task_finished": "outcome", "feedback": "retrieval"}[call]
        return await getattr(self._memory, call)(arguments.pop(first), **arguments)

    async def _repeated(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask up to four times while the server says that a later try can succeed."""
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

        tries = AsyncRetrying(
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_exponential(multiplier=0.1, max=2.0) + wait_random(0, 0.1),
            retry=retry_if_exception(lambda error: isinstance(error, HindsightError) and error.retryable and not self._breaker.open),
            reraise=True,
        )
        async for attempt in tries:
            with attempt:
                try:
                    found = await ask()
                except HindsightError as error:
                    if error.retryable:
                        self._breaker.failed()
                    raise
        self._breaker.succeeded()
        return found

    # What waits

    async def flush(self, seconds: float = WRITE_SECONDS) -> int:
        """Send what waits, in order; how many still wait after at most ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._replay()
        except (TimeoutError, HindsightError) as error:
            _log.info("%d writes wait for the server: %s", self.waiting, error or "no answer in time")
        return self.waiting

    def _replay_later(self) -> None:
        if self._replayer is None or self._replayer.done():
            self._replayer = asyncio.get_running_loop().create_task(self._replay_in_time())

    async def _replay_in_time(self) -> None:
        pause = REPLAY_PAUSE
        while True:
            await asyncio.sleep(pause)
            if await self.flush(LONGEST_REPLAY_PAUSE) == 0:
                return
            pause = min(pause * 2, LONGEST_REPLAY_PAUSE)

    async def _replay(self) -> None:
        if self._spool is None:
            return
        async with self._sending:
            for one in self._spool.waiting():
                if await self._arrived(one) is None:
                    try:
                        await self._sent(one.call, one.given)
                    except HindsightError as error:
                        if error.retryable:
                            self._breaker.failed()
                            raise
                        self._spool.reject(one, f"{type(error).__name__}: {error}")
                        continue
                self._breaker.succeeded()
                self._spool.done(one.number)

    async def _arrived(self, one: Waiting) -> Any | None:
        """The episode of a task's end that got through although its answer did not."""
        listing = getattr(self._memory, "list", None)
        if one.call != "task_finished" or listing is None or not one.given.get("id"):
            return None
        pool = {"namespace": one.given["namespace"]} if one.given.get("namespace") else {}
        found = await listing(session_id=one.given["id"], kind="episode", limit=1, **pool)
        since = one.given.get("started_at")
        moment = datetime.fromisoformat(str(since)) if since else one.at
        moment = moment if moment.tzinfo is not None else moment.astimezone()
        return next((each for each in found.items if each.created_at >= moment - CLOCKS_DIFFER), None)

    # Passed on as they are: no loop hangs on them, or they are not safe to repeat

    async def reflect(self, episode: UUID | str | None = None, **options: Any) -> Any:
        """Look for causes of failure; not repeated, and not kept for later."""
        return await self._memory.reflect(episode, **options)

    def __getattr__(self, name: str) -> Any:
        """Every other call of the memory, without this layer's care; after one that changes memories no earlier answer is shown."""
        if name.startswith("_"):
            raise AttributeError(name)
        call = getattr(self._memory, name)
        if name not in _CHANGES:
            return call

        async def changed(*args: Any, **arguments: Any) -> Any:
            try:
                return await call(*args, **arguments)
            finally:
                self._cache.drop()

        return changed


def _queued_result() -> StoreResult:
    return StoreResult(id=None, status=StoreStatus.QUEUED, reasons=("the server does not answer; kept in the local spool",))


def _dated(call: str, given: dict[str, Any]) -> dict[str, Any]:
    """What is sent later tells when it happened."""
    name = {"store": "occurred_at", "task_finished": "finished_at"}.get(call)
    now = datetime.now(UTC).isoformat()
    return given if name is None or given.get(name) is not None else {**given, name: now}


def _flagged(found: Any, *flags: str) -> Any:
    """The answer with more flags; the original stays as it is."""
    import dataclasses

    more = [*found.flags, *(flag for flag in flags if flag not in found.flags)]
    if dataclasses.is_dataclass(found) and not inspect.isclass(found):
        return dataclasses.replace(found, flags=tuple(more))
    return found.model_copy(update={"flags": more})


class _Recent:
    """Answers of a moment ago, by question."""

    def __init__(self, size: int, fresh: float, stale: float) -> None:
        self._size = size
        self._fresh = fresh
        self._stale = stale
        self._found: OrderedDict[str, tuple[float, Any]] = OrderedDict()
        self._since = self._dropped = 0.0

    def key(self, call: str, query: str, options: Mapping[str, Any]) -> str:
        return f"{call}\x1f{query}\x1f{sorted((name, str(value)) for name, value in options.items() if value is not None)}"

    def keep(self, key: str, found: Any, asked: float) -> None:
        """Keep an answer to what was asked at that moment (monotonic), unless memories were changed since."""
        if self._size > 0 and asked >= self._dropped:
            self._found[key] = (asked, found)
            self._found.move_to_end(key)
            while len(self._found) > self._size:
                self._found.popitem(last=False)

    def fresh(self, key: str) -> Any | None:
        at, found = self._found.get(key, (0.0, None))
        return found if found is not None and at >= self._since and time.monotonic() - at < self._fresh else None

    def stale(self, key: str) -> Any | None:
        at, found = self._found.get(key, (0.0, None))
        return found if found is not None and time.monotonic() - at < self._stale else None

    def clear(self) -> None:
        """Something was written: what was found before is fresh no more, but still better than nothing."""
        self._since = time.monotonic()

    def drop(self) -> None:
        """Memories were changed or erased: no earlier answer may be shown."""
        self._since = self._dropped = time.monotonic()
        self._found.clear()
