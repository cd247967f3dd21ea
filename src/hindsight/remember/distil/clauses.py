"""A turn cut into clauses that rules can judge one by one: foreign text masked, questions and suppositions marked. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hindsight.guard.envelope import strip_recalled
from hindsight.records import Role

MASK = "\u25a1"
"""Stands for each character of a quotation, so that rules do not take another's words for the speaker's."""

_BLOCKQUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_CODE_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|‘[^’\n]{1,200}’(?![a-z])|「[^」\n]{1,400}」|『[^』\n]{1,400}』|(?<![\w'])'[^'\n]{2,200}'(?!\w)|`[^`\n]{1,200}`"
)
_SENTENCE = re.compile(r"[^。！？!?…\n]+?(?:[。！？!?…]+[”\"」』)）]?|\.(?=\s|$)|\n|$)", re.DOTALL)
_STARTER = r"(?:I|I['’]\w+|My|We|We['’]\w+|Our|It|It['’]s|He|She|They|You|Your|This|That|These|There|The|But|And|So|Also|If|When|Then|Please|What|How|Why|Never|Always|Don['’]t|Do|No|Yes|Let|Can|Could)"
"""Words that, with a capital, open a sentence."""
_ABBREVIATION = re.compile(
    r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof|Mt|Messrs|Gen|Col|Capt|Lt|Sgt|Rev|Hon|vs|e\.\s?g|i\.\s?e|approx|cf|viz|incl|ca)\.(?=\s)|(?:no|nos|vol|fig|sec|ch|pp|p)\.(?=\s+#?\d)"
    rf"|(?:[ap]\.\s?m|St|Jr|Sr|Inc|Ltd|Co|Corp|Ave|Blvd|etc|(?-i:[A-Z](?:\.[A-Z]){{0,4}})|ph\.d)\.(?=\s)(?!\s+(?-i:{_STARTER})\b))",
    re.IGNORECASE,
)
"""Abbreviations whose full stop ends no sentence."""
_NO_STOP = "\u2024"
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")

_SPLIT_EN = re.compile(
    r"\s*;\s+|\s+[-–—]+\s+|\s*—\s*"
    r"|,\s+(?:and|but|so|because|since|as|anyway)\s+(?=(?:(?:usually|also|then|now|please)\s+)?(?:I"
    r"|I'm|i|im|we|my|our|you|nothing|no|don't|never|please|it|it's|there's|he|she|they|that(?!'s\s+(?:how|what|why|the))|this|these|those|let's)\b)"
    r"|,\s+(?=(?:I|I'm|i'm|I've|I'd|i|im|we|we're|we've|my|our|don't|never|nothing|there's|the|that's|this\s+is|here's|here\s+is|check\s+out|let's)\b)"
    r"|\s+(?:and|but)\s+(?=(?:I|I'm|I've|I'd|my|we|we're|we've)\s)"
)
_SPLIT_ZH = re.compile(r"(?<!对我来说)(?<!对我而言)(?<!的话)[，,；;]|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])|——")

_QUESTION_EN = re.compile(
    r"^(?:(?:so|and|but|ok|okay|well|hey|hi|oh|also|sorry|um|hmm|wait|hello)[,\s]+)*"
    r"(?:(?:why|how)\b(?!ever)|(?:what|who|whom|whose|where|when|which)(?:'s\b|\s+(?:\w+\s+){0,2}?(?:is"
    r"|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|might|if)\b)(?!\s+\w+\s[^?]*,\s)"
    r"|(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might"
    r"|must|isn't|aren't|don't|doesn't|didn't|won't|can't)"
    r"\s+(?:i|you|we|he|she|it|they|there|this|that|the|my|your|our|his|her|their|a|an|any|some|someone|people)\b)",
    re.IGNORECASE,
)
_QUESTION_ZH = re.compile(
    r"[？?]\s*$|[吗么]\s*[。！!]?\s*$|^(?:那|那么|所以|请问|我想问|问下|问一下)?(?:我|你|您|这|那|我们|咱们)?.{0,4}?(?:为什么|为啥|怎么"
    r"|怎样|如何|是不是|能不能|可不可以|要不要|有没有|会不会|什么时候|哪里|哪儿)"
    r"|(?:什么|怎么|怎样|哪个|哪些|哪里|哪儿|哪道|多少|多久|几点|咋样)(?:样|好|呢|啊|呀)?\s*$|呢\s*$|(?:还?不够|对|是|没错|不是)吧[。！!]?\s*$"
)
_SUPPOSED_EN = re.compile(
    r"\b(?:if\s+(?:i|we|you|he|she|they|it|my\s+\w+|the\s+\w+)\s+(?:were|had|could|would|lived|was"
    r"|wanted)|suppose|supposing|imagine|assume|assuming"
    r"|let's\s+(?:say|assume|pretend)|pretend|act\s+as|role-?play|what\s+if|whether|hypothetical(?:ly)?"
    r"|in\s+(?:the|a)\s+(?:novel|story|film|movie|book|game)"
    r"|wouldn't\s+say|(?:not|isn't)\s+that\s+(?:i|we)|as\s+if|wish\s+(?:i|we)|would\s+have|i\s+wonder|wondering)\b",
    re.IGNORECASE,
)
_IF_YOU_DID = re.compile(r"(?:appreciate|like|love|prefer)\s+it\s+if\s+you\b", re.IGNORECASE)
_ONLY_IF = re.compile(r"\bif\s+(?:i|we|you|he|she|they|it|this|that|the|there|my|our)\b|如果|要是|万一|假如", re.IGNORECASE)
"""A condition: its own clause states nothing; what follows may."""
_SUPPOSED_ZH = re.compile(
    r"(?:如果|要是|假如)[^。]{0,30}(?:就好了|会怎|怎么办|哪|吗|多少|什么)|假设|假定|倘若|假使|(?:故事|小说|电影|剧情|剧|游戏|寓言|传说)(?:里|中)"
    r"|扮演|想象一下|设想|会不会|不管我|要不要|要我说|(?:来|有|能)[^，。]{0,8}就好了[。！!]?$|比如说?我"
)
_FRAME_EN = re.compile(
    r"^\s*(?:please\s+)?(?:can\s+you\s+|could\s+you\s+)?(?:translate|write\s+(?:me\s+)?(?:a|an|the"
    r"|some)\b|rewrite|paraphrase|proofread|correct\s+(?:this|the)|compose|tell\s+me\s+a|act\s+as"
    r"|pretend|imagine|suppose|assume"
    r"|how\s+(?:do|would|can)\s+(?:i|you|we)\s+say|give\s+me\s+\w+\s+sentences|explain\s+the\s+difference"
    r"|from\s+the\s+docs|the\s+guide\s+says|the\s+article\s+says|the\s+docs?\s+says?)",
    re.IGNORECASE,
)
_FRAME_ZH = re.compile(
    r"^\s*(?:请|帮我|麻烦)?(?:把.{0,12})?(?:翻译|写个|写一个|写一篇|写段|写首|编个|改写|润色|扮演|假设|假定|想象|造.{0,3}句|讲个)|用(?:英语"
    r"|日语|法语|英文|日文)怎么说|^(?:文档|攻略|文章|书|故事)(?:上|里|中)?(?:说|写)"
)
_IRONY_EN = re.compile(
    r"\b(?:lol|lmao|rofl|haha+|ha\s+ha|jk|just\s+kidding|only\s+kidding|yeah\s+right|oh\s+great|obviously[.!]*$)"
    r"|^wow\b|/s\b|I\s+just\s+love\s+it\s+when",
    re.IGNORECASE,
)
_IRONY_ZH = re.compile(r"哈哈|呵呵|嘿嘿|笑死|开玩笑|对对对|真是.{0,6}呢|可真|信不信|你敢信|才怪")
_REPORTED_EN = re.compile(
    r"\b(?:he|she|they|people|everyone|everybody|someone|nobody|customers|developers|kids|friend|boss"
    r"|neighbou?r|flatmate|roommate|colleague|co-?worker|article|guide|manual|docs?)"
    r"\s+(?:\w+\s+)?(?:says?|said|tells?|told|asks?|asked|claims?|claimed|thinks?|likes?|loves?|hates?"
    r"|prefers?|wants?|is\s+obsessed)\b",
    re.IGNORECASE,
)
_REPORTED_ZH = re.compile(
    r"(?:他|她|他们|她们|人家|别人|有人|有些人|大家|大多数人|小孩|孩子们|邻居|室友|朋友|老板|同事|领导|程序员|没有人|奶奶|爷爷|攻略|文章|文档|课程|培训|教程|播客|专家)(?:们|都|也|总|常|最|特别|很|挺|更|真|超|非常|其实|好像|周日|上|里|平时|一直)*"
    r"(?:说|讲|常说|问|强调|提到|提醒|(?:反复|一再|再三)提醒|建议|劝|觉得|认为|喜欢|爱|讨厌|更喜欢|迷上|让我|叫我|写着|怕)"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of one sentence, from ``start`` in it. ``masked`` has the length of ``text``.

    ``supposed``, ``reported`` and ``in_question`` (it ends with a question) hold for the whole sentence; ``of_self``: the clause opens it, or follows a first person.
    """

    text: str
    masked: str
    sentence: int
    start: int
    language: Literal["zh", "en"]
    role: Role
    question: bool = False
    supposed: bool = False
    reported: bool = False
    of_self: bool = True
    in_question: bool = False


