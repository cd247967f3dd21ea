"""The board and the window as a Markdown list with bold field names, within a token budget. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hindsight.recall.render import escape
from hindsight.records import Role
from hindsight.session.board import Board
from hindsight.session.window import Counter, WindowTurn, fitting

_WORDS = {
    "zh": {
        "constraints": "硬性约束",
        "goal": "目标",
        "current": "当前步骤",
        "done": "已完成",
        "questions": "待解问题",
        "notes": "备注",
        "turns": "最近对话",
        "colon": "：",
        "user": "用户",
        "assistant": "助手",
        "tool": "工具",
        "other": "对方",
    },
    "en": {
        "constraints": "Constraints",
        "goal": "Goal",
        "current": "Current step",
        "done": "Done",
        "questions": "Open questions",
        "notes": "Notes",
        "turns": "Recent turns",
        "colon": ": ",
        "user": "user",
        "assistant": "assistant",
        "tool": "tool",
        "other": "other",
    },
}
_ELLIPSIS = "…"
_CONSTRAINT_SHARE = 0.6
"""Most of the budget that constraint lines may take before each is shortened; none is left out."""
_SHORTEST_CONSTRAINT = 24
_TURN_SHARE = 0.5
"""Longest single turn, as a share of what the window has left."""


def render_session(board: Board, turns: Sequence[WindowTurn], *, language: Literal["zh", "en"], budget: int, count: Counter) -> str:
    """The working memory for a prompt. Constraints come first and stay whatever happens; steps and turns share what is left."""
    words = _WORDS[language]
    lines = _constraint_lines(board, words, int(budget * _CONSTRAINT_SHARE), count)
    left = budget - sum(count(each) + 1 for each in lines)
    for field in ("goal", "current", "questions", "notes", "done"):
        block = _field(board, field, words, left // 2 if field in ("notes", "done") else left, count)
        lines += block
        left -= sum(count(each) + 1 for each in block)
    head = f"- **{words['turns']}**{words['colon'].rstrip()}"
    room = left - count(head) - 1
    shown = _turn_lines(turns, words, room, count) if room > 0 else []
    return "\n".join([*lines, head, *shown] if shown else lines)


def turn_line(turn: WindowTurn, words_of: Literal["zh", "en"]) -> str:
    """One turn as it is shown."""
    words = _WORDS[words_of]
    return f"  - {escape(turn.speaker) if turn.speaker else words[str(turn.role)]}{words['colon']}{escape(turn.content)}"


def _constraint_lines(board: Board, words: dict[str, str], budget: int, count: Counter) -> list[str]:
    if not board.constraints:
        return []
    head = f"- **{words['constraints']}**{words['colon'].rstrip()}"
    entries = [f"  - {escape(each)}" for each in board.constraints]
    over = sum(count(each) + 1 for each in (head, *entries)) > budget
    if over:
        share = max(_SHORTEST_CONSTRAINT, budget // len(entries))
        entries = [shortened(each, share, count) for each in entries]
    return [head, *entries]


def _field(board: Board, field: str, words: dict[str, str], budget: int, count: Counter) -> list[str]:
    value = getattr(board, field)
    head = f"- **{words[field]}**{words['colon']}"
    if isinstance(value, str):
        return [shortened(head + escape(value), budget, count)] if value and budget > count(head) else []
    entries: list[str] = []
    left = budget - count(head.rstrip()) - 1
    for each in reversed(value):
        entry = f"  - {escape(each)}"
        if count(entry) + 1 > left:
            break
        entries.append(entry)
        left -= count(entry) + 1
    return [head.rstrip(), *reversed(entries)] if entries else []


def _turn_lines(turns: Sequence[WindowTurn], words: dict[str, str], budget: int, count: Counter) -> list[str]:
    language: Literal["zh", "en"] = "zh" if words is _WORDS["zh"] else "en"
    longest = max(16, int(budget * _TURN_SHARE))
    lines = {turn.position: shortened(turn_line(turn, language), longest, count) for turn in turns}
    measured = [turn.model_copy(update={"tokens": count(lines[turn.position]) + 1}) for turn in turns]
    kept = [turn for turn in fitting(measured, budget) if turn.tokens <= budget]
    return [lines[turn.position] for turn in kept]


def shortened(text: str, budget: int, count: Counter) -> str:
    """``text`` cut to ``budget`` tokens, with an ellipsis."""
    if count(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle] + _ELLIPSIS) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + _ELLIPSIS


def role_name(role: Role, language: Literal["zh", "en"]) -> str:
    """How a role is called."""
    return _WORDS[language][str(role)]
