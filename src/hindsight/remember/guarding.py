"""The guard stage of the write path: secrets out, verdict in, trust from channel and parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from hindsight.guard.examine import Guard, without_secrets
from hindsight.guard.gate import status_after_archive
from hindsight.guard.secrets import redact
from hindsight.guard.trust import derived_trust
from hindsight.guard.verdict import Verdict
from hindsight.ports import RecordStore
from hindsight.records import CHANNEL_TRUST, Channel, Draft, Memory, Status, Turn


@dataclass(frozen=True, slots=True)
class Guarded:
    """A draft that went through the guard: what may be kept of it, the verdict, the most trust that it may have."""

    draft: Draft
    verdict: Verdict
    trust: float


class GuardStage:
    """Examines drafts, with what the store knows of their parents."""

    def __init__(self, store: RecordStore, guard: Guard) -> None:
        self._store = store
        self.guard = guard

    async def examine(self, drafts: Sequence[Draft], channel: Channel) -> list[Guarded]:
        """One result a draft, in order."""
        parents = await self._parents(drafts)
        return [self._examine(draft, channel, [parents[id] for id in draft.parents if id in parents]) for draft in drafts]

    def examine_alone(self, draft: Draft, channel: Channel) -> Guarded:
        """The same for one draft without parents in the store, such as a record that an export brings back."""
        return self._examine(draft, channel, [])

    def without_secrets(self, draft: Draft) -> Draft:
        """The draft as it may wait in a queue."""
        return without_secrets(draft, personal=self.guard.personal)[0] if self.guard.strictness != "off" else draft

    def turns(self, turns: Sequence[Turn]) -> list[Turn]:
        """Raw turns as they may be kept: without secrets."""
        if self.guard.strictness == "off":
            return list(turns)
        cleaned = [(turn, redact(turn.content, personal=self.guard.personal)) for turn in turns]
        return [turn.model_copy(update={"content": done.text}) if done.kinds else turn for turn, done in cleaned]

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

    def _examine(self, draft: Draft, channel: Channel, parents: Sequence[Memory]) -> Guarded:
        kept, verdict = self.guard.examine(draft, channel, parents=parents)
        return Guarded(kept, verdict, derived_trust(channel, parents) if parents else CHANNEL_TRUST[channel])

    async def _parents(self, drafts: Sequence[Draft]) -> dict[UUID, Memory]:
        wanted = dict.fromkeys(id for draft in drafts for id in draft.parents)
        found = [await self._store.get(id) for id in wanted]
        return {memory.id: memory for memory in found if memory is not None}