def language_of(text: str) -> Literal["zh", "en"]:
    """``zh`` where a fifth or more of the words are Chinese (a character counts as half a word), else ``en``."""
    han = len(_HAN.findall(text))
    return "zh" if han and han * 2 >= len(_LATIN_WORD.findall(text)) else "en"


def own_words(text: str) -> str:
    """The speaker's own words: without recalled blocks, code fences and quoted lines."""
    return _BLOCKQUOTE.sub(" ", _CODE_FENCE.sub(" ", strip_recalled(text))).strip()


def mask_quotes(text: str) -> str:
    """Quotations replaced by ``MASK``, character by character."""
    return _QUOTED.sub(lambda match: MASK * len(match[0]), text)


def split_sentences(text: str) -> list[str]:
    """Sentences with their end marks; a full stop ends one only before white space and after no abbreviation ("Dr. Lee", "gate no. 5", "9 a.m. on")."""
    masked = _ABBREVIATION.sub(lambda match: match[0].replace(".", _NO_STOP), mask_quotes(text))
    sentences = []
    for match in _SENTENCE.finditer(masked):
        part = text[match.start() : match.end()].strip()
        if part:
            sentences.append(part)
    return sentences


def split_clauses(text: str, role: Role) -> list[Clause]:
    """The clauses of a turn's own words, in order; none where the whole turn is a task about somebody else's text."""
    text = own_words(text)
    sentences = split_sentences(text)
    clauses: list[Clause] = []
    framed = False
    for number, sentence in enumerate(sentences):
        if len(sentence) > LONGEST_SENTENCE or (len(text) > PASTE_CHARACTERS and OWN_SENTENCES <= number < len(sentences) - OWN_SENTENCES):
            continue
        language = language_of(sentence)
        framed = framed or _framed(sentence, language)
        masked = mask_quotes(sentence)
        whole, supposed, reported = judge(masked, language)
        spans = [span for span in _spans(_SPLIT_ZH if language == "zh" else _SPLIT_EN, masked) if masked[span[0] : span[1]].strip()]
        for start, end in spans:
            part = masked[start:end]
            question = whole or asks(part, language) or (end == spans[-1][1] and masked.rstrip().endswith(("?", "？")))
            unreal = supposed or framed or bool(_ONLY_IF.search(_IF_YOU_DID.sub("", part)))
            of_self = start == spans[0][0] or "我" in masked[:start]
            asked = masked.rstrip().endswith(("?", "？"))
            clauses.append(Clause(sentence[start:end], part, number, start, language, role, question, unreal, reported, of_self, asked))
    return clauses


