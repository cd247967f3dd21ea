"""The queue: jobs with leases, in order within an order key, and a list of dead ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.errors import InvalidInput
from hindsight.ports import Job, JobState, NewJob

_SQL = load("jobs.sql")
STATES = ("waiting", "leased", "done", "dead")
KEPT_DONE = 10_000
"""Done jobs stay to be asked about until so many later ones came."""
_PRUNE_EVERY = 1_000


def add_jobs(db: Database, jobs: Sequence[NewJob], now: float) -> list[int]:
    """Queue jobs; returns their ids."""
    ids = []
    for job in jobs:
        due = now if job.not_before is None else job.not_before.timestamp()
        id = int(value(db, _SQL["add"], (job.kind, job.namespace, _payload(job), job.order_key, now, due)))
        if id % _PRUNE_EVERY == 0:
            db.execute(_SQL["prune"], (KEPT_DONE,))
        ids.append(id)
    return ids


def lease(db: Database, worker: str, kinds: Sequence[str], *, now: float, seconds: float, limit: int) -> list[Job]:
    """Take due jobs, oldest first."""
    bindings = {"worker": worker, "kinds": to_json(list(kinds)), "now": now, "seconds": seconds, "limit": limit}
    taken = [
        Job(id=id, kind=kind, payload=json.loads(payload), namespace=namespace, attempts=attempts, order_key=order_key)
        for id, kind, payload, namespace, attempts, order_key in rows(db, _SQL["lease"], bindings)
    ]
    return sorted(taken, key=lambda job: job.id)


def renew(db: Database, worker: str, *, now: float, seconds: float) -> int:
    """Prolong the leases that a worker holds; how many."""
    return len(rows(db, _SQL["renew"], {"worker": worker, "now": now, "seconds": seconds}))


def revive(db: Database, job: int, now: float) -> bool:
    """Dead → waiting, with all its tries again."""
    return bool(rows(db, _SQL["revive"], {"id": job, "now": now}))


def finish(db: Database, job: int, worker: str, result: Mapping[str, Any] | None) -> bool:
    """Mark done and forget the payload: what it said is in the records now."""
    text = None if result is None else to_json(result)
    return bool(rows(db, _SQL["finish"], {"id": job, "worker": worker, "result": text}))


def fail(db: Database, job: int, worker: str, error: str, retry_at: datetime | None) -> bool:
    """Give back, or bury."""
    if retry_at is None:
        return bool(rows(db, _SQL["bury"], {"id": job, "worker": worker, "error": error}))
    return bool(rows(db, _SQL["retry"], {"id": job, "worker": worker, "error": error, "due": retry_at.timestamp()}))


def list_jobs(db: Database, states: Sequence[str], limit: int) -> list[JobState]:
    """Jobs as an operator sees them, newest first."""
    unknown = set(states) - set(STATES)
    if unknown:
        raise InvalidInput(f"states: {', '.join(sorted(unknown))} is not one of {', '.join(STATES)}.")
    sql = _SQL["list_states"] if states else _SQL["list"]
    bindings: dict[str, Any] = {"limit": limit, "states": to_json(list(states))} if states else {"limit": limit}
    return [
        JobState(
            id=id,
            kind=kind,
            namespace=namespace,
            state=state,
            attempts=attempts,
            created_at=datetime.fromtimestamp(created_at, UTC),
            error=error,
            result=None if result is None else json.loads(result),
        )
        for id, kind, namespace, state, attempts, created_at, error, result in rows(db, sql, bindings)
    ]


def queued(db: Database) -> int:
    """How many jobs wait or are leased."""
    return int(value(db, _SQL["queued"]))


def dead(db: Database) -> int:
    """How many jobs were given up."""
    return int(value(db, _SQL["dead"]))


def _payload(job: NewJob) -> str:
    try:
        return json.dumps(dict(job.payload), ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the payload of a {job.kind} job is not JSON: {error}.") from error
