"""The calls about documents that :class:`hindsight.Hindsight` offers; each hands its arguments on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from hindsight.errors import InvalidInput
from hindsight.guard.examine import Guard
from hindsight.recall.arguments import FilterArguments
from hindsight.recall.context import CONTEXT_TOKENS, STANDING, Context
from hindsight.recall.external import EXTERNAL_SECONDS, ExternalPassage, ask_all, named
from hindsight.records import Channel, Draft, Kind, Status
from hindsight.remember.ingest.ingester import Ingester, IngestReport

EXPERIENCE = tuple(str(kind) for kind in Kind if kind is not Kind.KNOWLEDGE)


@dataclass(frozen=True, slots=True)
class Documents:
    """The flows about documents for one caller."""

    ingester: Ingester
    guard: Guard


class DocumentCalls:
    """What a memory offers to keep documents, and to show them beside experience."""

    _documents: Documents

    async def ingest(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        namespace: str | None = None,
        shared: bool = False,
        exclude: Sequence[str] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> IngestReport:
        """Keep a document, or all documents of a folder and those below it, as knowledge: Markdown, HTML, PDF, text and code.

        Doing it again brings the memory up to date: new chunks are stored, those that are no longer there are archived, what is the same is
        left alone. Documents come by the channel ``document``: the guard judges them, and holds back what gives orders.

        Args:
            path: file or folder.
            name: what the document or folder is called; default: its full path. Under the same name it is the same document.
            namespace: pool; default: the caller's.
            shared: for all agents of the pool, not for this one alone.
            exclude: glob patterns of paths below the folder to leave out.
            progress: told (documents done, documents in all).

        Raises:
            InvalidInput: there is nothing at ``path``.
        """
        ingester = self._documents.ingester
        return await ingester.run(Path(path), name=name, namespace=namespace, shared=shared, exclude=exclude, progress=progress)

    async def ingest_text(self, text: str, *, name: str, namespace: str | None = None, shared: bool = False) -> IngestReport:
        """Keep a text as the document ``name``; the same name again brings the memory up to date, as :meth:`ingest` does.

        The ending of the name tells what is written there (``.md``, ``.html``, ``.py`` …); any other is plain text.

        Raises:
            InvalidInput: the text says nothing, or the name cannot name a document.
            ContentTooLarge: the text is over 4 MiB.
        """
        return await self._documents.ingester.run_text(text, name=name, namespace=namespace, shared=shared)

    async def context(
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
        """Experience and knowledge for ``query`` in marked sections; ``.render()`` gives one block for a prompt under one budget.

        Args:
            query: as for :meth:`retrieve`.
            k: memories of experience; default: what is relevant.
            knowledge_k: chunks of ingested documents; default: what is relevant.
            budget: most tokens of the block.
            retrievers: others to ask as well, by name or without: callables (``query`` or ``query, k``), LangChain or LlamaIndex retrievers.
                One that fails or takes longer than ``retriever_seconds`` is flagged; what the guard would not keep is withheld.
            retriever_seconds: time for each of them.
            session: an open session that tells what the query is about.
            namespace: pool; default: the caller's.
            filters: of the experience.
        """
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int) or budget < 50):
            raise InvalidInput(f"budget: a whole number of at least 50 tokens is needed, not {budget!r}.")
        memory: Any = self  # the class that offers these calls retrieves, and knows its zone
        given: dict[str, Any] = {"kind": EXPERIENCE, **{name: value for name, value in filters.items() if value is not None}}
        always = {"kind": str(Kind.CONSTRAINT), "status": str(Status.ACTIVE), "scope": "own"}
        experience, knowledge, constraints, (brought, faults) = await asyncio.gather(
            memory.retrieve(query, k=k, session=session, namespace=namespace, **given),
            memory.retrieve(query, k=knowledge_k, namespace=namespace, kind=str(Kind.KNOWLEDGE)),
            memory.list(namespace=namespace, limit=STANDING, **always),
            ask_all(named(retrievers), query, seconds=retriever_seconds),
        )
        external, withheld = self._examined(brought)
        flags = dict.fromkeys((*experience.flags, *knowledge.flags, *faults, *withheld))
        found = {hit.memory.id for hit in experience.hits}
        standing = tuple(each for each in constraints.items if each.id not in found)
        return Context(query, experience, knowledge, external, standing, tuple(flags), budget or CONTEXT_TOKENS, memory.zone)

    def _examined(self, brought: Sequence[ExternalPassage]) -> tuple[tuple[ExternalPassage, ...], list[str]]:
        """Passages that a document might say, without secrets; a flag for each retriever of which something is withheld."""
        kept, withheld = [], []
        for each in brought:
            draft, verdict = self._documents.guard.examine(Draft(content=each.text, kind=Kind.KNOWLEDGE), Channel.DOCUMENT)
            if verdict.status is Status.ACTIVE and not verdict.rejected:
                kept.append(ExternalPassage(draft.content, each.title, each.source, each.retriever))
            else:
                withheld.append(f"external_withheld:{each.retriever}")
        return tuple(kept), withheld
