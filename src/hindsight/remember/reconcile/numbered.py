"""Numbers that name ("room 301", 第三章) as against numbers that tell ("301 rooms", 三章). Pure.

What a number names belongs to the thing itself: two rooms are two subjects, not two values of one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight.remember.reconcile.frame import type_of

_NAMING_TYPES = frozenset({"number", "version", "identifier"})
_QUANTITIES = frozenset(
    "budget price rent cost costs deposit timeout weight height size age fee salary limit total count distance temperature capacity "
    "deadline max maximum min minimum least most about around roughly exactly only nearly almost some every all these those both first "
    "last next per than plus minus another many score rate number".split()
) - {"number"}
"""Words after which a number is an amount although no verb stands between."""
_UNITS = frozenset(
    "mb gb tb kb kg g mg km m cm mm mi ml l am pm euros euro dollars dollar usd eur pounds percent degrees seconds second minutes minute "
    "hours hour days weeks months years ms s h times people requests kilometres kilometers metres meters miles kilos litres liters".split()
)
_WORD = re.compile(r"^[a-z][a-z0-9+#.-]*$")


def names_in_english(words: Sequence[str], at: int, *, wordless: bool) -> bool:
    """Whether the number at ``at`` is part of a name: it follows a noun at once, and no unit follows.

    Args:
        words: the words of the statement, lower case, grammar words included.
        at: position of the number.
        wordless: whether the word before carries no name, being a verb or a grammar word.
    """
    if at == 0 or wordless or words[at].endswith("%") or type_of((words[at],)) not in _NAMING_TYPES:
        return False
    before, after = words[at - 1], words[at + 1] if at + 1 < len(words) else ""
    if not _WORD.match(before) or before in _QUANTITIES or before.endswith("ly") or after in _UNITS:
        return False
    if at > 1 and type_of((words[at - 2],)) is not None and before in _UNITS:
        return False  # "2 hours 30"
    # An unknown verb in the third person: "requires 8 characters".
    third_person = at > 1 and before.endswith("s") and not before.endswith("ss") and after.endswith("s")
    return not third_person


_NAMED_ZH = re.compile(
    r"\s*(?:号(?!$|[，。；、]|前|后|之|开|到|上|下|起|截|结|放|出|回|见|交|有|是|在|去|来|的)|教室|会议室|号?楼|层|栋|幢|单元|室|班|年级|路|号?线"
    r"|号?门|车厢|站台|航站楼|频道|期|章|节课)"
)
_MEASURED_ZH = re.compile(
    r"\s*(?:周(?![1-7])|[岁年月日点个只人条台张间位块元次天度公分秒毫种套双节小之折斤千万名句本遍场米吨升里克倍页道份件瓶杯顿趟集所家支颗片%]"
    r"|美元|欧元|mb|gb|tb|kb|kg|km|cm|mm|ms|m\b|g\b|s\b|h\b)"
)
_NO_NOUN_ZH = re.compile(
    r"(?:^|[，。；：:=、（(]|@me|[\d一二两三四五六七八九十][年月日点天周米元块]|[是在为叫到至用付了过着给有要能需含约近超满达共每从第于以比多少剩高低大长宽重半仅只收交存占花买卖住坐跑]"
    r"|监听|最多|至少|大约|不超过|预算|价格|房租|租金|押金|工资|月薪|年薪|体重|身高|温度|人数|次数|限额|费用|年龄|门票|总价|单价|上限|下限|超时|时长"
    r"|容量|尺寸|鞋码|电话|密码|号码|限速|限高|限重|速度|利率|比例|频率|数量|库存|余额|总数|评分|分数|得分|等级)\s*$"
)
"""What stands before a number that is an amount or a value, and not the rest of its name."""
_LEADING_ZH = re.compile(r"[是在为叫到至住跑坐]\s*$")


def names_in_chinese(work: str, start: int, end: int) -> bool:
    """Whether the number at ``work[start:end]`` is part of a name: 第三章, 3 号楼, 订单 1001."""
    if type_of((work[start:end].strip(),)) not in _NAMING_TYPES:
        return False
    before, after = work[:start], work[end:]
    if before.rstrip().endswith("第"):
        return True
    if _NAMED_ZH.match(after):
        return not _LEADING_ZH.search(before)
    return not _MEASURED_ZH.match(after) and not _NO_NOUN_ZH.search(before)
