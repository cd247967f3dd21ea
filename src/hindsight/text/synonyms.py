"""The words that agents use for outcomes and task types, Chinese and English, brought to one canon."""

from __future__ import annotations

import re
from typing import Literal

from hindsight.errors import InvalidInput
from hindsight.text.fold import fold

OutcomeName = Literal["success", "failure", "fixed", "corrected", "unknown"]

_OUTCOMES: dict[OutcomeName, str] = {
    "success": "success|succeeded|successful|successfully|ok|okay|pass|passed|passing|done|complete|completed|finished|works|working|green|true|"
    "成功|完成|已完成|通过|已通过|正常|搞定|做完|好了|顺利|达成",
    "failure": "failure|fail|failed|failing|error|errored|broken|crash|crashed|timeout|timed out|aborted|rejected|unsuccessful|red|false|"
    "失败|未成功|不成功|未通过|没通过|错误|出错|报错|异常|崩溃|超时|中断|未完成|没完成",
    "fixed": "fixed|fix|resolved|solved|repaired|recovered|fixed after failure|worked around|workaround|"
    "已修复|修复|修好|已解决|解决|解决了|修好了|已恢复|恢复|失败后修复|重试成功|补救",
    "corrected": "corrected|correction|user corrected|human corrected|corrected by user|corrected by human|overridden|amended|"
    "被纠正|已纠正|纠正|用户纠正|人工纠正|被更正|已更正|更正|被修正|已修正|修正|人工修正",
    "unknown": "unknown|none|null|n/a|na|unclear|pending|in progress|ongoing|partial|未知|不明|不清楚|待定|进行中|未定|无|部分完成",
}
_OUTCOME_OF: dict[str, OutcomeName] = {word: name for name, words in _OUTCOMES.items() for word in words.split("|")}
_SEPARATORS = re.compile(r"[\s_\-./]+")


def normalise_outcome(value: str) -> OutcomeName:
    """The outcome that `value` names, so "成功", "ok", "passed" → success; "已修复", "resolved" → fixed.

    Raises:
        InvalidInput: not a known word for an outcome.
    """
    folded = fold(value) if isinstance(value, str) else ""
    name = _OUTCOME_OF.get(folded) or _OUTCOME_OF.get(_SEPARATORS.sub(" ", folded).strip(" !。"))
    if name is None:
        allowed = ", ".join(_OUTCOMES)
        raise InvalidInput(f"outcome={value!r} is not known; give one of {allowed} (or 成功, 失败, 已修复, 被纠正, 未知).")
    return name


_TASK_TYPES: dict[str, str] = {
    "deployment": "deployment|deploy|deploying|release|releasing|rollout|roll out|ship|ci cd|cicd|devops|部署|发布|上线|发版|交付|运维部署",
    "troubleshooting": "troubleshooting|troubleshoot|debug|debugging|diagnosis|diagnose|incident|root cause|rca|bug fix|bugfix|bug fixing|"
    "排查|故障排查|问题排查|调试|诊断|排障|修复|故障|修 bug|修bug|定位问题",
    "coding": "coding|code|programming|development|implement|implementation|feature|refactor|refactoring|software|code review|"
    "编码|编程|写代码|代码|开发|实现|重构|代码审查|功能开发",
    "testing": "testing|test|tests|qa|unit test|unit testing|测试|单元测试|验收|质量保证",
    "configuration": "configuration|configure|config|setup|set up|install|installation|environment|配置|安装|环境搭建|搭建|设置",
    "data_analysis": "data analysis|analysis|analytics|analyze|analyse|statistics|report|reporting|bi|sql|数据分析|分析|统计|报表|数据处理|可视化",
    "customer_service": "customer service|customer support|support|refund|complaint|ticket|helpdesk|客服|客户服务|售后|退款|投诉|工单",
    "research": "research|search|investigation|investigate|survey|literature review|web search|调研|研究|检索|搜索|资料收集|查资料",
    "writing": "writing|write|draft|editing|documentation|document|docs|copywriting|summary|summarization|summarisation|"
    "写作|撰写|文案|文档|起草|总结|摘要|编辑",
    "translation": "translation|translate|translating|localization|localisation|翻译|本地化",
    "planning": "planning|plan|schedule|scheduling|calendar|itinerary|travel|travel planning|计划|规划|日程|安排|行程|旅行规划|出行",
    "conversation": "conversation|chat|chitchat|small talk|dialogue|聊天|对话|闲聊",
}
_TASK_TYPE_OF = {word: name for name, words in _TASK_TYPES.items() for word in words.split("|")}
_NEIGHBOURS: dict[str, tuple[str, ...]] = {
    "deployment": ("troubleshooting", "configuration"),
    "troubleshooting": ("deployment", "configuration", "coding"),
    "coding": ("testing", "troubleshooting"),
    "testing": ("coding", "troubleshooting"),
    "configuration": ("deployment", "troubleshooting"),
    "data_analysis": ("research",),
    "research": ("writing", "data_analysis"),
    "writing": ("research", "translation"),
    "translation": ("writing",),
    "customer_service": ("conversation",),
    "planning": ("research",),
    "conversation": ("customer_service",),
}


