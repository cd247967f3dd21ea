"""Erasing for good: the record and every trace of it in the same transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import apsw

from hindsight.adapters.sqlite.attributes import CODED_FIELDS, unpack
from hindsight.adapters.sqlite.codes import Interner
from hindsight.adapters.sqlite.graph import GraphChanges, edge_owner
from hindsight.adapters.sqlite.queries import load, rows
from hindsight.adapters.sqlite.terms import IndexChanges
from hindsight.adapters.sqlite.writing import add_change, add_event, drop_tokens
from hindsight.ports import NewEvent

_RECORDS = load("records.sql")
_SQL = load("erasing.sql")


def erase(db: apsw.Connection, index: IndexChanges, ids: Sequence[UUID], event: NewEvent) -> list[UUID]:
    """Remove records and their traces; returns the ids that were there. What stays is a tombstone and an event without text.

    Works on raw columns, so that a record which was damaged or written from outside can be erased too.
    """
    codes, links = Interner(db), GraphChanges(db)
    gone = []
    for id in dict.fromkeys(ids):
        for row, namespace, content, code, packed, seal in rows(db, _SQL["find"], (str(id),)):
            if packed is not None:
                attributes = unpack(packed)
                codes.release(attributes[name] for name in CODED_FIELDS)
                links.unlink(row, edge_owner(attributes))
            drop_tokens(db, index, row)
            _erase_turns(db, row)
            db.execute(_RECORDS["delete_vector"], (code, row))
            db.execute(_RECORDS["delete_passages"], (code, row))
            db.execute(_RECORDS["delete_attributes"], (code, row))
            db.execute(_RECORDS["delete_memory"], (row,))
            _scrub_mentions(db, str(id), namespace, content)
            db.execute(_SQL["add_tombstone"], (str(id), namespace, row, event.at.isoformat(), seal))
            add_event(db, id, namespace, event, None)
            if code is not None:
                add_change(db, code, row, reindexed=True)
            gone.append(id)
    links.flush()
    codes.flush()
    return gone


def _erase_turns(db: apsw.Connection, row: int) -> None:
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


def _scrub_mentions(db: apsw.Connection, id: str, namespace: str, content: str) -> None:
    """Texts about the record in the history, in logged retrievals (also as a mere candidate) and in jobs.

    A text is looked for as a whole JSON string: "ok" as a memory must not wipe everything that contains those letters.
    """
    names = {"id": id, "text": json.dumps(content, ensure_ascii=False), "plain": content, "namespace": namespace}
    db.execute(_SQL["scrub_events"], (id,))
    db.execute(_SQL["scrub_other_events"], names)
    for (number,) in rows(db, _SQL["retrievals_that_showed"], (id,)):
        db.execute(_SQL["scrub_retrieval"], {"id": id, "number": number})
    db.execute(_SQL["forget_shown"], (id,))
    db.execute(_SQL["scrub_mentioning_retrievals"], names)
    db.execute(_SQL["cancel_jobs"], {"id": id, "namespace": namespace})
    db.execute(_SQL["scrub_jobs"], names)