PASTE_CHARACTERS = 1_500
"""A longer turn is mostly a paste; only the first and last ``OWN_SENTENCES`` sentences are taken for the speaker's own words."""
OWN_SENTENCES = 3
LONGEST_SENTENCE = 800
"""Longer stretches without an end mark are lists, logs or noise; no rule reads them."""


def stands_in_question(clause: Clause) -> bool:
    """Whether a Chinese clause states something of its own, although its sentence ends with a question: of what I do, not why or for whom."""
    if not clause.in_question:
        return True
    text = clause.masked.strip()
    return bool(re.search(r"[我咱俺]|记住|记得|别忘", text)) and not re.match(
        r"(?:那|如果|要是|才能|以便|从而|对于|针对|除了|基于|根据|结合|从|像|比如|关于|当)", text
    )


def asks(masked: str, language: Literal["zh", "en"]) -> bool:
    """Whether these words ask something."""
    pattern = _QUESTION_ZH.search if language == "zh" else _QUESTION_EN.match
    return bool(pattern(masked.strip()))


def judge(masked: str, language: Literal["zh", "en"]) -> tuple[bool, bool, bool]:
    """(asked as a whole, supposed or not meant, said by others) of a sentence."""
    if language == "zh":
        return (
            bool(re.match(r"\s*(?:那|所以|请问)?(?:为什么|为啥|怎么|如何|是不是|难道)", masked)),
            bool(_SUPPOSED_ZH.search(masked) or _IRONY_ZH.search(masked)),
            bool(_REPORTED_ZH.search(masked)),
        )
    return (
        bool(_QUESTION_EN.match(masked.strip())),
        bool(_SUPPOSED_EN.search(_IF_YOU_DID.sub("", masked)) or _IRONY_EN.search(masked)),
        bool(_REPORTED_EN.search(masked)),
    )


def _framed(sentence: str, language: Literal["zh", "en"]) -> bool:
    return bool((_FRAME_ZH if language == "zh" else _FRAME_EN).search(sentence))


def _spans(splitter: re.Pattern[str], masked: str) -> list[tuple[int, int]]:
    """Spans between the separators; each keeps the separator that precedes it out, so that joined text reads as written."""
    spans, start = [], 0
    for match in splitter.finditer(masked):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(masked))]