def normalise_task_type(value: str) -> str:
    """The task type that `value` names: "部署", "deploy" → deployment; unknown ones in snake_case ("Image Search" → image_search).

    Raises:
        InvalidInput: no text, or nothing in it but white space and punctuation.
    """
    folded = fold(value) if isinstance(value, str) else ""
    words = _SEPARATORS.sub(" ", folded).strip()
    for word in (folded, words, re.sub("(?:类|任务|类任务| tasks?)$", "", words)):
        if word in _TASK_TYPE_OF:
            return _TASK_TYPE_OF[word]
    name = re.sub(r"\W+", "_", words).strip("_")
    if not name:
        raise InvalidInput(f"task_type={value!r} is empty; give a word such as {', '.join(list(_TASK_TYPES)[:4])}, or leave it out.")
    return name


def neighbours(task_type: str) -> tuple[str, ...]:
    """Task types whose experience also serves this one, nearest first: a deployment also looks at troubleshooting."""
    return _NEIGHBOURS.get(normalise_task_type(task_type), ())


# Signals of a task type: weight (2 is enough alone, 1 needs another), stems of which one must occur, pattern.
_SIGNALS: tuple[tuple[str, int, str, str], ...] = (
    ("deployment", 2, "deploy roll kubectl helm ci/cd", r"deploy(?:s|ed|ing|ments?)?|roll(?:ed|ing)? ?out|kubectl apply|helm (?:install|upgrade)|ci/cd"),
    ("troubleshooting", 3, "debug troubleshoot cause trace", r"debug(?:ged|ging)?|troubleshoot\w*|root cause|stack ?trace|traceback"),
    ("troubleshooting", 2, "work connect start", r"not working|doesn't work|does not work|can't connect|cannot connect|won't start"),
    ("troubleshooting", 2, "error exception", r"\w+(?:error|exception)"),
    ("troubleshooting", 2, "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9", r"[a-z]{2,5}-\d{4,5}"),
    ("troubleshooting", 1, "error fail crash timed timeout broken bug exception", r"errors?|fail(?:s|ed|ing|ure)?|crash(?:es|ed)?|timed out|timeout|broken|bugs?|exception"),
    ("coding", 2, "refactor implement pull code write", r"refactor\w*|implement (?:an?|the)|pull request|code review|write (?:an?|the) (?:function|class|script|module)"),
    ("coding", 1, "code function class compile script", r"code|function|class|compile\w*|script"),
    ("testing", 2, "test", r"unit tests?|test (?:cases?|suite|coverage)|pytest|regression test\w*"),
    ("configuration", 2, "configur environment install", r"configur\w+|environment variables?|install(?:ed|ing|ation)"),
    ("data_analysis", 2, "analy dataframe pandas sql dashboard", r"data analysis|analy[sz]e (?:the )?(?:data|sales|logs?|metrics|csv)|dataframe|pandas|sql quer\w+|dashboards?"),
    ("customer_service", 2, "refund customer cancel", r"refunds?|customer (?:service|support|complaints?)|cancel (?:my|the|an?) (?:order|booking|reservation|flight)"),
    ("translation", 2, "translat", r"translat(?:e|es|ed|ing|ion)"),
    ("writing", 2, "write draft proofread edit", r"(?:write|draft|proofread|edit) (?:an?|the|my) (?:e-?mail|essay|article|blog post|report|letter|story|poem|speech)"),
    ("research", 2, "literature research find", r"literature review|research (?:on|about|into)|find (?:papers|sources)"),
    ("planning", 2, "itinerary plan schedule book", r"itinerary|plan (?:an?|my|the|our) (?:trip|week|schedule|vacation|party)|schedule (?:an?|the) (?:meeting|appointment)|book (?:an?|the) (?:flight|hotel|table)"),
)  # fmt: skip
_ZH_SIGNALS: tuple[tuple[str, int, str], ...] = (
    ("deployment", 2, "部署|上线|发版|灰度发布|回滚"),
    ("troubleshooting", 3, "排查|排障|定位问题|根因|调试"),
    ("troubleshooting", 2, "不通|连不上|无法(?:连接|启动|访问|登录)|报错|故障|崩溃"),
    ("troubleshooting", 1, "错误|异常|超时|失败|修复|卡死"),
    ("coding", 2, "重构|写(?:一?个)?(?:函数|脚本|接口|程序)|编程|写代码|代码审查"),
    ("coding", 1, "代码|函数|接口"),
    ("testing", 2, "单元测试|测试用例|回归测试|自动化测试"),
    ("configuration", 2, "(?<!资产)(?<!资源)配置|环境变量|搭建环境|安装"),
    ("data_analysis", 2, "数据分析|报表|数据可视化|统计分析|分析.{0,6}(?:数据|日志|趋势)"),
    ("customer_service", 2, "退款|退货|投诉|客服|售后|工单"),
    ("translation", 2, "翻译|译成"),
    ("writing", 2, "写(?:一篇|一封|一份|个)?(?:邮件|文章|报告|文案|总结|博客|作文)|润色|起草"),
    ("research", 2, "调研|查(?:一下)?(?:资料|文献)|文献综述"),
    ("planning", 2, "行程|(?:制定|安排|规划).{0,6}(?:计划|日程)|订(?:机票|酒店|餐厅)"),
)
_EN_PATTERNS = [
    (task_type, weight, tuple(stems.split()), re.compile(rf"\b(?:{pattern})\b")) for task_type, weight, stems, pattern in _SIGNALS
]
_ZH_PATTERNS = [(task_type, weight, re.compile(pattern)) for task_type, weight, pattern in _ZH_SIGNALS]
_ENOUGH = 2
_INFER_CHARS = 2_000


def infer_task_type(text: str) -> str | None:
    """The task type that the words of `text` (its first 2,000 characters) point to, None where they point to none."""
    text = text[:_INFER_CHARS].lower()
    patterns = [(task_type, weight, pattern) for task_type, weight, stems, pattern in _EN_PATTERNS if any(stem in text for stem in stems)]
    if not text.isascii():
        patterns.extend(_ZH_PATTERNS)
    scores: dict[str, int] = {}
    for task_type, weight, pattern in patterns:
        words = set(pattern.findall(text))
        if words:
            scores[task_type] = scores.get(task_type, 0) + weight * len(words)
    best = max(scores, key=lambda task_type: scores[task_type], default=None)
    return best if best is not None and scores[best] >= _ENOUGH else None
