"""Reflection: episodes become candidate rules and procedures, with their evidence; a person makes them active, nobody else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from hindsight.errors import AccessDenied, InvalidInput, NotFound
from hindsight.learn.candidates import Candidate, digest, procedures, rule_of, stated_rules
from hindsight.learn.drafting import ModelReflector
from hindsight.learn.episodes import Run, runs_of
from hindsight.learn.learner import KEPT
from hindsight.learn.mining import Evidence, mine
from hindsight.learn.wording import Language
from hindsight.ports import ChatModel, Clock, LearningStore, RecordStore
from hindsight.records import Channel, Filter, Kind, Memory, Principal, StoreStatus, Visibility
from hindsight.remember.attribute import Attribution
from hindsight.remember.distil.clauses import language_of
from hindsight.remember.writer import Writer

MOST_EPISODES = 5_000
"""Of more, the newest are looked at."""
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate and what became of it. ``id`` is None where it was not stored: it had been rejected before."""

    id: UUID | None
    status: str
    candidate: Candidate

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        draft, grounds = self.candidate.draft, self.candidate.grounds
        return {
            "id": str(self.id) if self.id is not None else None,
            "status": self.status,
            "kind": str(draft.kind),
            "text": draft.content,
            "support": grounds.support,
            "confidence": grounds.confidence,
            "lift": grounds.lift,
            "p": grounds.p,
            "supporting": [str(id) for id in grounds.supporting],
            "opposing": [str(id) for id in grounds.opposing],
            "agents": list(grounds.agents),
        }


@dataclass(frozen=True, slots=True)
class Reflection:
    """What reflecting found. ``left_out``: what a language model drafted and was not kept, and why."""

    episodes: int
    proposals: tuple[Proposal, ...]
    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"episodes": self.episodes, "candidates": [each.as_json() for each in self.proposals], "left_out": list(self.left_out)}


