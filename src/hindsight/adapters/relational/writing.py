"""Committing records: everything that belongs to a record in the caller's one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np

from hindsight.adapters.relational.attributes import CODED_FIELDS, pack, unpack
from hindsight.adapters.relational.codes import Interner, coded_values
from hindsight.adapters.relational.graph import GraphChanges, edge_owner
from hindsight.adapters.relational.jobs import add_jobs
from hindsight.adapters.relational.mapping import changed_fields, memory_values, read_memory, to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.sealing import Core as EventCore
from hindsight.adapters.relational.sealing import SealWriter, Texts, with_seal
from hindsight.adapters.relational.terms import TokenIndex, indexed_text
from hindsight.errors import InvalidInput, ModelMismatch, NotFound, VersionConflict
from hindsight.ports import Committed, IndexedWords, NewEvent, Vector, Write
from hindsight.records import Memory, Status
from hindsight.vectors import quantise

KEPT_CHANGES = 50_000
_PRUNE_EVERY = 1_000
Changes = tuple[dict[str, Any], dict[str, Any]]

_SQL = load("records.sql")


class Committer:
    """Writes of one transaction. ``now`` (Unix seconds) is when queued jobs become due; ``dimension`` that of the vectors."""

    def __init__(self, db: Database, index: TokenIndex, *, now: float, dimension: int | None, seals: SealWriter | None = None) -> None:
        self._db = db
        self._index = index
        self._now = now
        self._dimension = dimension
        self._seals = seals
        self._codes = Interner(db)
        self._graph = GraphChanges(db)
        self._namespaces: dict[str, int] = {}
        self._languages: dict[str, int] = {}
        self._vectors: dict[int, tuple[float, bytes]] = {}  # by the identity of the write

    def commit(self, writes: Sequence[Write]) -> list[Committed]:
        """All of ``writes``, in order; the caller rolls back on an error."""
        self._quantise(writes)
        done = [self._insert(write) if write.expected_version is None else self._replace(write) for write in writes]
        self._graph.flush()
        self._codes.flush()
        if self._seals is not None:
            self._seals.flush()
        return done

    def put_words(self, batch: Sequence[IndexedWords]) -> int:
        """Tokens, language and entities anew, also of a record that was written from outside and is in no index; how many."""
        done = 0
        for words in batch:
            found = rows(self._db, _SQL["get_with_row"], (str(words.id),))
            if not found or (memory := read_memory(found[0][1:])).version != words.version:  # its writer has indexed it since
                continue
            row, namespace = found[0][0], self._namespace(memory.namespace)
            packed = value(self._db, _SQL["get_attributes"], (namespace, row))
            if packed is None:
                codes = self._codes.intern(memory)
                self._put_turn_refs(memory, row)
            else:
                before = unpack(packed)
                codes = {name: before[name] for name in CODED_FIELDS}
                self._graph.unlink(row, edge_owner(before))
            packed = pack(memory, row=row, codes=codes, language=self._language(words.language), length=len(words.tokens))
            self._db.execute(_SQL["put_attributes"], (namespace, row, packed))
            drop_tokens(self._db, self._index, row)
            self._put_tokens(namespace, row, words.tokens)
            self._graph.link(namespace, row, words.entities, edge_owner(unpack(packed)))
            add_change(self._db, namespace, row, reindexed=True)
            done += 1
        self._graph.flush()
        self._codes.flush()
        return done

    def _insert(self, write: Write) -> Committed:
        memory = write.memory
        standing = rows(self._db, _SQL["find_key"], (memory.namespace, memory.agent, memory.idempotency_key))
        if standing:
            return self._keep_standing(standing[0], write)
        if value(self._db, _SQL["id_taken"], (str(memory.id),)):
            raise InvalidInput(f"there is a memory with the id {memory.id} already, under another key; give this one another id.")
        namespace = self._namespace(memory.namespace)
        codes = self._codes.intern(memory)
        row = int(value(self._db, _SQL["insert_memory"], self._sealed(memory, write.event, None)))
        tokens = write.tokens or ()
        packed = pack(memory, row=row, codes=codes, language=self._language(write.language), length=len(tokens))
        self._db.execute(_SQL["put_attributes"], (namespace, row, packed))
        self._put_tokens(namespace, row, tokens)
        self._put_vector(namespace, row, write, fresh=True)
        self._graph.link(namespace, row, write.entities, edge_owner(unpack(packed)))
        self._put_turn_refs(memory, row)
        self._put_parents(memory)
        self._finish(row, namespace, write, reindexed=True)
        return Committed(memory.id, created=True, version=memory.version)

    def _keep_standing(self, standing: tuple[Any, ...], write: Write) -> Committed:
        """The key is taken: nothing is written, but an archived record comes back, as active as the new one would have been.

        What a person wrote or approved (full trust) is active again; an unapproved rule is not made active by being stored again.
        """
        row, id, status, version = standing
        if status == Status.ARCHIVED.value:
            old = self._current(UUID(id))[1]
            new = old.model_copy(
                update={
                    "status": Status.ACTIVE if old.trust >= 1.0 else write.memory.status,
                    "version": version + 1,
                    "updated_at": max(write.event.at, old.created_at),
                }
            )
            self._overwrite(row, old, new, Write(memory=new, event=restored(write.event)))
            version = new.version
        return Committed(UUID(id), created=False, version=version)

    def _replace(self, write: Write) -> Committed:
        memory, expected = write.memory, write.expected_version
        row, old = self._current(memory.id)
        if old.version != expected:
            raise VersionConflict(
                f"memory {memory.id} is at version {old.version}, not {expected}: it was changed meanwhile. Read it again, then change it.",
                current=old.version,
            )
        if memory.version != old.version + 1:
            raise InvalidInput(f"the new version of memory {memory.id} must be {old.version + 1}, not {memory.version}.")
        if memory.namespace != old.namespace:
            raise InvalidInput(
                f"memory {memory.id} cannot move from {old.namespace!r} to {memory.namespace!r}; store it there and erase it here."
            )
        holder = rows(self._db, _SQL["find_key"], (memory.namespace, memory.agent, memory.idempotency_key))
        if holder and holder[0][0] != row:
            raise InvalidInput(f"the idempotency key of memory {memory.id} is held by memory {holder[0][1]} already.")
        self._overwrite(row, old, memory, write)
        return Committed(memory.id, created=False, version=memory.version)

    def _overwrite(self, row: int, old: Memory, new: Memory, write: Write) -> None:
        namespace = self._namespace(new.namespace)
        before = unpack(value(self._db, _SQL["get_attributes"], (namespace, row)))
        if coded_values(old) == coded_values(new):
            codes = {name: before[name] for name in CODED_FIELDS}
        else:
            codes = self._codes.intern(new)
            self._codes.release(before[name] for name in CODED_FIELDS)
        reindexed = write.tokens is not None
        language = self._language(write.language) if reindexed else before["language"]
        length = len(write.tokens) if write.tokens is not None else before["length"]
        self._db.execute(_SQL["update_memory"], (*self._sealed(new, write.event, changed_fields(old, new)), row))
        packed = pack(new, row=row, codes=codes, language=language, length=length)
        self._db.execute(_SQL["put_attributes"], (namespace, row, packed))
        if write.tokens is not None:
            drop_tokens(self._db, self._index, row)
            self._put_tokens(namespace, row, write.tokens)
        if write.vector is not None:
            self._put_vector(namespace, row, write, fresh=False)
        self._relink(namespace, row, (edge_owner(before), edge_owner(unpack(packed))), write)
        if (old.refs, old.session_id, old.turn_ids) != (new.refs, new.session_id, new.turn_ids):
            rows(self._db, _SQL["delete_turn_refs"], (row,))
            self._put_turn_refs(new, row)
        if old.parents != new.parents:
            self._db.execute(_SQL["delete_parents"], (str(new.id),))
            self._put_parents(new)
        self._finish(row, namespace, write, reindexed=write.tokens is not None)

    def _relink(self, namespace: int, row: int, owners: tuple[int | None, int | None], write: Write) -> None:
        if write.tokens is not None:
            self._graph.unlink(row, owners[0])
            self._graph.link(namespace, row, write.entities, owners[1])
        else:
            self._graph.hand_over(row, *owners)

    def _current(self, id: UUID) -> tuple[int, Memory]:
        found = rows(self._db, _SQL["get_with_row"], (str(id),))
        if not found:
            raise NotFound(f"there is no memory {id}; it may have been erased.")
        return found[0][0], read_memory(found[0][1:])

    def _put_tokens(self, namespace: int, row: int, tokens: Sequence[str]) -> None:
        if tokens:
            text = indexed_text(namespace, tokens)
            self._db.execute(_SQL["put_tokens"], (row, text))
            self._index.index(row, text)

    def _quantise(self, writes: Sequence[Write]) -> None:
        """Bring all vectors of the transaction to the form that is kept, at once."""
        given = [each for each in writes if each.vector is not None]
        if given:
            checked = [checked_vectors(each.memory.id, np.asarray(each.vector)[None, :], self._dimension) for each in given]
            data, scales = quantise(np.concatenate(checked))
            self._vectors = {id(each): (scale, part.tobytes()) for each, scale, part in zip(given, scales.tolist(), data, strict=True)}

    def _put_vector(self, namespace: int, row: int, write: Write, *, fresh: bool) -> None:
        """``fresh``: a new row, of which nothing stands."""
        if write.vector is None:
            return
        scale, data = self._vectors[id(write)]
        if scale > 0:
            self._db.execute(_SQL["put_vector"], (namespace, row, scale, data))
        elif not fresh:  # zeros point nowhere: as if there were no vector
            self._db.execute(_SQL["delete_vector"], (namespace, row))
        if not fresh:
            self._db.execute(_SQL["delete_passages"], (namespace, row))
        if write.passages is not None:
            passages = checked_vectors(write.memory.id, write.passages, self._dimension)
            self._db.executemany(_SQL["put_passage"], passage_rows(namespace, row, passages))

    def _put_turn_refs(self, memory: Memory, row: int) -> None:
        refs: list[tuple[Any, ...]] = [
            (memory.namespace, memory.agent, ref.session_id, row, ref.first, ref.first if ref.last is None else ref.last, None)
            for ref in memory.refs
            if ref.session_id is not None and ref.first is not None
        ]
        if memory.session_id is not None:
            refs.extend(
                (memory.namespace, memory.agent, memory.session_id, row, None, None, turn) for turn in dict.fromkeys(memory.turn_ids)
            )
        self._db.executemany(_SQL["add_turn_ref"], refs)

    def _put_parents(self, memory: Memory) -> None:
        self._db.executemany(_SQL["add_parent"], [(str(parent), str(memory.id)) for parent in dict.fromkeys(memory.parents)])

    def _sealed(self, memory: Memory, event: NewEvent, changes: Changes | None) -> tuple[Any, ...]:
        """The row of a record, once its event is written and both are sealed."""
        values = memory_values(memory)
        if event.session_id is None and changes is None:
            event = replace(event, session_id=memory.session_id)
        core, texts = add_event(self._db, memory.id, memory.namespace, event, changes)
        seal = memory.seal if self._seals is None else self._seals.write(core, texts, values)
        return values if seal is None else (*values[:-1], with_seal(values[-1], seal))

    def _finish(self, row: int, namespace: int, write: Write, *, reindexed: bool) -> None:
        add_change(self._db, namespace, row, reindexed=reindexed)
        add_jobs(self._db, write.jobs, self._now)

    def _namespace(self, name: str) -> int:
        code = self._namespaces.get(name)
        if code is None:
            code = value(self._db, _SQL["namespace_code"], (name,)) or value(self._db, _SQL["add_namespace"], (name,))
            self._namespaces[name] = code
        return code

    def _language(self, name: str) -> int:
        code = self._languages.get(name)
        if code is None:
            code = value(self._db, _SQL["language_code"], (name,))
            if code is None:
                code = int(value(self._db, _SQL["add_language"], (name,)))
                if code > 127:
                    raise InvalidInput(f"language: {name!r} would be the store's 129th; at most 128 are kept apart.")
            self._languages[name] = code
        return code


def checked_vectors(id: UUID, given: Vector, dimension: int | None) -> Vector:
    """Vectors ``(n, dimension)`` of the memory ``id``, float32."""
    vectors = np.asarray(given, dtype=np.float32)
    if dimension is None or vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise ModelMismatch(
            f"memory {id} has a vector of shape {vectors.shape[1:]}, but the store's are of dimension {dimension}; "
            "nothing was written. Run `hindsight reindex` after a change of the embedding model."
        )
    if not np.isfinite(vectors).all():
        raise InvalidInput(f"the vector of memory {id} holds NaN or infinity; check the embedding endpoint.")
    return vectors


def passage_rows(namespace: int, row: int, passages: Vector) -> list[tuple[int, int, int, float, bytes]]:
    """Rows of the table ``passages``, numbered in the order of the text; zeros are left out."""
    data, scales = quantise(passages)
    numbered = enumerate(zip(scales.tolist(), data, strict=True))
    return [(namespace, row, n, scale, part.tobytes()) for n, (scale, part) in numbered if scale > 0]


def restored(event: NewEvent) -> NewEvent:
    """The event of a record that comes back because its key was stored again."""
    return NewEvent(
        action="restored",
        actor=event.actor,
        channel=event.channel,
        at=event.at,
        session_id=event.session_id,
        reason="stored again with the same key",
    )


def drop_tokens(db: Database, index: TokenIndex, row: int) -> None:
    """Take a record out of the full-text index, with the very text that was indexed."""
    text = value(db, _SQL["get_tokens"], (row,))
    if text is not None:
        index.unindex(row, text)
        db.execute(_SQL["delete_tokens"], (row,))


def add_change(db: Database, namespace: int, row: int, *, reindexed: bool) -> None:
    """Tell every process that a row changed; forget changes so old that who missed them loads anew."""
    if value(db, _SQL["add_change"], (namespace, row, int(reindexed))) % _PRUNE_EVERY == 0:
        db.execute(_SQL["prune_changes"], (KEPT_CHANGES,))


def add_event(db: Database, id: UUID, namespace: str, event: NewEvent, changes: Changes | None) -> tuple[EventCore, Texts]:
    """Append to the history; ``changes`` are the fields as they were and as they are. Returns what a seal covers of it."""
    before, after = (None, None) if changes is None else (to_json(changes[0]), to_json(changes[1]))
    stated = (str(id), namespace, event.action, event.actor, event.channel.value, event.at.isoformat())
    texts = (event.session_id, before, after, event.reason)
    return (int(value(db, _SQL["add_event"], (*stated, *texts))), *stated), texts
