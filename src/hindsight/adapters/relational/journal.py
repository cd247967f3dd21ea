"""Raw turns and the log of retrievals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from hindsight.adapters.relational.mapping import read_turn, to_json
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.ports import RetrievalRow
from hindsight.records import Turn

_SQL = load("journal.sql")
KEPT_RETRIEVALS = 20_000
"""Retrievals are kept for explanations and feedback until so many later ones came."""
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MAX_POSITION = 2**63 - 1


def add_turns(db: Database, namespace: str, agent: str, turns: Sequence[Turn], pack: Callable[[str], str | bytes]) -> int:
    """Append turns that are not there yet, their texts as ``pack`` gives them; returns how many were new."""
    return sum(
        len(
            rows(
                db,
                _SQL["add_turn"],
                (
                    namespace,
                    agent,
                    turn.session_id,
                    turn.position,
                    turn.id,
                    turn.speaker,
                    turn.role.value,
                    None if turn.at is None else turn.at.isoformat(),
                    pack(turn.content),
                ),
            )
        )
        for turn in turns
    )


def read_turns(db: Database, namespace: str, agent: str, session: str, first: int | None, last: int | None) -> list[Turn]:
    """Turns of an agent's session in order, by position, both ends inclusive."""
    bounds = {"first": -_MAX_POSITION if first is None else first, "last": _MAX_POSITION if last is None else last}
    return [read_turn(values) for values in rows(db, _SQL["turns"], {"namespace": namespace, "agent": agent, "session": session, **bounds})]


def log_retrievals(db: Database, entries: Sequence[RetrievalRow]) -> None:
    """Append retrievals and forget the oldest ones past :data:`KEPT_RETRIEVALS`.

    One that saw a memory which was erased meanwhile (rows come in late, from a buffer) is logged without its texts.
    """
    for entry in entries:
        query, shown, detail = entry.query, [str(id) for id in entry.shown], to_json(dict(entry.detail))
        named = to_json([*shown, *_ID.findall(detail)])
        if erased := {id for (id,) in rows(db, _SQL["erased_among"], (named,))}:
            query, shown, detail = "", [id for id in shown if id not in erased], "{}"
        values = (
            str(entry.id),
            entry.namespace,
            entry.agent,
            entry.at.isoformat(),
            entry.session_id,
            entry.took_ms,
            query,
            to_json(shown),
            detail,
        )
        number = rows(db, _SQL["add_retrieval"], values)
        db.executemany(_SQL["add_shown"], [(id, number[0][0]) for id in shown if number])
    db.execute(_SQL["prune_shown"], (KEPT_RETRIEVALS,))
    db.execute(_SQL["prune_retrievals"], (KEPT_RETRIEVALS,))


def read_retrieval(db: Database, id: UUID) -> RetrievalRow | None:
    """One logged retrieval."""
    return next(iter(read_retrievals(rows(db, _SQL["retrieval"], (str(id),)))), None)


def read_retrievals(found: Iterable[Any]) -> list[RetrievalRow]:
    """Logged retrievals from rows of their table."""
    return [
        RetrievalRow(
            id=UUID(name),
            namespace=namespace,
            agent=agent,
            at=datetime.fromisoformat(at),
            query=query,
            shown=[UUID(each) for each in json.loads(shown)],
            detail=json.loads(detail),
            session_id=session_id,
            took_ms=took_ms,
        )
        for name, namespace, agent, at, session_id, took_ms, query, shown, detail in found
    ]
