"""Retrievers of others beside our own: any callable, a LangChain or LlamaIndex retriever. None of them can break the answer."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

EXTERNAL_SECONDS = 1.5
EXTERNAL_K = 4
LONGEST_PASSAGE = 8_000
_log = logging.getLogger(__name__)
_TEXTS = ("text", "content", "page_content")
_SOURCES = ("source", "url", "file_path", "document", "id")


@dataclass(frozen=True, slots=True)
class ExternalPassage:
    """A passage that an external retriever brought; ``retriever`` is its name."""

    text: str
    title: str = ""
    source: str = ""
    retriever: str = ""


def named(retrievers: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Retrievers by name; those without one are called by their class or function, numbered where that is not unique."""
    if isinstance(retrievers, Mapping):
        return {str(name): each for name, each in retrievers.items()}
    found: dict[str, Any] = {}
    for each in retrievers:
        name = getattr(each, "__name__", type(each).__name__).strip("<>")
        found[name if name not in found else f"{name}-{len(found) + 1}"] = each
    return found


async def ask_all(
    retrievers: Mapping[str, Any], query: str, *, k: int = EXTERNAL_K, seconds: float = EXTERNAL_SECONDS
) -> tuple[list[ExternalPassage], list[str]]:
    """What all of them bring, asked at once, and a flag for each that failed: ``external_timeout:NAME``, ``external_error:NAME``."""
    answers = await asyncio.gather(*(_ask(name, each, query, k, seconds) for name, each in retrievers.items()))
    return [passage for passages, _ in answers for passage in passages], [flag for _, flag in answers if flag]


async def _ask(name: str, retriever: Any, query: str, k: int, seconds: float) -> tuple[list[ExternalPassage], str]:
    try:
        async with asyncio.timeout(seconds):
            brought = await _called(retriever, query, k)
            return [passage for each in [*brought][:k] if (passage := read_passage(each, name)).text.strip()], ""
    except TimeoutError:
        return [], f"external_timeout:{name}"
    except Exception as error:  # noqa: BLE001 - whatever a retriever of others trips over, our own answer stands
        _log.warning("the external retriever %s failed: %r", name, error)
        return [], f"external_error:{name}"


async def _called(retriever: Any, query: str, k: int) -> Any:
    for name in ("ainvoke", "aretrieve"):
        if inspect.iscoroutinefunction(method := getattr(retriever, name, None)):
            return await method(query)
    for name in ("invoke", "retrieve"):
        if callable(method := getattr(retriever, name, None)):
            return await _settled(method, query)
    if not callable(retriever):
        raise TypeError("a retriever is a callable, or has invoke() or retrieve()")
    return await _settled(retriever, *((query, k) if _takes_two(retriever) else (query,)))


async def _settled(call: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call that may be a coroutine function, or block: then in a thread of its own, which a time limit can leave behind."""
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None)):  # noqa: B004 - objects with an async __call__
        return await call(*arguments)
    result = await _in_thread(lambda: call(*arguments))
    return await result if inspect.isawaitable(result) else result


def _in_thread(call: Callable[[], Any]) -> Awaitable[Any]:
    """The shared pool has few threads: one retriever that hangs must not keep them from everybody else."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def body() -> None:
        result, fault = None, None
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            fault = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, fault)

    threading.Thread(target=body, name="hindsight-retriever", daemon=True).start()
    return future


def _takes_two(call: Any) -> bool:
    try:
        given = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) and each.default is each.empty for each in given) >= 2


def read_passage(brought: Any, retriever: str) -> ExternalPassage:
    """A passage in any of the usual forms: a text, a mapping, a LangChain document, a LlamaIndex node.

    Raises:
        TypeError: none of them.
    """
    if isinstance(brought, str):
        return ExternalPassage(brought[:LONGEST_PASSAGE], retriever=retriever)
    node = getattr(brought, "node", brought)
    values: Mapping[str, Any] = node if isinstance(node, Mapping) else {name: getattr(node, name, None) for name in (*_TEXTS, "metadata")}
    if not isinstance(node, Mapping) and callable(content := getattr(node, "get_content", None)):
        values = {**values, "text": content()}
    text = next((values[name] for name in _TEXTS if isinstance(values.get(name), str)), None)
    if text is None:
        raise TypeError(f"{type(brought).__name__} is no passage: a text, or text, content or page_content is needed")
    about = {**(values.get("metadata") or {}), **(node if isinstance(node, Mapping) else {})}
    source = next((str(about[name]) for name in _SOURCES if about.get(name)), "")
    return ExternalPassage(text[:LONGEST_PASSAGE], str(about.get("title") or ""), source, retriever)
