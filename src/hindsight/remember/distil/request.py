"""Requests to remember: "remember that …", "记住这个配置：…". Finds the request and what is to be remembered. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindsight.records import Role
from hindsight.remember.distil.clauses import language_of, mask_quotes

_LEAD = (
    r"(?:(?:and|so|also|ok(?:ay)?|oh|hey|hi|yes|just|important|for\s+the\s+record|fyi|btw|by\s+the\s+way"
    r"|one\s+more\s+thing|well|thanks|great)[,:!\s]+)*"
)
_ASK = (
    r"(?:(?:please|kindly|pls|now|do|always|then|next\s+time|in\s+future|for\s+next\s+time|can\s+you"
    r"|could\s+you|would\s+you|will\s+you|you\s+(?:should|must|need\s+to|have\s+to)|i\s+(?:want|need"
    r"|would\s+like)\s+you\s+to|i'd\s+like\s+you\s+to"
    r"|do\s+me\s+a\s+favou?r\s+and|make\s+sure\s+(?:to|you|that\s+you)|be\s+sure\s+to|try\s+to|let's|,)\s*)*"
)
_PLEASE_END = r"(?:,?\s*and\s+please\s+remember\s+(?:it|this|that))"
_EN = re.compile(
    rf"^\s*{_LEAD}{_ASK}(?P<verb>"
    r"remember(?!\s+(?:when|me\b|how|what\s+(?:it|we\s+said)|the\s+(?:time|days|good|old)|us\b|last\b|your\b|you\b|being\b|\w+ing\s))"
    r"|(?:don't|do\s+not|never)\s+forget(?!\s+(?:about\s+it|it\b|me\b|your\b))"
    r"|(?:keep|bear|have)\s+(?:this\s+|that\s+|it\s+)?in\s+mind|(?:make|take|keep)\s+(?:a\s+)?(?:mental\s+)?(?:note"
    r"|record)s?(?:\s+of)?|note\s+(?:down|this|to\s+self)|note(?=\s*:|\s+that\b|\s+(?:the|my|our)\s)"
    r"|(?:jot|write|put|note|get)\s+(?:this|that|it)\s+down|commit\s+(?:this|that)\s+to\s+memory|(?:save"
    r"|store|put|add|keep)\s+(?:this|that|it)?\s*(?:\w+\s+)?(?:in|into|to)\s+(?:your\s+)?(?:memory"
    r"|notes?)"
    r"|(?:save|store|log|record|memori[sz]e|file)\s+(?:this|that|my|our)\b(?!\s+(?:file|image|picture"
    r"|document|function|to|in|as)\b)|(?:save|store|log)(?=\s*:)|hold\s+(?:on\s+)?to\s+this|keep\s+track\s+of\s+this"
    r"|memori[sz]e"
    r"|for\s+(?:future|your|later)\s+reference|for\s+your\s+(?:memory|notes|records|files)|one\s+for\s+your\s+(?:memory"
    r"|notes)|just\s+so\s+you\s+know(?:\s+for\s+(?:next\s+time|the\s+future|later))?|lest\s+we\s+forget"
    r"|let\s+it\s+be\s+noted"
    r")",
    re.IGNORECASE,
)
_EN_INSIDE = re.compile(
    rf"{_PLEASE_END}|[,.]\s*(?:please\s+)?(?:save|remember|note|don't\s+forget)(?:\s+(?:this|that|it))?\s*:"
    r"|[,.]\s*(?:please\s+)?(?:keep\s+(?:that|this)\s+in\s+mind|don't\s+forget(?:\s+(?:it|that))?"
    r"|remember\s+(?:that|this|it))\s*[.!]*$",
    re.IGNORECASE,
)
_TAIL_EN = re.compile(
    r"^\s*(?:(?:this|that|it|for\s+(?:me|later|next\s+time|the\s+future|future\s+reference)|the\s+following(?:\s+(?:rule\s+of\s+thumb"
    r"|fact|thing|things|info|information))?|what\s+we\s+decided|down|please|somewhere|config(?:uration)?"
    r"|,)(?=\s|[:.,;!?]|$)\s*)*"
    r"(?:\s*[:,;.!?–—-]+\s*)?(?:(?:that|to\s+self)\b\s*[:,]?\s*)?",
    re.IGNORECASE,
)
_NOT_EN = re.compile(
    r"\b(?:can't|cannot|don't|do\s+not|didn't|couldn't)\s+remember\b|^\s*(?:do|did|does)\s+(?:you"
    r"|i|we)\s+remember\b|\bsave\s+the\s+date\b|\bi\s+(?:will\s+)?(?:always\s+)?remember\b",
    re.IGNORECASE,
)

_ASK_ZH = (
    r"(?:请|麻烦|拜托|劳烦|帮我|帮忙|帮|替我|给我|能不能|可以|你|您|要|得|一定|务必|千万|先|还|也|都|再|希望你|我希望你|需要你|我需要你|我要你|把这个|把这条"
    r"|把它|把|这个|这条|下次|下回|以后|往后|往后都|今后|很重要|重要|注意并|并|心里|必须|应该|可以|能不能|好好|，|,|\s)*"
)
_VERB_ZH = (
    r"(?:记住|牢记|记牢|记好|记着|记一下|记下来|记下|记上|记录下来|记录(?=[：:])|记个事|记到(?:备忘录|笔记|本子)|记在(?:心里|脑子里|备忘录|笔记)|记得(?!小时候"
    r"|那|当时|以前|上次|有一次|吗)|别忘了?|不要忘(?:了|记)?|别忘啦|备注(?:一下)?|备忘|登记一下|以后要记得|"
    r"存一下|保存(?:一下)?(?=[：:]|我的)|存到(?:记忆|笔记)里?|保存到(?:记忆|笔记)里?|加到(?:你的)?(?:笔记|记忆)里?|写进(?:记忆|笔记)里?|写下来|记(?=会议室|密码|账号|地址|电话|号码))"
)
_ZH_START = re.compile(
    rf"^(?:对了|好|嗯|哦|那|另外|还有|顺便)?[，,]?{_ASK_ZH}{_VERB_ZH}(?:了|啊|哈|啦|呀|吧|点|好)*(?P<rest>.*)$", re.DOTALL
)
_ZH_MIDDLE = re.compile(
    r"^(?P<object>(?:这个|这条|这一点|下面的|以下|上面)[^，。：:]{0,10}?)(?:你)?(?:要|得|请|帮我|务必|一定要)?(?:记住|记下来|记一下|牢记|记牢|写下来|存一下)[，,：:]?(?P<rest>.*)$",
    re.DOTALL,
)
_ZH_TOPIC = re.compile(
    r"^(?P<object>[^，,。：:]{1,20}?)(?:请|麻烦)?(?:你)?(?:帮我|替我|给我)(?:记住|记下来|记下|记一下|存一下|保存一下)[：:，,]?(?P<rest>.*)$",
    re.DOTALL,
)
_ZH_OBJECT = re.compile(
    r"^(?:请|麻烦|拜托)?(?:你)?(?:帮我|替我|给我)?把(?P<object>[^，。：:]{1,40}?)(?:给我|都|也)?(?:记录下来|记下来|记住|记牢|记一下"
    r"|写下来|存下来|存到记忆里?|加到你?的?(?:笔记|记忆)里?|记在(?:心里|脑子里))[：:，,]?(?P<rest>.*)$",
    re.DOTALL,
)
_ZH_END = re.compile(
    rf"^(?P<rest>.+?)[，,。；;！!]\s*{_ASK_ZH}(?:记住|记牢|记着|记下来|记一下|记下|记上|记好|别忘|别忘了|别忘啦|不要忘了?|牢记|记得|存一下|备注一下)(?:了"
    r"|啊|哈|啦|呀|吧|喔|哦|它|下)*[。！!~～]*$",
    re.DOTALL,
)
_POINT_ZH = re.compile(
    r"^(?:一下|以下内容|下面的?内容|以下|这个|这一点|这条|这件事|这(?=[：:，,])|它|我们刚定下来的|上面|的是|是|：|:|，|,|。|\s|在心里|配置|经验|点|哈|啊|了)*"
)
_NOTED_ZH = re.compile(
    r"(?:我|没|才|还)[^。]{0,12}[，,]记下了|(?:建议|思路|方法|方案|提醒|办法|技巧|重点|要点|谢谢|收到|明白|好的|知道了|学到了)[^。]{0,6}[，,。！!]\s*(?:我)?(?:都)?记(?:下|住|好|着|牢)(?:来)?了|我(?:都|已经|先|会)?(?:记下|记住|记好)(?:来)?了|^(?:很|好|挺|非常)[^，。]{1,6}[，,]记下了"
)
"""The speaker tells that they have noted what was said."""
_NOT_ZH = re.compile(
    r"(?:我|还|不|没|他|她|都|谁)记得|记不|让我记|叫我记|让他记|变量|提醒我一下什么|(?:保存|记录)(?:文件|结果|请求)|忘了锁|记得(?:我|你)"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to remember. ``payload`` is empty where it points at another sentence; ``order`` marks a deed, not a fact."""

    payload: str
    order: bool = False


