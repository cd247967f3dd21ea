"""What a session is about, as far as recall needs it: the implicit half of a query."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_CHARS = 1_200
"""Of the session's text so much is embedded beside the query: half of it for the board, the newest turns behind it."""
_MOST_STATEMENTS = 30
_SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?]+|\.(?=\s|$)|\n|$)")
_QUESTION = re.compile(r"[?？]$|[吗么呢][。.]?$")


@dataclass(frozen=True, slots=True)
class SessionState:
    """The session in which a query is asked.

    Args:
        board: goal, current step, constraints and open questions, one a line.
        turns: the last turns' texts, oldest first.
        tools: tools in use, in the order of their calls.
        task_type: of the task at hand.
        session_id: under which the retrieval is logged.
    """

    board: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    task_type: str | None = None
    session_id: str | None = None

    def text(self) -> str:
        """The board and the newest turns, at most ``MAX_CHARS`` characters; empty where there is nothing."""
        board = "\n".join(self.board).strip()[: MAX_CHARS // 2]
        turns = "\n".join(self.turns).strip()[-(MAX_CHARS - len(board) - 1) :]
        return f"{board}\n{turns}".strip()

    def statements(self) -> tuple[str, ...]:
        """What the session itself says, sentence by sentence, for comparison with memories; questions state nothing."""
        said = (sentence.strip() for part in (*self.board, *self.turns) for sentence in _SENTENCE.findall(part))
        return tuple(sentence for sentence in said if sentence and not _QUESTION.search(sentence))[-_MOST_STATEMENTS:]
