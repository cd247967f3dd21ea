"""What recall says of its candidates, in Chinese; recall itself speaks English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hindsight.serve.console.words import value

if TYPE_CHECKING:
    from hindsight.serve.console.words import Language

_NAMES = {
    "terms": "检索词", "entities": "实体", "times": "时间", "anchored": "锚定", "task_type": "任务类型", "speakers": "说话人",
    "threshold": "阈值", "profile": "评分方式", "doubt": "存疑",
}  # fmt: skip
_FLAGS = {
    "timeout": "超时", "rerank_timeout": "重排超时", "keyword_only": "仅关键词", "degraded": "降级", "cold": "含归档", "cached": "缓存",
    "empty_query": "空查询", "abstained": "均不相关，未作答",
}  # fmt: skip
_SENTENCES = [
    (re.compile(pattern), told)
    for pattern, told in (
        (r"shown: place (\d+) of (\d+) candidates, found by (.+)", "已显示：{1} 个候选中的第 {0} 名，由{2}找到"),
        (r"not shown: (.+) \(place (\d+) of (\d+) candidates, found by (.+)\)", "未显示：{0}（{2} 个候选中的第 {1} 名，由{3}找到）"),
        (r"not shown: no route found it among its best; .*", "未显示：没有路径将它列入前列，与查询的共同点太少"),
        (r"not shown: (.+)", "未显示：{0}"),
        (r"beyond the (\d+) shown", "超出显示的 {0} 条"),
        (r"relevance ([\d.]+) is below ([\d.]+)", "相关度 {0} 低于 {1}"),
        (r"(\d+) from the same (\w+) are shown already", "已显示同一{1}的 {0} 条"),
        (r"says the same as one that is shown \(cosine ([\d.]+)\)", "与已显示的一条内容相同（余弦 {0}）"),
        (r"superseded by (\S+)", "被 {0} 取代"),
        (r"its status is (\w+); recalled are (.+)", "其状态为{0}；只召回{1}"),
        (r"it expired at (\S+)", "已于 {0} 过期"),
        (r"it was valid until (\S+)", "有效期至 {0}"),
        (r"it is valid from (\S+) on", "自 {0} 起有效"),
        (r"a filter of the call keeps it out", "被本次查询的筛选条件排除"),
        (r"scored below those that were looked at", "得分低于参与评判的候选"),
        (r"no route", "无路径"),
    )
]


def fate(told: str | None, language: Language) -> str:
    """What became of a candidate, or the verdict on one."""
    if not told or language != "zh":
        return told or ""
    for pattern, sentence in _SENTENCES:
        if found := pattern.fullmatch(told):
            return sentence.format(*(_part(each) for each in found.groups()))
    return told


def flags(given: tuple[str, ...], language: Language) -> list[str]:
    """What was not as usual in a retrieval."""
    return [_FLAGS.get(each, each) if language == "zh" else each for each in given]


def understood(name: str, language: Language) -> str:
    """A part of how a query was understood."""
    return _NAMES.get(name, name) if language == "zh" else name


def _part(text: str) -> str:
    """A part of a sentence: another sentence, or names with commas between."""
    whole = fate(text, "zh")
    return whole if whole != text else "、".join(value(each, "zh") for each in text.split(", "))
