"""The board: what a task is about and where it stands. Pure; every change gives a new board."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from hindsight.errors import InvalidInput
from hindsight.guard.envelope import strip_recalled
from hindsight.remember.reconcile.relate import relate_statements
from hindsight.remember.reconcile.relation import MERGING, SUPERSEDING
from hindsight.text.fold import sanitise

MAX_LINE = 2_000
"""Longest entry in characters."""
MAX_ENTRIES = 100
"""Most entries of one kind; the oldest done steps and notes give way, constraints never do."""


class Board(BaseModel):
    """Goal, steps, constraints, open questions and notes of one session."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    goal: str = ""
    current: str = ""
    done: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing stands on it."""
        return self == Board()

    def with_goal(self, text: str) -> Board:
        """Set the goal."""
        return self.model_copy(update={"goal": line(text, "goal")})

    def with_step(self, text: str) -> Board:
        """Begin a step; the one before counts as done."""
        done = self.done if not self.current else _append(self.done, self.current)
        return self.model_copy(update={"current": line(text, "step"), "done": done})

    def with_done(self, text: str | None = None) -> Board:
        """Finish the current step, or note ``text`` as done.

        Raises:
            InvalidInput: no text was given and no step is under way.
        """
        if text is None and not self.current:
            raise InvalidInput("done: no step is under way; begin one, or say what is done.")
        finished = self.current if text is None else line(text, "done")
        current = "" if text is None or finished == self.current else self.current
        questions = tuple(question for question in self.questions if question != finished)
        return self.model_copy(update={"current": current, "done": _append(self.done, finished), "questions": questions})

    def with_question(self, text: str) -> Board:
        """Note an open question; :meth:`with_done` with its text closes it."""
        return self.model_copy(update={"questions": _append(self.questions, line(text, "question"))})

    def with_note(self, text: str) -> Board:
        """Keep a note."""
        return self.model_copy(update={"notes": _append(self.notes, line(text, "note"))})

    def with_constraint(self, text: str, *, replacing: bool = False) -> Board:
        """Pin a constraint: one line that stays. The same one twice stands once.

        Args:
            text: the constraint.
            replacing: whether a standing constraint that it contradicts gives way. For constraints recognised in what was
                said; one that somebody pins takes nothing away.
        """
        new = line(text, "pin")
        relations = [(old, relate_statements(old, new)) for old in self.constraints]
        if any(relation in MERGING for _, relation in relations):
            return self
        kept = [old for old, relation in relations if not (replacing and relation in SUPERSEDING)]
        return self.model_copy(update={"constraints": (*kept, new)})


def line(text: str, field: str) -> str:
    """``text`` as one line of the board.

    Raises:
        InvalidInput: nothing is left of it, it is no text, or it is too long.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{field}: text is needed, not {type(text).__name__}.")
    clean = " ".join(strip_recalled(sanitise(text)).split())
    if not clean:
        raise InvalidInput(f"{field}: nothing is left to note; give at least one character that is not white space.")
    if len(clean) > MAX_LINE:
        raise InvalidInput(
            f"{field}: {len(clean):,} characters are over the limit of {MAX_LINE:,}; note the gist, the rest belongs into a turn."
        )
    return clean


def _append(entries: tuple[str, ...], entry: str) -> tuple[str, ...]:
    return (*(each for each in entries if each != entry), entry)[-MAX_ENTRIES:]
