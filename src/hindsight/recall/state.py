"""What a session is about, as far as recall needs it: the implicit half of a query."""

from __future__ import annotations

from dataclasses import dataclass

MAX_CHARS = 1_200
"""Of the session's text so much is embedded beside the query, the newest of it."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """The session in which a query is asked.

    Args:
        board: goal, current step, constraints and open questions, one a line.
        turns: the last turns' texts, oldest first.
        tools: tools in use, in the order of their calls.
        task_type: of the task at hand.
    """

    board: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    task_type: str | None = None

    def text(self) -> str:
        """The board and the newest turns, at most ``MAX_CHARS`` characters; empty where there is nothing."""
        return "\n".join((*self.board, *self.turns)).strip()[-MAX_CHARS:]

    def statements(self) -> tuple[str, ...]:
        """What the session itself says, line by line, for comparison with memories."""
        return tuple(line.strip() for part in (*self.board, *self.turns) for line in part.splitlines() if line.strip())
