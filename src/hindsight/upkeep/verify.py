"""Whether anybody changed the store behind its back: every record, event and tombstone against the chain of seals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal

from hindsight.ports import RecordStore
from hindsight.seals import FIRST, KeptRecord, SealAudit, SealCut, SealedEvent, Sealer, SealHead, SealLink, total_of

What = Literal[
    "edited", "replayed", "deleted", "inserted", "reordered", "truncated", "history edited", "history deleted", "history inserted",
    "tombstone edited", "tombstone deleted", "tombstone inserted", "seal edited", "wrong key", "not sealed", "index"
]  # fmt: skip
State = Literal["ok", "tampered", "damaged", "wrong key", "not sealed"]
NO_TEXTS = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it was sealed. ``entry`` is the number in the namespace's chain, where it has one."""

    what: What
    message: str
    namespace: str = ""
    memory_id: str | None = None
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome. ``heads`` are (number of entries, seal) by namespace: keep them elsewhere to see later that none was taken back.

    ``cuts`` are, by namespace, how many entries upkeep took away because nothing needed them, and the time from which on none went for its age.
    """

    state: State
    store: str
    entries: int
    records: int
    faults: tuple[Fault, ...]
    heads: dict[str, tuple[int, str]]
    cuts: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


async def verify(store: RecordStore) -> Verification:
    """Verify the seals on one snapshot, and whether the search columns and the index fit the records."""
    found = await store.audit(judge)
    index = tuple(Fault("index", text) for text in await store.check())
    return replace(found, state="damaged" if found.ok and index else found.state, faults=found.faults + index)


def judge(audit: SealAudit, sealer: Sealer | None) -> Verification:
    """Compare a snapshot with its seals."""
    heads, exported, strays = audit.heads(), audit.exported(), audit.strays()
    if sealer is None and not heads and not exported:
        message = "the store is not sealed: there is no key. Set HINDSIGHT_SEAL_KEY or HINDSIGHT_SEAL_KEY_FILE and write to it."
        return Verification("not sealed", audit.store, 0, 0, (Fault("not sealed", message),) if strays else (), {})
    if sealer is None or (heads and not _sealed_with(audit, sealer, heads)):
        names = ", ".join(sorted({head.key.hex() for head in heads})) or "that is unknown"
        message = f"the store is sealed with a key ({names}) that is not at hand; nothing can be said about tampering without it."
        return Verification("wrong key", audit.store, 0, 0, (Fault("wrong key", message),), {})
    inquiry = _Inquiry(audit)
    for head in heads:
        _Chain(inquiry, sealer, head).verify(exported.pop(head.namespace, None))
    for namespace in exported:
        inquiry.fault("truncated", f"the namespace {namespace!r} had entries when it was last seen, and has none", namespace)
    for what, namespace, id in strays:
        inquiry.stray(what, namespace, id)
    unknown = bool(inquiry.faults) and all(fault.what == "wrong key" for fault in inquiry.faults)
    return inquiry.outcome("wrong key" if unknown else "tampered" if inquiry.faults else "ok")


def _sealed_with(audit: SealAudit, sealer: Sealer, heads: list[SealHead]) -> bool:
    """Whether a key at hand sealed anything here: a changed name of a key must not pass for a wrong key."""
    return any(sealer.knows(head.key) for head in heads) or any(
        sealer.knows(link.key) for head in heads for link in audit.links(head.namespace)
    )


class _Inquiry:
    """What was found so far."""

    def __init__(self, audit: SealAudit) -> None:
        self.audit = audit
        self.faults: list[Fault] = []
        self.entries = 0
        self.records = 0
        self.heads: dict[str, tuple[int, str]] = {}
        self.cuts: dict[str, tuple[int, str]] = {}

    def fault(self, what: What, message: str, namespace: str, memory_id: str | None = None, entry: int | None = None) -> None:
        self.faults.append(Fault(what, message, namespace, memory_id or None, entry))

    def stray(self, what: str, namespace: str, id: str) -> None:
        kinds: dict[str, tuple[What, str]] = {
            "link": ("truncated", "its seals belong to a chain whose end is gone"),
            "event": ("history inserted", "its history holds an entry that was never sealed"),
            "record": ("inserted", "it was never sealed: it was written around hindsight"),
            "tombstone": ("tombstone inserted", "its tombstone was never sealed"),
        }
        kind, text = kinds[what]
        self.fault(kind, f"memory {id}: {text}", namespace, id)

    def outcome(self, state: State) -> Verification:
        return Verification(state, self.audit.store, self.entries, self.records, tuple(self.faults), self.heads, self.cuts)


@dataclass(slots=True)
class _Standing:
    """What the chain says of a memory in the end."""

    number: int = 0
    kind: str = ""
    key: bytes = b""
    record: bytes = b""
    seal: str | None = None
    """The seal of its last version."""
    sealed_before: str | None = None
    """The seal that it carried when it was erased."""
    erased_at: str | None = None
    earlier: list[str] = field(default_factory=list)


class _Chain:
    """One namespace."""

    def __init__(self, inquiry: _Inquiry, sealer: Sealer, head: SealHead) -> None:
        self._inquiry = inquiry
        self._sealer = sealer
        self._head = head
        self._namespace = head.namespace
        self._previous = FIRST
        self._number = 0
        self._sequence = 0
        self._known = False
        """Whether a link whose key is at hand came already: from then on a missing key is no rotation."""
        self._missing: set[bytes] = set()
        self._standing: dict[str, _Standing] = {}
        self._seen: bytes | None = None
        """The seal of the link that was the last when the chain was seen from outside."""
        self._silent: dict[int, tuple[str, int]] = {}
        """Events without their texts: (memory, number) until an erasure explains them."""

    def verify(self, exported: tuple[int, bytes] | None) -> None:
        """Everything of the namespace."""
        seen = 0 if exported is None else exported[0]
        links, cut = self._inquiry.audit.links(self._namespace), self._inquiry.audit.cut(self._namespace)
        if cut is not None:
            links = self._after(cut, links, seen)
        for link in links:
            self._link(link, seen)
        for id, number in self._silent.values():
            self._fault("history edited", f"memory {id}: the texts of a history entry were removed, and no erasure explains it", id, number)
        self._end(exported, 0 if cut is None else cut.number)
        self._records()
        self._tombstones()

    def _fault(self, what: What, message: str, id: str | None = None, entry: int | None = None) -> None:
        self._inquiry.fault(what, message, self._namespace, id, entry)

    def _after(self, cut: SealCut, links: Iterator[SealLink], seen: int) -> Iterator[SealLink]:
        """Verify what was left before a cut, each link by itself and all of them together, and the cut; the links that follow it."""
        total, count, known, following = 0, 0, self._sealer.knows(cut.key), list[SealLink]()
        for link in links:
            if link.number > cut.number:
                following.append(link)
                break
            if link.previous is None:
                self._fault(
                    "history inserted",
                    f"memory {link.memory_id}: entry {link.number} was put in before the cut",
                    link.memory_id,
                    link.number,
                )
            self._previous, self._number = link.previous or FIRST, link.number - 1
            self._link(link, seen)
            count += 1
            total += self._sealer.kept((self._namespace, link.number), (link.key, link.mac), key=cut.key) if known else 0
        self._judge_cut(cut, count, total_of([total]))
        self._previous, self._number = cut.last, cut.number
        if cut.number == seen:
            self._seen = cut.last[1]
        return chain(following, links)

    def _judge_cut(self, cut: SealCut, count: int, total: bytes) -> None:
        self._inquiry.cuts[self._namespace] = (cut.number - cut.kept, cut.before)
        name = f"the history of the namespace {self._namespace!r}"
        if not self._sealer.knows(cut.key):
            self._fault("wrong key", f"the cut of {name} is sealed with the key {cut.key.hex()}, which is not at hand")
            return
        place, kept = (self._namespace, cut.number), (cut.kept, cut.total)
        if cut.seal != self._sealer.cut(self._inquiry.audit.store, place, cut.last, kept, cut.before, key=cut.key):
            self._fault("truncated", f"the beginning of {name} was changed: its cut does not carry a valid seal")
        if count < cut.kept:
            self._fault(
                "history deleted", f"of {cut.kept} entries that were left of {name} before entry {cut.number}, {cut.kept - count} are gone"
            )
        elif total != cut.total:
            self._fault("history edited", f"the entries that were left of {name} before entry {cut.number} are not those that were sealed")

    def _link(self, link: SealLink, seen: int) -> None:
        self._inquiry.entries += 1
        if link.number == seen:
            self._seen = link.mac
        if link.number != self._number + 1:
            first, last = self._number + 1, link.number - 1
            gap = f"{first}" if first == last else f"{first} to {last}"
            self._fault("history deleted", f"entries {gap} of the namespace {self._namespace!r} are gone from its chain", None, first)
        if self._sealer.knows(link.key):
            self._known = True
            self._judge(link)
        elif self._known:
            self._fault("seal edited", f"memory {link.memory_id}: its seal names a key that never sealed here", link.memory_id, link.number)
        elif link.key not in self._missing:
            self._missing.add(link.key)
            message = f"from entry {link.number} on the namespace {self._namespace!r} is sealed with the key {link.key.hex()}, which is not at hand"
            self._fault("wrong key", message, None, link.number)
        if link.kind == "broken":
            self._fault("truncated", f"before entry {link.number} the end of the chain was changed or cut off", None, link.number)
        else:
            self._remember(link)
        self._previous, self._number, self._sequence = (link.key, link.mac), link.number, max(self._sequence, link.sequence)

    def _judge(self, link: SealLink) -> None:
        """The link's seal, and the event that it belongs to."""
        event = link.event or (SealedEvent((0, link.memory_id, self._namespace, "", "", "", ""), NO_TEXTS) if not link.sequence else None)
        id = link.memory_id
        if event is None:
            self._fault("history deleted", f"memory {id}: an entry of its history was deleted", id, link.number)
            return
        place, digests = (self._namespace, link.number), (link.record, link.texts)
        if link.mac != self._sealer.link(self._previous, place, link.kind, event.core, digests, key=link.key):
            moved = link.kind != "scrub" and 0 < link.sequence < self._sequence
            what: What = "reordered" if moved else "history edited"
            self._fault(what, f"memory {id}: entry {link.number} is not what was sealed there ({what})", id, link.number)
        elif link.kind in ("write", "erase") and link.texts != self._sealer.texts(event.texts, key=link.key):
            if event.texts == NO_TEXTS:
                self._silent[link.sequence] = (id, link.number)
            else:
                self._fault("history edited", f"memory {id}: what its history says was changed", id, link.number)

    def _remember(self, link: SealLink) -> None:
        if link.kind == "scrub":
            self._silent.pop(link.sequence, None)
            return
        standing = self._standing.setdefault(link.memory_id, _Standing())
        if link.kind == "erase":
            for sequence in [each for each, (id, _) in self._silent.items() if id == link.memory_id]:
                del self._silent[sequence]
            standing.sealed_before = standing.seal
            standing.erased_at = link.event.core[6] if link.event is not None else ""
        elif standing.seal is not None:
            standing.earlier.append(standing.seal)
        standing.number, standing.kind, standing.key, standing.record = link.number, link.kind, link.key, link.record
        standing.seal = link.mac.hex() if link.kind == "write" else standing.seal

    def _end(self, exported: tuple[int, bytes] | None, cut: int) -> None:
        head = self._head
        self._inquiry.heads[self._namespace] = (head.number, head.mac.hex())
        place = (self._namespace, head.number)
        name = f"the chain of the namespace {self._namespace!r}"
        if not self._sealer.knows(head.key):
            self._fault("wrong key", f"the end of {name} is sealed with the key {head.key.hex()}, which is not at hand")
        elif head.seal != self._sealer.head(self._inquiry.audit.store, place, head.mac, key=head.key):
            self._fault("truncated", f"the end of {name} was changed: it does not carry a valid seal")
        if (self._number, self._previous[1]) != (head.number, head.mac):
            self._fault("truncated", f"{name} ends at entry {self._number}, but {head.number} were sealed", None, self._number)
        if exported is not None and self._seen != exported[1] and (self._seen is not None or exported[0] >= cut):
            self._fault(
                "truncated",
                f"{name} was put back: entry {exported[0]}, which was seen before, is not in it any more. After restoring a backup on purpose, "
                "`hindsight verify --reseal` accepts it",
                None,
                exported[0],
            )

    def _records(self) -> None:
        seen = set()
        for kept in self._inquiry.audit.records(self._namespace):
            self._inquiry.records += 1
            seen.add(kept.id)
            self._record(kept, self._standing.get(kept.id))
        for id, standing in self._standing.items():
            if standing.kind == "write" and id not in seen:
                self._fault("deleted", f"memory {id} was deleted around hindsight", id, standing.number)

    def _record(self, kept: KeptRecord, standing: _Standing | None) -> None:
        if standing is None:
            self._fault("inserted", f"memory {kept.id} was never sealed: it was written around hindsight", kept.id)
            return
        if standing.kind == "erase":
            self._fault("inserted", f"memory {kept.id} was erased and put back around hindsight", kept.id, standing.number)
            return
        if not self._sealer.knows(standing.key):
            return
        if kept.seal == standing.seal and self._sealer.record(kept.values, key=standing.key) == standing.record:
            return
        if kept.seal in standing.earlier:
            self._fault("replayed", f"memory {kept.id} was put back to an earlier version", kept.id, standing.number)
        else:
            self._fault("edited", f"memory {kept.id} was edited around hindsight", kept.id, standing.number)

    def _tombstones(self) -> None:
        seen = set()
        for stone in self._inquiry.audit.tombstones(self._namespace):
            seen.add(stone.id)
            standing = self._standing.get(stone.id)
            if standing is None or standing.erased_at is None:
                self._fault("tombstone inserted", f"memory {stone.id}: there is a tombstone, but it was not erased", stone.id)
            elif stone.erased_at != standing.erased_at or (standing.sealed_before is not None and stone.seal != standing.sealed_before):
                self._fault("tombstone edited", f"memory {stone.id}: its tombstone was changed", stone.id, standing.number)
        for id, standing in self._standing.items():
            if standing.erased_at is not None and id not in seen:
                self._fault("tombstone deleted", f"memory {id}: it was erased, but its tombstone is gone", id, standing.number)
