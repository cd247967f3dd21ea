"""Working memory for synchronous code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Literal, Self

from hindsight.records import Role
from hindsight.session import session as asynchronous
from hindsight.session.board import Board
from hindsight.session.session import Closed
from hindsight.session.state import Working
from hindsight.sync.loop import LoopThread


class Session:
    """Working memory for synchronous code: each method hands its arguments to :class:`hindsight.session.session.Session`, and waits."""

    def __init__(self, session: asynchronous.Session, loop: LoopThread) -> None:
        self._session = session
        self._loop = loop

    def __enter__(self) -> Self:
        self._loop.run(self._session.__aenter__())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.run(self._session.__aexit__(kind, error, trace))

    @property
    def id(self) -> str:
        """The session's id."""
        return self._session.id

    def open(self, goal: str | None = None, *, task_type: str | None = None, tools: Sequence[str] = ()) -> Board:
        """Begin, or take up where it was left."""
        return self._loop.run(self._session.open(goal, task_type=task_type, tools=tools))

    def turn(
        self,
        content: str,
        *,
        role: Role | str = Role.USER,
        speaker: str | None = None,
        at: datetime | str | None = None,
        id: str | None = None,
        pin: bool = False,
    ) -> int:
        """Take a turn into the window and the raw log; its position."""
        return self._loop.run(self._session.turn(content, role=role, speaker=speaker, at=at, id=id, pin=pin))

    def goal(self, text: str) -> Board:
        """Set the goal."""
        return self._loop.run(self._session.goal(text))

    def step(self, text: str) -> Board:
        """Begin a step; the one before counts as done."""
        return self._loop.run(self._session.step(text))

    def done(self, text: str | None = None) -> Board:
        """Finish the current step, or note something as done."""
        return self._loop.run(self._session.done(text))

    def ask(self, question: str) -> Board:
        """Note an open question."""
        return self._loop.run(self._session.ask(question))

    def note(self, text: str) -> Board:
        """Keep a note."""
        return self._loop.run(self._session.note(text))

    def pin(self, text: str) -> Board:
        """Pin a constraint."""
        return self._loop.run(self._session.pin(text))

    def recalled(self, texts: Sequence[str]) -> None:
        """Tell the session what was recalled into it."""
        self._loop.run(self._session.recalled(texts))

    def board(self) -> Board:
        """What stands on the board."""
        return self._loop.run(self._session.board())

    def state(self) -> Working:
        """Board and window."""
        return self._loop.run(self._session.state())

    def show(self, *, budget: int | None = None, language: Literal["zh", "en"] | None = None) -> str:
        """The working memory as Markdown."""
        return self._loop.run(self._session.show(budget=budget, language=language))

    def close(self) -> Closed:
        """Distil what is worth keeping, then empty the session."""
        return self._loop.run(self._session.close())

    def discard(self) -> bool:
        """Forget the session without keeping anything."""
        return self._loop.run(self._session.discard())
