"""Statements that say nothing lasting about their speaker: platitudes, modest replies, jokes, orders for one task. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

_LIKE_EN = r"\b(?:love|loves|like|likes|enjoy|enjoys|adore|(?:passionate|crazy)\s+about|fan\s+of|here\s+for|into)\s+(?:just\s+|always\s+|to\s+|being\s+able\s+to\s+)*"
_PLATITUDE_EN = re.compile(
    _LIKE_EN + r"(?:"
    r"(?:help|helping|support|supporting|inspiring|motivating|encouraging|meeting|being\s+around|being\s+with|hanging\s+out\s+with|seeing|making)\s+"
    r"(?:(?:other|new|some|more|good|great|nice|all|my|our)\s+)*(?:people|others|folks|everyone|everybody|friends|humans)(?:\s+(?:happy|smile|laugh|out|too))*"
    r"|life|people|fun|good\s+(?:vibes|times|company)|a\s+(?:good\s+)?challenge|challenges|new\s+(?:things|experiences|challenges)|(?:trying|learning|doing|discovering)\s+new\s+things"
    r"|having\s+(?:such\s+)?(?:a\s+)?(?:\w+\s+)?(?:fun|good\s+time|great\s+time|blast|laugh)"
    r")(?:\s+and\s+having\s+[\w\s]*?(?:fun|time|blast))?\s*[.!]*$"
    r"|\b(?:like|love|loving|liking)\s+(?:the|your|that)\s+(?:idea|sound|suggestion|concept|thought|look)s?\b"
    r"|\blearning\s+(?:a\s+(?:ton|lot)|so\s+much|lots|loads)\s*[.!]*$|\b(?:like|likes|love|enjoy)\s+(?:just\s+)?\w+ing\s+for\s+fun\s*[.!]*$"
    r"|\bhaving\s+such\s+a\s+(?:great|good|nice|lovely|amazing)\s+time\b",
    re.IGNORECASE,
)
_SELF_EN = re.compile(r"\b(?:I|im|me|my|mine|we|us|our|myself)\b", re.IGNORECASE)
_HEDGED_EN = re.compile(
    r"\b(?:I\s+(?:guess|suppose|feel\s+like)|I\s+think|feels?\s+like|basically|practically|officially|suddenly)\s+(?:that\s+)?(?:I(?:'m|\s+am)|we(?:'re|\s+are))\b|\bI(?:'m|\s+am)\s+(?:basically|practically|officially|totally)\s+an?\b",
    re.IGNORECASE,
)
_BOAST_EN = re.compile(
    r"\b(?:king|queen|god|goddess|emperor|ruler|master|champion)\s+of\s+(?:the\s+)?(?:world|universe|everything|nothing|procrastination|chaos|bad\s+decisions)\b",
    re.IGNORECASE,
)
_TASK_EN = re.compile(
    r"^(?:(?:ok|okay|now|then|please|hi|hello|great|thanks)[,.!\s]+)*(?:(?:can|could|would|will)\s+you\s+|I\s+(?:want|need|would\s+like)\s+you\s+to\s+)?(?:please\s+)?"
    r"(?:write|create|generate|make|give|list|translate|summari[sz]e|explain|draft|provide|tell|consider|act|rewrite|design|develop|compose|prepare|suggest|produce|build|describe|analy[sz]e"
    r"|compare|convert|fix|find|recommend|show|help|continue|imagine|read|extract|classify|calculate|solve|implement|review|edit|expand|answer\s+the)\b",
    re.IGNORECASE,
)
_ONE_OFF_EN = re.compile(
    r"^(?:(?:ok|okay|now|then|please|great|thanks)[,.!\s]+)*(?:(?:can|could|would|will)\s+you\s+)?(?:please\s+)?(?:give|show|tell|write|explain|list|make|find|suggest|create)\s+(?:(?:me|us|to\s+me)\s+)?"
    r"(?:an?|some|the|\d+|more|another|one|two|three|five|ten|how|why|what)\b",
    re.IGNORECASE,
)
_STANDING_EN = re.compile(
    r"\b(?:from\s+(?:now|here|this\s+point)|going\s+forward|in\s+(?:the\s+)?future|next\s+time|whenever|every\s+time|each\s+time|always|never|as\s+a\s+rule|any\s+time)\b",
    re.IGNORECASE,
)
_LASTING_EN = re.compile(
    r"\b(?:from\s+(?:now|here|this\s+point)|going\s+forward|in\s+(?:the\s+)?future|next\s+time|whenever|every\s+time|each\s+time|always|never|as\s+a\s+rule|any\s+time|when(?:ever)?\s+you"
    r"|(?:to|for|with)\s+me|your\s+(?:answers|replies|responses|messages))\b",
    re.IGNORECASE,
)

_PLATITUDE_ZH = re.compile(
    r"(?:喜欢|热爱|爱|享受)(?:生活|学习|挑战|帮助(?:别人|他人|大家|人)|交朋友|和大家(?:在)?一起|大家|热闹|这样|这种(?:感觉|氛围|状态|生活|体验|方式|安排)|和你聊天?|你)[^，。]{0,4}(?=$|[，。！!])"
    r"|(?:思路|建议|主意|方法|办法|方案|想法|安排|框架|提议|角度|比喻|分析|计划|提醒|推荐|说法|解释)[^，。]{0,6}(?:很|真|挺|太|非常|特别)?(?:好|棒|实际|靠谱|合拍|贴切|形象|实用|清晰|适合|符合|不错|合适|在理|对)[^。]{0,20}"
    r"|(?:听起来|看起来|看着|似乎|感觉)[^，。]{0,6}(?:适合|符合|不错|合适)|(?:很|挺|非常|正好|太|比较|更)?(?:适合|符合)(?:我|我们)(?:现在|目前|这种|这次|追求|喜欢|做事|的(?:习惯|风格|性格|需求|情况|计划|思路)|[^，。]{0,16}(?:习惯|风格|性格|需求|计划|思路)(?:$|[，。]))"
    r"|(?:喜欢|爱)[^，。]{0,10}(?:这|那)个?(?:主意|建议|想法|思路|方案|提议|点子)|^我(?:们)?(?:总|一直|还是)?(?:觉得|认为|感觉)(?:还是)?(?:不能|得|要|应该|必须)|我(?:们)?(?:总|一直|还是)?(?:觉得|认为)(?:不能|应该|必须)"
    r"|(?:很|不|太|正)适合我(?:们)?(?:$|[，。！])|更适合我们?(?:想|现在|目前)"
    r"|(?:思路|角度|建议|方法|比喻|框架)[^。]{0,12}(?:启发|我喜欢|我认同|我赞同)"
    r"|对(?:这|那|你|您)[^，。]{0,12}(?:感兴趣|有兴趣)|(?:说到|说中|戳中)[^，。]{0,6}(?:点子上|心坎|要害)"
)
_HEDGED_ZH = re.compile(r"(?:感觉|觉得)(?:我|自己)(?:都)?(?:快)?(?:是|成|变成)[^，。]{0,12}(?:了|专家|达人|大师)")
_TASK_ZH = re.compile(
    r"^(?:请|麻烦|现在|好的?|那|再|帮我|给我|你)*[，,]?(?:写|生成|翻译|总结|列出|设计|润色|改写|分析|介绍|解释|推荐|制定|整理|对比|比较|续写|扩写|计算|提取|归纳|帮我|根据|以下|把|将|用)"
)
_LASTING_ZH = re.compile(r"以后|今后|往后|从现在|每次|一律|始终|永远|跟我|给我的|任何时候|都用|都要|平时|一直")


def is_platitude(text: str, language: Literal["zh", "en"], *, among_people: bool) -> bool:
    """Whether a liking or a self-description says what anybody says. ``among_people``: a saying without an "I" is small talk."""
    if language == "zh":
        return bool(_PLATITUDE_ZH.search(text) or _HEDGED_ZH.search(text))
    if among_people and not _SELF_EN.search(text):
        return True
    return bool(_PLATITUDE_EN.search(text) or _HEDGED_EN.search(text) or _BOAST_EN.search(text))


def is_for_one_task(order: str, sentences: Sequence[str], language: Literal["zh", "en"]) -> bool:
    """Whether an order without a word of duration stands beside a task that it is about ("Write three titles. Please write in English")."""
    task, lasting = (_TASK_ZH, _LASTING_ZH) if language == "zh" else (_TASK_EN, _LASTING_EN)
    if language == "en" and _ONE_OFF_EN.match(order.strip()) and not _STANDING_EN.search(order):
        return True
    others = [each.strip() for each in sentences if order.strip() not in each and len(each.strip()) >= _LEAST_SENTENCE]
    if lasting.search(order) or not task.match(order.strip()):
        return False
    return len(others) > 1 or any(task.match(each) for each in others)


_LEAST_SENTENCE = 8
"""Shorter ones are "Thanks!" and the like."""
