"""Chinese patterns of an announced change: 改用, 换成, 不再, 已经不, 现在, 戒, 换工作, 以前…现在. Pure."""

from __future__ import annotations

import re
from typing import Literal

from hindsight.remember.distil.clauses import Clause

_LEAD = r"^(?:(?:其实|对了|更正一下|更正|纠正一下|说错了|另外|顺便说一下|最近|不过|那|嗯|哦|好消息)[，,：:\s]*)*"
_SELF = r"(?:我们家|我们组|我们团队|我们公司|我们项目|我们|咱们|咱|我家|我|俺|本人)"
_THING = (
    r"(?:的)?(?:数据库|编辑器|浏览器|手机|电脑|系统|框架|语言|项目|后端|前端|缓存|消息队列|部署|输入法|邮箱|银行|车|牙医|医生|时区|主题)"
)
_WHEN = r"(?:(?:现在|已经|最近|刚|刚刚|上周|上个月|这周|前阵子|后来|早就|都|全|全部|目前|今年|去年)\s*)*"
_TO = r"(?:改用|换用|转用|换成|换到|改成|切到|切换到|迁移到|迁到|转到|改喝|改吃|改坐|改骑|改学)"
_SWITCHED = re.compile(
    rf"{_LEAD}{_SELF}(?:{_THING})*{_WHEN}(?:(?:从|由|把)[^，。]{{1,20}}?)?{_WHEN}{_TO}了?(?!什么|哪|谁|它|他|她|这|那|下一|第)[^，。？?]{{1,30}}$"
)
_LIMIT = re.compile(
    r"^(?:(?:那|嗯|哦|好|对了|不过|还是)[，,\s]*)*(?:把)?(?P<whose>(?:我|我们|咱们)的?)?(?P<what>[\u3400-\u9fffA-Za-z]{0,8}?(?:预算|截止日期|截止时间|期限|deadline))(?:现在)?(?:就|还是)?"
    r"(?P<how>改成|改为|改到|提高到|提到|降到|降低到|涨到|加到|增加到|减到|推迟到|延到|延长到|提前到|调整到|调整为|调到|现在是|变成)了?(?P<value>[^，。？?就]{1,20}?)(?:吧|了|好了|算了)*[。！!]?$"
)
_NUMBER = re.compile(r"[\d一二两三四五六七八九十百千万]")
_ENDED = re.compile(
    rf"{_LEAD}{_SELF}(?:对[^，。]{{1,10}}?)?{_WHEN}(?:再也不|不再|不会再|已经不|早就不|现在不|不)(?P<what>[^，。？?]{{1,20}}?)(?P<perfect>了?)[。！!]*$"
)
_STATE = re.compile(
    r"(?:抽烟|吸烟|喝(?=.)|吃(?=.)|用(?=.)|住(?=.)|养(?=.)|是(?=.)|在(?=.{1,12}(?:上班|工作|上学|读书|住|任职))|对(?=.{1,10}过敏)|过敏|怀孕|做(?=.)|学(?=.)|玩(?=.)|练(?=.)|信(?=.)|当(?=.)|写(?=.)|喜欢(?=.)|爱(?=.)|讨厌(?=.)|更?偏好|单身|租房)"
)
_PASSING = re.compile(
    r"饭|东西|这|那|你|您|什么|它|他|她|哪|下去|这么|一会|完|好了|少说|急着|想|知道|确定|记得|题|作业|第|帮|是(?:很|太|特别|那么)|写(?:的|完)|要紧|多说|说了|故意|有意|打扰"
)
_NOW = re.compile(
    rf"{_LEAD}(?:{_SELF}(?:现在|如今|目前)|(?:现在|如今|目前){_SELF}?)(?:开始)?(?:都|就|已经|主要|一般|平时)*(?P<verb>更?喜欢|更?爱|偏好|讨厌|改用|用|改喝|喝|改吃|吃|住在|住|在(?!公司|家|这|那|外面|单位|办公室)(?=[^，。]{{1,12}}(?:上班|工作|上学|读书|任职|住))|做|学|养)"
    r"(?!什么|哪|谁|它|他|她|这|那|不|得|着|了|的|户|院|到|完|错|水)(?P<what>[^，。？?]{1,20}?)(?P<perfect>了?)[。！!]*$"
)
_QUIT = re.compile(rf"{_LEAD}{_SELF}{_WHEN}戒(?:掉)?了?(?:烟|酒|咖啡|糖|奶茶|碳水|可乐|游戏|网|肉|辣)(?:了)?[。！!]*$")
_JOB = re.compile(
    rf"{_LEAD}(?P<who>{_SELF}){_WHEN}(?:换(?:了(?:新|个)?)?(?:工作|公司|单位)|跳槽|离职|辞职)了?[，,\s]*(?P<where>(?:现在|目前|去了|到了|加入了?)[^，。？?]{{2,20}})[。！!]*$"
)
_DENIED = re.compile(
    rf"{_LEAD}{_SELF}(?:其实)?(?:并)?(?:不对[^，。]{{1,10}}过敏|对[^，。]{{1,10}}?(?:其实|并)?(?:不|没有?)过敏|不是(?:素食者|素食主义者|糖尿病人?|孕妇))[。！!]*$"
)
_BEFORE = re.compile(
    rf"^(?P<who>{_SELF})(?:以前|之前|过去|原来|从前)(?:一直|都|是)?(?P<was>[^，。？?过]{{2,20}}?)[，,]?(?:但|但是|不过)?(?P<now>现在[^，。？?]{{2,20}}?)了?[。！!]*$"
)
_TEXT = re.compile(r"标题|代码|这|那(?!么)|段落|文章|句|颜色|字体|变量|函数|格式|按钮|[红蓝绿黄黑白]色|异步|同步|英文|中文|小说")
"""What is done to a text or a task changes nothing lasting."""
_FOOD = re.compile(r"^(?:抽|吸|喝(?:酒|咖啡|茶|牛奶|可乐|奶茶|饮料)|吃(?!素|斋))")


