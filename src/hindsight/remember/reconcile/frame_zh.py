"""Chinese statements as frames. Text is unspaced: numbers, Latin words and known values are tokens, every other character is one."""

from __future__ import annotations

import re

from hindsight.remember.reconcile.categories import chinese_values
from hindsight.remember.reconcile.frame import STATE, Frame
from hindsight.remember.reconcile.numbered import names_in_chinese
from hindsight.text.entities import extract_entities
from hindsight.text.entity_kinds import EntityKind
from hindsight.text.fold import fold
from hindsight.text.numerals import zh_range

ME = "@me"
_USER = r"用户(?!\s*\d+(?![\d.,:]|\s*[岁年月日点个只条台张间位块元次天周楼度公分米斤千万]))"
"""The one who is spoken to, not "user 17"."""
_WRITTEN_OUT = re.compile(r"[（(][^（）()]*\d{4}年[^（）()]*[）)]")
"""Dates that distilling put behind relative ones."""
_THING = r"(?P<gone>[^，。；]{1,20}?)"
_ENDINGS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?从{_THING}(?:全部|整体|彻底)?(?:换成|换到|改成|改到|迁到|迁移到|搬到|转到|切到|切换到|升到|降到)(?:了)?(?P<rest2>[^，]+)$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?把{_THING}(?:全部|都)?(?:换成|改成|替换成|换为|改为)(?:了)?(?P<rest2>.+)$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?用(?P<rest2>[^，]+?)(?:替换|取代|代替|换掉)(?:了|掉了)?{_THING}$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:现在|已经|已)?(?:弃用|放弃|停用|淘汰)(?:了)?{_THING}(?:了)?[，,](?P<rest2>.+)$",
        r"^(?P<rest>[^，]{0,10}?)(?:现在|已经|已)?不(?:再)?(?:用|使用|要|玩|喝|吃|去|看)(?P<gone>[^，。；]{1,20}?)了[，,](?P<rest2>.+)$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?接替{_THING}(?:当|做|担任|成为)(?:了)?(?P<rest2>.+)$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?从{_THING}(?:离职|辞职|退休|毕业|搬出来|搬走|搬离|退出|出院)(?:了)?(?:[，,](?:现在)?(?P<rest2>.+))?$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?(?:戒|卸任|辞去|取消|放弃|卖掉|丢掉|停掉|退掉)(?:了)?{_THING}(?:了)?(?:[，,](?P<rest2>.+))?$",
        rf"^(?P<rest>[^，]{{0,10}}?)把{_THING}(?:卖|退|丢|扔|停|取消)(?:掉)?了(?:[，,](?P<rest2>.+))?$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:已经|已)?(?:不再|不会再)(?:是|当|做)?{_THING}(?:了)?(?:[，,](?P<rest2>.+))?$",
        r"^(?P<gone>[^，]+?)(?:已经|已)?(?:上周|昨天|前天|去年|上个月|最近)?(?:去世|过世|死|过期|停产|下线|作废|失效|取消|解散)了(?P<rest>.*)$",
        rf"^(?P<rest>[^，]{{0,10}}?)(?:和|跟|与){_THING}(?:分手|离婚)了?$",
        rf"^(?P<rest>[^，]{{0,10}}?)休完{_THING}(?:回来|上班|了)+.*$",
    )
)
_SPECIAL_ENDINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"生了(?:$|个|一|男|女|儿|宝)|生完"), "怀孕"),
    (re.compile(r"毕业了"), "学生"),
    (re.compile(r"出院了"), "住院"),
    (re.compile(r"结婚了"), "单身"),
    (re.compile(r"分手了"), "订婚"),
    (re.compile(r"分手了"), "谈恋爱"),
    (re.compile(r"找到工作|入职"), "失业"),
    (re.compile(r"买房了|买了房"), "租房"),
    (re.compile(r"回来上班|复工"), "休产假"),
    (re.compile(r"换了(?:新)?(?P<it>手机|电脑|车|医生|工作|公司|邮箱|密码|号码)"), ""),
)
_MOVES = re.compile(
    r"(?:已经|已|又|后来|现在|都|刚)?(?:改名叫|改叫|改期到|改到|改成|改为|改用|换成|换到|换为|更换为|搬到|迁到|挪到|升级到了?|升到|升为|提高到|提升到|涨到"
    r"|降到|降为|减到|缩短到|延长到|延到|推迟到|提前到|扩到|增加到|变成|变为|调到|调整为|转到|切到|染成)(?:了)?"
)
_NOW = re.compile(
    r"现在|目前|如今|最近|已经|^从[^，。]{1,6}(?:起|开始)(?=[^，。])|以后|今后|往后|下周起|后来|不久前|今年秋天|上个?(?:月|周)|这个月|越来越|又开始|转专业|又"
)
_PERFECT = re.compile(r"了(?=$|[，。])|了$")
_NEW = re.compile(r"(?:我的|用户的|的)新(?P<what>手机|电脑|邮箱|地址|密码|号码|工作|公司|电话|车|办公室)")
_NEGATIONS = re.compile(
    r"并没有|没有|从不|从来不|从未|绝不|不再|不会(?=自动)|不能|不可以|不许|不准|不得|不要|不用(?=\S)|不是|并不|不(?=过敏)|不(?![错过久仅但断得管论])|没(?!有)|未(?=[成经能])|别|禁止|严禁|勿|无需"
)
_FLIPPED = (
    ("讨厌", "喜欢"),
    ("厌恶", "喜欢"),
    ("反感", "喜欢"),
    ("闭馆", "开放"),
    ("关门", "开门"),
    ("停业", "营业"),
    ("关的", "开的"),
    ("关着", "开着"),
    ("关闭", "打开"),
)
_SAME = (
    ("更喜欢", "偏好"), ("最喜欢", "最爱"), ("版本", ""), ("打开", "开的"), ("喜爱", "喜欢"), ("偏爱", "偏好"), ("钟爱", "喜欢"), ("爱吃", "喜欢吃"), ("爱喝", "喜欢喝"), ("爱看", "喜欢看"), ("上班", "工作"), ("任职", "工作"),
    ("家住", "住在"), ("居住在", "住在"), ("定居", "住在"), ("名字叫", "叫"), ("的名字是", "叫"), ("名叫", "叫"), ("改名叫", "叫"), ("绝对", ""), ("千万", ""), ("必须", ""), ("一定", ""), ("块钱", "元"), ("块", "元"),
    ("可以", "能"), ("打开了", "开的"), ("编号", "号"), ("天天", "每天"), ("今年", ""), ("一直", ""), ("从不", "不"), ("大约", ""), ("大概", ""), ("也", ""), ("都", ""), ("就", ""), ("还", ""), ("很", ""), ("非常", ""), ("特别", ""),
    ("每晚的", "每晚"),
)  # fmt: skip
_NUMBER = re.compile(
    r"[零〇一二两三四五六七八九十百]+(?=[岁年月号日点个人只条台张间位块元次天周楼层度公分秒毫种套双节小分之折斤千万成名句本遍场页了]|$)|(?<=[月点第星周])[一二三四五六七八九十]+"
)
_WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
_HALF = re.compile(r"(\d{1,2})点(半|一刻|三刻|钟|整)?(?:(\d{1,2})分?)?")
_DATE = re.compile(r"(\d{1,2})月(\d{1,2})(?:号|日)")
_PARTS = re.compile(r"(上午|早上|早晨|中午|下午|晚上|凌晨|夜里)(?=\d)")
_SIZE = re.compile(r"(\d+)米(\d+)")
_TEN_THOUSAND = re.compile(r"(\d+)(千|万)")
_TOKEN = re.compile(
    r"@me|[\w.+-]+@[\w.-]+[a-z]|#[0-9a-f]{3,8}(?![0-9a-f])|(?:~|\.{1,2})?/[a-z0-9./_-]+|[a-z]+/[a-z_]+"
    r"|\d{1,2}月\d{1,2}日|\d{1,2}月|周[1-7]|\d{1,2}:\d\d|\d+(?:[.,]\d+)*%?|[a-z0-9]+(?:[-_.+ ]?[a-z0-9]+)*[+#]*"
    r"|[\u3400-\u9fff]",
    re.ASCII,
)
_GRAMMAR = set("的了着有把被对和跟与要能去来一个只条台张间位名款所家上下，。；、：")
_DROPPED = frozenset({"是", "在", "为", "给", "于", "到"})
SINGLE = (
    "住在", "住", "叫", "姓", "属", "监听", "跑在", "托管在", "存在", "停在", "放在", "装的是", "跑的是", "建于", "出生在", "出生于", "寄给", "开始", "起飞", "保留", "起床", "结束", "读", "请假到", "工作", "上学",
    "用", "付", "办", "是", "在", "为",
)  # fmt: skip
"""Predicates after (or, closing a sentence, before) which a subject has one value at a time."""
BE = ("是", "在", "为")
CLOSING = ("工作", "起飞", "开始", "起床", "上学")
"""Those that follow their value: "在腾讯工作"."""
MULTI = (
    "喜欢",
    "养",
    "会说",
    "会讲",
    "认识",
    "买",
    "过敏",
    "怕",
    "吃",
    "喝",
    "学",
    "见",
    "想",
    "支持",
    "爱",
    "会弹",
    "会下",
    "会",
    "卖",
    "欠",
    "戴",
    "卖",
)
"""Predicates that leave room for many."""
ATTRIBUTES = re.compile(
    r"(?:代号|负责人|领导|经理|名字|密码|账号|编号|号码|分支|数据库|合同|钥匙|牙医|医生|房东|老板|开户行|保险|地址|邮箱|电话|手机|电脑|时区|血型|母语|生日|预算"
    r"|截止日期|佣金|押金|价格|房租|许可|职级|色值|版本|导师|客户|默认.{1,4}|最爱.{1,6}|最喜欢的.{1,6}|偏好.{1,6}|目录|端口)$"
)
"""Things of which "is" names the one value."""
_EVENTS = re.compile(
    r"(?<![通超经不难])过(?!道|敏|期|程|度|年|去|节|滤|户)|(?:遛|喂|吃|喝|买|见|看|跑|坐|瘦|考|写|发|收|聚|丢|付|订|捐|花|骑|游|寄|送|还|借|卖|给|打|走|睡|修|处理)了|(?<![\d一二两三四五六七八九十])点了|交了(?!\s*[\d一二两三四五六七八九十百千])|(?:借|送|还|捐|转|汇)给|(?<=[\u4e00-\u9fff])(?<![到为成至用换交有近])了\s*[\d一二两三四五六七八九十百千半几]|有个会|有一个会|失败|报错|崩|到的|发布|坐(?:火车|大巴|飞机)去"
)
_PIECE = re.compile(
    f"(?P<value>{'|'.join(map(re.escape, chinese_values()))})|(?P<verb>{'|'.join(sorted((*SINGLE, *MULTI), key=len, reverse=True))})|{_TOKEN.pattern}",
    re.ASCII,
)


