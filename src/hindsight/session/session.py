"""A session: one task's working memory, kept in the store's session table and emptied into long-term memory when it closes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Self

from pydantic import ValidationError

from hindsight.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt
from hindsight.guard.envelope import strip_recalled
from hindsight.moments import read_moment
from hindsight.ports import Clock, RecordStore, SessionState, SessionStore
from hindsight.records import Role, StoreResult, Turn, new_id
from hindsight.remember.attribute import Attribution
from hindsight.remember.distil.batch import Distiller, store_drafts
from hindsight.remember.writer import Writer
from hindsight.session.board import Board
from hindsight.session.render import render_session, turn_line
from hindsight.session.state import Working, lower
from hindsight.session.window import KEPT_CHARACTERS, Counter, WindowTurn, importance_of
from hindsight.text.fold import sanitise
from hindsight.text.language import detect_language

MAX_ID = 200
"""Longest session id in characters."""
ATTEMPTS = 30
"""Tries of a change while others change the same session, with pauses that grow."""
_PAUSE = 0.002
_PATIENCE = 20
"""So many looks, with pauses that grow to 40 ms, are taken for a turn that is on its way to the raw log."""


@dataclass(frozen=True, slots=True)
class SessionTools:
    """What sessions work with."""

    states: SessionStore
    store: RecordStore
    writer: Writer
    distiller: Distiller
    clock: Clock
    count: Counter
    budget: int = 1_200


@dataclass(frozen=True, slots=True)
class Closed:
    """What closing a session kept: the results of its memories, and what was left out with the reason."""

    session_id: str
    kept: tuple[StoreResult, ...]
    left_out: tuple[str, ...]
    turns: int


class Session:
    """Working memory of one task. Changes are durable when they return; several processes may share a session.

    ::

        async with memory.session("task-17", goal="Book the venue") as session:
            await session.turn("I use a wheelchair, so it needs step-free access.")
            await session.step("Compare three venues")
            prompt = await session.show()

    Leaving the block closes the session, unless an error left it: then it stays open and can be taken up again.
    """

    def __init__(
        self, id: str, tools: SessionTools, attribution: Attribution, *, namespace: str | None = None, goal: str | None = None
    ) -> None:
        self.id = session_id(id)
        self._tools = tools
        self._attribution = attribution
        self._namespace = attribution.namespace_for(namespace)
        self._goal = goal

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            await self.close()

    async def open(self, goal: str | None = None, *, task_type: str | None = None, tools: Sequence[str] = ()) -> Board:
        """Begin, or take up where it was left; what is given anew replaces what stands. The goal defaults to the one given at first."""
        goal = self._goal if goal is None else goal
        goal = None if goal is None else self._kept(goal)
        about: dict[str, Any] = {"task_type": task_type} if task_type else {}
        about |= {"tools": tuple(tools)} if tools else {}
        return (await self._change(lambda working: _with_goal(working, goal).model_copy(update=about), create=True)).board

    async def turn(
        self,
        content: str,
        *,
        role: Role | str = Role.USER,
        speaker: str | None = None,
        at: datetime | str | None = None,
        id: str | None = None,
        pin: bool = False,
    ) -> int:
        """Take a turn into the window and the raw log; its position in the session.

        What it states as a constraint becomes a line at the top of the board. Recalled blocks are stripped first.
        """
        from hindsight.remember.distil.findings import find_signals

        said = self._kept(_said(content))
        part = _role(role)
        moment = read_moment(at, self._attribution.zone, field="at")[0] if at is not None else self._tools.clock.now()
        findings = find_signals(said, part)
        constraints = self._constraints(said, part, speaker, moment) if any("constraint" in each.signals for each in findings) else []
        heard = WindowTurn(
            position=0,
            content=said[:KEPT_CHARACTERS],
            role=part,
            speaker=speaker,
            at=moment,
            importance=importance_of(said, findings, role=part),
            pinned=pin,
        )
        # In a thread: the first count loads the vocabulary.
        tokens = await asyncio.to_thread(self._tools.count, turn_line(heard, "en")) + 1
        taken: list[int] = []

        def add(working: Working) -> Working:
            taken[:] = [working.next_position]
            turn = heard.model_copy(update={"position": working.next_position, "tokens": tokens})
            board = working.board
            for text in constraints:
                board = board.with_constraint(text, replacing=True)
            return working.with_turn(turn).model_copy(update={"board": board})

        await self._change(add, create=True)
        raw = Turn(session_id=self.id, position=taken[0], content=said, speaker=speaker, role=part, at=moment, id=id)
        await self._tools.store.add_turns(self._namespace, self._attribution.principal.agent, [raw])
        return taken[0]

    async def goal(self, text: str) -> Board:
        """Set the goal."""
        return await self._on_board(lambda board: board.with_goal(self._kept(text)))

    async def step(self, text: str) -> Board:
        """Begin a step; the one before counts as done."""
        return await self._on_board(lambda board: board.with_step(self._kept(text)))

    async def done(self, text: str | None = None) -> Board:
        """Finish the current step, or note something as done; a question with this text is closed."""
        return await self._on_board(lambda board: board.with_done(None if text is None else self._kept(text)))

    async def ask(self, question: str) -> Board:
        """Note an open question."""
        return await self._on_board(lambda board: board.with_question(self._kept(question)))

    async def note(self, text: str) -> Board:
        """Keep a note."""
        return await self._on_board(lambda board: board.with_note(self._kept(text)))

    async def pin(self, text: str) -> Board:
        """Pin a constraint: it stays at the top until the session closes."""
        return await self._on_board(lambda board: board.with_constraint(self._kept(text)))

    async def recalled(self, texts: Sequence[str]) -> None:
        """Tell the session what was recalled into it, so that echoes of it are not stored as news."""
        if texts:
            await self._change(lambda working: working.with_recalled(tuple(texts)), create=False)

    async def board(self) -> Board:
        """What stands on the board."""
        return (await self._loaded())[0].board

    async def state(self) -> Working:
        """Board and window, for two-part queries and displays."""
        return (await self._loaded())[0]

    async def show(self, *, budget: int | None = None, language: Literal["zh", "en"] | None = None) -> str:
        """The working memory as Markdown, within ``budget`` tokens; in the language of its latest words unless one is named."""
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int) or budget < 50):
            raise InvalidInput(f"budget: a whole number of tokens from 50 up is needed, not {budget!r}.")
        working, _ = await self._loaded()
        tongue = language or _language(working)
        return await asyncio.to_thread(
            render_session, working.board, working.turns, language=tongue, budget=budget or self._tools.budget, count=self._tools.count
        )

    def attribution_for(self, working: Working) -> Attribution:
        """The caller, under the least trusted channel that wrote into the session."""
        principal = self._attribution.principal
        channel = lower(principal.channel, working.channel)
        return replace(self._attribution, principal=principal.model_copy(update={"channel": channel}))

    async def close(self) -> Closed:
        """Distil what is worth keeping into long-term memory, then empty the session.

        Doing it twice keeps once: drafts carry their turns, and a memory that is there already is not written again.

        Raises:
            NotFound: there is no such open session.
            ModelError: the configured model gave no valid answer; the session stays open, nothing was kept.
        """
        kept: dict[Any, StoreResult] = {}
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(attempt * _PAUSE * random.random())
            working, version = await self._loaded()
            turns = await self._turns_of(working)
            harvest = await self._tools.distiller.distil(turns, recalled=working.recalled)
            drafts = [draft.model_copy(update={"namespace": self._namespace}) for draft in harvest.drafts]
            kept |= {
                each.id: each
                for each in await store_drafts(drafts, self._tools.writer, self.attribution_for(working))
                if each.id not in kept
            }
            # What came in meanwhile is distilled in another round.
            agent = self._attribution.principal.agent
            if await self._tools.states.drop_session(self._namespace, agent, self.id, expected_version=version):
                return Closed(self.id, tuple(kept.values()), harvest.left_out, len(turns))
        raise StoreBusy(f"session {self.id!r} is being changed while it closes; close it again.")

    async def _turns_of(self, working: Working) -> list[Turn]:
        """The turns to distil. One that is on its way to the raw log is waited for; where its writer died, it never comes."""
        expected = working.next_position - working.distilled_to
        turns: list[Turn] = []
        for attempt in range(_PATIENCE):
            await asyncio.sleep(attempt * _PAUSE)
            agent, last = self._attribution.principal.agent, working.next_position - 1
            turns = await self._tools.store.turns(self._namespace, agent, self.id, working.distilled_to, last)
            if len(turns) >= expected:
                break
        return turns

    async def discard(self) -> bool:
        """Forget the session without keeping anything; the raw log stays. False where there was none."""
        return await self._tools.states.drop_session(self._namespace, self._attribution.principal.agent, self.id)

    def _kept(self, text: str) -> str:
        """The text as it may be kept: without secrets. What is no text the board refuses, by the name of its field."""
        return self._tools.writer.guard.text(text) if isinstance(text, str) else text

    def _constraints(self, said: str, role: Role, speaker: str | None, at: datetime) -> list[str]:
        turn = Turn(session_id=self.id, position=0, content=said, speaker=speaker, role=role, at=at)
        drafts = self._tools.distiller.rules.distil([turn], in_context=True)
        return [draft.content[:500] for draft in drafts if draft.kind == "constraint"]

    async def _on_board(self, change: Callable[[Board], Board]) -> Board:
        return (await self._change(lambda working: working.model_copy(update={"board": change(working.board)}), create=True)).board

    async def _change(self, change: Callable[[Working], Working], *, create: bool) -> Working:
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(attempt * _PAUSE * random.random())
            state = await self._tools.states.load_session(self._namespace, self._attribution.principal.agent, self.id)
            if state is None and not create:
                raise self._missing()
            now = self._tools.clock.now()
            before = await self._begun(now) if state is None else read_state(state)
            after = change(before).written_by(self._attribution.principal.channel)
            saved = SessionState(
                namespace=self._namespace,
                agent=self._attribution.principal.agent,
                session_id=self.id,
                body=after.model_dump(mode="json"),
                version=1 if state is None else state.version + 1,
                opened_at=after.opened_at,
                touched_at=now,
            )
            if await self._tools.states.save_session(saved, expected_version=None if state is None else state.version):
                return after
        raise StoreBusy(f"session {self.id!r} is being changed by too many at once; try again.")

    async def _begun(self, now: datetime) -> Working:
        first = await self._first_position()
        return Working(opened_at=now, next_position=first, distilled_to=first, channel=self._attribution.principal.channel)

    async def _first_position(self) -> int:
        """Behind the turns that an earlier session of this id left in the raw log: positions are never used twice."""
        turns = await self._tools.store.turns(self._namespace, self._attribution.principal.agent, self.id)
        return max((turn.position for turn in turns), default=-1) + 1

    async def _loaded(self) -> tuple[Working, int]:
        state = await self._tools.states.load_session(self._namespace, self._attribution.principal.agent, self.id)
        if state is None:
            raise self._missing()
        return read_state(state), state.version

    def _missing(self) -> NotFound:
        return NotFound(f"there is no open session {self.id!r} for this caller; open it first.")


def session_id(value: str) -> str:
    """A checked session id; an empty one gets a fresh UUID.

    Raises:
        InvalidInput: no text, or too long.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"session: text is needed, not {type(value).__name__}.")
    clean = sanitise(value).strip()
    if len(clean) > MAX_ID:
        raise InvalidInput(f"session: {len(clean)} characters are over the limit of {MAX_ID}.")
    return clean or str(new_id())


