"""Sealing inside the writer's transaction: each event becomes a link of its namespace's chain, each record carries its seal."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.errors import ConfigurationError
from hindsight.seals import FIRST, Sealer, SealHeads

_SQL = load("sealing.sql")
_STORE = load("store.sql")
_SEAL = re.compile(r',"seal":"([0-9a-f]{32})"\}\Z')
_NOTHING = b""
Texts = tuple[str | None, str | None, str | None, str | None]
Core = tuple[int, str, str, str, str, str, str]
NO_TEXTS: Texts = (None, None, None, None)


@dataclass(slots=True)
class _Chain:
    id: int
    number: int
    last: tuple[bytes, bytes]


class Sealing:
    """The seals of one open store: its keys, found when it is opened, and where the ends of its chains are kept outside."""

    def __init__(self, keys: Callable[[bool], Sealer | None] | None, heads: SealHeads | None) -> None:
        self._keys = keys
        self.heads = heads
        self.sealer: Sealer | None = None
        self.store = ""
        self.touched: set[str] = set()

    def open(self, db: Database, transaction: Callable[[], AbstractContextManager[object]]) -> None:
        """Find the keys and, in a store that never had a seal, seal what is there. The caller holds the writers' lock."""
        sealed = bool(value(db, _SQL["is_sealed"]))
        if self._keys is not None:
            self.sealer = self._keys(not sealed)
        known = value(db, _STORE["get_meta"], ("store_id",))
        if known is None and self.sealer is not None:
            known = secrets.token_hex(16)
            db.execute(_STORE["set_meta"], ("store_id", known))
        self.store = known or ""
        exported = self.heads.read(self.store) if self.heads is not None and self.store else {}
        if self.sealer is not None and not sealed and not exported and value(db, _SQL["has_history"]):
            with transaction():
                self.reseal(db)
            self.export(db)

    def writer(self, db: Database) -> SealWriter | None:
        """What seals within one transaction; None where seals are off.

        Raises:
            ConfigurationError: the store is sealed, and not with a key that is at hand.
        """
        if self.sealer is None:
            if value(db, _SQL["is_sealed"]):
                raise ConfigurationError(_LOST)
            return None
        return SealWriter(db, self.sealer, self.store, self.touched)

    def export(self, db: Database) -> None:
        """Keep the ends of the chains that were written to outside the store; called after the commit, before the lock is given back."""
        touched, self.touched = self.touched, set()
        if self.heads is None:
            return
        for namespace in touched:
            for number, mac in rows(db, _SQL["end"], (namespace,)):
                self.heads.put(self.store, namespace, number, mac)

    def reseal(self, db: Database) -> int:
        """Begin every chain anew over the history and records as they stand; how many links."""
        if self.sealer is None:
            raise ConfigurationError("there is no key to seal with; set HINDSIGHT_SEAL_KEY or HINDSIGHT_SEAL_KEY_FILE.")
        for name in ("drop_links", "drop_heads", "drop_cuts"):
            db.execute(_SQL[name])
        if self.heads is not None:
            self.heads.forget(self.store)
        writer, made = SealWriter(db, self.sealer, self.store, self.touched), 0
        last: dict[str, int] = dict(rows(db, _SQL["last_events"]))
        seals: dict[str, str] = {}
        after = 0
        while page := rows(db, _SQL["page_of_events"], (after,)):
            for *core, session, before, changed, reason in page:
                self._reseal_event(db, writer, tuple(core), (session, before, changed, reason), last, seals)
            made, after = made + len(page), page[-1][0]
        for id, namespace in rows(db, _SQL["without_event"]):
            values = _sealed_values(db, id)
            seal = writer.write((0, id, namespace, "", "", "", ""), NO_TEXTS, values)
            if values is not None:
                db.execute(_SQL["set_record"], (with_seal(values[-1], seal), id))
            made += 1
        writer.flush()
        return made

    def _reseal_event(self, db: Database, writer: SealWriter, core: Any, texts: Texts, last: dict[str, int], seals: dict[str, str]) -> None:
        id = core[1]
        if core[3] == "erased":
            writer.erase(core, texts)
            db.execute(_SQL["set_tombstone"], (seals.get(id), id))
            return
        standing = _sealed_values(db, id) if last.get(id) == core[0] else None
        seal = seals[id] = writer.write(core, texts, standing)
        if standing is not None:
            db.execute(_SQL["set_record"], (with_seal(standing[-1], seal), id))


