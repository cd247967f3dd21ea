"""Chinese names: people by surname and given name, places and organisations by their last word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindsight.text.entity_kinds import EntityKind, Named
from hindsight.text.literals import holds
from hindsight.text.name_lists import (
    ZH_COMMON_SURNAMES,
    ZH_DOUBLE_SURNAMES,
    ZH_GIVEN,
    ZH_NOT_NAMES,
    ZH_PLACES,
    ZH_SURNAMES,
    ZH_TITLES,
)

_HAN = "\u3400-\u9fff"
_SURNAME = f"(?:{'|'.join(ZH_DOUBLE_SURNAMES)}|[{ZH_SURNAMES}])"
_PERSON = re.compile(rf"(?=({_SURNAME})([{_HAN}]{{1,2}}))")
_STRONG_BEFORE = re.compile(
    r"(?:^|[\s，。！？；：、（）()“”\"'《》\[\]·,.:;!?@/|—-]|[和与跟同给找叫向对由让请是为被及听约陪帮替问]|朋友|好友|同事|同学|客户|经理|老师|医生|领导|"
    r"[表堂]?[兄弟姐妹哥]|发小|[藏球工女男驴]友|老板|顾问|邻居|师傅|室友|妻子|丈夫|儿子|女儿|母亲|父亲|爸|妈|教练|主任|同好|总监|助理|老公|老婆|媳妇|孩子|用户|联系人)$"
)
_STRONG_AFTER = re.compile(
    r"$|[\s，。！？；：、（）()“”\"'《》\[\]·,.:;!?@/|—+-]|[说问在的和与跟是去来给把将对也都就已曾要会想有从向到告提邀约叫请帮发打聊见讲让得称同因为通于主推进完参决购分]|一[起同道块]|建议|通过|正在|发[来送了]|理财|本[人周月]"
    rf"|(?:{ZH_TITLES})"
)
_NICKNAME_BEFORE = rf"(?:(?<![{_HAN}])|(?<=[和与跟同找叫给问]))"
_TITLED = re.compile(
    rf"[{ZH_SURNAMES}](?:{ZH_TITLES})(?![体作商程具结理部局价数])"
    rf"|{_NICKNAME_BEFORE}[老小阿][{ZH_COMMON_SURNAMES}](?:(?![{_HAN}])|(?=[说问在和与的也]))"
)
_PLACE_NEXT = frozenset("路街镇湖河桥站")

_NOT_IN_PLACE = (
    "的了在去到从往来于和与跟是我你他她它们就把被给向对为及叫请让没这那您哪什么很不也都又再还刚已将要会想得着吗呢吧啊个家所间座每各某几些"
)
_LEFT_EDGE = r"(?:^|(?<=[\s，。！？；：、（）()“”\"《》\[\]·,.:;!?/|省市区县镇州号在到去从于沿经和与至的给往由入访了]))"


def _ending(most: int, endings: str, *, after: str = "") -> re.Pattern[str]:
    """A name of 2 to `most` characters after something that ends a word, and one of the endings."""
    return re.compile(rf"{_LEFT_EDGE}((?:协和|和平|(?![{_NOT_IN_PLACE}])[{_HAN}A-Za-z]){{1,{most}}}?)(?:{endings})(?![{after}~])")


_ENDS_OF_ORGANISATIONS = tuple("学 园 院 所 公司 集团 银行 证券 室 协会 基金会 馆 社 电视台 俱乐部".split())
_ENDS_OF_BUILDINGS = tuple("厦 场 园 站 店 馆 厅 院 房 庄 景区 古镇 古城".split())
_ENDS_OF_AREAS = tuple("省 市 县 区 镇 道 路 街".split())
_ORGANISATION = _ending(
    14,
    "大学|学院|中学|小学|学校|幼儿园|医院|诊所|公司|集团|银行|证券|研究院|研究所|实验室|协会|基金会|法院|派出所|博物馆|图书馆|美术馆|出版社|"
    "电视台|俱乐部|事务所|工作室",
    after="级内外",
)
_BUILDING = _ending(
    10,
    "大厦|广场|公园|机场|火车站|高铁站|地铁站|车站|酒店|宾馆|餐厅|饭店|咖啡馆|咖啡厅|咖啡店|书店|商场|体育馆|健身房|剧院|影院|山庄|景区|古镇|古城",
)
_AREA = _ending(
    5,
    "(?<![节反])省|(?<![城超股早夜上门集牛熊楼黑菜都])市|县|(?<![学社园景片地小专误雷战禁务息取险心市山郊])区|(?<![冰古])镇|街道|大道|"
    "(?<![思套线道出网电铁公马半一上走来后退心门销岔末链滑阶断板回])路|街",
    after="过况由线上级别边场民",
)
_ENDED = (
    (_ORGANISATION, _ENDS_OF_ORGANISATIONS, EntityKind.ORGANISATION),
    (_BUILDING, _ENDS_OF_BUILDINGS, EntityKind.PLACE),
    (_AREA, _ENDS_OF_AREAS, EntityKind.PLACE),
)
"""Patterns, what every match of them holds, and what they name."""
_GENERIC = re.compile(
    "^(?:保险|软件|互联网|科技|上市|跨国|外贸|私立|公立|人民|市中心|物业|快递|贸易|广告|装修|搬家|旅游|一线|商业|步行|十字|高速|销售|咖啡|连锁|星级|"
    "便利|城市|综合|专科|心理|咨询|生物|私人|手机|目标|客户|行业|电力|设计|交通|动态|传统|本地|社区|专业|大型|小型|国内|国外|全球|当地|重点|三甲|顶尖|"
    "知名|著名|普通|相关|其他|主要|休闲|温泉|日式|西式|中式)$|"
    "今天|昨天|明天|上周|本周|发现|讨论|利用|推荐|分析|研究|预约|一些|比如|如果|同事|妻子|当前|近期|部分|附近|周边|适合|上传|提交|乘坐|备考|送达|确认|"
    "考虑|感觉|梳理|建议|感受|调整|规划|计划|返回|入住|探访|驾车|致电|抓拍|帮助|反映|采用|具备|保存|印有|原定|明日|午休|地点|网红|比较|具体|合作|可比|龙头|定点|以上|进入|核心|同类|可以|需要|选择|使用|登录|成功|办理|前往|抵达|参加|位于|关于|公司|[非等或但并看送放先如自其后需能更最解]"
)
_AFTER_AREA = re.compile("(?<=[省市区县镇路街])")
_KNOWN_PLACE = re.compile(f"(?:{ZH_PLACES})")


def find_names(text: str) -> Iterator[Named]:
    """People, places and organisations."""
    yield from find_people(text)
    for pattern, ends, kind in _ENDED:
        for match in pattern.finditer(text) if holds(text, ends) else ():
            # Of "杭州市西湖区文三路西湖法院" the last name.
            head = _AFTER_AREA.split(match[1])[-1]
            head = head if len(head) >= 2 else match[1]
            if len(head) >= 2 and not _GENERIC.search(head):
                yield match.end(1) - len(head), text[match.end(1) - len(head) : match.end()], kind
    for match in _KNOWN_PLACE.finditer(text):
        yield match.start(), match[0], EntityKind.PLACE


def find_people(text: str) -> Iterator[Named]:
    """Surname and given name between what usually stands beside names, or a surname with a title."""
    end = 0
    for match in _PERSON.finditer(text):
        start = match.start()
        if start < end:
            continue
        surname, following = match.groups()
        before = _STRONG_BEFORE.search(text, max(0, start - 3), start) is not None
        name = _person_at(text, start, surname, following, before=before)
        if name:
            yield start, name, EntityKind.PERSON
            end = start + len(name)
    for match in _TITLED.finditer(text):
        if match[0] in ZH_NOT_NAMES:
            continue
        yield match.start(), match[0], EntityKind.PERSON


def _person_at(text: str, start: int, surname: str, following: str, *, before: bool) -> str | None:
    """The name that begins at `start`: two given characters need evidence on one side, a single one on both."""
    one_sided: str | None = None
    for given in (following, following[:1]):
        name = surname + given
        end = start + len(name)
        if (
            any(each not in ZH_GIVEN for each in given)
            or name in ZH_NOT_NAMES
            or name[-1] in "路湖桥道"
            or text[end : end + 1] in _PLACE_NEXT
        ):
            continue
        after = _STRONG_AFTER.match(text, end) is not None
        if surname + given[:1] in ZH_NOT_NAMES and not (before and after):
            continue
        if before and after:
            return name
        if len(given) == 2 and (before or after):
            one_sided = name
    return one_sided
