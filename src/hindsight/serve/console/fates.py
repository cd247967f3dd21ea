"""What recall says of its candidates, the guard of a text and the patterns of a failure, in Chinese; they themselves speak English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hindsight.serve.console.texts import REASON
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
_VERDICTS = {"allow": "放行", "redact": "已脱敏", "pending": "待审", "quarantine": "隔离", "reject": "拒绝"}
_FAMILIES = {
    "override": "推翻指令", "unrestricted": "解除限制", "authority": "冒充权威", "policy": "伪造策略", "standing order": "长期命令", "exfiltration": "外泄数据",
    "tool redirection": "劫持工具", "fake correction": "伪造更正", "lowered guard": "放松戒备", "forged conversation": "伪造对话", "output hijack": "劫持输出",
    "obfuscation": "混淆", "hidden": "隐藏内容", "role token": "角色标记", "appended instruction": "附加指令", "task with material": "夹带指令",
    "redacted": "已脱敏",
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
        (r"a rule from the channel '(\w+)' waits for a person's approval", "来自渠道“{0}”的规则需人工批准"),
        (r"a shared (\w+) from the channel '(\w+)' waits for a person's approval", "来自渠道“{1}”的共享{0}需人工批准"),
        (r"made of (\S+), which is (\w+)", "由 {0} 衍生，后者的状态为{1}"),
    )
]
_QUOTING = [
    (re.compile(pattern), told)
    for pattern, told in (
        (r"like a memory that was put away on (\S+)", "与 {0} 搁置的一条记忆相似"),
        (r"reads like an instruction to a model \(score (.+)\)", "读起来像对模型的指令（得分 {0}）"),
        (r"advises against what (\d+) of (\d+) memories on its topic say", "与同一主题 {1} 条记忆中 {0} 条的说法相反"),
        (r"stuffed with the words (.+)", "堆砌词语：{0}"),
        (r"one question in (\d+) wordings", "同一问题的 {0} 种说法"),
        (r"names (\d+) topics to be found by", "罗列 {0} 个主题以求命中"),
        (r"text written backwards with direction marks", "用方向控制符倒写的文字"),
        (r"words written letter by letter", "逐字母拆开的词"),
        (r"a sentence in (.+)", "以 {0} 藏起的句子"),
        (r"score (-?[\d.]+)", "得分 {0}"),
        (r"a rule about it waits for review: (.+)", "有相关规则待审：{0}"),
        (
            r"the lesson (\S+) was never recalled: retrieve with fewer filters or a lower min_relevance",
            "教训 {0} 从未被召回：请减少筛选条件或调低 min_relevance",
        ),
        (r"import a document that describes (.+): (hindsight import FILE)", "导入介绍 {0} 的文档：{1}"),
        (r"look for the cause: (.+)", "查找原因：{0}"),
    )
]
"""Sentences with words that are somebody else's, and stay as they are."""


def fate(told: str | None, language: Language) -> str:
    """What became of a candidate, or the verdict on one."""
    if not told or language != "zh":
        return told or ""
    for pattern, sentence in _SENTENCES:
        if found := pattern.fullmatch(told):
            return sentence.format(*(_part(each) for each in found.groups()))
    return _verbatim(told)


def _verbatim(told: str) -> str:
    found = next(((found, sentence) for pattern, sentence in _QUOTING if (found := pattern.fullmatch(told))), None)
    return found[1].format(*found[0].groups()) if found else told


def judged(note: str, language: Language) -> str:
    """The guard's note: its verdict, then each reason with the words of the text that it quotes."""
    if language != "zh":
        return note
    word, _, rest = note.partition("; ")
    reasons = [_reason(each) for each in REASON.split(f"; {rest}" if REASON.match(f"; {rest}") else rest) if each]
    return "；".join([_VERDICTS.get(word, word), *reasons])


def _reason(told: str) -> str:
    flagged = told.startswith("flag: ")
    family, colon, quoted = (text := told.removeprefix("flag: ")).partition(": ")
    name = _FAMILIES.get(family.replace("_", " ")) if colon else None
    return ("标记：" if flagged else "") + (f"{name}：{_verbatim(quoted) if family == 'hidden' else quoted}" if name else fate(text, "zh"))


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
