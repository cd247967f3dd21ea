"""Chinese: does a statement point at something that only the conversation around it names (它, 那个地方, 这种感觉)? Pure."""

from __future__ import annotations

import re

_CJK = r"[\u3400-\u9fff]"
_TIME = r"(?:个|几|两|一|半|些)?(?:周|月|年|天|阵子|段时间|段日子|季度|学期|星期|礼拜|周末|时候|会儿|次|回|辈子|早|晚|里里|一代)"
_DEMONSTRATIVE = re.compile(
    rf"(?<!不)(?<!如)(?<!因)(?<!从)(?<!\d )(?:这|那)(?!一口|{_TIME})(?!么|边|就是|是因为|方面|行|份|家(?:公司|医院)|里|儿|座城市|样一来)(?:个|种|些|样|类|款|条|部|本|项|件|点|段|位|只|台|套|家|场|首|座|间|句|门|块|批|幅|支|张|间|处|两|几|一)(?P<rest>{_CJK}{{0,12}})"
    r"|此(?:类|种)|上述|前者|后者"
)
_VERB_CHARACTERS = "欢爱看听吃喝用买去到在对把被让给跟和与从了的是有想要找说做于选玩穿住读追试见像为就也都还很过着得次起倒恶厌怕受种完拿握捉抓取拍录存收集发放送带题享觉验开走坐讲谈写学教懂会能可向往离比按照等及或而但那这我你他她它天晚早"
"""Characters that end a verb, a preposition or an adverb: what follows them is their object."""
_INTRODUCED = re.compile(r"(?:有|是|买了|养了|看了|用|读|追|喜欢上)(?:的)?$")
_PRONOUN = re.compile(r"它们?|(?<!其)他(?!人|们俩|乡)们?|她们?")
_NOUN_BEFORE = re.compile(
    rf"(?:老婆|老公|爱人|妻子|丈夫|男朋友|女朋友|男友|女友|对象|女儿|儿子|孩子|妈|爸|父|母|哥|姐|弟|妹|爷爷|奶奶|外公|外婆|姥|朋友|同事|室友|邻居|老板|领导|师父|老师|学生|客户|医生|老人|猫|狗|宠物)"
    rf"|[一两三几\d](?:个|只|本|部|台|辆|家|款|套|条|位|名|间|棵|盆|种|张|首|把|份|群){_CJK}|[A-Za-z]{{2,}}|《|「|“|小{_CJK}|老{_CJK}|{_CJK}(?:总|哥|姐)"
)
_PLACE = re.compile(r"(?<!我)(?<!我们)(?:这里|那里|这儿|那儿|这边|那边)(?!的话)")
_PLACED = re.compile(rf"(?:在|去|到|住|回){_CJK}{{2,}}|市|省|县|区|镇|村|公司|学校|家里")
_FRAGMENT = re.compile(
    rf"^(?:{_CJK}{{0,3}}[，,])?(?:针对|对于|关于|考虑到|基于|结合|根据|按照|除了|比如|例如|作为|万一|随着|通过|经过|为了|由于|虽然|尽管|既然|即使|就算|哪怕|不管|无论)[^，,。]*$"
    rf"|^{_CJK}{{0,6}}(?:虽然|尽管)[^，,。]*$|^(?:从|在|当|等|自从|像|尤其是|特别是|选择|面对)[^，,。]*(?:的情况|来看|来说|而言|方面|之后|以后|的时候|时|的话|之前|之外|为止|后)$|[^，,。]*(?:的情况下?|来看|的时候|的话|切入|方面)$|^(?:但|可|可是)?(?:这么|那么|如此)[^，,。]*$|^(?:跟|和|与|比起|相比)[^，,。]*(?:比|相比|比起来|起来)$"
)
_LOST_SUBJECT = re.compile(
    r"^(?:(?:但|不过|而且|只是|就是|反正|所以|然后|结果|终于|总算|真的|已经|确实|当然)[，,]?)*(?:就(?=特别|很|最|喜欢)|(?:都|还|又)(?=是|很|特别|喜欢)|没有?(?!人)|不是|不(?!锈|动产)|反而|还是|又|更|快到了|太|挺|非常|特别是|感觉|听起来|看起来|有点|跑不了|来不及|睡前|早餐|下午|时间管理)"
)
_TALK = re.compile(
    r"^(?:所以|那|但|不过|而且|也|就)?(?:想再?(?:确认|请教|问|听听|知道|了解|请你|和你|跟你|和您|跟您|看看)|希望你|请问|麻烦你?|也?请|(?:如果)?有[^，。]{0,10}(?:请|推荐)|你|您|能不能|可以(?:帮|给|请)|有没有|怎么|这下|看看能不能)"
)
_MOMENT = re.compile(r"^(?:虽然|但|但是|不过|而且|所以)?(?:今天|今晚|今早|这次|刚才|刚刚|昨天|昨晚|明天|下周|现在(?:想|需要|就))")
"""A statement that lasts is not explained by what happens today."""
_OPENING = re.compile(
    r"^(?:你好|您好|嗨|哈喽|谢谢|感谢|没错|是的|是啊|对[，,。！]|对啊|对的|好的|明白|明白了|完全正确|太好了|好主意|原来如此|哈哈|嗯|当然|说得对|你说得?对|你说到|有道理|收到|可不是|了解了?)"
)


