"""A retriever over HTTP for :meth:`hindsight.Hindsight.context`; callables, LangChain and LlamaIndex retrievers are taken as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hindsight.errors import InvalidInput


class HttpRetriever:
    """Asks a service: POST ``{"query", "k"}``, answered by a list of passages, or by one under ``documents``, ``results`` or ``hits``.

    A passage is a text, or an object with ``text``, ``content`` or ``page_content`` and, if it has them, ``title`` and ``source`` or
    ``url``.
    """

    def __init__(self, url: str, *, headers: Mapping[str, str] | None = None, k: int = 4, transport: Any = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"url: {url!r} is no address of a retriever.")
        self._url = url
        self._headers = dict(headers or {})
        self._k = k
        self._transport = transport

    async def ainvoke(self, query: str) -> list[Any]:
        """The passages for a query."""
        import httpx

        async with httpx.AsyncClient(headers=self._headers, transport=self._transport, timeout=30) as web:
            response = await web.post(self._url, json={"query": query, "k": self._k})
            response.raise_for_status()
            found = response.json()
        if isinstance(found, Mapping):
            found = next((found[name] for name in ("documents", "results", "hits") if isinstance(found.get(name), list)), None)
        if not isinstance(found, list):
            raise InvalidInput(f"{self._url} did not answer with a list of passages.")
        return found