class Reflector:
    """Reflects for one caller."""

    def __init__(
        self,
        store: RecordStore,
        learning: LearningStore,
        writer: Writer,
        attribution: Attribution,
        clock: Clock,
        chat: ChatModel | None,
    ) -> None:
        self._store = store
        self._learning = learning
        self._writer = writer
        self._attribution = attribution
        self._clock = clock
        self._model = ModelReflector(chat) if chat is not None else None

    async def reflect(
        self,
        episode: UUID | None = None,
        *,
        namespace: str | None = None,
        agents: Sequence[str] = (),
        shared: bool = False,
        language: str | None = None,
        least: Evidence | None = None,
    ) -> Reflection:
        """Mine the caller's episodes, or those that have to do with one of them; what is found waits for review.

        ``agents`` (for reviewers) takes in other agents' episodes, whose rules then are shared ones.
        """
        if language not in (None, "zh", "en"):
            raise InvalidInput(f"language: {language!r} is not one of zh, en.")
        chosen = self._attribution.namespace_for(namespace)
        memories = await self._episodes(chosen, self._readers(agents))
        runs = runs_of(memories)
        if episode is not None:
            runs = _about(episode, runs, memories)
        spoken = _language(memories, language)
        visibility = Visibility.SHARED if shared or agents else Visibility.PRIVATE
        # Counting thousands of runs takes seconds: not in the event loop.
        candidates = await asyncio.to_thread(self._mined, runs, spoken, visibility, least)
        left_out: tuple[str, ...] = ()
        if self._model is not None and runs:
            drafted, left_out = await self._model.draft(runs, spoken, visibility)
            known = {candidate.grounds.signature for candidate in candidates}
            candidates += [candidate for candidate in drafted if candidate.grounds.signature not in known]
        if episode is not None:
            candidates = [
                each for each in candidates if episode in (*each.grounds.supporting, *each.grounds.contrasting, *each.grounds.opposing)
            ]
        return Reflection(len(runs), tuple(await self._propose(candidates, chosen)), left_out)

    def _mined(self, runs: Sequence[Run], language: Language, visibility: Visibility, least: Evidence | None) -> list[Candidate]:
        agent_of = {run.id: run.agent for run in runs}
        found = {}
        for finding in mine(runs, least):
            agents = sorted({agent_of[id] for id in finding.failed})
            candidate = rule_of(finding, agents, language, visibility)
            found[finding.tool, finding.other, finding.feature] = candidate
        for candidate in stated_rules(runs, language, visibility):
            step, tool = candidate.draft.tools
            found.setdefault((tool, step, "not_before"), candidate)
        return [*found.values(), *procedures(runs, language, visibility)]

    async def _propose(self, candidates: Sequence[Candidate], namespace: str) -> list[Proposal]:
        """Store what was not rejected before; a candidate that stands already gets its evidence renewed."""
        by_signature = {digest(candidate.grounds.signature): candidate for candidate in candidates}
        refused = await self._learning.rejected(namespace, list(by_signature)) if by_signature else set()
        fresh = [candidate for signature, candidate in by_signature.items() if signature not in refused]
        drafts = [candidate.draft.model_copy(update={"namespace": namespace}) for candidate in fresh]
        proposals = []
        for candidate, result in zip(fresh, await self._writer.store(drafts, self._reflecting(), verbatim=False), strict=True):
            if result.id is not None:
                body = asdict(candidate.grounds) | {"texts": candidate.texts}
                await self._learning.put_grounds(result.id, digest(candidate.grounds.signature), _jsonable(body))
            proposals.append(Proposal(result.id, str(result.status), candidate))
        rejected = StoreStatus.REJECTED
        return proposals + [Proposal(None, str(rejected), candidate) for name, candidate in by_signature.items() if name in refused]

    def _reflecting(self) -> Attribution:
        """The caller's agent over the channel of reflection: what it writes waits for a person."""
        principal = self._attribution.principal
        own = Principal(agent=principal.agent, channel=Channel.REFLECTION, namespaces=principal.namespaces, scopes=principal.scopes)
        return Attribution(own, self._attribution.namespace, self._attribution.zone)

    def _readers(self, agents: Sequence[str]) -> list[str]:
        principal = self._attribution.principal
        others = [agent for agent in agents if agent != principal.agent]
        if others and (principal.channel is not Channel.USER or "review" not in principal.scopes):
            raise AccessDenied(f"{principal.agent!r} may not reflect on the episodes of {', '.join(others)}; that needs the scope review.")
        return [principal.agent, *dict.fromkeys(others)]

    async def _episodes(self, namespace: str, agents: Sequence[str]) -> list[Memory]:
        """Episodes, oldest first, each once."""
        found: dict[UUID, Memory] = {}
        for agent in agents:
            filter = Filter(namespace=namespace, agent=agent, kinds=(Kind.EPISODE,), statuses=KEPT, now=self._clock.now())
            cursor: str | None = None
            while len(found) < MOST_EPISODES:
                page = await self._store.list(filter, limit=_PAGE, cursor=cursor)
                found |= {memory.id: memory for memory in page.items}
                cursor = page.cursor
                if cursor is None:
                    break
        return sorted(found.values(), key=lambda memory: (memory.event_time, memory.id))


def _about(episode: UUID, runs: Sequence[Run], memories: Sequence[Memory]) -> list[Run]:
    """The runs of the same kind of task, or with a tool in common."""
    own = next((run for run in runs if run.id == episode), None)
    if own is None:
        if any(memory.id == episode for memory in memories):
            raise InvalidInput(f"episode {episode} does not say how it ended; give it an outcome, then reflect on it.")
        raise NotFound(f"there is no episode {episode} for this caller; its id may be mistyped, or it is another kind of memory.")
    return [run for run in runs if (run.task_type is not None and run.task_type == own.task_type) or set(run.tools) & set(own.tools)]


def _language(memories: Sequence[Memory], asked: str | None) -> Language:
    """The language asked for, else that of most episodes."""
    if asked is not None:
        return "zh" if asked == "zh" else "en"
    spoken = Counter(language_of(memory.content) for memory in memories[-200:])
    return "zh" if spoken["zh"] > spoken["en"] else "en"


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _jsonable(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(each) for each in value]
    return str(value) if isinstance(value, UUID) else value