def opens_talk(lead: str) -> bool:
    """Whether a clause only greets, agrees or thanks."""
    return bool(_OPENING.match(lead.strip()))


def talks_about_talk(tail: str, before: str, *, lasting: bool) -> bool:
    """Whether a clause behind a statement turns to the listener, or to something that neither it nor ``before`` names.

    ``lasting``: the statement holds for long, so that what happens today turns away from it.
    """
    tail = tail.strip(" ，,。；")
    if _TALK.match(tail) or (lasting and _MOMENT.match(tail)) or _demonstrates(tail, before):
        return True
    pronoun = _PRONOUN.search(tail)
    return pronoun is not None and not _NOUN_BEFORE.search(before + tail[: pronoun.start()])


def dangles_zh(text: str, *, strict: bool) -> bool:
    """Whether the statement leans on words outside it. ``strict``: a missing subject counts as well."""
    text = text.strip(" ，,。；！!")
    if hangs(text):
        return True
    if _demonstrates(text, ""):
        return True
    pronoun = _PRONOUN.search(text)
    if pronoun is not None and not _NOUN_BEFORE.search(text[: pronoun.start()]):
        return True
    place = _PLACE.search(text)
    if place is not None and not _PLACED.search(text[: place.start()]):
        return True
    return strict and "我" not in text and bool(_LOST_SUBJECT.match(text))


def hangs(text: str) -> bool:
    """Whether the text is a clause that waits for another ("虽然退休了", "针对他的情况")."""
    text = text.strip(" ，,。；！!")
    return bool(_FRAGMENT.match(text)) or bool(re.match(r"(?:比如|例如|是(?!我|一个|因为)|即使|哪怕|万一)", text))


def _demonstrates(text: str, before: str) -> bool:
    for match in _DEMONSTRATIVE.finditer(text):
        said = before + text[: match.start()]
        rest = match["rest"] or ""
        head = re.split(r"[的是都就也很太真在]", rest)[0][-2:]
        if len(head) == 2 and head in said:
            continue
        if re.search(rf"(?![{_VERB_CHARACTERS}]){_CJK}$", said):
            continue  # "机场那个标": what stands before it names it
        if (
            (match[0][1:2] in "种类些" and re.match(r".{3,}的.", rest))
            or (_INTRODUCED.search(said) and "的" in rest)
            or re.match(r"[口]", rest)
        ):
            continue
        return True
    return False