def frame_zh(text: str, speaker: str | None) -> Frame:
    """The frame of a Chinese statement; ``speaker`` stands for 我 and 用户."""
    said = re.sub(r"\s+", " ", fold(text)).strip(" 。！.!")
    work = re.sub(rf"我们|咱们|我|{_USER}|本人", ME, _WRITTEN_OUT.sub("", said))
    if speaker:
        work = work.replace(fold(speaker), ME)
    work = _numbers(work)
    work, gone = _ended(work)
    work, changed = _unmarked(work)
    negated, tokens, predicates, names = _normalised(work)
    return Frame(
        language="zh",
        said=said,
        tokens=tuple(tokens),
        subject=tuple(_subject(tokens, predicates, own=tokens[:1] == [ME] and not work.startswith(f"{ME}的"))),
        negated=negated,
        changed=changed or bool(gone),
        gone=tuple(gone),
        event=bool(_EVENTS.search(said)),
        person=(tokens[:1] == [ME] and not work.startswith(f"{ME}的") and _link(work) != "name") or _names_person(text),
        link=_link(work),
        predicates=tuple(predicates),
        names=names,
    )


def _names_person(text: str) -> bool:
    first = next(iter(extract_entities(text, "zh")), None)
    named = first is not None and text.startswith(first.name) and first.kind is EntityKind.PERSON
    return named or bool(re.match(r"[小老阿][\u4e00-\u9fff](?![\u4e00-\u9fff]?的)", text))


