"""Re-embedding: every record gets a vector of the present model while searches go on with the old ones, then all change at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from hindsight.ports import Embedder, IndexedWords, StagedVector, VectorStaging
from hindsight.records import Memory
from hindsight.remember.commit import entity_pairs
from hindsight.remember.embed import embed_texts
from hindsight.text.indexing import indexed_tokens
from hindsight.text.language import detect_language

PAGE = 64
"""Records embedded between two commits: what a kill costs at most."""
Progress = Callable[[int, int, str], None]
"""(records done, records in all, what is done with them)."""


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What was done. ``model`` is None where there is no embedder and hence nothing to embed; ``resumed`` were embedded by an earlier
    run; ``words`` is how many were indexed for keyword search anew.
    """

    model: str | None
    dimension: int | None
    records: int
    embedded: int
    resumed: int
    words: int
    seconds: float


class Reindexer:
    """Makes the vectors of ``store`` anew with ``embedder``; closes both. Without an embedder the vectors are left as they are."""

    def __init__(self, store: VectorStaging, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    async def run(self, progress: Progress | None = None, *, keywords: bool = False) -> ReindexReport:
        """Embed what has no new vector yet, and switch. ``keywords``: make the keyword index anew, too, and first.

        Raises:
            ModelUnavailable: the embedder does not answer; what was done is kept, and the next run goes on from there.
            StoreError: another reindexing began or ended meanwhile.
        """
        started = time.monotonic()
        tell = progress or _silent
        try:
            await self._store.open()
            words = await index_words(self._store, tell) if keywords else 0
            if self._embedder is None:
                _, total = await self._store.reindex_progress()
                resumed = embedded = 0
            else:
                resumed, embedded, total = await reindex(self._store, self._embedder, tell)
        finally:
            await self._store.close()
            if self._embedder is not None:
                await self._embedder.close()
        model, dimension = (self._embedder.model_id, self._embedder.dimension) if self._embedder else (None, None)
        return ReindexReport(model, dimension, total, embedded, resumed, words, time.monotonic() - started)


async def index_words(store: VectorStaging, progress: Progress) -> int:
    """Make the keyword index and the graph anew from the texts, page by page; searches see each page as it is done. How many records."""
    await store.rebuild_terms()  # so that what is taken out below is what is in there
    _, total = await store.reindex_progress()
    done = last = 0
    while page := await store.records(after=last, limit=PAGE):
        progress(done, max(total, done), "indexing words")
        done += await store.put_words([_words(row, memory) for row, memory in page])
        last = page[-1][0]
    return done


async def reindex(store: VectorStaging, embedder: Embedder, progress: Progress) -> tuple[int, int, int]:
    """Embed and switch on an open store; how many an earlier run had embedded, how many this one, how many there are."""
    resumed, _ = await store.begin_reindex()
    embedded = 0
    while True:
        embedded += await _embed_all(store, embedder, progress)
        # What was written or changed since then has no new vector: the switch refuses, and another round, a short one, takes it.
        _, total = await store.reindex_progress()
        if await store.switch():
            break
    progress(total, total, "embedding")
    return resumed, embedded, total


async def _embed_all(store: VectorStaging, embedder: Embedder, progress: Progress) -> int:
    """One round over the records without a new vector; how many got one."""
    done, total = await store.reindex_progress()
    embedded = last = 0
    while True:
        progress(done + embedded, max(total, done + embedded), "embedding")
        page = await store.unstaged(after=last, limit=PAGE)
        if not page:
            return embedded
        made = await embed_texts(embedder, [memory.text() for _, memory in page])
        batch = [
            StagedVector(row, memory.id, memory.version, each.vector, each.passages)
            for (row, memory), each in zip(page, made, strict=True)
            if each.vector is not None
        ]
        embedded += await store.stage(batch)
        last = page[-1][0]


def _words(row: int, memory: Memory) -> IndexedWords:
    text = memory.text()
    language = detect_language(text)
    return IndexedWords(row, memory.id, memory.version, indexed_tokens(text, memory.content), language, entity_pairs(memory, language))


def _silent(_done: int, _total: int, _stage: str) -> None:
    """Nobody watches."""