_LOST = (
    "the store is sealed, but the key of its seals is not at hand: nothing was written. Set HINDSIGHT_SEAL_KEY (or HINDSIGHT_SEAL_KEY_FILE) to "
    "that key; if it is lost, `hindsight verify --reseal` seals what is there with a new one."
)


class SealWriter:
    """Continues the chains within one transaction; :meth:`flush` seals where they end."""

    def __init__(self, db: Database, sealer: Sealer, store: str, touched: set[str]) -> None:
        self._db = db
        self._sealer = sealer
        self._store = store
        self._touched = touched
        self._chains: dict[str, _Chain] = {}

    def write(self, core: Core, texts: Texts, values: Sequence[Any] | None) -> str:
        """Seal an event and the record as it is from then on (``values`` without a seal; None: as it was then is not known)."""
        record = _NOTHING if values is None else self._sealer.record(values)
        return self._append("write", core, record, self._sealer.texts(texts)).hex()

    def erase(self, core: Core, texts: Texts) -> None:
        """Seal that a record was erased."""
        self._append("erase", core, _NOTHING, self._sealer.texts(texts))

    def scrub(self, core: Core) -> None:
        """Seal that the texts of an event of another memory went with an erasure."""
        self._append("scrub", core, _NOTHING, self._sealer.texts(NO_TEXTS))

    def flush(self) -> None:
        """Seal the ends of the chains."""
        for namespace, chain in self._chains.items():
            key, mac = chain.last
            seal = self._sealer.head(self._store, (namespace, chain.number), mac)
            self._db.execute(_SQL["put_head"], (chain.id, namespace, chain.number, mac, key, seal))
            self._touched.add(namespace)

    def _append(self, kind: str, core: Core, record: bytes, texts: bytes) -> bytes:
        chain = self._chains.get(core[2]) or self._load(core[2])
        chain.number += 1
        key = self._sealer.key
        mac = self._sealer.link(chain.last, (core[2], chain.number), kind, core, (record, texts))
        self._db.execute(_SQL["add_link"], (chain.id, chain.number, kind, core[1], core[0], key, record, texts, mac))
        chain.last = (key, mac)
        return mac

    def _load(self, namespace: str) -> _Chain:
        found = rows(self._db, _SQL["end_with_link"], (namespace,))
        if not found:
            chain = _Chain(value(self._db, _SQL["next_chain"]), 0, FIRST)
            self._chains[namespace] = chain
            return chain
        id, number, mac, key, seal, standing = found[0]
        if not self._sealer.knows(key):
            raise ConfigurationError(_LOST)
        chain = self._chains[namespace] = _Chain(id, number, (key, mac))
        if standing != mac or seal != self._sealer.head(self._store, (namespace, number), mac, key=key):
            # Writing goes on, but the fault stays provable: without this link the new end would vouch for the tampered one.
            chain.number = max(number, value(self._db, _SQL["last_number"], (id,)) or 0)
            self._append("broken", (0, "", namespace, "", "", "", ""), _NOTHING, _NOTHING)
        return chain


def with_seal(rest: str, seal: str) -> str:
    """The JSON of a record with its seal as the last field."""
    return f'{rest[:-1]},"seal":"{seal}"}}'


def split_seal(rest: str) -> tuple[str, str | None]:
    """The JSON of a record without its seal, which is its last field, and the seal."""
    found = _SEAL.search(rest)
    return (rest[: found.start()] + "}", found[1]) if found else (rest, None)


def _sealed_values(db: Database, id: str) -> tuple[Any, ...] | None:
    found = rows(db, _SQL["values_of"], (id,))
    return (*found[0][:-1], split_seal(found[0][-1])[0]) if found else None
