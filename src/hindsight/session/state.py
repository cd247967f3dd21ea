"""A session's state as it is kept between calls, in any process."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from hindsight.session.board import Board
from hindsight.session.window import WindowTurn, fitting

KEPT_TOKENS = 6_000
"""Tokens of turns kept in the state: several windows full. Older ones of little worth stay in the raw log alone."""
_SLACK = 1.25
"""Eviction waits until the state is so much larger, then cuts it to size: ranking all turns is not worth it for each new one."""
KEPT_RECALLED = 200
"""Recalled texts remembered, so that they are not taken for news."""
_RECALLED_CHARACTERS = 600


class Working(BaseModel):
    """The whole of a session. ``next_position`` numbers the next turn; ``distilled_to`` is the first one not yet distilled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    board: Board = Board()
    turns: tuple[WindowTurn, ...] = ()
    next_position: int = 0
    distilled_to: int = 0
    recalled: tuple[str, ...] = ()
    opened_at: datetime

    def with_turn(self, turn: WindowTurn) -> Working:
        """Take a turn in; what no longer fits the state goes by worth."""
        turns = (*self.turns, turn)
        if sum(each.tokens for each in turns) > KEPT_TOKENS * _SLACK:
            turns = fitting(turns, KEPT_TOKENS)
        return self.model_copy(update={"turns": turns, "next_position": turn.position + 1})

    def with_recalled(self, texts: tuple[str, ...]) -> Working:
        """Remember what was recalled into this session."""
        fresh = tuple(text[:_RECALLED_CHARACTERS] for text in texts if text[:_RECALLED_CHARACTERS] not in self.recalled)
        return self.model_copy(update={"recalled": (*self.recalled, *fresh)[-KEPT_RECALLED:]})