def find_request(sentence: str, role: Role) -> Request | None:
    """The request that a sentence makes, if any. Between people it is advice, and a question about remembering is none."""
    if role is not Role.USER:
        return None
    masked = mask_quotes(sentence)
    return _find_zh(sentence, masked) if language_of(sentence) == "zh" else _find_en(sentence, masked)


def _find_en(sentence: str, masked: str) -> Request | None:
    if _NOT_EN.search(masked):
        return None
    match = _EN.match(masked)
    if match is None:
        inside = _EN_INSIDE.search(masked)
        if inside is None:
            return None
        payload = (sentence[: inside.start()] + " " + sentence[inside.end() :]).strip(" ,:;")
        payload = re.sub(r"^(?:fyi|important|btw)[,:\s]+", "", payload, flags=re.IGNORECASE)
        return Request(re.sub(r"^,\s*", "", payload))
    tail = _TAIL_EN.match(masked[match.end() :])
    payload = sentence[match.end() + (tail.end() if tail else 0) :].strip()
    order = bool(re.match(r"to\s+\w+", payload, re.IGNORECASE))
    if order:
        payload = payload[2:].strip()
        if re.match(
            r"(?:always\s+)?(?:be|stay)\s+(?:\w+\s+)?(?:nice|kind|good|patient|careful|polite|honest|happy|positive|calm|friendly)\b[^,;:]{0,20}$",
            payload,
            re.IGNORECASE,
        ):
            return None
    if masked.rstrip().endswith("?"):
        payload = payload.rstrip("?").strip()
        if not re.match(rf"^\s*{_LEAD}(?:please\s+)?(?:can|could|would|will)\s+you\b", masked, re.IGNORECASE):
            return None
    return Request(payload, order=order)


