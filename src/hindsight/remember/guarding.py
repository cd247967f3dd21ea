"""The guard stage of the write path: secrets out, verdict in, trust from channel and parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from hindsight.guard.agreement import AGAINST, direction, outlier, topic_words
from hindsight.guard.examine import Guard, without_secrets
from hindsight.guard.gate import status_after_archive
from hindsight.guard.rejected import RejectedPattern, pattern_of
from hindsight.guard.secrets import redact
from hindsight.guard.trust import derived_trust
from hindsight.guard.verdict import Verdict
from hindsight.ports import RecordStore
from hindsight.records import CHANNEL_TRUST, Channel, Draft, Filter, Kind, Memory, Status, Turn
from hindsight.telemetry import traced
from hindsight.text.tokens import query_tokens

ASKED_AGAIN = frozenset({Channel.AGENT, Channel.TOOL, Channel.DOCUMENT})
"""Channels whose texts are compared with what was rejected before; mined candidates keep their own account of that."""
CANDIDATES = 4
LOOKED_AT = 2_000
"""Characters of a text by which rejected ones like it are looked for."""
NEIGHBOURS = 8
REPORTED = ("task-", "repeated-error-")
"""Distillers that word an episode or lesson from the fields of a task's report."""
DOUBTED = 0.3
"""Most confidence of advice that stands alone against its neighbours."""
ADVISING = tuple(kind for kind in Kind if kind is not Kind.EPISODE)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A draft that went through the guard: what may be kept of it, the verdict, the most trust that it may have."""

    draft: Draft
    verdict: Verdict
    trust: float


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows that concerns some drafts: their parents, and by the draft's place what was put away like it and its neighbours."""

    parents: dict[UUID, Memory] = field(default_factory=dict)
    rejected: dict[int, list[RejectedPattern]] = field(default_factory=dict)
    neighbours: dict[int, list[Memory]] = field(default_factory=dict)