def read_state(state: SessionState) -> Working:
    """The working memory of a stored state.

    Raises:
        StoreCorrupt: it does not read; a newer version may have written it.
    """
    try:
        return Working.model_validate(dict(state.body))
    except ValidationError as error:
        raise StoreCorrupt(
            f"session {state.session_id!r} cannot be read ({error.error_count()} faults); discard it or open another."
        ) from error


def _with_goal(working: Working, goal: str | None) -> Working:
    return working if goal is None else working.model_copy(update={"board": working.board.with_goal(goal)})


def _said(content: str) -> str:
    if not isinstance(content, str):
        raise InvalidInput(f"content: text is needed, not {type(content).__name__}.")
    said = strip_recalled(sanitise(content)).strip()
    if not said:
        raise InvalidInput("content: nothing is left of the turn; give at least one character that is not white space.")
    return said


def _role(value: Role | str) -> Role:
    try:
        return Role(value)
    except ValueError:
        raise InvalidInput(f"role: {value!r} is not one of {', '.join(Role)}.") from None


def _language(working: Working) -> Literal["zh", "en"]:
    latest = [turn.content for turn in working.turns[-3:]] or [working.board.goal, *working.board.constraints]
    return "zh" if detect_language("\n".join(latest)) == "zh" else "en"
