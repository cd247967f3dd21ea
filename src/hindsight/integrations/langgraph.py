"""LangGraph: a ``BaseStore`` on a memory, and nodes that recall and remember."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote

from hindsight.client.agent import AgentMemory
from hindsight.errors import InvalidInput
from hindsight.integrations.talking import block_for, careful, last_request, missing, turns_of

try:
    from langchain_core.runnables import RunnableConfig
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
    )
except ImportError as error:
    raise missing("langgraph", error) from error

ROOT = "langgraph/"
KIND = "knowledge"
"""Items are kept as they were put: this kind is neither merged nor superseded, and does not fade."""
TEXT_TAG, JSON_TAG = "langgraph:text", "langgraph:json"
PAGE = 500
MOST_FOUND = 200
_log = logging.getLogger(__name__)


class HindsightStore(BaseStore):
    """LangGraph's long-term store on a memory: ``graph.compile(store=HindsightStore(memory))``.

    Items are memories with keys below ``langgraph/``: searched by meaning and words alike, judged by the guard, with a history. A value
    ``{"text": …}`` is indexed as that text, any other as its JSON.

    Args:
        memory: a :class:`hindsight.Hindsight` or a REST client; or a :class:`hindsight.sync.Hindsight`, for graphs that run
            synchronously.
    """

    supports_ttl = True

    def __init__(self, memory: Any) -> None:
        self._waiting = getattr(memory, "_loop", None)  # the synchronous face brings a loop of its own
        self._memory = memory._memory if self._waiting is not None else memory  # noqa: SLF001 - ours, and the only way to its core
        self._loop: asyncio.AbstractEventLoop | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order; from another thread than the one in which the memory's loop runs."""
        if self._waiting is not None:
            return list(self._waiting.run(self._all([*ops])))
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if self._loop is None or self._loop is running or not self._loop.is_running():
            raise InvalidInput(
                "this memory is asynchronous: use the store's a… methods, or give HindsightStore a hindsight.sync.Hindsight."
            )
        return asyncio.run_coroutine_threadsafe(self._all([*ops]), self._loop).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order."""
        if self._waiting is not None:
            return await asyncio.to_thread(self.batch, [*ops])
        self._loop = asyncio.get_running_loop()
        return await self._all([*ops])

    async def _all(self, ops: list[Op]) -> list[Result]:
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                found = await self._find(op.namespace, op.key)
                results.append(None if found is None else Item(**_item(found)))
            elif isinstance(op, PutOp):
                await self._put(op)
                results.append(None)
            elif isinstance(op, SearchOp):
                results.append(await self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(await self._namespaces(op))
            else:
                raise InvalidInput(f"{type(op).__name__} is not an operation that this store knows.")
        return results

    async def _find(self, namespace: tuple[str, ...], key: str) -> Any | None:
        page = await self._memory.list(key_prefix=_key(namespace, key), kind=KIND, scope="own", limit=1)
        return page.items[0] if page.items else None

    async def _put(self, op: PutOp) -> None:
        standing = await self._find(op.namespace, op.key)
        if op.value is None:
            if standing is not None:
                await self._memory.forget(standing.id)
            return
        content, tag = _written(op.value)
        expires = datetime.now(UTC) + timedelta(minutes=op.ttl) if op.ttl is not None else None
        if standing is not None:
            if standing.content != content or tag not in standing.tags or expires != standing.expires_at:
                await self._memory.update(standing.id, content=content, tags=(tag,), expires_at=expires)
            return
        key = _key(op.namespace, op.key)
        more = {} if expires is None else {"expires_at": expires.isoformat()}
        # A key that was erased may come back with the same content: the moment keeps the two apart.
        result = await self._memory.store(
            content, kind=KIND, key=key, tags=(tag,), idempotency_key=f"{key}@{datetime.now(UTC).isoformat()}"[-1000:], **more
        )
        if str(result.status) != "stored":
            _log.warning("%s is %s and cannot be read back: %s", key, result.status, "; ".join(result.reasons))

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix, wanted = _prefix(op.namespace_prefix), op.offset + op.limit
        scored: list[tuple[Any, float | None]]
        if op.query:
            k = MOST_FOUND if op.filter else min(wanted, 1000)
            found = await self._memory.retrieve(op.query, key_prefix=prefix, kind=KIND, scope="own", k=k, min_relevance=0)
            scored = [(hit.memory, float(hit.relevance)) for hit in found.hits]
        else:
            scored = [(memory, None) async for memory in self._each(prefix)]
        items = [SearchItem(**_item(memory), score=score) for memory, score in scored]
        return [item for item in items if _passes(item.value, op.filter or {})][op.offset : wanted]

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        seen = {_item(memory)["namespace"] async for memory in self._each(ROOT)}
        chosen = {each for each in seen if all(_matches(each, condition) for condition in op.match_conditions or ())}
        cut = {each[: op.max_depth] for each in chosen} if op.max_depth is not None else chosen
        return sorted(cut)[op.offset : op.offset + op.limit]

    async def _each(self, prefix: str) -> Any:
        cursor = None
        while True:
            page = await self._memory.list(key_prefix=prefix, kind=KIND, scope="own", limit=PAGE, cursor=cursor)
            for memory in page.items:
                yield memory
            cursor = page.cursor
            if cursor is None:
                return


def recall_node(
    memory: AgentMemory, *, into: str = "memory_context", **options: Any
) -> Callable[[Mapping[str, Any]], Awaitable[dict[str, str]]]:
    """A node that looks up what helps with the user's last message and writes the block under ``into`` of the state.

    Put it into the prompt after the system prompt and before the conversation. ``options`` go to every look-up.
    """
    kept = careful(memory)

    async def recall(state: Mapping[str, Any]) -> dict[str, str]:
        return {into: await block_for(kept, last_request(state.get("messages") or ()), options)}

    return recall


def remember_node(memory: AgentMemory) -> Callable[..., Awaitable[dict[str, Any]]]:
    """A node that hands the conversation over: what people state in it is kept at once, the rest distilled when enough has gathered.

    The graph's ``thread_id`` names the conversation; what was handed over before is not taken twice.
    """
    kept = careful(memory)

    async def remember(state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        thread = str((config.get("configurable") or {}).get("thread_id") or "langgraph")
        if turns := turns_of(state.get("messages") or (), thread):
            await kept.observe(turns)
        return {}

    return remember


def _prefix(namespace: tuple[str, ...]) -> str:
    return ROOT + "".join(f"{quote(part, safe='')}/" for part in namespace)


def _key(namespace: tuple[str, ...], key: str) -> str:
    return f"{_prefix(namespace)}#{quote(key, safe='')}$"


def _written(value: Mapping[str, Any]) -> tuple[str, str]:
    if set(value) == {"text"} and isinstance(value["text"], str) and value["text"].strip():
        return value["text"], TEXT_TAG
    return json.dumps(value, ensure_ascii=False, sort_keys=True), JSON_TAG


def _item(memory: Any) -> dict[str, Any]:
    path, _, key = memory.key.removeprefix(ROOT).partition("#")
    return {
        "value": {"text": memory.content} if TEXT_TAG in memory.tags else json.loads(memory.content),
        "key": unquote(key.removesuffix("$")),
        "namespace": tuple(unquote(part) for part in path.split("/") if part),
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}


def _passes(value: Any, wanted: Mapping[str, Any]) -> bool:
    return all(_fits(value.get(name) if isinstance(value, Mapping) else None, each) for name, each in wanted.items())


def _fits(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(value, Mapping) and _passes(value, wanted)
    for name, other in wanted.items():
        if name not in _COMPARED:
            raise InvalidInput(f"filter: {name} is no operator; known: {', '.join(_COMPARED)}.")
        if value is None and name not in ("$eq", "$ne"):
            return False
        if not _COMPARED[name](value, other):
            return False
    return True


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", each) for each, wanted in zip(part, path, strict=True))
