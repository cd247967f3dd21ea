"""The calls about documents for synchronous code; see :class:`hindsight.remember.ingest.calls.DocumentCalls`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from hindsight.recall.arguments import FilterArguments
from hindsight.recall.context import Context
from hindsight.recall.external import EXTERNAL_SECONDS
from hindsight.remember.ingest.ingester import IngestReport

if TYPE_CHECKING:
    from hindsight import memory as asynchronous
    from hindsight.sync.loop import LoopThread


class DocumentCalls:
    """Each method hands its arguments to the asynchronous one with the same name, and waits."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    def ingest(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        namespace: str | None = None,
        shared: bool = False,
        exclude: Sequence[str] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> IngestReport:
        """Keep a document, or all documents of a folder, as knowledge; doing it again brings the memory up to date."""
        return self._loop.run(self._memory.ingest(path, name=name, namespace=namespace, shared=shared, exclude=exclude, progress=progress))

    def ingest_text(self, text: str, *, name: str, namespace: str | None = None, shared: bool = False) -> IngestReport:
        """Keep a text as the document ``name``; the same name again brings the memory up to date."""
        return self._loop.run(self._memory.ingest_text(text, name=name, namespace=namespace, shared=shared))

    def context(
        self,
        query: str,
        *,
        k: int | None = None,
        knowledge_k: int | None = None,
        budget: int | None = None,
        retrievers: Mapping[str, Any] | Sequence[Any] = (),
        retriever_seconds: float = EXTERNAL_SECONDS,
        session: str | None = None,
        namespace: str | None = None,
        **filters: Unpack[FilterArguments],
    ) -> Context:
        """Experience and knowledge for ``query`` in marked sections; ``.render()`` gives one block for a prompt under one budget."""
        return self._loop.run(
            self._memory.context(
                query,
                k=k,
                knowledge_k=knowledge_k,
                budget=budget,
                retrievers=retrievers,
                retriever_seconds=retriever_seconds,
                session=session,
                namespace=namespace,
                **filters,
            )
        )
