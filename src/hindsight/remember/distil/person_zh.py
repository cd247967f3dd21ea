"""Chinese: what a speaker says of themselves, told of the speaker: "我女儿六岁" → "张敏的女儿六岁"."""

from __future__ import annotations

import re

_KIN = "老婆|老公|爱人|先生|太太|妻子|丈夫|男朋友|女朋友|对象|女儿|儿子|孩子|娃|宝宝|妈妈|爸爸|妈|爸|父母|爸妈|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹|爷爷|奶奶|外公|外婆|姥姥|姥爷|老家|家里"
_THINGS = f"{_KIN}|生日|名字|邮箱|手机号|手机|电话|地址|办公室|公司|团队|部门|领导|老板|母语|身高|体重|鞋码|账号|账户|车牌|签证|护照|狗|猫|同事|室友|邻居|学校|单位|膝盖|腰|眼睛|牙|心脏|血压"
_PLURAL = re.compile(rf"(?:我们|咱们|咱|俺们)(的)?(?={_THINGS}|组|班|项目|系统|产品|这边|那边|小区|学院)?")
_SELF = re.compile(rf"(?<![自忘小本])(?:我|俺|本人|咱)(?!国|方|市|省|等|辈|行我素)(?P<of>的)?(?P<thing>(?={_THINGS}))?")
_OWN = re.compile(r"(?:你|您)(?:们)?(的)?")


def tell_zh(text: str, name: str, listener: str) -> str:
    """The statement with the speaker's name for 我 and the listener's for 你; kin and belongings take 的."""

    def plural(match: re.Match[str]) -> str:
        following = text[match.end() : match.end() + 3]
        belongs = match[1] or re.match(rf"{_THINGS}|组|班|项目|系统|产品|小区|学院", following)
        if belongs:
            return f"{name}的"
        return name if re.match(r"这边|那边", following) else f"{name}这边"

    told = _PLURAL.sub(plural, text)
    told = _SELF.sub(lambda match: f"{name}的" if match["of"] or match["thing"] is not None else name, told)
    told = _OWN.sub(lambda match: f"{listener}{match[1] or ''}", told)
    return told.strip()