def find_change_zh(clause: Clause, text: str) -> tuple[Literal["constraint", "preference", "identity"], float] | None:
    """Of what kind the changed state is, and how surely it is stated. ``text`` is the clause's masked text."""
    if clause.question:
        return None
    text = text.rstrip("。！! ")
    limit = _LIMIT.match(text)
    if limit is not None and _NUMBER.search(limit["value"]):
        return None if re.search(r"文中|文件|配置|代码|表格|里的|中的|上面|段", text) else ("constraint", 0.85)
    if not clause.of_self and not re.match(_SELF, text):
        return None
    ended = _ENDED.match(text)
    if ended is not None and not _DENIED.match(text):
        return _kind_of_end(ended["what"]) if _has_ended(text, ended) else None
    now = _NOW.match(text)
    lasting = now is not None and (
        now["perfect"] or not re.fullmatch(r"[喝吃做学养]", now["verb"]) or re.search(r"开始|主要|一般|平时|都", text)
    )
    if now is not None and lasting and not _PASSING.search(now["what"]):
        liking = re.search(r"喜欢|爱|偏好|讨厌", now["verb"])
        return ("preference", 0.8) if liking else ("identity", 0.75)
    if _TEXT.search(text):
        return None
    if _BEFORE.match(text) or any(pattern.match(text) for pattern in (_SWITCHED, _QUIT, _JOB, _DENIED)):
        return "identity", 0.8
    return None


def restate_zh(text: str) -> str:
    """A change in the words that tell it alone: "预算改成一万二吧" → "我的预算改成一万二", "我以前用甲，现在用乙" → "我不再用甲，现在用乙"."""
    bare = text.strip().rstrip("。！! ")
    limit = _LIMIT.match(bare)
    if limit is not None and _NUMBER.search(limit["value"]):
        return f"{limit['whose'] or '我的'}{limit['what']}{limit['how']}{limit['value']}"
    before = _BEFORE.match(bare)
    if before is not None:
        return f"{before['who']}不再{before['was']}，{before['now']}"
    job = _JOB.match(bare)
    if job is not None:
        return f"{job['who']}换工作了，{job['where']}"
    return text


_BARE_LIMIT = re.compile(r"^我的(?=(?P<what>预算|截止日期|截止时间|期限)(?:改|提|降|涨|加|增|减|推|延|调|现在|变))")
_NAMED_LIMIT = re.compile(
    r"(?:^|[，。：:的])(?:我们?的?|这次的?|本次的?)?(?P<purpose>(?!我|咱|大概|总|整体|目前|这)[\u3400-\u9fff]{2,6}?)的?(?P<what>预算|截止日期|截止时间|期限)"
)


def name_limit_zh(text: str, earlier: str) -> str | None:
    """什么的预算: "我的预算改成一万二" after "装修预算是一万块": "我的装修预算改成一万二"; None where the earlier words name none."""
    bare, named = _BARE_LIMIT.match(text), _NAMED_LIMIT.search(earlier)
    if bare is None or named is None or bare["what"] != named["what"]:
        return None
    return f"我的{named['purpose']}{text[bare.end() :]}"


def _has_ended(text: str, ended: re.Match[str]) -> bool:
    """Whether it was so and is no more: "不再", "已经不", or "不 … 了" of a lasting state; "我不吃了" tells of a meal."""
    what = ended["what"]
    if _PASSING.search(what) or not (_STATE.match(what) or re.search(r"不再|再也不|不会再", text)):
        return False
    return bool(ended["perfect"]) or bool(re.search(r"不再|再也不|不会再|已经不|早就不", text))


def _kind_of_end(what: str) -> tuple[Literal["constraint", "preference", "identity"], float]:
    """What is no longer eaten or drunk is shunned: a constraint; what is no longer liked, a preference; anything else, a fact."""
    if re.match(r"更?(?:喜欢|爱|偏好|讨厌)", what):
        return "preference", 0.8
    return ("constraint" if _FOOD.match(what) else "identity"), 0.8
