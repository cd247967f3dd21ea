"""A session's state as it is kept between calls, in any process."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from hindsight.recall.state import SessionState as QueryState
from hindsight.records import CHANNEL_TRUST, Channel
from hindsight.session.board import Board
from hindsight.session.window import WindowTurn, fitting

KEPT_TOKENS = 6_000
"""Tokens of turns kept in the state: several windows full. Older ones of little worth stay in the raw log alone."""
_SLACK = 1.25
"""Eviction waits until the state is so much larger, then cuts it to size: ranking all turns is not worth it for each new one."""
KEPT_RECALLED = 200
"""Recalled texts remembered, so that they are not taken for news."""
_RECALLED_CHARACTERS = 600
_QUERIED_TURNS = 4
"""So many of the last turns tell what a query in the session is about."""


class Working(BaseModel):
    """The whole of a session.

    ``next_position`` numbers the next turn; ``distilled_to`` is the first one not yet distilled. ``channel`` is the least trusted
    one that wrote into it: what is distilled of it comes by no better one, whoever closes it. ``task_type`` and ``tools`` are those
    of the task that began it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    board: Board = Board()
    turns: tuple[WindowTurn, ...] = ()
    next_position: int = 0
    distilled_to: int = 0
    recalled: tuple[str, ...] = ()
    opened_at: datetime
    channel: Channel = Channel.AGENT
    task_type: str | None = None
    tools: tuple[str, ...] = ()

    def written_by(self, channel: Channel) -> Working:
        """Note a writer's channel."""
        return self.model_copy(update={"channel": lower(self.channel, channel)})

    def query_state(self) -> QueryState:
        """What a query asked in this session is about beside its words."""
        board = self.board
        lines = (board.goal, board.current, *board.constraints, *board.questions)
        return QueryState(
            board=tuple(line for line in lines if line),
            turns=tuple(turn.content for turn in self.turns[-_QUERIED_TURNS:]),
            tools=self.tools,
            task_type=self.task_type,
        )

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


def lower(one: Channel, other: Channel) -> Channel:
    """The less trusted of two channels."""
    return min(one, other, key=CHANNEL_TRUST.__getitem__)
