"""Chinese: whether the clause around a time states that something happened then. Pure."""

from __future__ import annotations

import re

UNREAL = re.compile(
    "如果|要是|假如|假设|倘若|万一|的话|也许|或许|可能|大概|似乎|好像|仿佛|估计|本来|本该|原本|原计划|差点|差一点|险些|几乎|梦见|想象|打算"
    "|希望|预计|即将|快要|将要|应该|本想|每[天周月年次当逢个晚早到]|经常|总是|常常|通常|往往|平时|一直|比如|例如"
)
"""Words of supposition, doubt, plan and habit; a sentence with one states no single event."""

_BOUNDARY = re.compile("[，,、；;：:（）()—…]")
_DENIED = re.compile(r"没|未(?!来)|别(?![人的墅名处])|勿|并非|不(?![错过久仅但断同少足])|无法|拒绝不")
_PLANNED = re.compile(
    r"(?<![感思理梦幻设])想(?![法象起到出])|要(?![求点紧领素])|(?<![开聚约社机年晚动览唱学宴拜议例散参])会(?=[\u4e00-\u9fff])(?![议计面见员所话场展客])"
    r"|将(?![近军])|准备(?![了好])|计划(?=[去在做要明下把])"
)
_COMPARED = re.compile("一样|相比|比起|不如")
_BEFORE = re.compile("(?:从|自|自从|到|至|比|截至|截止|直到|离|距离?|跟|像)$")
_AFTER = re.compile("^(?:的|起|以来|以后|之后|之前|以前|为止|那|这|前|后|号|份的)")
_DONE = re.compile("[了过]|的[。！!～~]?$")
_LEAD = re.compile(
    r"^[\s\W]*(?:(?:对了|另外|还有|而且|然后|那么?|其实|告诉你|跟你说|嗯|哦|好的?|就|在|于|记得|说起来|我们?|他们?|她们?|咱们?)[\s，,]*)*$"
)


def tells(before: str, after: str, *, points_back: bool) -> bool:
    """Whether the clause states an event of the time that stands between ``before`` and ``after`` in a sentence.

    ``points_back``: the time lies in the past by its own words; a bare "周五" may as well be the next one.
    """
    left = before[max((match.end() for match in _BOUNDARY.finditer(before)), default=0) :]
    boundary = _BOUNDARY.search(after)
    right = after[: boundary.start()] if boundary else after
    if not right.strip() and boundary is not None and _LEAD.match(left):  # "昨天，我们……"
        rest = after[boundary.end() :]
        following = _BOUNDARY.search(rest)
        right = rest[: following.start()] if following else rest
    clause = left + right
    if _DENIED.search(clause) or _PLANNED.search(clause) or _COMPARED.search(clause):
        return False
    if _BEFORE.search(left.rstrip()) or _AFTER.match(right):
        return False
    right = right.strip().rstrip("。！!～~ ")
    if not right and not left.strip():
        return False
    if _is_named(left, right):
        return False
    return points_back or bool(_DONE.search(right))


def _is_named(left: str, right: str) -> bool:
    """Whether the time only tells which thing is meant: "昨天买的手机很好用", "昨天会议上的决定"."""
    place = right.find("的")
    if place < 0 or place == len(right) - 1 or re.match("的[吧呢啊呀哦]$", right[place:]):
        return False
    if left.rstrip().endswith(("是", "就是")):  # "我是昨天提交的申请"
        return False
    return not re.search("[了过]", right[:place])