class GuardStage:
    """Examines drafts, with what the store knows of their parents."""

    def __init__(self, store: RecordStore, guard: Guard) -> None:
        self._store = store
        self.guard = guard

    async def examine(self, drafts: Sequence[Draft], channel: Channel, now: datetime, *, composed: bool = False) -> list[Guarded]:
        """One result a draft, in order. ``now`` decides which rejections still count.

        ``composed``: these drafts were made here, and what their ``debug`` says of their making is true.
        """
        return await self._store.reading(partial(self.examine_on_snapshot, drafts, channel, now, composed=composed))

    @traced("hindsight.store.guard")
    async def examine_on_snapshot(
        self, drafts: Sequence[Draft], channel: Channel, now: datetime, *, composed: bool = False
    ) -> list[Guarded]:
        """The same for who reads already (see ``RecordStore.reading``): off the event loop, which a long text would hold up."""
        asked = self.guard.strictness != "off" and channel in ASKED_AGAIN
        known = await self._known(drafts, now, asked=asked) if asked or any(draft.parents for draft in drafts) else Known()
        results = []
        for place, draft in enumerate(drafts):
            parents = [known.parents[id] for id in draft.parents if id in known.parents]
            rejected = known.rejected.get(place, [])
            done = self._examine(draft, channel, parents, rejected, now, composed=composed and _from_report(draft))
            results.append(self._beside_neighbours(done, known.neighbours.get(place, [])))
        return results

    def examine_alone(self, draft: Draft, channel: Channel) -> Guarded:
        """The same for one draft without parents in the store, such as a record that an export brings back."""
        return self._examine(draft, channel, [], [], None)

    def without_secrets(self, draft: Draft) -> Draft:
        """The draft as it may wait in a queue."""
        return without_secrets(draft, personal=self.guard.personal)[0] if self.guard.strictness != "off" else draft

    def turns(self, turns: Sequence[Turn]) -> list[Turn]:
        """Raw turns as they may be kept: without secrets."""
        cleaned = [(turn, self.text(turn.content)) for turn in turns]
        return [turn if text == turn.content else turn.model_copy(update={"content": text}) for turn, text in cleaned]

    def text(self, text: str) -> str:
        """A text outside long-term memory, such as working memory, as it may be kept: without secrets."""
        return text if self.guard.strictness == "off" else redact(text, personal=self.guard.personal).text

    def status_after_archive(self, memory: Memory) -> Status:
        """Where an archived record may return to: what waits for review comes back to waiting."""
        status = status_after_archive(memory)
        if memory.trust >= 1.0 or status is not Status.ACTIVE:
            return status
        draft = Draft(
            **{
                name: getattr(memory, name)
                for name in ("content", "kind", "query", "visibility", "speaker", "lesson", "key", "tools", "tags", "entities")
            }
        )
        return self.examine_alone(draft, memory.channel).verdict.status

    def _examine(
        self,
        draft: Draft,
        channel: Channel,
        parents: Sequence[Memory],
        rejected: Sequence[RejectedPattern],
        now: datetime | None,
        *,
        composed: bool = False,
    ) -> Guarded:
        kept, verdict = self.guard.examine(draft, channel, parents=parents, rejected=rejected, now=now, composed=composed)
        return Guarded(kept, verdict, derived_trust(channel, parents) if parents else CHANNEL_TRUST[channel])

    async def _known(self, drafts: Sequence[Draft], now: datetime, *, asked: bool) -> Known:
        """Everything that the store is asked for these drafts; awaits nothing else (see ``RecordStore.reading``)."""
        known = Known()
        for id in dict.fromkeys(id for draft in drafts for id in draft.parents):
            if (memory := await self._store.get(id)) is not None:
                known.parents[id] = memory
        if not asked:
            return known
        put_away: dict[tuple[str, str], bool] = {}
        for place, draft in enumerate(drafts):
            filter = Filter(namespace=str(draft.namespace), agent=str(draft.agent), statuses=(Status.QUARANTINED,), now=now)
            whose = filter.namespace, filter.agent
            if whose not in put_away:
                put_away[whose] = len(await self._store.visible(filter)) > 0
            if put_away[whose]:
                known.rejected[place] = await self._rejected(draft, filter)
            if self._compares(draft):
                known.neighbours[place] = await self._neighbours(draft, now)
        return known

    async def _rejected(self, draft: Draft, filter: Filter) -> list[RejectedPattern]:
        """Records like the draft that were put away after they had been written: by a reviewer, or by taking back what their source did.

        Approving one, or erasing it, lifts its pattern; nothing else is stored of it.
        """
        alike = await self._store.search_terms(filter, query_tokens(draft.content[:LOOKED_AT]), limit=CANDIDATES)
        records = await self._store.fetch(alike.rows) if len(alike.rows) else []
        return [pattern_of(record.content, record.updated_at) for record in records if record.version > 1]

    def _compares(self, draft: Draft) -> bool:
        """Whether the draft is laid beside its neighbours: advice is, whichever way it points."""
        return "agreement" in self.guard.layers and draft.kind in ADVISING and direction(draft.content) != 0

    async def _neighbours(self, draft: Draft, now: datetime) -> list[Memory]:
        """What stands on the topic of the draft; nothing where that is too little to judge by."""
        filter = Filter(namespace=str(draft.namespace), agent=str(draft.agent), kinds=ADVISING, statuses=(Status.ACTIVE,), now=now)
        found = await self._store.search_terms(filter, topic_words(draft.content), limit=NEIGHBOURS)
        records = await self._store.fetch(found.rows) if len(found.rows) >= AGAINST else []
        return [each for each in records if each.status is Status.ACTIVE]

    def _beside_neighbours(self, done: Guarded, neighbours: Sequence[Memory]) -> Guarded:
        """The same, demoted where it is advice against what most memories on its topic say that are trusted no less."""
        draft = done.draft
        if not neighbours or done.verdict.status is not Status.ACTIVE:
            return done
        why = outlier(draft.content, [each.content for each in neighbours if each.trust >= done.trust])
        if why is None:
            return done
        verdict = replace(done.verdict, flags=(*done.verdict.flags, why), families=(*done.verdict.families, "outlier"))
        if self.guard.strictness == "strict":
            verdict = replace(verdict, status=Status.PENDING, reasons=(*verdict.reasons, why), flags=done.verdict.flags)
        return Guarded(draft.model_copy(update={"confidence": min(draft.confidence, DOUBTED)}), verdict, done.trust)


def _from_report(draft: Draft) -> bool:
    """Whether the wording is our own, put together from the fields of a task's report."""
    return draft.debug is not None and (draft.debug.distiller or "").startswith(REPORTED)
