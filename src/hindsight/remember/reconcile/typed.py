"""A difference between two statements that lies in a number, a date, an address: whether one value stands for another. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight.remember.reconcile import frame_en, frame_zh
from hindsight.remember.reconcile.categories import stemmed
from hindsight.remember.reconcile.frame import NUMBER, Frame
from hindsight.remember.reconcile.relation import Relation

USES = ("用", "use")
"""A person uses many things; which of them replace each other, their categories tell."""


def typed_difference(old: Frame, new: Frame, start: int, was: Sequence[str], after: Sequence[str]) -> Relation | None:
    """Numbers, dates, addresses: one value at a time, unless an indefinite thing or many things are counted.

    A number that is part of a name or of the subject tells of which thing is spoken, and is no value.
    """
    if start == 0:
        return Relation.CONTRADICTION if _counted_first(old, after) and _counted_first(new, after) else None
    if _in_subject(old, start) or _in_subject(new, start):
        return None
    governing = old.governing(start)
    if any(position in frame.names for frame in (old, new) for position in range(start, start + len(was))):
        return Relation.CONTRADICTION if _named_value(old, governing, start, after, changed=new.changed) else None
    multi = frame_zh.MULTI if old.language == "zh" else frame_en.MULTI
    if governing and governing[1] in multi and not (governing[1] in ("have", "can", "会", "吃", "喝") and after):
        return None
    return Relation.CONTRADICTION


def _counted_first(frame: Frame, after: Sequence[str]) -> bool:
    """Whether a statement begins with how many there are of something: "two approvals are needed"."""
    if 0 in frame.names or not NUMBER.match(frame.tokens[0]) or len(frame.tokens[0]) > 2 or len(after) < 2 or after[0] in _ORDINAL_UNITS:
        return False
    if frame.language == "zh":
        return bool(_COUNTED_ZH.match(frame.said))
    return bool(_COUNTED_EN.match(frame.said)) and all(position > 1 for position, _ in frame.predicates)


_COUNTED_EN = re.compile(r"(?:at least |exactly |only )?(?:\d+|[a-z]+)\s+[a-z]+")
_COUNTED_ZH = re.compile(r"(?:至少)?[\d一二两三四五六七八九十]+\s*[个只条台张间位名人次份件本]")


def _in_subject(frame: Frame, start: int) -> bool:
    """Whether a position belongs to the subject; some Chinese predicates follow their value ("九点开始")."""
    if frame.language == "en":
        return start < len(frame.subject) or frame.tokens[:start] == ("on",)
    first = frame.predicates[0][1] if frame.predicates else None
    return start < len(frame.subject) and first is not None and first not in (*frame_zh.CLOSING, "会", "结束")


def _named_value(frame: Frame, governing: tuple[int, str] | None, start: int, after: Sequence[str], *, changed: bool) -> bool:
    """Whether what a number names is itself the one value: "listens on port 5432", 应用是第 3 版."""
    if governing is None:
        return frame.tokens[start - 1] == "从" and "".join(after).endswith(frame_zh.CLOSING)
    between = frame.tokens[governing[0] : start]
    if governing[1] in USES:
        return (changed or not frame.person) and "." in frame.tokens[start] and len(between) <= 1
    if frame.language == "zh":
        doing = governing[1] == "在" and bool(set(between) & _DOING_ZH)
        return governing[1] in _NAMED_BY_ZH and len(between) <= 4 and len(after) <= 2 and not doing
    if governing[1] == "work" and "on" in between:
        return False
    named_by = _PERSON_NAMED_BY if frame.person else _NAMED_BY
    return governing[1] in named_by and len([token for token in between if token not in _ASIDE_OF_PLACE]) <= 1


_ASIDE_OF_PLACE = frozenset(map(stemmed, ("number", "on", "parked", "located", "stored", "kept", "held", "moved")))
_PERSON_NAMED_BY = frozenset(map(stemmed, ("be", "live", "sit", "belong", "work")))
"""A person is in one room, and runs many servers."""
_NAMED_BY = _PERSON_NAMED_BY | frozenset(map(stemmed, "run listen store leave locate depart arrive host end begin start".split()))
_DOING_ZH = frozenset("处理看修写读做查改用学测审跟等找玩办")
"""在 before one of these tells what somebody is doing, not where."""
_NAMED_BY_ZH = frozenset(("是", "在", "为", "叫", "住", "住在", "停在", "放在", "存在", "跑在", "跑的是", "装的是", "监听", "托管在"))
_ORDINAL_UNITS = frozenset("楼层号版月日点期年") | {"floor", "street", "avenue", "road"}