def _ended(work: str) -> tuple[str, list[tuple[str, ...]]]:
    gone: list[tuple[str, ...]] = []
    for pattern, state in _SPECIAL_ENDINGS:
        match = pattern.search(work)
        if match is not None:
            gone.append((STATE, *_normalised(state)[1]) if state else tuple(_normalised(match["it"])[1]))
    for pattern in _ENDINGS:
        match = pattern.match(work)
        if match is not None:
            gone.append(tuple(_normalised(match["gone"])[1]))
            work = f"{match.groupdict().get('rest') or ''}{match.groupdict().get('rest2') or ''}"
            break
    return work, [each for each in gone if each]


def _unmarked(work: str) -> tuple[str, bool]:
    changed = False
    new = _NEW.search(work)
    if new is not None:
        work, changed = work[: new.start()] + "的" + new["what"] + work[new.end() :], True
        work = work.replace(f"{ME}的{ME}", ME)
    work = re.sub(r"\d{1,2}月(?:\d{1,2}日)?(?=搬|迁到|离|换|从)", "", work)
    moved = _MOVES.sub(lambda match: _moved(match[0]), work)
    marked = _NOW.sub("", moved)
    # 了 alone tells of no change: "离线了".
    return _PERFECT.sub("", marked), changed or marked != work