def _find_zh(sentence: str, masked: str) -> Request | None:
    if _NOT_ZH.search(masked) or (masked.rstrip().endswith(("？", "?", "吗", "吗。")) and not re.match(r"(?:能不能|可以|能)", masked)):
        return None
    if _NOTED_ZH.search(masked):
        return None
    if (match := _ZH_OBJECT.match(masked)) is not None:
        thing = sentence[match.start("object") : match.end("object")]
        rest = _strip_zh(sentence[match.start("rest") : match.end("rest")])
        pointing = bool(re.fullmatch(r"(?:这|这个|这条|它|这件事|这条信息|下面的?内容|以下内容|这些)", thing))
        return Request(rest if pointing else (f"{thing}：{rest}" if rest else thing))
    if (match := _ZH_MIDDLE.match(masked)) is not None:
        return Request(_strip_zh(sentence[match.start("rest") : match.end("rest")]))
    if (match := _ZH_TOPIC.match(masked)) is not None and match["object"] not in ("请", "麻烦", "能不能", "可以", "那"):
        thing = sentence[match.start("object") : match.end("object")]
        rest = _strip_zh(sentence[match.start("rest") : match.end("rest")])
        return Request(f"{thing}：{rest}" if rest else thing)
    if (match := _ZH_END.match(masked)) is not None:
        return Request(sentence[match.start("rest") : match.end("rest")].strip("，, "))
    if (match := _ZH_START.match(masked)) is not None:
        rest = _strip_zh(sentence[match.start("rest") : match.end("rest")])
        order = masked[: match.start("rest")].endswith("记得") and not re.search(r"是|在|有|为|[:：]", rest)
        return Request(rest, order=order)
    return None


def _strip_zh(rest: str) -> str:
    return _POINT_ZH.sub("", rest, count=1).strip(" ，,。：:？?")
