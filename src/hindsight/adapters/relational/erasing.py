"""Erasing for good: the record and every trace of it in the same transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from hindsight.adapters.relational.attributes import CODED_FIELDS, unpack
from hindsight.adapters.relational.codes import Interner
from hindsight.adapters.relational.graph import GraphChanges, edge_owner
from hindsight.adapters.relational.image import Images
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.adapters.relational.sealing import Core, SealWriter
from hindsight.adapters.relational.terms import TokenIndex
from hindsight.adapters.relational.writing import add_change, add_event, drop_tokens
from hindsight.ports import NewEvent

_RECORDS = load("records.sql")
_SQL = load("erasing.sql")


def erase(
    db: Database,
    index: TokenIndex,
    ids: Sequence[UUID],
    event: NewEvent,
    seals: SealWriter | None = None,
    images: Images | None = None,
    *,
    mentions: bool = True,
) -> list[UUID]:
    """Remove records and their traces; returns the ids that were there. What stays is a tombstone and an event without text.

    Works on raw columns, so that a record which was damaged or written from outside can be erased too. Without ``mentions`` the record
    alone goes, being kept elsewhere: turns, history and logs that speak of it stay.
    """
    codes, links = Interner(db), GraphChanges(db)
    gone, places = [], []
    for id in dict.fromkeys(ids):
        for row, namespace, content, code, packed, seal in rows(db, _SQL["find"], (str(id),)):
            if packed is not None:
                attributes = unpack(packed)
                codes.release(attributes[name] for name in CODED_FIELDS)
                links.unlink(row, edge_owner(attributes))
            drop_tokens(db, index, row)
            if mentions:
                _erase_turns(db, row)
            else:
                rows(db, _RECORDS["delete_turn_refs"], (row,))
            db.execute(_RECORDS["delete_vector"], (code, row))
            db.execute(_RECORDS["delete_passages"], (code, row))
            db.execute(_RECORDS["delete_attributes"], (code, row))
            db.execute(_RECORDS["delete_memory"], (row,))
            scrubbed = _scrub_mentions(db, str(id), namespace, content) if mentions else []
            db.execute(_SQL["add_tombstone"], (str(id), namespace, row, event.at.isoformat(), seal))
            core, texts = add_event(db, id, namespace, event, None)
            if seals is not None:
                seals.erase(core, texts)
                for other in scrubbed:
                    seals.scrub(other)
            if code is not None:
                add_change(db, code, row, reindexed=True)
                places.append((code, row))
            gone.append(id)
    links.flush()
    codes.flush()
    if images is not None:
        images.drop(db, places)
    if seals is not None:
        seals.flush()
    return gone


def scrub(db: Database, traces: Iterable[tuple[str, str, str]], seals: SealWriter | None) -> None:
    """Remove what speaks of records that are not there any more: (id, namespace, content) of each."""
    for id, namespace, content in traces:
        for core in _scrub_mentions(db, id, namespace, content):
            if seals is not None:
                seals.scrub(core)
    if seals is not None:
        seals.flush()


def _erase_turns(db: Database, row: int) -> None:
    """The raw turns that only this record pointed to."""
    for namespace, agent, session, first, last, turn_id in rows(db, _RECORDS["delete_turn_refs"], (row,)):
        if turn_id is None:
            turns = rows(db, _SQL["turns_between"], (namespace, agent, session, first, last))
        else:
            turns = rows(db, _SQL["turn_with_id"], (namespace, agent, session, turn_id))
        others = rows(db, _SQL["referring"], (namespace, agent, session)) if turns else []
        for number, position, id in turns:
            if not any(_covers(other, position, id) for other in others):
                db.execute(_SQL["delete_turn"], (number,))


def _covers(ref: Sequence[Any], position: int, id: str | None) -> bool:
    first, last, turn_id = ref
    return bool(turn_id == id if turn_id is not None else first <= position <= last)


def _scrub_mentions(db: Database, id: str, namespace: str, content: str) -> list[Core]:
    """Texts about the record, in all its versions, in the history, in logged retrievals (also as a mere candidate) and in jobs.

    A text is looked for as a whole JSON string: "ok" as a memory must not wipe everything that contains those letters. Returns the
    events of other records that lost theirs.
    """
    versions = {content, *_texts_of(before for (before,) in rows(db, _SQL["earlier_texts"], (id,)))}
    db.execute(_SQL["scrub_events"], (id,))
    for (number,) in rows(db, _SQL["retrievals_that_showed"], (id,)):
        db.execute(_SQL["scrub_retrieval"], {"id": id, "number": number})
    db.execute(_SQL["forget_shown"], (id,))
    db.execute(_SQL["cancel_jobs"], {"id": id, "namespace": namespace})
    scrubbed: list[Core] = []
    for text in sorted(versions):
        names = {"id": id, "text": json.dumps(text, ensure_ascii=False), "plain": text, "namespace": namespace}
        scrubbed += rows(db, _SQL["scrub_other_events"], names)
        db.execute(_SQL["scrub_mentioning_retrievals"], names)
        db.execute(_SQL["scrub_jobs"], names)
    return scrubbed


def _texts_of(fields: Iterable[str]) -> Iterator[str]:
    """The contents among changed fields (JSON objects); what was damaged from outside tells nothing."""
    for each in fields:
        try:
            content = json.loads(each).get("content")
        except (ValueError, AttributeError):
            continue
        if isinstance(content, str) and content:
            yield content