def _moved(verb: str) -> str:
    """What remains of a verb of change: the state that it leads to."""
    if verb.startswith(("搬到", "已经搬到")):
        return "住在"
    if verb.endswith(("迁到", "挪到", "改到")):
        return "在"
    return "用" if "改用" in verb else "叫" if "改名" in verb or "改叫" in verb else "是"


def _normalised(work: str) -> tuple[bool, list[str], list[tuple[int, str]], frozenset[int]]:
    """(negated, content tokens, predicates with the position from which they govern, positions of numbers that name)."""
    negated = False
    for word, plain in _FLIPPED:
        if word in work:
            negated = not negated
            work = work.replace(word, plain)
    work, count = _NEGATIONS.subn("", work)
    negated ^= bool(count % 2)
    for word, plain in _SAME:
        work = work.replace(word, plain)
    tokens: list[str] = []
    predicates: list[tuple[int, str]] = []
    names: set[int] = set()
    for match in _PIECE.finditer(work):
        piece = match[0]
        if match.lastgroup == "verb":
            tokens += [token for token in piece if token not in _DROPPED]
            if tokens:
                predicates.append((len(tokens), piece))
        elif match.lastgroup == "value" or piece not in _GRAMMAR:
            if piece.isascii() and names_in_chinese(work, match.start(), match.end()):
                names.add(len(tokens))
            tokens.append(piece)
    return negated, tokens, predicates, frozenset(names)


def _numbers(work: str) -> str:
    """Chinese numerals as digits, times as H:MM, dates as M月D日, weekdays as 周N: equal values in one form."""
    work = re.sub(r"(?<=\d)\s+(?=[年月日号点块元个岁人])|(?<=[年月])\s+(?=\d)", "", work)
    work = re.sub(r"(?<=\d)(?=(?:周|星期|礼拜)[一二三四五六日天]|[一二三四五六七八九十]+[月点号])", " ", work)
    work = _WEEKDAY.sub(lambda match: f"周{'一二三四五六日'.index(match[1].replace('天', '日')) + 1}", work)

    def digits(match: re.Match[str]) -> str:
        if short := re.fullmatch(r"([一二两三四五六七八九])百([一二三四五六七八九])", match[0]):
            return str(zh_range(short[1])[0] * 100 + zh_range(short[2])[0] * 10)
        try:
            low, high = zh_range(match[0])
        except ValueError:
            return match[0]
        apart = " " if match.string[match.start() - 1 : match.start()].isdigit() else ""
        return f"{apart}{low}" if low == high else match[0]

    work = _NUMBER.sub(digits, work)
    work = _SIZE.sub(lambda match: f"{match[1]}.{match[2]}米", work)
    work = _TEN_THOUSAND.sub(lambda match: str(int(match[1]) * (1000 if match[2] == "千" else 10_000)), work)
    work = _DATE.sub(lambda match: f"{match[1]}月{match[2]}日", work)
    work = _HALF.sub(
        lambda match: f"{match[1]}:{ {'半': '30', '一刻': '15', '三刻': '45'}.get(match[2] or '', (match[3] or '0').zfill(2)) }", work
    )
    return _PARTS.sub("", work)


def _subject(tokens: list[str], predicates: list[tuple[int, str]], *, own: bool) -> list[str]:
    """What stands before the first verb; a person who speaks of themselves is one word."""
    if own:
        return tokens[:1]
    if not predicates:
        return tokens[:2]
    boundary, verb = predicates[0]
    return tokens[: max(1, boundary - sum(token not in _DROPPED for token in verb))]


def _link(work: str) -> str:
    """在: a place; name: the value of an attribute; empty: any other value."""
    if re.search(r"(?<![现正存住跑停放管生])在", work):
        return "在"
    before = re.split(r"是|叫|为", work, maxsplit=1)[0]
    return "name" if ATTRIBUTES.search(before) else ""
